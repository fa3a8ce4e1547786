"""Brings a local index up to date with its source tree, for an answer that somebody waits for.

`IndexUpdate` is one such update: servers run it on a thread, commands in the foreground. It never
supersedes `feeder sync`. While another program writes the index it waits, and gives up after a
while.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import feeder
from feeder.atomic_file import replace_file
from feeder.cloudflare.credentials import choose_store
from feeder.config import Settings
from feeder.errors import FeederError, Superseded, UserError
from feeder.notes import Note, NoteKind
from feeder.progress import ProgressReporter
from feeder.session.folder_index import recorded_options
from feeder.session.workspace import (
    Workspace,
    commit_tree,
    current_workspace,
    folder_tree,
    index_file,
    working_tree,
    workspace_for,
)
from feeder.source import SkipReason, Tree, git
from feeder.source.git import Checkout, file_version, read_checkout
from feeder.store.inventory import matching_repositories

if TYPE_CHECKING:
    from feeder.parse.worker_pool import WorkerPool
    from feeder.sync.report import Report

POLL_INTERVAL_S = 0.05
"""Time between two tries while another process writes the index."""

FEW_FILES = 100
"""Changed files that take no noticeable time; the parser processes of more are not kept."""


@dataclass
class RefreshTarget:
    """The local index that is refreshed, and the source tree that it follows."""

    place: Workspace
    settings: Settings
    read_tree: Callable[[Checkout | None], Tree]
    """Reads the tree of a repository that has just been read; None outside of git."""
    parser: WorkerPool | None = None
    """Reused between runs: starting a process takes longer than parsing an edited file."""
    is_folder: bool = False
    """True for a folder outside of git, whose files are indexed as they are on disk."""
    is_embedding: bool = False
    """True while vectors are being computed."""
    keeps_kinds: bool = False
    """True to keep the kinds of vectors that the index has, whatever model the settings name."""

    @cached_property
    def index_path(self) -> Path:
        """The index's file; whether git tracks it is checked again at each run."""
        return self.place.index_file or index_file(self.place.base, self.settings)

    @cached_property
    def _state_file(self) -> Path:
        return self.index_path.with_name(f"{self.index_path.name}-synced")

    def is_synced(self, tree: Tree) -> bool:
        """True if nothing has changed since the record: files, commit, names, index, program.

        Any write to the index changes its file or its write-ahead log.
        """
        state = self._state_of(tree)
        try:
            return state is not None and self._state_file.read_text("utf-8") == state
        except (FileNotFoundError, UnicodeDecodeError):
            return False

    def record_if_complete(self, tree: Tree, report: Report) -> None:
        """Records that a run has made the index equal to the tree, for this program and others.

        Not with a file that has to be fetched first: that may happen without a change of the tree.
        """
        is_complete = report.finished and SkipReason.NOT_FETCHED not in report.skipped.values()
        if is_complete and (state := self._state_of(tree)):
            replace_file(self._state_file, state.encode())

    def _state_of(self, tree: Tree) -> str | None:
        """None for a folder, and with grammars of the user's, whose files may change."""
        if not tree.root_tree_id or self.settings.grammar:
            return None
        log = file_version(self.index_path.with_name(f"{self.index_path.name}-wal"))
        log = log if log and log[1] else None  # a reader leaves an empty one
        names = tree.root_tree_id, tree.commit, tree.subfolder, self.place.repo, self.place.branch
        limits = self.settings.max_file_bytes, self.settings.max_document_bytes
        return json.dumps(
            [*names, *limits, file_version(self.index_path), log, *_program_version()]
        )

    def close_parser(self) -> None:
        """Ends the parser's processes, of which many files have started many."""
        if self.parser:
            self.parser.close()
        self.parser = None


def _program_version() -> list[object]:
    """Changes with this program and with the packages beside it, which shape nodes."""
    folders = (Path(folder) for folder in sys.path if folder.endswith("-packages"))
    grammars = Path(feeder.__file__).with_name("grammar_queries.json")
    return [feeder.__version__, file_version(grammars), *map(file_version, folders)]


def refresh_target(settings: Settings) -> RefreshTarget | None:
    """Returns the local index of the settings with the tree that it follows.

    Outside of git that is the folder; None for an index at Cloudflare.
    """
    workspace = current_workspace(settings)
    if choose_store(settings).is_cloud:
        return None
    settings = _with_recorded_options(workspace, settings)
    if git.find_root(workspace.base) is None:

        def read_folder(_: Checkout | None) -> Tree:
            return folder_tree(workspace, [workspace.base], settings)

        return RefreshTarget(workspace, settings, read_folder, is_folder=True)
    return _repository_target(workspace, settings)


