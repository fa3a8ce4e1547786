"""Creates the two versions of the program, each with a clone of the repository that it indexes."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from speed.program import Program, run_command
from speed.repository import clone, make

INDEXED = ("src", "docs")
"""Folders of the base that both versions index: some 360 files."""


class Version(NamedTuple):
    """A version of the program, its repository, and its index by words and with static vectors.

    The indexes are separate, since a version may be unable to read the index of another one.
    """

    program: Program
    repository: Path
    words: Path
    static: Path


def base_and_checkout(root: Path, base: str, scratch: Path) -> tuple[Version, Version]:
    """Copies the program of the commit `base` and that of the checkout, and makes repositories.

    Both run with this interpreter and its packages. Raises SystemExit if there is no such commit.
    """
    old, new = scratch / "old", scratch / "new"
    _extract(root, base, ("src",), old)
    shutil.copytree(root / "src", new / "src", ignore=shutil.ignore_patterns("__pycache__"))
    repository = scratch / "repository"
    _extract(root, base, INDEXED, repository)
    make(repository)
    return _version("old", old, repository), _version("new", new, repository)


def _extract(root: Path, commit: str, folders: Sequence[str], target: Path) -> None:
    """Extracts folders of a commit below `target`."""
    target.mkdir(parents=True)
    archive = ["git", "archive", "--format=tar", f"{commit}^{{commit}}", *folders]
    done = subprocess.run(archive, cwd=root, capture_output=True, check=False)
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip()
        raise SystemExit(
            f"git cannot read the commit {commit} ({reason}). Name another, or fetch it first."
        )
    subprocess.run(["tar", "-x", "-C", str(target)], input=done.stdout, check=True)


def _version(name: str, folder: Path, repository: Path) -> Version:
    """Raises SystemExit if the interpreter would import another program than that in `folder`."""
    home = folder / "home"
    home.mkdir()
    # -P: nothing is imported from the current directory; PYTHONPATH precedes site-packages
    variables = (f"PYTHONPATH={folder / 'src'}", f"HOME={home}", f"XDG_CACHE_HOME={home}")
    python = ("env", *variables, sys.executable, "-P")
    imported = run_command([*python, "-c", "import feeder; print(feeder.__file__)"]).out.strip()
    if not Path(imported).is_relative_to(folder):
        raise SystemExit(f"{sys.executable} imports {imported}: run this with another Python.")
    program = Program(name, (*python, "-m", "feeder"))
    indexed_clone = clone(repository, folder / "repository")
    return Version(program, indexed_clone, folder / "words.db", folder / "static.db")
