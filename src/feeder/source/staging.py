"""Updates a private copy of git's index to the files on disk; runs clean filters with a limit."""

import errno
import os
import signal
import subprocess
import time
from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from feeder.source import SkipReason
from feeder.source.exclusions import placeholder_id
from feeder.source.git_command import (
    GitResult,
    check_result,
    git_arguments,
    git_environment,
    git_output,
    run_git,
)

ALL_FILTERS_TIMEOUT_S = 5.0
"""Time limit for the filters of all files together."""

FILTER_TIMEOUT_S = 2.0
"""Time limit for the filter of one file, after all together have failed."""

ADD_TIMEOUT_S = 600.0
"""Time limit for git to add files without filters."""

MIN_WAIT_S, MAX_WAIT_S = 0.0003, 0.05
"""The time between two looks at a process that may have ended."""

MAX_LISTED_NAMES = 100
"""Files up to which git lists only these; a command line is limited."""

_INDEX_SETTINGS = (
    *("-c", "core.splitIndex=false"),  # a split index writes into the user's .git
    *("-c", "core.safecrlf=false"),  # it can reject files for their line ends
)


_REFRESH = ("-q", "--unmerged", "--ignore-missing", "--refresh")
"""Files in conflict and deleted ones are no reason to fail."""


class IndexDifference(NamedTuple):
    """The index entry of a file that differs on disk; `is_deleted` if the file does not exist."""

    mode: str
    blob: str
    is_deleted: bool


DELETED = IndexDifference("", "", is_deleted=True)


class IndexStage:
    """A copy of a repository's index, at the path `index`; new objects are written to `objects`.

    Filters run only in `add_filtered`.
    """

    def __init__(
        self, repository: Path, index: Path, objects: Path, filters: Sequence[str]
    ) -> None:
        self.index = index
        self.filters = filters
        self._repository = repository
        self._variables = {
            "GIT_INDEX_FILE": os.fspath(index),
            "GIT_OBJECT_DIRECTORY": os.fspath(objects),
            "GIT_ALLOW_PROTOCOL": "none",  # a partial clone must not fetch
            "GIT_NO_LAZY_FETCH": "1",
        }
        self._lfs = ("-c", f"lfs.storage={objects.parent / 'lfs'}")
        self._unfiltered = tuple(
            word
            for name in filters
            for setting in ("clean=", "process=", "required=false")
            for word in ("-c", f"filter.{name}.{setting}")
        )

    def differences(self) -> dict[bytes, IndexDifference]:
        """The files that differ from the index by their stat; contents are read only in doubt."""
        listing = ("diff-files", "-z", "--raw", "--no-renames", "--ignore-submodules=dirty")
        result = self._run_git(*listing)
        fields = iter(check_result(self._repository, result).split(b"\0")[:-1])
        differences: dict[bytes, IndexDifference] = {}
        for row, name in zip(fields, fields, strict=True):
            mode, _, blob, _, status = row.decode().lstrip(":").split()
            differences[name] = IndexDifference(mode, blob, status == "D")
        if result.stderr:  # git does not list the files that it cannot read
            for name in self.names().difference(differences):
                if _is_in_link_loop(self._repository, name):
                    differences[name] = DELETED
        return differences

    def names(self) -> set[bytes]:
        """All names in the index."""
        return self._list_names()

    def names_among(self, names: Set[bytes]) -> set[bytes]:
        """Those of some names that are in the index."""
        listed = names if len(names) <= MAX_LISTED_NAMES else ()
        return self._list_names(*listed).intersection(names)

    def _list_names(self, *names: bytes) -> set[bytes]:
        return set(self._git_output("ls-files", "-z", "--", *names).split(b"\0")[:-1])

    def rewrite(self) -> None:
        """Writes the index again, so that files as old as it need not be read any more."""
        self._git_output("update-index", "--force-write-index")

    def refresh(self, names: Collection[bytes]) -> None:
        """Finds those of the tracked files that were touched and are the same, writing no object.

        To add them would set the time of the object in the user's repository.
        """
        are_few = len(names) <= MAX_LISTED_NAMES
        # this reads one file in place of the stat of all, and fails at one behind a symbolic link
        if names and not (
            are_few and self._run_git("add", "--refresh", "--", *names).returncode == 0
        ):
            self._run_git("update-index", *_REFRESH)

    def restore_from_index(self, names: Iterable[bytes], untracked: Container[bytes]) -> None:
        """Restores the entries of these files from git's index, without their stat.

        Those that are `untracked` have none and are removed.
        """
        restored = set(names)
        tracked = {name for name in restored if name not in untracked}
        rows: Sequence[bytes] = ()
        if tracked:
            listed = tracked if len(tracked) <= MAX_LISTED_NAMES else ()
            output = git_output(self._repository, "ls-files", "-s", "-z", "--", *listed)
            rows = output.split(b"\0")[:-1]
        entries = [b"%b\0" % row for row in rows if row.partition(b"\t")[2] in tracked]
        self._update_entries([*_removed_entries(restored), *entries])

    def remove(self, names: Iterable[bytes]) -> None:
        """Removes files from the index, whether they exist or not."""
        self._update_entries(_removed_entries(names))

    def add_placeholders(self, reasons: Mapping[bytes, SkipReason], object_format: str) -> None:
        """Replaces files by placeholders for their skip reasons."""
        self._update_entries(
            b"160000 %b 0\t%b\0" % (placeholder_id(reason, object_format).encode(), name)
            for name, reason in reasons.items()
        )

    def add(self, names: Sequence[bytes]) -> list[bytes]:
        """Adds files without filters; returns those at which git fails, which stay unchanged."""
        if not names or self._try_add(names, self._unfiltered, ADD_TIMEOUT_S):
            return []
        if len(names) == 1:
            return list(names)
        half = len(names) // 2
        parts = names[:half], names[half:]
        return [name for part in parts for name in self.add(part)]

    def add_filtered(self, names: Sequence[bytes]) -> list[bytes]:
        """Adds files with their filters, together or else one by one; returns those that fail."""
        if not names or self._try_add(names, self._lfs, ALL_FILTERS_TIMEOUT_S):
            return []
        failed, left_s = [], ALL_FILTERS_TIMEOUT_S
        for name in names:
            before = time.monotonic()
            if left_s <= 0 or not self._try_add([name], self._lfs, min(FILTER_TIMEOUT_S, left_s)):
                failed.append(name)
            left_s -= time.monotonic() - before
        return failed

    def write_tree(self, head: str = "") -> str:
        """The tree id of the index; `head` is compared first, where it is often equal."""
        compare = ("diff-index", "--cached", "--quiet", "--ignore-submodules=none")
        if head and self._run_git(*compare, head).returncode == 0:
            return head
        return self._git_output("write-tree", "--missing-ok").decode().strip()

    def _update_entries(self, rows: Iterable[bytes]) -> None:
        if entries := b"".join(rows):
            self._git_output("update-index", "-z", "--replace", "--index-info", stdin=entries)

    def _try_add(self, names: Sequence[bytes], settings: Sequence[str], timeout_s: float) -> bool:
        """True if git has added all files; if not, the index is unchanged."""
        command = ("update-index", "--add", "--remove", "--replace", "-z", "--stdin")
        arguments = git_arguments(self._repository, *_INDEX_SETTINGS, *settings, *command)
        variables = {**git_environment(), **self._variables}
        listed = self.index.with_name(f"{self.index.name}.names")
        listed.write_bytes(b"".join(b"%b\0" % name for name in names))
        try:
            is_done = _completes(arguments, variables, listed, timeout_s)
        finally:
            listed.unlink(missing_ok=True)
        self.index.with_name(f"{self.index.name}.lock").unlink(missing_ok=True)
        return is_done

    def _git_output(self, *arguments: str | bytes, stdin: bytes = b"") -> bytes:
        command = (*_INDEX_SETTINGS, *self._unfiltered, *arguments)
        return git_output(self._repository, *command, stdin=stdin, variables=self._variables)

    def _run_git(self, *arguments: str | bytes) -> GitResult:
        command = (*_INDEX_SETTINGS, *self._unfiltered, *arguments)
        return run_git(self._repository, *command, variables=self._variables)


