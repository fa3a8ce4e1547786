"""Which tree would a working tree be, if all that lies in it were added? git's own index says it.

A copy of the index is brought to the files as they lie, with new objects in a repository of ours;
nothing of the repository itself is written. The copy is left for the next look, which then reads
only files whose stat has changed. Looks may run beside each other: each has a copy of its own, and
the last one leaves its.
"""

import os
import stat
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from feeder.tree import Skip, copies, git, objects
from feeder.tree.command import ask
from feeder.tree.copies import Copy
from feeder.tree.stage import Difference, Stage, placeholder

AGAIN_S = 60.0
"""After that, a file at which a filter has failed is tried again although it is the same."""
TIDIED = 20
"""Looks between two at the room that objects take."""
CLOCKS_NS = 100_000_000
"""How far the clock of a file system may be behind."""

_SHAPING = r"^(core\.|filter\.)"
_ATTRIBUTES = b".gitattributes"


class Snapshot(NamedTuple):
    """A working tree as it was: its root tree, which lies in `repository`.

    `commit` and `head` are the ids of HEAD and of its root tree, empty before the first commit.
    """

    commit: str
    head: str
    root: str
    repository: Path


@dataclass
class Look:
    """What a look has to do: names to take out, in, and to keep out with a reason."""

    gone: list[bytes] = field(default_factory=list)
    added: list[bytes] = field(default_factory=list)
    kept_out: dict[bytes, Skip] = field(default_factory=dict)


class Looker(NamedTuple):
    """A working tree, where ours is kept, the largest file that is read, and files of ours."""

    repository: Path
    place: Path
    max_bytes: int
    own: Sequence[Path] = ()

    def look(self) -> Snapshot:
        """The working tree as it is now; raises UserError where git refuses."""
        commit = git.tip(self.repository) or ""
        head = git.root_of(self.repository, commit) if commit else ""
        ours = objects.current(self.place, self.repository)
        shaping = git.settings(self.repository, _SHAPING)
        place = ours / copies.name_of(self.repository, shaping, self.max_bytes)
        with TemporaryDirectory(prefix="look-", dir=ours) as folder:
            stage = Stage(
                self.repository, Path(folder, "index"), objects.folder_of(ours), _drivers(shaping)
            )
            last = copies.kept(place)
            found = _Looking(self, stage, last or copies.own_index(self.repository), head)
            copy = found.brought(is_first=last is None)
            if copy is None:  # attributes have changed: what was read by others is read again
                found = _Looking(self, stage, copies.own_index(self.repository), head)
                copy = found.brought(is_first=True) or found.copy
        if copy != last and found.is_lasting:
            copies.keep(place, copy)
            if copy.looks % TIDIED == 1:
                objects.tidy(self.place, self.repository)
        return Snapshot(commit, head, copy.root, ours)