def _repository_target(workspace: Workspace, settings: Settings) -> RefreshTarget:
    """Returns the index of a repository, which follows its working tree, or HEAD if it is bare."""
    tree_of = commit_tree if git.is_bare(workspace.base) else working_tree
    read_tree = partial(_read_own_tree, workspace.base, partial(tree_of, workspace, settings))
    return RefreshTarget(workspace, settings, read_tree)


def _with_recorded_options(workspace: Workspace, settings: Settings) -> Settings:
    try:
        meta = _read_meta(workspace, settings)
    except UserError:  # opening the index reports it
        return settings
    return replace(settings, **recorded_options(meta, workspace.repo))


def _read_own_tree(
    folder: Path, read_tree: Callable[[Checkout | None], Tree], checkout: Checkout | None
) -> Tree:
    """The tree; raises UserError if the folder is no repository any more but in another one."""
    if checkout and checkout.root.resolve() != folder:
        raise UserError(f"{folder} is now a folder inside {checkout.root}.", "Restore its .git.")
    return read_tree(checkout)


def followed_target(
    workspace: Workspace, settings: Settings, checkout: Checkout
) -> RefreshTarget | None:
    """Returns the index that a command updates before it reads it; it need not exist yet.

    It keeps the folder, the options and the kinds of vectors with which it was made. None if it
    cannot be read, which opening it reports, and for another repository's index.
    """
    try:
        meta = _read_meta(workspace, settings)
    except UserError:
        return None
    name = _followed_name(workspace, settings, checkout, meta)
    if name is None:
        return None
    place = replace(workspace, repo=name)
    changes: dict[str, Any] = {"path": meta.get(f"{name}:below", "")}
    if settings.repo:
        changes["repo"] = name
    settings = replace(settings, **changes, **recorded_options(meta, name))
    target = _repository_target(place, settings)
    target.keeps_kinds = True
    return target


def record_clean_checkout(
    workspace: Workspace, settings: Settings, checkout: Checkout, report: Report
) -> None:
    """After a sync of HEAD, records that the files on disk equal it, if they do.

    The first search need not compare them with the index then. Files that cannot be read are
    reported by that search.
    """
    if choose_store(settings).is_cloud or settings.shard or not settings.refresh:
        return
    target = _repository_target(workspace, settings)
    with suppress(FeederError, OSError):
        tree = target.read_tree(checkout)
        if tree.root_tree_id == checkout.tree:
            target.record_if_complete(tree, report)


def _read_meta(workspace: Workspace, settings: Settings) -> Mapping[str, str]:
    """`meta` of the index; empty if there is none. Raises UserError if it cannot be read."""
    from feeder.store.recorded_meta import read_meta

    file = workspace.index_file or index_file(workspace.base, settings)
    return read_meta(file) if file.is_file() else {}


def _followed_name(
    workspace: Workspace, settings: Settings, checkout: Checkout, meta: Mapping[str, str]
) -> str | None:
    """The name in the index of the repository that is checked out; None if it is not in there.

    An index at --db may be of another repository, and --repo may name another one.
    """
    indexed = [key.removesuffix(":run") for key in meta if key.endswith(":run")]
    if not indexed or (settings.repo is None and settings.db is None):
        return workspace.repo
    if settings.repo is None:
        return workspace.repo if workspace.repo in indexed else None
    matching = matching_repositories(settings.repo, indexed)
    if len(matching) != 1:
        return None
    [name] = matching
    own = workspace_for(workspace.base, replace(settings, repo=None), checkout).repo
    head = meta.get(f"{name}:head")
    is_here = name == own or (head and git.commit_id(workspace.base, head))
    return name if is_here else None


def refuse_home_folder(base: Path, remedy: str) -> None:
    """Raises UserError for a folder with a home folder in it: nobody means to index all of that."""
    if Path.home().resolve().is_relative_to(base):
        raise UserError(
            f"{base} contains a home folder, so it is not indexed automatically.", remedy
        )


def update_running(text: str) -> Note:
    """Returns the note that the index is being updated."""
    return Note(NoteKind.UPDATE_RUNNING, text)


