"""The network is closed: tests talk to this machine only. git is as on a new machine, and no test
knows that it runs in a workflow."""

import os
import secrets
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_socket import socket_allow_hosts

from required_extras import require_extras
from source.conftest import plain_git  # noqa: F401 - a fixture
from source.repos import Repo


@pytest.fixture(autouse=True)
def _closed_network() -> None:
    """Connections to anything but loopback are refused."""
    socket_allow_hosts(["127.0.0.1", "::1"], allow_unix_socket=True)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Who is marked to need an extra gets it, or is skipped."""
    for mark in item.iter_markers("needs"):
        require_extras(*mark.args)


@pytest.fixture(autouse=True)
def _no_workflow(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("GITHUB_", "RUNNER_"))]:
        monkeypatch.delenv(name)


@pytest.fixture(autouse=True, scope="session")
def _no_home_of_fixtures(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What fixtures of many tests run leaves nothing in the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))
        yield


@pytest.fixture(autouse=True)
def users_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file in which the program remembers embeddings, of this test alone; not there yet."""
    folder = tmp_path_factory.getbasetemp() / f"cache-{secrets.token_hex(8)}"
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder / "feeder" / "embeddings.db"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """An empty repository."""
    return Repo(tmp_path / "repo")
