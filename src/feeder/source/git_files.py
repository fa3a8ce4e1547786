"""Lists the files of commits and working trees, and reads their contents from git.

Names are bytes.
"""

import errno
import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from feeder.errors import UserError
from feeder.source import paths
from feeder.source.git import file_version
from feeder.source.git_command import (
    NoRepositoryError,
    check_result,
    git_arguments,
    git_environment,
    git_output,
    is_bare_error,
    run_git,
)

REGULAR_MODE, SYMLINK_MODE, SUBMODULE_MODE, SPECIAL_MODE = "100644", "120000", "160000", "000000"
"""Modes of git; zeros for devices and the like, for which git has none."""

ABSENT_SIZE = -1
"""The size of contents that a partial clone does not have."""

_FOLDER_MODE = b"040000"

_UNSAFE_PATH = re.compile(rb"(?:^|/)(?:\.{0,2}|\.git)(?:/|\Z)", re.IGNORECASE)


class GitFile(NamedTuple):
    """A listed file: its mode in octal digits, the id of its contents, and its size in bytes."""

    name: bytes
    mode: str
    blob: str
    size: int


def is_regular(mode: str) -> bool:
    """True for a regular file, executable or not."""
    return mode.startswith("100")


def tracked_files(repository: Path) -> list[bytes]:
    """The names in the index."""
    return git_output(repository, "ls-files", "-z").split(b"\0")[:-1]


def untracked_files(repository: Path) -> list[bytes]:
    """The files that git neither tracks nor ignores, relative to the root of the working tree.

    The name of a nested repository ends with `/`.
    """
    listing = ("ls-files", "-z", "--others", "--exclude-standard", "--full-name")
    return git_output(repository, *listing).split(b"\0")[:-1]


def uncommitted_files(repository: Path, commit: str, timeout_s: float | None = None) -> list[bytes]:
    """The files on disk that may differ from a commit: edited, deleted and untracked ones.

    Among them are files that were only touched, until git looks at them again.
    """
    options = ("-z", "--name-only", "--no-renames", commit, "--")
    edited = git_output(repository, "diff-index", *options, timeout_s=timeout_s).split(b"\0")[:-1]
    return list(dict.fromkeys([*edited, *untracked_files(repository)]))


def unmerged_files(repository: Path) -> list[bytes]:
    """The files with a merge conflict that is not yet resolved, from git's index."""
    rows = git_output(repository, "ls-files", "-z", "--unmerged", "--full-name").split(b"\0")[:-1]
    return list(dict.fromkeys(row.partition(b"\t")[2] for row in rows))


class Listing(NamedTuple):
    """The names of files, and git's reasons by the folders that it could not list."""

    names: list[bytes]
    unread_folders: dict[bytes, str]


_UNREAD_FOLDER = re.compile(rb"^warning: could not open directory '(.*?)/?': (.*)$", re.MULTILINE)

_GONE_REASONS = frozenset(os.strerror(code) for code in (errno.ENOENT, errno.ENOTDIR))
"""Reasons of git for a folder that was removed while it was listing the files."""


def list_files(folder: Path, *arguments: str | bytes) -> Listing:
    """Runs git, which prints names separated by NUL and warns of folders that it cannot list."""
    result = run_git(folder, *arguments)
    names = check_result(folder, result).split(b"\0")[:-1]
    warnings = _UNREAD_FOLDER.findall(result.stderr)
    reasons = {name: reason.decode(errors="replace") for name, reason in warnings}
    unread = {name: reason for name, reason in reasons.items() if reason not in _GONE_REASONS}
    return Listing(names, unread)


def tracked_and_untracked_files(folder: Path, paths: Sequence[bytes]) -> Listing:
    """The tracked files, deleted ones too, and the untracked ones that are not ignored.

    Only those below `paths`. The name of a nested repository ends with `/`.
    """
    listing = ("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--")
    return list_files(folder, *listing, *paths)


def sparse_files(folder: Path) -> list[bytes]:
    """The tracked files that a sparse checkout leaves out; none outside of git."""
    try:
        rows = git_output(folder, "ls-files", "-z", "-t", "--full-name").split(b"\0")
    except NoRepositoryError:
        return []
    return [row.removeprefix(b"S ") for row in rows if row.startswith(b"S ")]


def deleted_files(folder: Path, names: Sequence[bytes]) -> list[bytes]:
    """Those of the files `names`, missing in a working tree, that no sparse checkout leaves out."""
    rows = git_output(folder, "ls-files", "-z", "-t", "--full-name", "--", *names).split(b"\0")
    sparse = {row.removeprefix(b"S ") for row in rows if row.startswith(b"S ")}
    return [name for name in names if name not in sparse]


_known_tracked: dict[tuple[Path, str], tuple[tuple[int, int, int], list[bytes]]] = {}
"""Tracked files by folder and path, with the version of git's index: a server needs them for each
answer."""


def tracked_at(folder: Path, path: str) -> list[bytes]:
    """The tracked files at or below a path, ignoring case, as some file systems do.

    None outside of a working tree. Starts git only if its index has changed since the last call.
    """
    # read before git reads the index: a change in between is seen by the next call
    version = file_version(folder / ".git" / "index")  # None for a linked worktree
    listed_version, listed = _known_tracked.get((folder, path), (None, []))
    if version is not None and version == listed_version:
        return listed
    tracked = _list_tracked_at(folder, path)
    if version is not None:
        _known_tracked[folder, path] = version, tracked
    return tracked


