"""Computes the tree id of a working tree as if all its files were added.

A copy of git's index is updated to the files on disk, with new objects in a private repository;
the repository itself is not written to. The copy is cached, so the next snapshot reads only
files whose stat has changed. Snapshots may run concurrently: each has its own copy, and the
last one is cached.
"""

import os
import stat
import time
from collections.abc import Collection, Container, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from feeder.errors import UserError
from feeder.private_files import temporary_folder
from feeder.source import Sizes, SkipReason, file_types, git, git_files, paths, snapshot_cache
from feeder.source.exclusions import placeholder_id
from feeder.source.git import Checkout
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
    """Takes snapshots of a working tree; `own_prefixes` are path prefixes of feeder's own files.

    `checkout` is the repository, if the caller has just read it.
    """

    repository: Path
    cache_folder: Path
    sizes: Sizes
    own_prefixes: Sequence[Path] = ()
    checkout: Checkout | None = None

    def take_snapshot(self) -> Snapshot:
        """The current working tree; raises UserError if there is none or git fails."""
        with ThreadPoolExecutor(3) as pool:
            # git reads all folders for this, which takes longest
            untracked = pool.submit(git_files.untracked_files, self.repository)
            ids = pool.submit(self._head_ids)
            settings = pool.submit(git.matching_settings, self.repository, _RELEVANT_SETTINGS)
            read_layout = self.checkout and self.checkout.layout
            layout = read_layout or git.repository_layout(self.repository)
            if layout.is_bare:
                raise UserError(
                    f"{self.repository} has no working tree.", "Index its HEAD with: feeder sync"
                )
            commit, head = ids.result()
            private_repository = snapshot_cache.current_repository(self.cache_folder, layout)
            with temporary_folder(private_repository) as folder:
                started_ns = _filesystem_clock_ns(folder)
                context = SnapshotContext(layout, settings.result(), head, started_ns, untracked)
                copy = self._updated_copy(private_repository, folder / "index", context)
        return Snapshot(commit, head, copy.root, private_repository, layout.object_format)

    def _head_ids(self) -> Sequence[str]:
        """The ids of HEAD's commit and root tree, empty before the first commit."""
        if self.checkout:
            return self.checkout.commit or "", self.checkout.tree or ""
        return git.object_ids(self.repository, ("HEAD^{commit}", "HEAD^{tree}"))

    def _updated_copy(
        self, private_repository: Path, index: Path, context: "SnapshotContext"
    ) -> IndexCopy:
        """The cached copy of the index, or else a new one, updated to the files on disk."""
        git_index = snapshot_cache.read_git_index(context.layout.index_file)
        is_racy = context.started_ns - git_index.written_ns < snapshot_cache.RACY_INDEX_NS
        cache_file = private_repository / snapshot_cache.cache_file_name(
            git_index, context.settings, self.sizes
        )
        last = None if is_racy else snapshot_cache.load_copy(cache_file)
        stage = IndexStage(
            self.repository,
            index,
            snapshot_cache.objects_folder(private_repository),
            _filter_drivers(context.settings),
        )
        copy = _IndexUpdate(self, stage, last, context).update_cached_copy() if last else None
        if copy is None:
            git_index.write_to(index)
            if git_index.written_ns and not is_racy:
                stage.rewrite()
            copy = _IndexUpdate(self, stage, git_index, context).update_new_copy()
        if copy != last and not is_racy:
            snapshot_cache.save_copy(cache_file, copy)
            if copy.snapshot_count % PRUNE_INTERVAL == 1:
                snapshot_cache.prune_repositories(self.cache_folder, context.layout)
        return copy


class SnapshotContext(NamedTuple):
    """The repository at the start of a snapshot, and that time by the file system's clock.

    `settings` are those that affect how git reads files; `head` is the root tree id of HEAD;
    `untracked` are the files that git neither tracks nor ignores.
    """

    layout: git.RepositoryLayout
    settings: Sequence[tuple[str, str]]
    head: str
    started_ns: int
    untracked: Future[list[bytes]]