class _Looking:
    """One look, from a copy of the index to another one."""

    def __init__(self, looker: Looker, stage: Stage, copy: Copy, head: str) -> None:
        self.copy = copy
        self._looker = looker
        self._stage = stage
        self._head = head
        self._object_format = git.object_format(looker.repository)
        self._began_ns = _clock_ns(stage.index.parent)
        self.is_lasting = self._began_ns - copy.written_ns > copies.YOUNG_NS

    def brought(self, *, is_first: bool) -> Copy | None:
        """The copy brought to the files; None where another one has to be begun with."""
        self.copy.put(self._stage.index)
        if is_first and self.copy.written_ns and self.is_lasting:
            self._stage.settle()
        with ThreadPoolExecutor(2) as both:
            differing = both.submit(self._stage.differences)
            others = both.submit(self._untracked)
            differences, untracked = differing.result(), others.result()
        look = self._look(differences, untracked)
        if not is_first and _ATTRIBUTES in {name.rpartition(b"/")[2] for name in look.added}:
            return None
        if not is_first and not (look.gone or look.added or look.kept_out):
            return self.copy
        failed = self._staged(look)
        return self._made(untracked, failed)

    def _untracked(self) -> dict[bytes, bool]:
        """By name, whether it is a repository of its own."""
        own = tuple(map(os.fsencode, self._looker.own))
        base = os.fsencode(self._looker.repository) + b"/"
        found = git.untracked(self._looker.repository)
        return {
            name.rstrip(b"/"): name.endswith(b"/")
            for name in found
            if not (own and (base + name).startswith(own))
        }

    def _look(
        self, differences: Mapping[bytes, Difference], untracked: Mapping[bytes, bool]
    ) -> Look:
        look = Look()
        look.gone += self.copy.untracked.difference(untracked)
        look.gone += [name for name, found in differences.items() if found.is_gone]
        there = set(differences).difference(look.gone)
        there.update(set(untracked).difference(self.copy.untracked))
        for name in sorted(there):
            self._judge(look, name, differences.get(name), untracked)
        return look

    def _judge(
        self,
        look: Look,
        name: bytes,
        found: Difference | None,
        untracked: Mapping[bytes, bool],
    ) -> None:
        """Whether a file is taken in, or kept out unread; what is so already is left."""
        try:
            status = os.lstat(self._place(name))
        except OSError:
            look.gone.append(name)
            return
        why = self._why_not(name, status, is_own_repository=untracked.get(name, False))
        if why is None:
            look.added.append(name)
        elif not found or found.blob != placeholder(why, self._object_format):
            look.kept_out[name] = why

    def _why_not(
        self, name: bytes, status: os.stat_result, *, is_own_repository: bool
    ) -> Skip | None:
        if is_own_repository:
            return Skip.SUBMODULE
        if stat.S_ISDIR(status.st_mode) or stat.S_ISLNK(status.st_mode):
            return None
        if not stat.S_ISREG(status.st_mode):
            return Skip.SPECIAL
        if status.st_size > self._looker.max_bytes:
            return Skip.LARGE
        was, tried_s = self.copy.failed.get(name, ("", 0.0))
        is_known = was == _stat(status) and time.time() - tried_s < AGAIN_S
        return Skip.FILTER if is_known else None

    def _staged(self, look: Look) -> dict[bytes, Skip]:
        """Brings the copy to it; what could not be taken in, and why."""
        stage = self._stage
        stage.remove(look.gone)
        stage.keep_out(look.kept_out, self._object_format)
        if not look.added:
            return {}
        stage.refresh()
        filtered = self._filtered(look.added)
        plain = [name for name in look.added if name not in filtered]
        failed = dict.fromkeys(stage.add(plain), Skip.UNREADABLE)
        failed |= dict.fromkeys(stage.add_filtered(sorted(filtered)), Skip.FILTER)
        stage.keep_out(failed, self._object_format)
        return failed

    def _filtered(self, names: Collection[bytes]) -> set[bytes]:
        if not self._stage.filters:
            return set()
        listed = b"".join(b"%b\0" % name for name in names)
        out = ask(self._looker.repository, "check-attr", "-z", "--stdin", "filter", stdin=listed)
        fields = iter(out.split(b"\0")[:-1])
        rows = zip(fields, fields, fields, strict=True)
        return {name for name, _, value in rows if os.fsdecode(value) in self._stage.filters}

    def _made(self, untracked: Iterable[bytes], failed: Mapping[bytes, Skip]) -> Copy:
        stage = self._stage
        root = stage.tree(self._head)
        by_filters = [name for name, why in failed.items() if why is Skip.FILTER]
        return Copy(
            stage.index.read_bytes() if stage.index.exists() else b"",
            self._began_ns if stage.index.exists() else 0,
            frozenset(stage.names().intersection(untracked)),
            root,
            {
                **self.copy.failed,
                **{name: (self._stat_of(name), time.time()) for name in by_filters},
            },
            self.copy.looks + 1,
        )

    def _stat_of(self, name: bytes) -> str:
        try:
            return _stat(os.lstat(self._place(name)))
        except OSError:
            return ""

    def _place(self, name: bytes) -> bytes:
        return os.fsencode(self._looker.repository) + b"/" + name


def _stat(status: os.stat_result) -> str:
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"


def _drivers(settings: Iterable[tuple[str, str]]) -> list[str]:
    """The names of filters that are set up."""
    names = (name for name, _ in settings if name.endswith((".clean", ".process", ".required")))
    found = (name.removeprefix("filter.").rpartition(".")[0] for name in names)
    return sorted(set(filter(None, found)))


def _clock_ns(folder: Path) -> int:
    """The time, as files get it that are written from now on; no later."""
    return min(folder.stat().st_mtime_ns, time.time_ns() - CLOCKS_NS)