def _list_tracked_at(folder: Path, path: str) -> list[bytes]:
    ignore_case = ("--no-literal-pathspecs", "--icase-pathspecs")
    try:
        result = run_git(folder, *ignore_case, "ls-files", "-z", "--", path)
    except NoRepositoryError:
        return []
    if is_bare_error(result):
        return []
    return check_result(folder, result).split(b"\0")[:-1]


_SMALL_DELTA_CACHE = ("-c", "core.deltaBaseCacheLimit=4m")
"""By default git keeps 96 MB of delta bases, and needs few of them again.

With 4 MB, reading all files of a commit of Kafka takes 69 MB in place of 150, and no more time.
Many similar versions of one large file are read up to a third more slowly.
"""


def read_blobs(repository: Path, ids: Sequence[str]) -> Iterator[bytes]:
    """Yields the contents of objects in order, from one git process, one at a time in memory.

    Raises UserError for a missing object.
    """
    for blob, contents in zip(ids, read_available_blobs(repository, ids), strict=True):
        if contents is None:
            raise missing_object_error(repository, blob)
        yield contents


def read_available_blobs(repository: Path, ids: Sequence[str]) -> Iterator[bytes | None]:
    """The same, with None for missing objects."""
    if not ids:
        return
    from tempfile import TemporaryFile

    with TemporaryFile() as requests:
        # a file: with a pipe, git would wait for its output to be read while the pipe is filled
        requests.writelines(f"{blob}\n".encode() for blob in ids)
        requests.seek(0)
        with subprocess.Popen(
            git_arguments(repository, *_SMALL_DELTA_CACHE, "cat-file", "--batch", "--buffer"),
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
    if len(header) != 3:  # "<id> missing", or nothing if git failed
        return None
    contents = batch.read(int(header[2]))
    batch.read(1)
    return contents


def missing_object_error(repository: Path, blob: str) -> UserError:
    """The error for an object that the repository does not have."""
    return UserError(
        f"{repository} does not have the object {blob}.",
        "Check it with `git fsck`, or fetch it again.",
    )


def ls_tree(repository: Path, commit: str, *, is_partial: bool = False) -> list[GitFile]:
    """All files of a commit, in the order of their names' bytes; a submodule's size is 0.

    Raises UserError for a name that git would not check out, for a duplicate name, and for missing
    contents; in a partial clone (`is_partial`), these have the size `ABSENT_SIZE`.
    """
    rows = git_output(repository, "ls-tree", "-r", "-z", "-l", "--full-tree", commit)
    files = [_parse_row(repository, row, is_partial=is_partial) for row in rows.split(b"\0")[:-1]]
    if len({file.name for file in files}) < len(files):
        [(duplicate, _)] = Counter(file.name for file in files).most_common(1)
        raise _unsafe_path_error(f"{paths.escape_name(duplicate)!r} twice")
    return files


def ls_tree_at(
    repository: Path, commit: str, names: Iterable[bytes], *, is_partial: bool = False
) -> list[GitFile]:
    """Those of the files `names` that a commit or tree has, as `ls_tree` lists them.

    Git reads only the folders of these files.
    """
    listing = ("ls-tree", "-z", "-l", "--full-tree", commit, "--")
    rows = git_output(repository, *listing, *names).split(b"\0")[:-1]
    return [
        _parse_row(repository, row, is_partial=is_partial)
        for row in rows
        if not row.startswith(_FOLDER_MODE)
    ]


def differing_names(repository: Path, one: str, other: str) -> list[bytes] | None:
    """The names of the files that differ between two trees; None if one is not available."""
    # by default git leaves out submodules that .gitmodules says to ignore
    options = ("-r", "--no-renames", "--ignore-submodules=none", "--name-only", "-z")
    command = ("diff-tree", *options, "--end-of-options")
    result = run_git(repository, *command, one, other)
    return result.stdout.split(b"\0")[:-1] if result.returncode == 0 else None


def is_safe_path(name: bytes) -> bool:
    """True if git would check out a file of this name."""
    return not _UNSAFE_PATH.search(name)


def files_named(
    repository: Path, commit: str, file_names: Sequence[bytes]
) -> list[tuple[bytes, str]]:
    """The paths and blobs of a commit's regular files with one of these names, in any folder.

    Does not list sizes, which would take git longer than all the rest.
    """
    rows = git_output(repository, "ls-tree", "-r", "-z", "--full-tree", commit).split(b"\0")
    files = []
    for row in rows:
        if row.endswith(tuple(file_names)):
            head, _, name = row.partition(b"\t")
            mode, _, blob = head.decode().split()
            if is_regular(mode) and name.rpartition(b"/")[2] in file_names:
                files.append((name, blob))
    return files


def read_files(repository: Path, commit: str, file_names: Sequence[bytes]) -> dict[bytes, bytes]:
    """The contents of a commit's regular files by path, without those that are missing.

    Unsafe paths are left out: git fails for paths outside of the repository.
    """
    file_names = [
        name for name in file_names if not _UNSAFE_PATH.search(name) and b"\0" not in name
    ]
    if not file_names:
        return {}
    rows = git_output(repository, "ls-tree", "-z", "--full-tree", commit, "--", *file_names)
    blobs = {}
    for row in rows.split(b"\0")[:-1]:
        head, _, name = row.partition(b"\t")
        mode, _, blob = head.decode().split()
        if is_regular(mode):
            blobs[name] = blob
    contents = zip(blobs, read_available_blobs(repository, [*blobs.values()]), strict=True)
    return {name: content for name, content in contents if content is not None}


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
        f"The commit has the path {path}, which git would not check out.",
        "Remove it from the repository.",
    )
