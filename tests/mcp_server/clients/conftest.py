"""An empty home folder and a repository, with only git and this program on the PATH."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from command_runner import RunFeeder, command_runner
from source.repos import Repo

FEEDER_COMMAND = Path(sys.executable).parent / "feeder"
"""This program's command."""
CONFIG_VARIABLES = (
    "XDG_CONFIG_HOME",
    "XDG_STATE_HOME",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "COPILOT_HOME",
)
Snapshot = dict[str, bytes | None]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home folder, set as HOME."""
    folder = tmp_path / "home"
    (folder / "bin").mkdir(parents=True)
    for name, program in (("feeder", str(FEEDER_COMMAND)), ("git", shutil.which("git"))):
        assert program
        (folder / "bin" / name).symlink_to(program)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("PATH", str(folder / "bin"))
    for name in (*CONFIG_VARIABLES, "VIRTUAL_ENV"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def feeder(
    home: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> RunFeeder:
    """Runs the program in a folder, with that home."""
    assert home.is_dir()
    return command_runner(monkeypatch, capfd)


@pytest.fixture
def read_all_files(home: Path, repo: Repo) -> Callable[[], Snapshot]:
    """Returns a function that reads all files of the home and the repository; None for folders."""

    def taken() -> Snapshot:
        return {
            str(path): path.read_bytes() if path.is_file() else None
            for folder in (home, repo.path)
            for path in folder.rglob("*")
            if ".git" not in path.relative_to(folder).parts
        }

    return taken