class _IndexUpdate:
    """Updates a copy of the index to the files on disk, for one snapshot."""

    def __init__(
        self, taker: SnapshotTaker, stage: IndexStage, copy: IndexCopy, context: SnapshotContext
    ) -> None:
        self._taker = taker
        self._stage = stage
        self._copy = copy
        self._context = context
        self._object_format = context.layout.object_format
        self._base = taker.repository.resolve()

    def update_new_copy(self) -> IndexCopy:
        """Updates a fresh copy of git's index."""
        plan, untracked = self._scan()
        failed = self._apply_plan(plan, untracked)
        root = self._stage.write_tree(self._context.head)
        staged = self._stage.names()
        tracked = set(git_files.tracked_files(self._taker.repository))
        return self._resulting_copy(
            root, frozenset(staged.intersection(untracked)), frozenset(tracked - staged), failed
        )

    def update_cached_copy(self) -> IndexCopy | None:
        """Updates the cached copy; None if attributes have changed, which needs a fresh copy."""
        self._copy.write_to(self._stage.index)
        plan, untracked = self._scan()
        if not (plan.deleted or plan.added or plan.excluded):
            return self._copy
        if _ATTRIBUTES_NAME in {name.rpartition(b"/")[2] for name in (*plan.deleted, *plan.added)}:
            return None
        # git converts line ends depending on the file's entry in its own index
        self._stage.restore_from_index(plan.added, untracked)
        failed = self._apply_plan(plan, untracked)
        with ThreadPoolExecutor(1) as pool:
            root = pool.submit(self._stage.write_tree)
            names = self._names_after(plan, untracked)
        return self._resulting_copy(root.result(), *names, failed)

    def _names_after(
        self, plan: StagingPlan, untracked: Mapping[bytes, bool]
    ) -> tuple[frozenset[bytes], frozenset[bytes]]:
        """The untracked names in the updated copy, and the tracked ones that it lacks.

        Only names of the plan have changed. A name of the cached copy that is not untracked is
        tracked.
        """
        planned = {*plan.deleted, *plan.added, *plan.excluded}
        # git may have left out a file that was deleted meanwhile
        staged = self._stage.names_among(planned)
        lacking = planned - staged
        tracked = self._copy.missing | (lacking - self._copy.untracked - untracked.keys())
        return (
            (self._copy.untracked - planned) | staged.intersection(untracked),
            tracked - staged,
        )

    def _scan(self) -> tuple[StagingPlan, Mapping[bytes, bool]]:
        """The plan, and the untracked files; the value is True for a nested repository."""
        differences = self._stage.differences()
        untracked = self._untracked_files()
        return self._plan(differences, untracked), untracked

    def _untracked_files(self) -> dict[bytes, bool]:
        """The untracked files; the value is True for a nested repository."""
        own_prefixes = tuple(map(os.fsencode, self._taker.own_prefixes))
        base = os.fsencode(self._taker.repository) + b"/"
        return {
            name.rstrip(b"/"): name.endswith(b"/")
            for name in self._context.untracked.result()
            if not (base + name).startswith(own_prefixes)
        }

    def _plan(
        self, differences: Mapping[bytes, IndexDifference], untracked: Mapping[bytes, bool]
    ) -> StagingPlan:
        plan = StagingPlan()
        plan.deleted += self._copy.untracked.difference(untracked)
        plan.deleted += [name for name, change in differences.items() if change.is_deleted]
        changed = set(differences).difference(plan.deleted)
        changed.update(set(untracked).difference(self._copy.untracked))
        changed.update(filter(self._has_reappeared, self._copy.missing))
        for name in sorted(changed):
            self._plan_file(plan, name, differences.get(name), untracked)
        return plan

    def _has_reappeared(self, name: bytes) -> bool:
        """True if a deleted file exists again, and not behind a symbolic link."""
        path = Path(os.fsdecode(self._absolute_path(name)))
        is_folder = path.is_dir() and not path.is_symlink()
        if not os.path.lexists(path) or (is_folder and not (path / ".git").exists()):
            return False
        return os.path.realpath(path.parent) == os.fspath(path.parent)

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
        reason = self._skip_reason(name, status, is_own_repository=untracked.get(name, False))
        if reason is None:
            plan.added.append(name)
        elif not difference or difference.blob != placeholder_id(reason, self._object_format):
            plan.excluded[name] = reason

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
        failed_stat, tried_s = self._copy.failed_filters.get(name, ("", 0.0))
        has_failed = failed_stat == _stat_text(status) and time.time() - tried_s < FILTER_RETRY_S
        return SkipReason.FILTER_FAILED if has_failed else None

    def _apply_plan(
        self, plan: StagingPlan, untracked: Container[bytes]
    ) -> dict[bytes, SkipReason]:
        """Applies the plan to the index; returns the files that could not be added, and why."""
        stage = self._stage
        stage.remove(plan.deleted)
        stage.add_placeholders(plan.excluded, self._object_format)
        if not plan.added:
            return {}
        filtered = self._with_filters(plan.added)
        plain = [name for name in plan.added if name not in filtered]
        stage.refresh([name for name in plan.added if name not in untracked])
        failed = dict.fromkeys(stage.add(plain), SkipReason.UNREADABLE)
        failed |= dict.fromkeys(stage.add_filtered(sorted(filtered)), SkipReason.FILTER_FAILED)
        stage.add_placeholders(failed, self._object_format)
        return failed

    def _with_filters(self, names: Collection[bytes]) -> set[bytes]:
        """The files among `names` that have a configured clean filter."""
        if not self._stage.filters:
            return set()
        name_list = b"".join(b"%b\0" % name for name in names)
        output = git_output(
            self._taker.repository, "check-attr", "-z", "--stdin", "filter", stdin=name_list
        )
        fields = iter(output.split(b"\0")[:-1])
        rows = zip(fields, fields, fields, strict=True)
        return {name for name, _, value in rows if os.fsdecode(value) in self._stage.filters}

    def _resulting_copy(
        self,
        root: str,
        untracked: frozenset[bytes],
        missing: frozenset[bytes],
        failed: Mapping[bytes, SkipReason],
    ) -> IndexCopy:
        stage = self._stage
        failed_filters = {
            name: (self._stat_text_of(name), time.time())
            for name, reason in failed.items()
            if reason is SkipReason.FILTER_FAILED
        }
        return IndexCopy(
            stage.index.read_bytes() if stage.index.exists() else b"",
            self._context.started_ns if stage.index.exists() else 0,
            untracked,
            missing,
            root,
            {**self._copy.failed_filters, **failed_filters},
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
    drivers = {name.removeprefix("filter.").rpartition(".")[0] for name in names}
    return sorted(drivers - {""})


def _filesystem_clock_ns(folder: Path) -> int:
    """A lower bound of the modification times of files that are written from now on."""
    return min(folder.stat().st_mtime_ns, time.time_ns() - CLOCK_SKEW_NS)
