"""Runs the program without root's right to read and write everything."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_OVERRIDES = "-dac_override,-dac_read_search,-fowner"


def run_unprivileged(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs `feeder` in a folder; skips the test if root cannot give up its rights here."""
    command = [*_without_overrides(), sys.executable, "-m", "feeder", *arguments]
    variables = os.environ | {"FEEDER_VECTORS": "no", "GIT_CEILING_DIRECTORIES": str(folder.parent)}
    return subprocess.run(
        command, cwd=folder, env=variables, capture_output=True, text=True, check=False
    )


def _without_overrides() -> list[str]:
    if os.geteuid() != 0:
        return []
    program = shutil.which("setpriv")
    if program is None:
        pytest.skip("root may read everything, and there is no setpriv")
    dropped = [program, "--bounding-set", _OVERRIDES, "--inh-caps", _OVERRIDES, "--"]
    if subprocess.run([*dropped, "true"], capture_output=True, check=False).returncode:
        pytest.skip("root may read everything, and setpriv cannot change that here")
    return dropped


@contextmanager
def permissions(path: Path, mode: int) -> Iterator[None]:
    """Gives a folder other permissions for a while."""
    before = path.stat().st_mode
    path.chmod(mode)
    try:
        yield
    finally:
        path.chmod(before)
