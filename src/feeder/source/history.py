"""Finds when each file was last changed, by one walk back through the commits that stops early."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import IO, NamedTuple

from feeder.source import git, paths
from feeder.source.git_command import git_arguments, git_environment, git_output, killed_after

WALK_TIMEOUT_S = 4.0
_CHUNK_BYTES = 1 << 16
# no settings of the repository's decide what is listed; a clone that lacks trees fetches none
_LOG_COMMAND = (
    "-c",
    "protocol.allow=never",
    "-c",
    "diff.relative=false",
    "log",
    "--no-show-signature",
)
# a merge is the day on which its changes came; no path begins with a slash
_LOG_OPTIONS = ("--first-parent", "-m", "--no-renames", "--name-only", "-z", "--format=/%ct %P")


class FileHistory(NamedTuple):
    """When a commit's files were last changed, by path, in seconds since 1970.

    A file that is not there was changed at `since` or before, where the walk ended; with None there
    is no such file.
    """

    changed_s: Mapping[str, int]
    oldest_commit_s: int | None = None


class _ChangedFile(NamedTuple):
    """A file that a commit has changed; of a root each is listed."""

    name: bytes
    committed_s: int
    is_root: bool


@lru_cache(maxsize=4)
def file_history(
    repository: Path, commit: str, *, timeout_s: float = WALK_TIMEOUT_S
) -> FileHistory:
    """Of all files of the commit, as far as the walk gets in that time.

    A file counts as changed when a merge has brought it to this line of commits. What the first
    commit of a shallow clone changed is not known.
    """
    listed = git_output(repository, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit)
    left = set(listed.split(b"\0")[:-1])
    is_shallow = git.is_shallow(repository)
    changed: dict[str, int] = {}
    at_s = int(git_output(repository, "show", "-s", "--format=%ct", commit, "--"))
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
        for name, at_s, is_root in _changed_files(process.stdout):
            if not left or (is_root and is_shallow):
                process.kill()
                break
            if name in left:
                left.remove(name)
                changed[paths.escape_name(name)] = at_s
    return FileHistory(changed, at_s if left else None)


def _changed_files(log: IO[bytes]) -> Iterator[_ChangedFile]:
    """The files that the commits have changed, the latest commit first."""
    at_s, is_root, is_first = 0, False, False
    for token in _nul_separated(log):
        if token.startswith(b"/"):
            seconds, _, parents = token[1:].partition(b" ")
            at_s, is_root, is_first = int(seconds), not parents, True
        elif token:
            yield _ChangedFile(token[1:] if is_first else token, at_s, is_root)
            is_first = False  # a line's end stands before the first name alone


def _nul_separated(log: IO[bytes]) -> Iterator[bytes]:
    """What NUL ends; what was cut is left out."""
    rest = b""
    while chunk := os.read(log.fileno(), _CHUNK_BYTES):
        *whole, rest = (rest + chunk).split(b"\0")
        yield from whole
