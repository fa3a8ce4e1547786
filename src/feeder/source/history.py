"""Finds when each file was last changed, by one walk back through the commits that stops early."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import IO, NamedTuple

from feeder.source import git, paths
from feeder.source.git_command import git_arguments, git_environment, git_output, killed_after

WALK_TIMEOUT_S = 4.0
_CHUNK_BYTES = 1 << 16
# independent of the repository's settings; a partial clone fetches no trees
_LOG_COMMAND = (
    *("-c", "protocol.allow=never"),
    *("-c", "diff.relative=false"),
    *("log", "--no-show-signature"),
)
# changes count at the date of their merge; a header starts with a slash, which no path does
_LOG_OPTIONS = ("--first-parent", "-m", "--no-renames", "--name-only", "-z", "--format=/%ct %P")


class FileHistory(NamedTuple):
    """When a commit's files were last changed, by path, in seconds since 1970.

    Files that are not in `changed_s` were changed at `oldest_commit_s`, where the walk ended, or
    before; None if there are none.
    """

    changed_s: Mapping[str, int]
    oldest_commit_s: int | None = None


class LastChange(NamedTuple):
    """The commit that changed a file last, its author, and its time in seconds since 1970."""

    commit: str
    author: str
    changed_s: int


class _ChangedFile(NamedTuple):
    """A file that a commit has changed; a root commit has changed all its files."""

    name: bytes
    committed_s: int
    is_root: bool


@lru_cache(maxsize=256)
def last_change(
    repository: Path, commit: str, path: str, *, timeout_s: float = WALK_TIMEOUT_S
) -> LastChange | None:
    """The last change of one file of a commit, with the rules of `file_history`.

    None if the walk takes longer than `timeout_s`, or ends where a shallow clone does.
    """
    options = ("-1", "--first-parent", "-m", "--no-renames", "--format=%ct%n%H%n%P%n%an")
    arguments = (*_LOG_COMMAND, *options, commit, "--", path)
    try:
        output = git_output(repository, *arguments, timeout_s=timeout_s).decode("utf-8", "replace")
    except TimeoutError:
        return None
    if not output:
        return None
    changed_s, commit_id, parents, author, *_ = output.split("\n")
    is_known = parents or not git.is_shallow(repository)
    return LastChange(commit_id, author, int(changed_s)) if is_known else None


@lru_cache(maxsize=4)
def file_history(
    repository: Path, commit: str, *, timeout_s: float = WALK_TIMEOUT_S
) -> FileHistory:
    """The history of all files of a commit, as far as the walk gets in `timeout_s`.

    Follows first parents: a file counts as changed at the date of its merge. What the oldest commit
    of a shallow clone changed is unknown.
    """
    listed = git_output(repository, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
    remaining = set(listed.split(b"\0")[:-1])
    is_shallow = git.is_shallow(repository)
    changed_s: dict[str, int] = {}
    committed_s = int(git_output(repository, "show", "-s", "--format=%ct", commit, "--"))
    with _changes_before(repository, commit, timeout_s) as changes:
        for name, committed_s, is_root in changes:
            if not remaining or (is_root and is_shallow):
                break
            if name in remaining:
                remaining.remove(name)
                changed_s[paths.escape_name(name)] = committed_s
    return FileHistory(changed_s, committed_s if remaining else None)


@lru_cache(maxsize=4)
def latest_changes(
    repository: Path, commit: str, count: int, *, timeout_s: float = WALK_TIMEOUT_S
) -> Mapping[str, int]:
    """The times of the changes of the `count` files of a commit that were changed last, newest
    first; by path, in seconds since 1970, with the rules of `file_history`.

    Fewer if the walk takes longer than `timeout_s`, or ends where a shallow clone does.
    """
    is_shallow = git.is_shallow(repository)
    changed_s: dict[str, int] = {}
    with _changes_before(repository, commit, timeout_s) as changes:
        for name, committed_s, is_root in changes:
            if len(changed_s) == count or (is_root and is_shallow):
                break
            changed_s.setdefault(paths.escape_name(name), committed_s)
    return changed_s


@contextmanager
def _changes_before(
    repository: Path, commit: str, timeout_s: float
) -> Iterator[Iterator[_ChangedFile]]:
    """The files that a commit and those before it have changed, until the walk is left."""
    with (
        subprocess.Popen(
            git_arguments(repository, *_LOG_COMMAND, *_LOG_OPTIONS, commit, "--"),
            env=git_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process,
        killed_after(process, timeout_s),
    ):
        assert process.stdout
        yield _changed_files(process.stdout)
        process.kill()


def _changed_files(log: IO[bytes]) -> Iterator[_ChangedFile]:
    """The files that the commits have changed, from the latest commit back."""
    committed_s, is_root, is_first = 0, False, False
    for token in _nul_separated(log):
        if token.startswith(b"/"):
            seconds, _, parents = token[1:].partition(b" ")
            committed_s, is_root, is_first = int(seconds), not parents, True
        elif token:
            yield _ChangedFile(token[1:] if is_first else token, committed_s, is_root)
            is_first = False  # only the first name follows a line end


def _nul_separated(log: IO[bytes]) -> Iterator[bytes]:
    """The complete tokens of git's output."""
    rest = b""
    while chunk := os.read(log.fileno(), _CHUNK_BYTES):
        *tokens, rest = (rest + chunk).split(b"\0")
        yield from tokens
