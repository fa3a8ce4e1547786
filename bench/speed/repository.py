"""Creates and changes git repositories."""

import subprocess
from pathlib import Path

_SETTINGS = {
    "user.name": "bench",
    "user.email": "bench@example.org",
    "core.autocrlf": "false",
    "gc.auto": "0",  # it would run in the background during measurements
    "maintenance.auto": "false",
}


def git(folder: Path, *arguments: str) -> str:
    """Runs git in a folder and returns its output. Raises CalledProcessError."""
    settings = [part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")]
    command = ["git", *settings, *arguments]
    done = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE)
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def make(folder: Path) -> None:
    """Turns a folder into a repository with one commit of all files, ignored ones too."""
    git(folder, "init", "-q")
    git(folder, "add", "-A", "-f")
    commit(folder)


def commit(folder: Path) -> None:
    """Commits the changes of tracked files; untracked files stay out."""
    git(folder, "commit", "-q", "--all", "-m", "all files")


def clone(repository: Path, folder: Path) -> Path:
    """Clones a repository into a folder."""
    git(repository, "clone", "-q", str(repository), str(folder))
    return folder
