"""Which files of a working tree does git track, and which does it neither track nor ignore?

Names are bytes, ended by NUL.
"""

from collections.abc import Sequence
from pathlib import Path

from feeder.source.git_command import (
    NoRepositoryError,
    check_result,
    git_output,
    is_bare_error,
    run_git,
)


def tracked_files(repository: Path) -> list[bytes]:
    """The names in a working tree's index."""
    return git_output(repository, "ls-files", "-z").split(b"\0")[:-1]


def untracked_files(repository: Path) -> list[bytes]:
    """The names of a working tree's files that git neither tracks nor ignores, from its root.

    A repository inside ends with `/`.
    """
    listing = ("ls-files", "-z", "--others", "--exclude-standard", "--full-name")
    return git_output(repository, *listing).split(b"\0")[:-1]


def tracked_and_untracked_files(folder: Path, paths: Sequence[bytes]) -> list[bytes]:
    """The names of a working tree's files below these paths, tracked or not, less the ignored ones.

    A tracked file may be gone; a repository inside ends with `/`.
    """
    listing = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--")
    return git_output(folder, *listing, *paths).split(b"\0")[:-1]


def sparse_files(folder: Path) -> list[bytes]:
    """The names of tracked files that a sparse checkout leaves out; nothing outside of git."""
    try:
        rows = git_output(folder, "ls-files", "-z", "-t", "--full-name").split(b"\0")
    except NoRepositoryError:
        return []
    return [row.removeprefix(b"S ") for row in rows if row.startswith(b"S ")]


def tracked_at(folder: Path, path: str) -> list[bytes]:
    """What git tracks at or below a path, in any case of letters, for disks that know no case.

    Nothing outside of a working tree.
    """
    any_case = ("--no-literal-pathspecs", "--icase-pathspecs")
    try:
        answer = run_git(folder, *any_case, "ls-files", "-z", "--", path)
    except NoRepositoryError:
        return []
    if is_bare_error(answer):
        return []
    return check_result(folder, answer).split(b"\0")[:-1]