def _removed_entries(names: Iterable[bytes]) -> Iterator[bytes]:
    return (b"0 %b\t%b\0" % (b"0" * 40, name) for name in names)


def _is_in_link_loop(folder: Path, name: bytes) -> bool:
    """True if a file is unreadable because of symbolic links in a loop."""
    try:
        os.lstat(os.fsencode(folder) + b"/" + name)
    except OSError as exc:
        return exc.errno == errno.ELOOP
    return False


def _completes(
    arguments: Sequence[str | bytes], variables: Mapping[str, str], stdin: Path, timeout_s: float
) -> bool:
    """True if a command succeeds in time; its whole process group is killed after a timeout.

    `communicate` would end up to 50 ms after the process. The input is a file, so that one thread
    can wait and kill: another one could kill a new process with the id of the one that has ended.
    """
    with (
        stdin.open("rb") as file,
        subprocess.Popen(
            arguments,
            env=variables,
            stdin=file,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process,
    ):
        try:
            _wait(process, timeout_s)
        finally:
            _kill_group(process)
    return process.returncode == 0


def _wait(process: subprocess.Popen[bytes], timeout_s: float) -> None:
    """Returns after the end of a process, late by a thirtieth of its time, or after a timeout."""
    began = time.monotonic()
    passed_s = 0.0
    while process.poll() is None and passed_s < timeout_s:
        time.sleep(max(MIN_WAIT_S, min(passed_s / 30, MAX_WAIT_S)))
        passed_s = time.monotonic() - began


def _kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kills the processes of its group, unless it has ended."""
    if process.poll() is None:
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
