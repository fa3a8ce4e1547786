"""Keeps an index equal to the working tree while a server runs: checks the files before an
answer, at most once a second, and syncs in a background thread, words first and vectors after.
An answer waits briefly, otherwise it says how far the sync is. Contains the progress monitor of
background runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Condition, Lock, Thread
from typing import TYPE_CHECKING

from feeder.config import Settings
from feeder.errors import FeederError, Superseded, UserError
from feeder.mcp import (
    RETRY_SOON,
    UPDATE_IN_PROGRESS,
    VECTORS_IN_PROGRESS,
    ProgressCallback,
    RefreshResult,
)
from feeder.progress import ProgressReporter, ProgressStep
from feeder.session.backends import index_file
from feeder.session.session import open_run, open_session, start_workers
from feeder.session.workspace import Workspace, workspace_for
from feeder.source import Tree
from feeder.store.ownership import SERVER_LOCK, SERVER_VECTORS_LOCK, is_locked_by_command, try_lock
from feeder.sync.sync import sync

if TYPE_CHECKING:
    from feeder.parse.worker_pool import WorkerPool


class ProgressMonitor(ProgressReporter):
    """What a run does now, and how much of that is done; `news` is notified of each step."""

    def __init__(self, condition: Condition) -> None:
        super().__init__(quiet=True)
        self._condition = condition
        self.step_name, self.done, self.total = "", 0, 0
        self._position = ""

    def __str__(self) -> str:
        where = f", {self._position}" if self._position else ""
        return f"{self.step_name}: {self.done:,} of {self.total:,} files{where}"

    def at(self, where: str) -> None:
        """Notes where in a long file it is."""
        with self._condition:
            self._position = where
            self._condition.notify_all()

    @contextmanager
    def step(self, what: str, total: int) -> Iterator[ProgressStep]:
        """Notes what is done."""

        def step(done: int) -> None:
            with self._condition:
                self.done += done
                self._condition.notify_all()

        with self._condition:
            self.step_name, self.done, self.total = what, 0, total
            self._condition.notify_all()
        yield step


CHECK_INTERVAL_S = 1.0

ANSWER_WAIT_S = 2.0
"""Of an answer, for files that are few."""

POLL_INTERVAL_S = 0.05

FIRST_ANSWER_WAIT_S = 8.0
"""Of the first answer, for an index that has nothing yet."""

VECTORS_PENDING_NOTE = f"Words are of all files; {VECTORS_IN_PROGRESS}"

MAX_FILES_TO_WAIT_FOR = 100
"""Changed files that an answer waits for; for more it does not."""


@dataclass
class RefreshTarget:
    """What is kept equal: the index of a place on this machine, and the tree as it is by now."""

    place: Workspace
    settings: Settings
    read_tree: Callable[[], Tree]
    parser: WorkerPool | None = None
    """Kept, since to start its process takes longer than a file that was edited."""
    is_embedding: bool = False
    """Whether vectors are made at this moment."""

    @property
    def index_path(self) -> Path:
        """The index's file."""
        return index_file(self.place.base, self.settings)

    def close_parser(self) -> None:
        """Ends the processes that parse; many files have started many."""
        if self.parser:
            self.parser.close()
        self.parser = None


class IndexRefresher:
    """A `Freshness` that keeps an index equal to a tree."""

    def __init__(self, target: RefreshTarget) -> None:
        self._target = target
        self._lock = Lock()
        self._current_run: _RefreshRun | None = None
        self._checked_s = 0.0

    def refresh(self, on_progress: ProgressCallback) -> RefreshResult:
        """Looks at the files at most once a second, and brings the index to them.

        Raises UserError where there is no index yet that could answer.
        """
        asked_s = time.monotonic()
        is_first = not self._target.index_path.exists()
        on_progress("looking at the files")
        run = self._run_in_progress_or_new(now_s=asked_s, is_first=is_first)
        run.wait(
            FIRST_ANSWER_WAIT_S if is_first else ANSWER_WAIT_S, on_progress, few_only=not is_first
        )
        if is_first and not self._target.index_path.exists():
            raise UserError(f"There is no index yet. {run.note or ''}".rstrip())
        return RefreshResult(run.tree_since(asked_s), run.note)

    def _run_in_progress_or_new(self, *, now_s: float, is_first: bool) -> _RefreshRun:
        """The run under way, else the last one where that is young enough, else a new one.

        None is where there is no index any more that it could have made.
        """
        with self._lock:
            is_young = now_s - self._checked_s < CHECK_INTERVAL_S and not is_first
            if self._current_run and (not self._current_run.is_done or is_young):
                return self._current_run
            self._checked_s = now_s
            self._current_run = _RefreshRun(
                self._target, needs_vectors=not self._current_run or self._current_run.needs_vectors
            )
            self._current_run.start()
            return self._current_run


