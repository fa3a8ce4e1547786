"""Keeps an index equal to the working tree while a server runs.

Checks the files before an answer, at most once a second, and syncs in a background thread, words
first and vectors after. An answer waits briefly; if the sync takes longer, it says how far that
is. Contains the progress monitor of background runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from threading import Condition, Lock, Thread
from typing import TYPE_CHECKING

from feeder.config import Settings
from feeder.errors import FeederError, Superseded, UserError
from feeder.mcp import (
    IndexingProgress,
    ProgressCallback,
    Refresher,
    RefreshResult,
)
from feeder.notes import Note, NoteKind
from feeder.progress import ProgressReporter, ProgressStep
from feeder.session.runs import open_run, start_workers
from feeder.session.session import open_session
from feeder.session.workspace import Workspace, index_file, workspace_for
from feeder.session.worktree_copy import copy_nearest_index
from feeder.source import Tree
from feeder.source.git import Checkout, file_version, read_checkout
from feeder.store.ownership import SERVER_LOCK, SERVER_VECTORS_LOCK, is_locked_by_command, try_lock
from feeder.sync.partial_sync import process_paths
from feeder.sync.sync import sync
from feeder.sync.write import STATIC_VECTORS_STEP

if TYPE_CHECKING:
    from feeder.parse.worker_pool import WorkerPool
    from feeder.sync.report import Report


POLL_INTERVAL_S = 0.05
"""Time between two tries while another process writes the index."""

MIN_STEP_S = 0.5
"""Time after which the rate of a step says how long its rest will take."""

MAX_FILES_TO_WAIT_FOR = 100
"""Changed files that an answer waits for; if there are more, it does not wait."""


def _update_running(text: str) -> Note:
    return Note(NoteKind.UPDATE_RUNNING, text)


VECTORS_PENDING_NOTE = _update_running("Words are of all files; vectors are being computed.")


@dataclass(frozen=True)
class RefreshTimes:
    """The interval between checks of the files, and the time that an answer waits, in seconds."""

    check_interval_s: float = 1.0
    answer_wait_s: float = 2.0
    """For an answer when few files have changed."""
    first_answer_wait_s: float = 8.0
    """For an answer when there is no index yet."""


class ProgressMonitor(ProgressReporter):
    """Records what a run does and how far it is; notifies `condition` of each change."""

    def __init__(self, condition: Condition) -> None:
        super().__init__(quiet=True)
        self._condition = condition
        self.step_name, self.done, self.total = "", 0, 0
        self._position = ""
        self._step_began_s = 0.0

    def __str__(self) -> str:
        return f"{self.step_name}: {self.counts}"

    @property
    def counts(self) -> str:
        """The files that are done, of all, and the position in a long one."""
        position = f", {self._position}" if self._position else ""
        return f"{self.done:,} of {self.total:,} files{position}"

    @property
    def seconds_left(self) -> float | None:
        """The time that the rest of the step takes at the rate so far; None at its beginning."""
        elapsed_s = time.monotonic() - self._step_began_s
        if not self.done or elapsed_s < MIN_STEP_S:
            return None
        return elapsed_s * (self.total - self.done) / self.done

    def set_position(self, position: str) -> None:
        """Records the position in a long file."""
        with self._condition:
            self._position = position
            self._condition.notify_all()

    @contextmanager
    def step(self, label: str, total: int) -> Iterator[ProgressStep]:
        """Records a step of `total` units; the yielded function adds units that are done."""

        def add_done(done: int) -> None:
            with self._condition:
                self.done += done
                self._condition.notify_all()

        with self._condition:
            self.step_name, self.done, self.total = label, 0, total
            self._step_began_s = time.monotonic()
            self._condition.notify_all()
        yield add_done


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
    synced_state: tuple[object, ...] | None = None
    """State after the last sync of words: tree, commit, branch and the index's files."""

    @cached_property
    def index_path(self) -> Path:
        """The index's file; whether git tracks it is checked again at each run."""
        return index_file(self.place.base, self.settings)

    def state_of(self, tree: Tree, branch: str) -> tuple[object, ...] | None:
        """Returns what is equal as long as a sync has nothing to do; None for a folder.

        Any write to the index changes its file or its write-ahead log.
        """
        if not tree.root_tree_id:
            return None
        files = self.index_path, self.index_path.with_name(f"{self.index_path.name}-wal")
        return tree.root_tree_id, tree.commit, branch, *map(file_version, files)

    def close_parser(self) -> None:
        """Ends the parser's processes, of which many files have started many."""
        if self.parser:
            self.parser.close()
        self.parser = None


