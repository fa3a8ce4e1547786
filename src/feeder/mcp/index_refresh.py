"""Keeps an index equal to the working tree while a server runs.

Checks the files before an answer, at most once a second, and updates the index on a background
thread (`feeder.session.index_update`), words first and vectors after. An answer waits briefly; if
the update takes longer, it says how far that is. Contains the progress monitor of background runs.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from threading import Condition, Lock, Thread

from feeder.errors import FeederError, UserError
from feeder.mcp import (
    IndexingProgress,
    ProgressCallback,
    Refresher,
    RefreshResult,
)
from feeder.notes import Note, NoteKind, update_failed_note
from feeder.progress import ProgressReporter, ProgressStep
from feeder.session.index_update import (
    FEW_FILES,
    IndexUpdate,
    RefreshTarget,
    refuse_home_folder,
    update_running,
)
from feeder.sync.write import STATIC_VECTORS_STEP

MIN_STEP_S = 0.5
"""Time after which the rate of a step says how long its rest will take."""

VECTORS_PENDING_NOTE = update_running(
    "All files can be searched by word; vectors are being computed."
)


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
        refuse_home_folder(
            self._target.place.base,
            "Start the server in a project, or index the folder with: feeder process --path .",
        )
        self._is_made_here = True
        return True


class _RefreshRun:
    """One check of the files and the sync that follows: words, and then the vectors."""

    def __init__(self, target: RefreshTarget, times: RefreshTimes, *, needs_vectors: bool) -> None:
        self._target = target
        self._times = times
        self._is_first = not target.index_path.exists()
        self._condition = Condition()
        self._monitor = ProgressMonitor(self._condition)
        self._update = IndexUpdate(target, self._monitor, needs_vectors=needs_vectors)
        self._failure_note: Note | None = None
        self.is_done = False
        """True when the words are done; vectors may still be computed."""

    @property
    def needs_vectors(self) -> bool:
        """True if the next run has to compute vectors even if no file changes."""
        return self._update.needs_vectors

    def start(self) -> None:
        """Runs on a daemon thread."""
        Thread(target=self._run, name="index-refresh", daemon=True).start()

    def wait(self, seconds: float, on_progress: ProgressCallback, *, few_only: bool) -> None:
        """Waits for the words; with `few_only` only while few files have to be indexed."""
        until_s = time.monotonic() + seconds
        with self._condition:
            while not self.is_done and (left_s := until_s - time.monotonic()) > 0:
                if few_only and self._monitor.total > FEW_FILES:
                    return
                self._condition.wait(left_s)
                if self._monitor.total:
                    on_progress(f"indexing {self._monitor}")

    @property
    def progress(self) -> IndexingProgress:
        """The progress of the words."""
        monitor, report = self._monitor, self._update.report
        return IndexingProgress(
            self._target.index_path.exists(),
            monitor.step_name,
            monitor.done,
            monitor.total,
            report.nodes_new if report else 0,
            monitor.seconds_left,
        )

    @property
    def note(self) -> Note | None:
        """The reason why the index may be behind the files; None if it equals them."""
        if self.is_done:
            pending = VECTORS_PENDING_NOTE if self._target.is_embedding else None
            return self._failure_note or pending
        if self._update.blocked_note:
            return self._update.blocked_note
        progress = f" ({self._monitor})" if self._monitor.total else ""
        if self._monitor.step_name == STATIC_VECTORS_STEP:
            text = f"All files can be searched by word{progress}; vectors are being computed."
            return update_running(text)
        if self._is_first:
            counted = f": {self._monitor.counts}" if self._monitor.total else ""
            return update_running(f"The index is being made{counted}. Ask again soon.")
        text = f"Files have changed, and the index is being updated{progress}: search again soon."
        return update_running(text)

    def tree_since(self, since_s: float) -> str:
        """The root tree that the index equals, if the files were checked since; else empty."""
        is_valid = self.is_done and self._failure_note is None
        return self._update.tree_id if is_valid and self._update.checked_s >= since_s else ""

    def _run(self) -> None:
        failed = NoteKind.UPDATE_FAILED
        note: Note | None = Note(failed, "The index could not be updated.")
        try:
            note = self._update.update_words(self._times.answer_wait_s)
        except (FeederError, OSError) as exc:
            note = update_failed_note(exc)
        finally:
            with self._condition:
                self._failure_note, self.is_done = note, True
                self._condition.notify_all()
        if note is None and self.needs_vectors and self._update.has_local_model:
            with suppress(FeederError, OSError):  # `feeder sync` reports it, and words answer
                self._update.needs_vectors = not self._update.update_vectors()
