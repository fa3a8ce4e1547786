"""Lists the files of commits and working trees, and reads their contents from git.

Names are bytes.
"""

import re
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from feeder.errors import UserError
from feeder.source import paths
from feeder.source.git_command import (
    NoRepositoryError,
    check_result,
    git_arguments,
    git_environment,
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


def read_blobs(repository: Path, ids: Sequence[str]) -> Iterator[bytes]:
    """The contents of these objects in their order, by one process, one at a time in memory.

    Raises UserError for one that is not here.
    """
    for blob, contents in zip(ids, read_available_blobs(repository, ids), strict=True):
        if contents is None:
            raise missing_object_error(repository, blob)
        yield contents


def read_available_blobs(repository: Path, ids: Sequence[str]) -> Iterator[bytes | None]:
    """The same with None for objects that are not here."""
    if not ids:
        return
    from tempfile import TemporaryFile

    with TemporaryFile() as requests:
        # A file, because git would wait for us to read while we fill a pipe.
        requests.writelines(f"{blob}\n".encode() for blob in ids)
        requests.seek(0)
        with subprocess.Popen(
            git_arguments(repository, "cat-file", "--batch", "--buffer"),
            env=git_environment(),
            stdin=requests,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as batch:
            assert batch.stdout is not None
            for _ in ids:
                yield _read_object(batch.stdout)


def _read_object(batch: IO[bytes]) -> bytes | None:
    header = batch.readline().split()
    if len(header) != 3:  # "<id> missing", or nothing when git gave up
        return None
    contents = batch.read(int(header[2]))
    batch.read(1)
    return contents


def missing_object_error(repository: Path, blob: str) -> UserError:
    """What is raised for an object that is not there."""
    return UserError(
        f"{repository} does not hold the object {blob}. "
        "Check it with `git fsck`, or fetch it again."
    )


REGULAR_MODE, SYMLINK_MODE, SUBMODULE_MODE, SPECIAL_MODE = "100644", "120000", "160000", "000000"
"""Modes; git has none for devices and the like, for which zeros stand here."""

ABSENT_SIZE = -1
"""The size of contents that are not here."""

_UNSAFE_PATH = re.compile(rb"(?:^|/)(?:\.{0,2}|\.git)(?:/|\Z)", re.IGNORECASE)


class GitFile(NamedTuple):
    """A listed file: git's mode in octal digits, its id of the contents, and bytes."""

    name: bytes
    mode: str
    blob: str
    size: int


def is_regular(mode: str) -> bool:
    """Whether the mode is a regular file's, executable or not."""
    return mode.startswith("100")


def ls_tree(repository: Path, commit: str, *, is_partial: bool = False) -> list[GitFile]:
    """Every file of a commit, in the order of their names' bytes; a submodule's size is 0.

    Raises UserError for a name that git would not check out, for one that is there twice, and for
    contents that are not here; in a `partial` clone their size is `ABSENT`.
    """
    rows = git_output(repository, "ls-tree", "-r", "-z", "-l", "--full-tree", commit)
    files = [_parse_row(repository, row, is_partial=is_partial) for row in rows.split(b"\0")[:-1]]
    if len({file.name for file in files}) < len(files):
        [(twice, _)] = Counter(file.name for file in files).most_common(1)
        raise _unsafe_path_error(f"{paths.escape_name(twice)!r} twice")
    return files


def files_named(
    repository: Path, commit: str, file_names: Sequence[bytes]
) -> list[tuple[bytes, str]]:
    """The regular files of a commit that have one of these names, in any folder, and their blobs.

    No sizes are asked for, which take git longer than the listing itself.
    """
    rows = git_output(repository, "ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")
    found = []
    for row in rows:
        if row.endswith(tuple(file_names)):
            head, _, name = row.partition(b"\t")
            mode, _, blob = head.decode().split()
            if is_regular(mode) and name.rpartition(b"/")[2] in file_names:
                found.append((name, blob))
    return found


def read_files(repository: Path, commit: str, file_names: Sequence[bytes]) -> dict[bytes, bytes]:
    """The contents of a commit's regular files at these names, as far as they are here.

    Names that no file can have are not asked for: of a place outside, git would refuse to speak.
    """
    file_names = [
        name for name in file_names if not _UNSAFE_PATH.search(name) and b"\0" not in name
    ]
    if not file_names:
        return {}
    rows = git_output(repository, "ls-tree", "-z", "--full-tree", commit, "--", *file_names)
    found = {}
    for row in rows.split(b"\0")[:-1]:
        head, _, name = row.partition(b"\t")
        mode, _, blob = head.decode().split()
        if is_regular(mode):
            found[name] = blob
    contents = zip(found, read_available_blobs(repository, [*found.values()]), strict=True)
    return {name: text for name, text in contents if text is not None}


def _parse_row(repository: Path, row: bytes, *, is_partial: bool) -> GitFile:
    head, _, name = row.partition(b"\t")
    if _UNSAFE_PATH.search(name):
        raise _unsafe_path_error(repr(paths.escape_name(name)))
    mode, _, blob, size = head.split()
    if size == b"BAD":
        if not is_partial:
            raise missing_object_error(repository, blob.decode())
        size = b"%d" % ABSENT_SIZE
    return GitFile(name, mode.decode(), blob.decode(), 0 if size == b"-" else int(size))


def _unsafe_path_error(path: str) -> UserError:
    return UserError(
        f"The commit holds the path {path}, which git would not check out. "
        "Remove it from the repository."
    )
