"""Computes the tree id of a working tree as if all its files were added.

A copy of git's index is updated to the files on disk, with new objects in a private repository;
the repository itself is not written to. The copy is cached, so the next snapshot reads only
files whose stat has changed. Snapshots may run concurrently: each has its own copy, and the
last one is cached.
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
from feeder.source import Sizes, SkipReason, file_types, git, git_files, paths, snapshot_cache
from feeder.source.exclusions import placeholder_id
from feeder.source.git_command import git_output
from feeder.source.snapshot_cache import IndexCopy
from feeder.source.staging import IndexDifference, IndexStage

FILTER_RETRY_S = 60.0
"""Time after which the filter of an unchanged file is tried again after a failure."""
PRUNE_INTERVAL = 20
"""Number of snapshots between two checks of the objects' disk space."""
CLOCK_SKEW_NS = 100_000_000
"""Maximum lag of a file system's clock."""

_RELEVANT_SETTINGS = r"^(core\.|filter\.)"
_ATTRIBUTES_NAME = b".gitattributes"


class Snapshot(NamedTuple):
    """The root tree of a working tree; its objects are in `repository`.

    `commit` and `head_tree_id` are those of HEAD, empty before the first commit.
    """

    commit: str
    head_tree_id: str
    root_tree_id: str
    repository: Path
    object_format: str


@dataclass
class StagingPlan:
    """The changes to make in the index: files to remove, to add, and to skip for a reason."""

    deleted: list[bytes] = field(default_factory=list)
    added: list[bytes] = field(default_factory=list)
    excluded: dict[bytes, SkipReason] = field(default_factory=dict)


class SnapshotTaker(NamedTuple):
    """Takes snapshots of a working tree; `own_prefixes` are path prefixes of feeder's own files."""

    repository: Path
    cache_folder: Path
    sizes: Sizes
    own_prefixes: Sequence[Path] = ()

    def take_snapshot(self) -> Snapshot:
        """The current working tree; raises UserError if there is none or git fails."""
        with ThreadPoolExecutor(2) as both:
            ids = both.submit(git.object_ids, self.repository, ("HEAD^{commit}", "HEAD^{tree}"))
            shaping = both.submit(git.matching_settings, self.repository, _RELEVANT_SETTINGS)
            theirs = git.repository_layout(self.repository)
        if theirs.is_bare:
            raise UserError(
                f"{self.repository} has no working tree. Index its HEAD with: feeder sync"
            )
        commit, head = ids.result()
        ours = snapshot_cache.current_repository(self.cache_folder, theirs)
        with TemporaryDirectory(prefix="look-", dir=ours) as folder:
            moment = SnapshotContext(
                theirs, shaping.result(), head, _filesystem_clock_ns(Path(folder))
            )
            copy = self._updated_copy(ours, Path(folder, "index"), moment)
        return Snapshot(commit, head, copy.root, ours, theirs.object_format)

    def _updated_copy(
        self, private_repository: Path, index: Path, context: "SnapshotContext"
    ) -> IndexCopy:
        """The cached copy of the index, or else a new one, updated to the files on disk."""
        own = snapshot_cache.read_git_index(context.layout.index_file)
        is_young = context.started_ns - own.written_ns < snapshot_cache.RACY_INDEX_NS
        place = private_repository / snapshot_cache.cache_file_name(
            own, context.settings, self.sizes
        )
        last = None if is_young else snapshot_cache.load_copy(place)
        stage = IndexStage(
            self.repository,
            index,
            snapshot_cache.objects_folder(private_repository),
            _filter_drivers(context.settings),
        )
        copy = _IndexUpdate(self, stage, last, context).update_cached_copy() if last else None
        if copy is None:
            own.write_to(index)
            if own.written_ns and not is_young:
                stage.rewrite()
            copy = _IndexUpdate(self, stage, own, context).update_new_copy()
        if copy != last and not is_young:
            snapshot_cache.save_copy(place, copy)
            if copy.snapshot_count % PRUNE_INTERVAL == 1:
                snapshot_cache.prune_repositories(self.cache_folder, context.layout)
        return copy