class IndexRefresher(Refresher):
    """A refresher that keeps a local index equal to a source tree."""

    def __init__(self, target: RefreshTarget, times: RefreshTimes | None = None) -> None:
        self._target = target
        self._times = times or RefreshTimes()
        self._lock = Lock()
        self._last_run: _RefreshRun | None = None
        self._checked_s = 0.0

    def refresh(self, on_progress: ProgressCallback) -> RefreshResult:
        """Checks the files, unless that was done within the interval, and updates the index.

        Raises UserError if there is no index yet that could answer.
        """
        began_s = time.monotonic()
        is_first = not self._target.index_path.exists()
        on_progress("checking the files")
        run = self._run_in_progress_or_new(now_s=began_s, is_first=is_first)
        wait_s = self._times.first_answer_wait_s if is_first else self._times.answer_wait_s
        run.wait(wait_s, on_progress, few_only=not is_first)
        if is_first and not self._target.index_path.exists():
            raise UserError("There is no index yet.", str(run.note or ""))
        return RefreshResult(run.tree_since(began_s), run.note)

    def begin(self) -> IndexingProgress | None:
        """Checks the files, unless that was done within the interval, and updates the index."""
        is_first = not self._target.index_path.exists()
        run = self._run_in_progress_or_new(now_s=time.monotonic(), is_first=is_first)
        return None if run.is_done else run.progress

    def _run_in_progress_or_new(self, *, now_s: float, is_first: bool) -> _RefreshRun:
        """The run in progress, else the last one if it is recent, else a new one.

        With `is_first` a finished run is never returned: its index has been deleted since.
        """
        with self._lock:
            last = self._last_run
            is_recent = now_s - self._checked_s < self._times.check_interval_s and not is_first
            if last and (not last.is_done or is_recent):
                return last
            self._checked_s = now_s
            needs_vectors = last is None or last.needs_vectors
            self._last_run = _RefreshRun(self._target, self._times, needs_vectors=needs_vectors)
            self._last_run.start()
            return self._last_run


class FolderRefresher(Refresher):
    """Makes the missing index of a folder outside of git, and leaves an existing one as it is.

    Without git, a check would read every file of the folder.
    """

    def __init__(self, target: RefreshTarget, times: RefreshTimes | None = None) -> None:
        self._target = target
        self._first = IndexRefresher(target, times)
        self._is_made_here = False

    def refresh(self, on_progress: ProgressCallback) -> RefreshResult:
        """Makes the index if there is none; raises UserError for a home folder."""
        if not self._makes_index():
            return RefreshResult()
        result = self._first.refresh(on_progress)
        if result.note is None:
            self._is_made_here = False
        return result

    def begin(self) -> IndexingProgress | None:
        """Begins to make the index if there is none; raises UserError for a home folder."""
        return self._first.begin() if self._makes_index() else None

    def _makes_index(self) -> bool:
        if self._target.index_path.exists() and not self._is_made_here:
            return False
        base = self._target.place.base
        home = Path.home().resolve()
        if home.is_relative_to(base):
            raise UserError(
                f"{base} has a home folder in it, so it is not indexed unasked.",
                "Start the server in a project, or index the folder with: feeder process --path .",
            )
        self._is_made_here = True
        return True


