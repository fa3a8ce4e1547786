"""How is a copy of git's index brought to the files as they lie? Without anything but the copy."""

import errno
import os
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from feeder.tree import Skip, git
from feeder.tree.command import Answer, ask, checked, command, environment, run

FILTERS_S = 5.0
"""How long the filters of all files may take together."""
FILTER_S = 2.0
"""How long the filter of one file may take, after all together have failed."""
ADDING_S = 600.0
"""How long git may read files without filters."""

_SETTINGS = (
    *("-c", "core.splitIndex=false"),  # it would write beside the repository's index
    *("-c", "core.safecrlf=false"),  # it would refuse files for their line ends
)


class Difference(NamedTuple):
    """What the copy says of a file that lies there otherwise; `is_gone` where nothing does."""

    mode: str
    blob: str
    is_gone: bool


GONE = Difference("", "", is_gone=True)


class Stage:
    """A copy of an index at `index`, of a repository with filters; new objects go to `objects`.

    No filter runs but in `add_filtered`.
    """

    def __init__(
        self, repository: Path, index: Path, objects: Path, filters: Sequence[str]
    ) -> None:
        self.index = index
        self.filters = filters
        self._repository = repository
        self._told = {
            "GIT_INDEX_FILE": os.fspath(index),
            "GIT_OBJECT_DIRECTORY": os.fspath(objects),
            "GIT_ALLOW_PROTOCOL": "none",  # of a clone that lacks objects, none are fetched
            "GIT_NO_LAZY_FETCH": "1",
        }
        self._lfs = ("-c", f"lfs.storage={objects.parent / 'lfs'}")
        self._unfiltered = tuple(
            word
            for name in filters
            for setting in ("clean=", "process=", "required=false")
            for word in ("-c", f"filter.{name}.{setting}")
        )

    def differences(self) -> dict[bytes, Difference]:
        """What lies there otherwise, by the stat of each file; content is read only in doubt."""
        listing = ("diff-files", "-z", "--raw", "--no-renames", "--ignore-submodules=dirty")
        answer = self._run(*listing)
        fields = iter(checked(self._repository, answer).split(b"\0")[:-1])
        found: dict[bytes, Difference] = {}
        for row, name in zip(fields, fields, strict=True):
            mode, _, blob, _, status = row.decode().lstrip(":").split()
            found[name] = Difference(mode, blob, status == "D")
        if answer.stderr:  # of what it cannot look at, git says nothing else
            names = self.names().difference(found)
            found |= {name: GONE for name in names if _is_behind_a_circle(self._repository, name)}
        return found

    def names(self) -> set[bytes]:
        """All that is in it."""
        return set(self._ask("ls-files", "-z").split(b"\0")[:-1])

    def settle(self) -> None:
        """Writes it anew, so that files as old as it is need not be read in doubt any more."""
        self._ask("update-index", "--force-write-index")

    def refresh(self) -> None:
        """Finds files that were touched and are the same, without writing an object."""
        self._run("update-index", "-q", "--refresh")

    def restore(self, names: Iterable[bytes]) -> None:
        """What git's own index says of files, and of no others among them; their stat is lost."""
        wanted = set(names)
        self.remove(wanted)
        rows = ask(self._repository, "ls-files", "-s", "-z").split(b"\0")[:-1]
        self._inform(b"%b\0" % row for row in rows if row.partition(b"\t")[2] in wanted)

    def remove(self, names: Iterable[bytes]) -> None:
        """Takes files out, whatever lies there."""
        zeros = b"0" * 40
        self._inform(b"0 %b\t%b\0" % (zeros, name) for name in names)

    def keep_out(self, reasons: Mapping[bytes, Skip], object_format: str) -> None:
        """Puts in the place of files what says why they are not read."""
        self._inform(
            b"160000 %b 0\t%b\0" % (placeholder(why, object_format).encode(), name)
            for name, why in reasons.items()
        )

    def _inform(self, rows: Iterable[bytes]) -> None:
        if said := b"".join(rows):
            self._ask("update-index", "-z", "--replace", "--index-info", stdin=said)

    def add(self, names: Sequence[bytes]) -> list[bytes]:
        """Takes files in as they lie; those at which git fails are told and stay as they were."""
        return self._added(names, self._unfiltered, ADDING_S)

    def add_filtered(self, names: Sequence[bytes]) -> list[bytes]:
        """The same by their filters, together, else one by one; what is left in time is told."""
        if not names or self._takes(names, self._lfs, FILTERS_S):
            return []
        failed, left_s = [], FILTERS_S
        for name in names:
            before = time.monotonic()
            if left_s <= 0 or not self._takes([name], self._lfs, min(FILTER_S, left_s)):
                failed.append(name)
            left_s -= time.monotonic() - before
        return failed

    def _added(self, names: Sequence[bytes], settings: Sequence[str], most_s: float) -> list[bytes]:
        if not names or self._takes(names, settings, most_s):
            return []
        if len(names) == 1:
            return list(names)
        middle = len(names) // 2
        halves = names[:middle], names[middle:]
        return [name for half in halves for name in self._added(half, settings, most_s)]

    def _takes(self, names: Sequence[bytes], settings: Sequence[str], most_s: float) -> bool:
        """Whether git has taken in all of them; else the index is as it was."""
        adding = ("update-index", "--add", "--remove", "--replace", "-z", "--stdin")
        arguments = command(self._repository, *_SETTINGS, *settings, *adding)
        listed = b"".join(b"%b\0" % name for name in names)
        done = _ended(arguments, {**environment(), **self._told}, listed, most_s)
        self.index.with_name(f"{self.index.name}.lock").unlink(missing_ok=True)
        return done

    def tree(self, head: str) -> str:
        """The id of the tree that it is; `head` is the one that it may well be."""
        if head and self._run("diff-index", "--cached", "--quiet", head).returncode == 0:
            return head
        return self._ask("write-tree", "--missing-ok").decode().strip()

    def _ask(self, *arguments: str, stdin: bytes = b"") -> bytes:
        given = (*_SETTINGS, *self._unfiltered, *arguments)
        return ask(self._repository, *given, stdin=stdin, beside=self._told)

    def _run(self, *arguments: str) -> Answer:
        given = (*_SETTINGS, *self._unfiltered, *arguments)
        return run(self._repository, *given, beside=self._told)


def _is_behind_a_circle(folder: Path, name: bytes) -> bool:
    """Whether links that lead to one another are in the way: nobody can read what was there."""
    try:
        os.lstat(os.fsencode(folder) + b"/" + name)
    except OSError as exc:
        return exc.errno == errno.ELOOP
    return False


def placeholder(why: Skip, object_format: str) -> str:
    """The id, of nothing, that stands for a file which is kept out unread."""
    return git.blob_id(f"feeder: {why.value}".encode(), object_format)


def _ended(
    arguments: Sequence[str | bytes], told: Mapping[str, str], stdin: bytes, most_s: float
) -> bool:
    """Whether a process and all that it has started end well within a time."""
    quiet = subprocess.DEVNULL
    with subprocess.Popen(
        arguments,
        env=told,
        stdin=subprocess.PIPE,
        stdout=quiet,
        stderr=quiet,
        start_new_session=True,
    ) as process:
        try:
            process.communicate(stdin, timeout=most_s)
        except subprocess.TimeoutExpired:
            pass
        finally:
            if process.returncode is None:
                with suppress(OSError):
                    os.killpg(process.pid, signal.SIGKILL)
    return process.returncode == 0
