"""git repositories to feed from, and the changes that are made to them."""

import subprocess
from pathlib import Path

_SETTINGS = {
    "user.name": "bench",
    "user.email": "bench@example.org",
    "core.autocrlf": "false",
    "gc.auto": "0",  # it would go on in the background, beside what is measured
    "maintenance.auto": "false",
}


def git(folder: Path, *arguments: str) -> str:
    """What git says in a folder; raises CalledProcessError."""
    settings = [part for name, value in _SETTINGS.items() for part in ("-c", f"{name}={value}")]
    command = ["git", *settings, *arguments]
    done = subprocess.run(command, cwd=folder, check=True, stdout=subprocess.PIPE)
    return done.stdout.decode("utf-8", "surrogateescape").strip()


def make(folder: Path) -> None:
    """Makes a folder a repository whose one commit has all that is in it, ignored files too."""
    git(folder, "init", "-q")
    git(folder, "add", "-A", "-f")
    commit(folder)


def commit(folder: Path) -> None:
    """A commit of what has changed in its files; what others have put beside them stays out."""
    git(folder, "commit", "-q", "--all", "-m", "as it lies there")


def clone(repository: Path, folder: Path) -> Path:
    """A copy to change."""
    git(repository, "clone", "-q", str(repository), str(folder))
    return folder
