"""Fixtures of the tests of the commands."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from command_runner import RunFeeder, command_runner


@pytest.fixture
def environment() -> Mapping[str, str]:
    """Sets FEEDER_VECTORS=no, unless the test module overrides it."""
    return {"FEEDER_VECTORS": "no"}


@pytest.fixture
def feeder(
    environment: Mapping[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> Iterator[RunFeeder]:
    """Runs the program in a folder."""
    monkeypatch.setenv("FEEDER_JOBS", "1")
    # outside of the repository that the tests lie in
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    yield command_runner(monkeypatch, capfd)
