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

from feeder.errors import UserError
from feeder.tree import Sizes, Skip, copies, git, kinds, listing, names, objects
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
    object_format: str


@dataclass
class Look:
    """What a look has to do: names to take out, in, and to keep out with a reason."""

    gone: list[bytes] = field(default_factory=list)
    added: list[bytes] = field(default_factory=list)
    kept_out: dict[bytes, Skip] = field(default_factory=dict)


class Looker(NamedTuple):
    """A working tree, where ours is kept, the largest files that are read, and files of ours."""

    repository: Path
    place: Path
    sizes: Sizes
    own: Sequence[Path] = ()

    def look(self) -> Snapshot:
        """The working tree as it is now; raises UserError where there is none or git refuses."""
        with ThreadPoolExecutor(2) as both:
            ids = both.submit(git.ids, self.repository, ("HEAD^{commit}", "HEAD^{tree}"))
            shaping = both.submit(git.settings, self.repository, _SHAPING)
            theirs = git.layout(self.repository)
        if theirs.is_bare:
            raise UserError(
                f"{self.repository} has no working tree. Index its HEAD with: feeder sync"
            )
        commit, head = ids.result()
        ours = objects.current(self.place, theirs)
        with TemporaryDirectory(prefix="look-", dir=ours) as folder:
            moment = Moment(theirs, shaping.result(), head, _clock_ns(Path(folder)))
            copy = self._brought(ours, Path(folder, "index"), moment)
        return Snapshot(commit, head, copy.root, ours, theirs.object_format)

    def _brought(self, ours: Path, index: Path, now: "Moment") -> Copy:
        """The copy that the last look has left, else one of git's index, as it is after this."""
        own = copies.own_index(now.theirs.index_file)
        is_young = now.began_ns - own.written_ns < copies.YOUNG_NS
        place = ours / copies.name_of(own, now.shaping, self.sizes)
        last = None if is_young else copies.kept(place)
        stage = Stage(self.repository, index, objects.folder_of(ours), _drivers(now.shaping))
        copy = _Looking(self, stage, last, now).copy_now() if last else None
        if copy is None:
            own.put(index)
            if own.written_ns and not is_young:
                stage.settle()
            copy = _Looking(self, stage, own, now).first()
        if copy != last and not is_young:
            copies.keep(place, copy)
            if copy.looks % TIDIED == 1:
                objects.tidy(self.place, now.theirs)
        return copy


class Moment(NamedTuple):
    """When a look began, as files get the time, and what the repository was then.

    `shaping` are the settings that decide how files are read, `head` is the root tree of HEAD.
    """

    theirs: git.Layout
    shaping: Sequence[tuple[str, str]]
    head: str
    began_ns: int


class _Looking:
    """One look, from a copy of the index to another one."""

    def __init__(self, looker: Looker, stage: Stage, copy: Copy, now: Moment) -> None:
        self._looker = looker
        self._stage = stage
        self._copy = copy
        self._now = now
        self._object_format = now.theirs.object_format
        self._base = looker.repository.resolve()

    def first(self) -> Copy:
        """What git's own index, which lies there, is brought to."""
        look, untracked = self._seen()
        return self._made(untracked, self._staged(look))

    def copy_now(self) -> Copy | None:
        """The copy brought to the files; None where it cannot be, since attributes have changed."""
        self._copy.put(self._stage.index)
        look, untracked = self._seen()
        if not (look.gone or look.added or look.kept_out):
            return self._copy
        if _ATTRIBUTES in {name.rpartition(b"/")[2] for name in (*look.gone, *look.added)}:
            return None
        # whether line ends are converted depends on what git's own index has of a file
        self._stage.restore(look.added)
        return self._made(untracked, self._staged(look))

    def _seen(self) -> tuple[Look, Mapping[bytes, bool]]:
        """What there is to do; and what git does not track, with whether it is a repository."""
        with ThreadPoolExecutor(1) as beside:
            others = beside.submit(self._untracked)
            differences = self._stage.differences()
            untracked = others.result()
        return self._look(differences, untracked), untracked

    def _untracked(self) -> dict[bytes, bool]:
        """By name, whether it is a repository of its own."""
        own = tuple(map(os.fsencode, self._looker.own))
        base = os.fsencode(self._looker.repository) + b"/"
        found = listing.untracked(self._looker.repository)
        return {
            name.rstrip(b"/"): name.endswith(b"/")
            for name in found
            if not (own and (base + name).startswith(own))
        }

    def _look(
        self, differences: Mapping[bytes, Difference], untracked: Mapping[bytes, bool]
    ) -> Look:
        look = Look()
        look.gone += self._copy.untracked.difference(untracked)
        look.gone += [name for name, found in differences.items() if found.is_gone]
        there = set(differences).difference(look.gone)
        there.update(set(untracked).difference(self._copy.untracked))
        there.update(filter(self._is_there, self._copy.missing))
        for name in sorted(there):
            self._judge(look, name, differences.get(name), untracked)
        return look

    def _is_there(self, name: bytes) -> bool:
        """Whether a file that was gone has come back; not where a link has its folder's place."""
        place = Path(os.fsdecode(self._place(name)))
        is_folder = place.is_dir() and not place.is_symlink()
        if not os.path.lexists(place) or (is_folder and not (place / ".git").exists()):
            return False
        return os.path.realpath(place.parent) == os.fspath(place.parent)

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
        if status.st_size > kinds.limit(names.escape(name), self._looker.sizes):
            return Skip.LARGE
        was, tried_s = self._copy.failed.get(name, ("", 0.0))
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
        root = stage.tree(self._now.head)
        now_in, own = stage.names(), set(listing.tracked_names(self._looker.repository))
        by_filters = [name for name, why in failed.items() if why is Skip.FILTER]
        return Copy(
            stage.index.read_bytes() if stage.index.exists() else b"",
            self._now.began_ns if stage.index.exists() else 0,
            frozenset(now_in.intersection(untracked)),
            frozenset(own - now_in),
            root,
            {
                **self._copy.failed,
                **{name: (self._stat_of(name), time.time()) for name in by_filters},
            },
            self._copy.looks + 1,
        )

    def _stat_of(self, name: bytes) -> str:
        try:
            return _stat(os.lstat(self._place(name)))
        except OSError:
            return ""

    def _place(self, name: bytes) -> bytes:
        return os.fsencode(self._base) + b"/" + name


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