class IndexUpdate:
    """One update of an index: words and static vectors, and then the vectors of a model."""

    def __init__(
        self,
        target: RefreshTarget,
        progress: ProgressReporter,
        *,
        needs_vectors: bool,
        tree: Tree | None = None,
    ) -> None:
        self._target = target
        self._progress = progress
        self._tree = tree
        """The source tree, if the caller has just read it."""
        self.needs_vectors = needs_vectors
        """True if vectors have to be computed even if no file changes."""
        self.blocked_note: Note | None = None
        """The reason why the update waits, if it does."""
        self.has_local_model = False
        """True if the index has vectors of a model that costs no money."""
        self.report: Report | None = None
        self.tree_id, self.checked_s = "", 0.0
        """The root tree that the index equals, and when it was read (`time.monotonic`)."""

    def update_words(self, wait_s: float) -> Note | None:
        """Updates all but model vectors; returns why not, if another process keeps writing."""
        from feeder.store.ownership import SERVER_LOCK, is_locked_by_command, try_lock

        path = self._target.index_path
        until_s = time.monotonic() + wait_s
        while True:
            if is_locked_by_command(path):
                self.blocked_note = update_running("A command is updating the index.")
            else:
                with try_lock(path, SERVER_LOCK) as is_locked:
                    self.blocked_note = None if is_locked else _ANOTHER_RUN
                    if is_locked and self._finishes_words():
                        return None
            if time.monotonic() > until_s:
                return self.blocked_note
            time.sleep(POLL_INTERVAL_S)

    def _finishes_words(self) -> bool:
        """Updates the words; returns False if a command has begun meanwhile."""
        try:
            self._sync(self._progress, with_model=False)
        except Superseded:
            self.blocked_note = _ANOTHER_RUN
            return False
        return True

    def update_vectors(self) -> bool:
        """Computes missing model vectors; returns False if another server does that."""
        from feeder.store.ownership import SERVER_VECTORS_LOCK, try_lock

        with try_lock(self._target.index_path, SERVER_VECTORS_LOCK) as is_locked:
            if is_locked:
                self._target.is_embedding = True
                try:
                    self._sync(ProgressReporter(quiet=True), with_model=True)
                finally:
                    self._target.is_embedding = False
            return is_locked

    def _sync(self, progress: ProgressReporter, *, with_model: bool) -> None:
        """Makes the index equal to the files; without model vectors unless `with_model`."""
        target = self._target
        checked_s = time.monotonic()
        checkout = read_checkout(target.place.base)
        tree, self._tree = self._tree or target.read_tree(checkout), None
        settings = replace(target.settings, quiet=True, repo=target.place.repo)
        # another branch may be checked out
        branch = workspace_for(target.place.base, settings, checkout).branch
        target.place = replace(target.place, branch=branch)
        if not (with_model or self.needs_vectors) and target.is_synced(tree):
            self.tree_id, self.checked_s = tree.root_tree_id, checked_s
            return
        settings = replace(settings, repo=target.settings.repo)
        # the remote may have been renamed
        repo = workspace_for(target.place.base, settings, checkout).repo
        target.place = place = replace(target.place, repo=repo)
        from feeder.session.opening import open_session
        from feeder.session.runs import open_run, start_workers
        from feeder.session.worktree_copy import copy_nearest_index
        from feeder.store.ownership import is_locked_by_command
        from feeder.sync.partial_sync import process_paths
        from feeder.sync.sync import sync

        copy_nearest_index(place, settings, ProgressReporter(quiet=target.settings.quiet))
        whole = not target.keeps_kinds
        with open_session(place, settings, writes=True, create=True, whole=whole) as session:
            session.progress = progress
            # a remote model costs money: only a command uses it
            self.has_local_model = bool(
                session.model_vectors
            ) and not session.backend.budget.embedding_requests(1)
            if not with_model:
                session.model_vectors = None
                target.parser = target.parser or start_workers(session, settings)
            parser = None if with_model else target.parser
            with open_run(session, tree, settings, dry_run=False, parser=parser) as run:
                # of two runs the one that began last wins, and a command should win
                if is_locked_by_command(target.index_path):
                    raise Superseded("A command has begun since.")
                if not with_model:
                    self.report = run.report
                if target.is_folder:
                    process_paths(run, place.base, [place.base], dry_run=False)
                else:
                    sync(run)
            if not with_model:
                self.tree_id, self.checked_s = tree.root_tree_id, checked_s
            self.needs_vectors |= bool(run.report.files_processed)
        if not with_model:
            target.record_if_complete(tree, run.report)
        parsed = run.report.files_processed + run.report.files_vectors_only
        if parser and parsed > FEW_FILES:
            target.close_parser()


_ANOTHER_RUN = update_running("Another run is updating the index.")