class _RefreshRun:
    """One look at the files, and what it leads to: words, and in their own time the vectors."""

    def __init__(self, target: RefreshTarget, *, needs_vectors: bool) -> None:
        self._target = target
        self._needs_vectors = needs_vectors
        self._is_first = not target.index_path.exists()
        self._condition = Condition()
        self._monitor = ProgressMonitor(self._condition)
        self._failure_note: str | None = None
        self._blocked_note = ""
        self._has_local_model = False
        self._tree_id = ""
        self._checked_s = 0.0
        self.is_done = False

    @property
    def needs_vectors(self) -> bool:
        """Whether the next look has to see to them again."""
        return self._needs_vectors

    def start(self) -> None:
        """In a thread that does not keep the process from ending."""
        Thread(target=self._run, name="upkeep", daemon=True).start()

    def wait(self, seconds: float, on_progress: ProgressCallback, *, few_only: bool) -> None:
        """Until the run is over, or the time is; with `few_only`, or its files are many."""
        until_s = time.monotonic() + seconds
        with self._condition:
            while not self.is_done and (left_s := until_s - time.monotonic()) > 0:
                if few_only and self._monitor.total > MAX_FILES_TO_WAIT_FOR:
                    return
                self._condition.wait(left_s)
                if self._monitor.total:
                    on_progress(f"indexing {self._monitor}")

    @property
    def note(self) -> str | None:
        """What the reader of an answer has to know; None where the index equals the files."""
        if self.is_done:
            return self._failure_note or (
                VECTORS_PENDING_NOTE if self._target.is_embedding else None
            )
        if self._blocked_note:
            return self._blocked_note
        how_far = f" ({self._monitor})" if self._monitor.total else ""
        what = (
            "The index is being made"
            if self._is_first
            else "The files have changed, and the index follows"
        )
        return f"{what}{how_far}: {RETRY_SOON}"

    def tree_since(self, since_s: float) -> str:
        """The root tree that the index was brought to, where the files were looked at since."""
        is_since = self.is_done and self._failure_note is None and self._checked_s >= since_s
        return self._tree_id if is_since else ""

    def _run(self) -> None:
        says: str | None = "The index could not be brought to the files."
        try:
            says = self._update_words()
        except (FeederError, OSError) as exc:
            reason = str(exc).rstrip(".")
            says = f"The index could not be brought to the files: {reason}."
        finally:
            with self._condition:
                self._failure_note, self.is_done = says, True
                self._condition.notify_all()
        if says is None and self._needs_vectors and self._has_local_model:
            with suppress(FeederError, OSError):  # `feeder sync` says it, and words answer
                self._needs_vectors = not self._update_vectors()

    def _update_words(self) -> str | None:
        """Brings words on, and what comes with them; why that was left, where it was."""
        until_s = time.monotonic() + ANSWER_WAIT_S
        while self._is_blocked():
            if time.monotonic() > until_s:
                return self._blocked_note
            time.sleep(POLL_INTERVAL_S)
        return None

    def _is_blocked(self) -> bool:
        """Whether others are at it."""
        if is_locked_by_command(self._target.index_path):
            self._blocked_note = f"A command {UPDATE_IN_PROGRESS}"
            return True
        with try_lock(self._target.index_path, SERVER_LOCK) as is_mine:
            if not is_mine:
                self._blocked_note = f"Another server {UPDATE_IN_PROGRESS}"
                return True
            self._blocked_note = ""
            try:
                self._sync(self._monitor, with_model=False)
            except Superseded:
                self._blocked_note = f"Another run {UPDATE_IN_PROGRESS}"
        return bool(self._blocked_note)

    def _update_vectors(self) -> bool:
        """Makes what the words have left; whether nothing is left of it."""
        with try_lock(self._target.index_path, SERVER_VECTORS_LOCK) as is_mine:
            if is_mine:
                self._target.is_embedding = True
                try:
                    self._sync(ProgressReporter(quiet=True), with_model=True)
                finally:
                    self._target.is_embedding = False
            return is_mine

    def _sync(self, progress: ProgressReporter, *, with_model: bool) -> None:
        """Makes the index equal to the files, but for vectors of a model that is not asked."""
        upkept = self._target
        looked_s = time.monotonic()
        tree, settings = upkept.read_tree(), replace(upkept.settings, quiet=True)
        branch = workspace_for(upkept.place.base, settings).branch  # another may be checked out
        place = replace(upkept.place, branch=branch)
        with open_session(place, settings, writes=True, create=True) as store:
            store.progress = progress
            # a model that is elsewhere costs: only a command asks it
            self._has_local_model = bool(
                store.model_vectors
            ) and not store.backend.budget.embedding_requests(1)
            if not with_model:
                store.model_vectors = None
                upkept.parser = upkept.parser or start_workers(store, settings)
            parser = None if with_model else upkept.parser
            with open_run(store, tree, settings, dry_run=False, parser=parser) as feed:
                if is_locked_by_command(
                    upkept.index_path
                ):  # one that begins later wins by its token
                    raise Superseded("A command has begun since.")
                sync(feed)
            if not with_model:
                self._tree_id, self._checked_s = tree.root_tree_id, looked_s
            self._needs_vectors |= bool(feed.report.files_processed)
        if parser and feed.report.files_processed > MAX_FILES_TO_WAIT_FOR:
            upkept.close_parser()