class SnapshotContext(NamedTuple):
    """The repository at the start of a snapshot, and that time by the file system's clock.

    `settings` are those that affect how git reads files; `head` is the root tree id of HEAD.
    """

    layout: git.RepositoryLayout
    settings: Sequence[tuple[str, str]]
    head: str
    started_ns: int


class _IndexUpdate:
    """Updates a copy of the index to the files on disk, for one snapshot."""

    def __init__(
        self, looker: SnapshotTaker, stage: IndexStage, copy: IndexCopy, now: SnapshotContext
    ) -> None:
        self._taker = looker
        self._stage = stage
        self._copy = copy
        self._context = now
        self._object_format = now.layout.object_format
        self._base = looker.repository.resolve()

    def update_new_copy(self) -> IndexCopy:
        """Updates a fresh copy of git's index."""
        look, untracked = self._scan()
        return self._resulting_copy(untracked, self._apply_plan(look))

    def update_cached_copy(self) -> IndexCopy | None:
        """Updates the cached copy; None if attributes have changed, which needs a fresh copy."""
        self._copy.write_to(self._stage.index)
        look, untracked = self._scan()
        if not (look.deleted or look.added or look.excluded):
            return self._copy
        if _ATTRIBUTES_NAME in {name.rpartition(b"/")[2] for name in (*look.deleted, *look.added)}:
            return None
        # whether line ends are converted depends on what git's own index has of a file
        self._stage.restore_from_index(look.added)
        return self._resulting_copy(untracked, self._apply_plan(look))

    def _scan(self) -> tuple[StagingPlan, Mapping[bytes, bool]]:
        """The plan, and the untracked files, each with whether it is a nested repository."""
        with ThreadPoolExecutor(1) as beside:
            others = beside.submit(self._untracked_files)
            differences = self._stage.differences()
            untracked = others.result()
        return self._plan(differences, untracked), untracked

    def _untracked_files(self) -> dict[bytes, bool]:
        """The untracked files, each with whether it is a nested repository."""
        own = tuple(map(os.fsencode, self._taker.own_prefixes))
        base = os.fsencode(self._taker.repository) + b"/"
        found = git_files.untracked_files(self._taker.repository)
        return {
            name.rstrip(b"/"): name.endswith(b"/")
            for name in found
            if not (own and (base + name).startswith(own))
        }

    def _plan(
        self, differences: Mapping[bytes, IndexDifference], untracked: Mapping[bytes, bool]
    ) -> StagingPlan:
        look = StagingPlan()
        look.deleted += self._copy.untracked.difference(untracked)
        look.deleted += [name for name, found in differences.items() if found.is_deleted]
        there = set(differences).difference(look.deleted)
        there.update(set(untracked).difference(self._copy.untracked))
        there.update(filter(self._has_reappeared, self._copy.missing))
        for name in sorted(there):
            self._plan_file(look, name, differences.get(name), untracked)
        return look

    def _has_reappeared(self, name: bytes) -> bool:
        """Whether a deleted file exists again, and not behind a symbolic link."""
        place = Path(os.fsdecode(self._absolute_path(name)))
        is_folder = place.is_dir() and not place.is_symlink()
        if not os.path.lexists(place) or (is_folder and not (place / ".git").exists()):
            return False
        return os.path.realpath(place.parent) == os.fspath(place.parent)

    def _plan_file(
        self,
        plan: StagingPlan,
        name: bytes,
        difference: IndexDifference | None,
        untracked: Mapping[bytes, bool],
    ) -> None:
        """Adds a file to the plan, unless its placeholder is in the index already."""
        try:
            status = os.lstat(self._absolute_path(name))
        except OSError:
            plan.deleted.append(name)
            return
        why = self._skip_reason(name, status, is_own_repository=untracked.get(name, False))
        if why is None:
            plan.added.append(name)
        elif not difference or difference.blob != placeholder_id(why, self._object_format):
            plan.excluded[name] = why

    def _skip_reason(
        self, name: bytes, status: os.stat_result, *, is_own_repository: bool
    ) -> SkipReason | None:
        if is_own_repository:
            return SkipReason.SUBMODULE
        if stat.S_ISDIR(status.st_mode) or stat.S_ISLNK(status.st_mode):
            return None
        if not stat.S_ISREG(status.st_mode):
            return SkipReason.SPECIAL
        if status.st_size > file_types.size_limit(paths.escape_name(name), self._taker.sizes):
            return SkipReason.TOO_LARGE
        was, tried_s = self._copy.failed_filters.get(name, ("", 0.0))
        is_known = was == _stat_text(status) and time.time() - tried_s < FILTER_RETRY_S
        return SkipReason.FILTER_FAILED if is_known else None

    def _apply_plan(self, plan: StagingPlan) -> dict[bytes, SkipReason]:
        """Applies the plan to the index; returns the files that could not be added, and why."""
        stage = self._stage
        stage.remove(plan.deleted)
        stage.add_placeholders(plan.excluded, self._object_format)
        if not plan.added:
            return {}
        stage.refresh()
        filtered = self._with_filters(plan.added)
        plain = [name for name in plan.added if name not in filtered]
        failed = dict.fromkeys(stage.add(plain), SkipReason.UNREADABLE)
        failed |= dict.fromkeys(stage.add_filtered(sorted(filtered)), SkipReason.FILTER_FAILED)
        stage.add_placeholders(failed, self._object_format)
        return failed

    def _with_filters(self, names: Collection[bytes]) -> set[bytes]:
        if not self._stage.filters:
            return set()
        listed = b"".join(b"%b\0" % name for name in names)
        out = git_output(
            self._taker.repository, "check-attr", "-z", "--stdin", "filter", stdin=listed
        )
        fields = iter(out.split(b"\0")[:-1])
        rows = zip(fields, fields, fields, strict=True)
        return {name for name, _, value in rows if os.fsdecode(value) in self._stage.filters}

    def _resulting_copy(
        self, untracked: Iterable[bytes], failed: Mapping[bytes, SkipReason]
    ) -> IndexCopy:
        stage = self._stage
        root = stage.write_tree(self._context.head)
        now_in, own = stage.names(), set(git_files.tracked_files(self._taker.repository))
        by_filters = [name for name, why in failed.items() if why is SkipReason.FILTER_FAILED]
        return IndexCopy(
            stage.index.read_bytes() if stage.index.exists() else b"",
            self._context.started_ns if stage.index.exists() else 0,
            frozenset(now_in.intersection(untracked)),
            frozenset(own - now_in),
            root,
            {
                **self._copy.failed_filters,
                **{name: (self._stat_text_of(name), time.time()) for name in by_filters},
            },
            self._copy.snapshot_count + 1,
        )

    def _stat_text_of(self, name: bytes) -> str:
        try:
            return _stat_text(os.lstat(self._absolute_path(name)))
        except OSError:
            return ""

    def _absolute_path(self, name: bytes) -> bytes:
        return os.fsencode(self._base) + b"/" + name


def _stat_text(status: os.stat_result) -> str:
    return f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"


def _filter_drivers(settings: Iterable[tuple[str, str]]) -> list[str]:
    """The names of the configured filters."""
    names = (name for name, _ in settings if name.endswith((".clean", ".process", ".required")))
    found = (name.removeprefix("filter.").rpartition(".")[0] for name in names)
    return sorted(set(filter(None, found)))


def _filesystem_clock_ns(folder: Path) -> int:
    """A lower bound of the modification times of files that are written from now on."""
    return min(folder.stat().st_mtime_ns, time.time_ns() - CLOCK_SKEW_NS)