class _RefreshRun:
    """One check of the files and the sync that follows: words, and then the vectors."""

    def __init__(self, target: RefreshTarget, times: RefreshTimes, *, needs_vectors: bool) -> None:
        self._target = target
        self._times = times
        self.needs_vectors = needs_vectors
        """True if the next run has to compute vectors even if no file changes."""
        self._is_first = not target.index_path.exists()
        self._condition = Condition()
        self._monitor = ProgressMonitor(self._condition)
        self._failure_note: Note | None = None
        self._blocked_note: Note | None = None
        self._has_local_model = False
        self._tree_id = ""
        self._checked_s = 0.0
        self._report: Report | None = None
        self.is_done = False
        """True when the words are done; vectors may still be computed."""

    def start(self) -> None:
        """Runs on a daemon thread."""
        Thread(target=self._run, name="index-refresh", daemon=True).start()

    def wait(self, seconds: float, on_progress: ProgressCallback, *, few_only: bool) -> None:
        """Waits for the words; with `few_only` only while few files have to be indexed."""
        until_s = time.monotonic() + seconds
        with self._condition:
            while not self.is_done and (left_s := until_s - time.monotonic()) > 0:
                if few_only and self._monitor.total > MAX_FILES_TO_WAIT_FOR:
                    return
                self._condition.wait(left_s)
                if self._monitor.total:
                    on_progress(f"indexing {self._monitor}")

    @property
    def progress(self) -> IndexingProgress:
        """The progress of the words."""
        monitor = self._monitor
        return IndexingProgress(
            self._target.index_path.exists(),
            monitor.step_name,
            monitor.done,
            monitor.total,
            self._report.nodes_new if self._report else 0,
            monitor.seconds_left,
        )

    @property
    def note(self) -> Note | None:
        """The reason why the index may be behind the files; None if it equals them."""
        if self.is_done:
            pending = VECTORS_PENDING_NOTE if self._target.is_embedding else None
            return self._failure_note or pending
        if self._blocked_note:
            return self._blocked_note
        progress = f" ({self._monitor})" if self._monitor.total else ""
        if self._monitor.step_name == STATIC_VECTORS_STEP:
            text = f"Words are of all files{progress}; vectors are being computed."
            return _update_running(text)
        if self._is_first:
            counted = f": {self._monitor.counts}" if self._monitor.total else ""
            return _update_running(f"The index is being made{counted}. Ask again soon.")
        text = f"Files have changed, and the index is being updated{progress}: search again soon."
        return _update_running(text)

    def tree_since(self, since_s: float) -> str:
        """The root tree that the index equals, if the files were checked since; else empty."""
        is_valid = self.is_done and self._failure_note is None and self._checked_s >= since_s
        return self._tree_id if is_valid else ""

    def _run(self) -> None:
        failed = NoteKind.UPDATE_FAILED
        note: Note | None = Note(failed, "The index could not be updated.")
        try:
            note = self._update_words()
        except (FeederError, OSError) as exc:
            note = Note(failed, f"The index could not be updated: {str(exc).rstrip('.')}.")
        finally:
            with self._condition:
                self._failure_note, self.is_done = note, True
                self._condition.notify_all()
        if note is None and self.needs_vectors and self._has_local_model:
            with suppress(FeederError, OSError):  # `feeder sync` reports it, and words answer
                self.needs_vectors = not self._update_vectors()

    def _update_words(self) -> Note | None:
        """Syncs words; returns why not, if another process has been writing for too long."""
        until_s = time.monotonic() + self._times.answer_wait_s
        while self._is_blocked():
            if time.monotonic() > until_s:
                return self._blocked_note
            time.sleep(POLL_INTERVAL_S)
        return None

    def _is_blocked(self) -> bool:
        """Syncs words; returns True if another process is writing the index."""
        path = self._target.index_path
        if is_locked_by_command(path):
            self._blocked_note = _update_running("A command is updating the index.")
            return True
        with try_lock(path, SERVER_LOCK) as is_locked:
            if not is_locked:
                self._blocked_note = _update_running("Another server is updating the index.")
                return True
            self._blocked_note = None
            try:
                self._sync(self._monitor, with_model=False)
            except Superseded:
                self._blocked_note = _update_running("Another run is updating the index.")
        return bool(self._blocked_note)

    def _update_vectors(self) -> bool:
        """Computes missing vectors; returns False if another server does that."""
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
        settings = replace(target.settings, quiet=True, repo=target.place.repo)
        # another branch may be checked out
        branch = workspace_for(target.place.base, settings, checkout).branch
        settings = replace(settings, repo=target.settings.repo)
        tree = target.read_tree(checkout)
        is_current = target.synced_state == target.state_of(tree, branch) is not None
        if is_current and not (with_model or self.needs_vectors):
            self._tree_id, self._checked_s = tree.root_tree_id, checked_s
            return
        # the remote may have been renamed
        repo = workspace_for(target.place.base, settings, checkout).repo
        place = replace(target.place, repo=repo, branch=branch)
        copy_nearest_index(place, settings, ProgressReporter(quiet=target.settings.quiet))
        with open_session(place, settings, writes=True, create=True) as session:
            session.progress = progress
            # a remote model costs money: only a command uses it
            self._has_local_model = bool(
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
                    self._report = run.report
                if target.is_folder:
                    process_paths(run, place.base, [place.base], dry_run=False)
                else:
                    sync(run)
            if not with_model:
                self._tree_id, self._checked_s = tree.root_tree_id, checked_s
            is_complete = run.report.finished and not with_model
            self.needs_vectors |= bool(run.report.files_processed)
        target.synced_state = target.state_of(tree, branch) if is_complete else None
        parsed = run.report.files_processed + run.report.files_vectors_only
        if parser and parsed > MAX_FILES_TO_WAIT_FOR:
            target.close_parser()
