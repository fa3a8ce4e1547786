"""How does an index stay equal to the files while it is asked? They are looked at before answers.

A run goes on in a thread of its own, words first. An answer waits for it while that is short, and
says else how far it is: it is an answer of what was there before, whole in itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Condition, Lock, Thread
from typing import TYPE_CHECKING

from feeder.assembly.local import index_file
from feeder.assembly.opening import Workspace, open_run, open_session, start_workers, workspace_for
from feeder.config import Settings
from feeder.errors import FeederError, Superseded, UserError
from feeder.run.report import ProgressReporter
from feeder.run.sync import sync
from feeder.serve import Look, Tell
from feeder.serve.remedies import AGAIN, AT_IT, MADE
from feeder.serve.watching import Watch
from feeder.store.turns import SERVER_LOCK, SERVER_VECTORS_LOCK, is_locked_by_command, try_lock
from feeder.tree import Tree

if TYPE_CHECKING:
    from feeder.parse.workers import WorkerPool

LOOK_EVERY_S = 1.0
WAIT_S = 2.0
"""Of an answer, for files that are few."""
POLL_S = 0.05
FIRST_WAIT_S = 8.0
"""Of the first answer, for an index that has nothing yet."""
EMBEDS = f"Words are of all files; {MADE}"
FEW_FILES = 100
"""Changed files that an answer waits for; for more it does not."""


@dataclass
class Upkept:
    """What is kept equal: the index of a place on this machine, and the tree as it is by now."""

    place: Workspace
    settings: Settings
    tree: Callable[[], Tree]
    parser: WorkerPool | None = None
    """Kept, since to start its process takes longer than a file that was edited."""
    embeds: bool = False
    """Whether vectors are made at this moment."""

    @property
    def file(self) -> Path:
        """The index's file."""
        return index_file(self.place.base, self.settings)

    def close(self) -> None:
        """Ends the processes that parse; many files have started many."""
        if self.parser:
            self.parser.close()
        self.parser = None


class Upkeep:
    """A `Freshness` that keeps an index equal to a tree."""

    def __init__(self, upkept: Upkept) -> None:
        self._upkept = upkept
        self._lock = Lock()
        self._run: _Run | None = None
        self._looked_s = 0.0

    def before_answer(self, tell: Tell) -> Look:
        """Looks at the files at most once a second, and brings the index to them.

        Raises UserError where there is no index yet that could answer.
        """
        asked_s = time.monotonic()
        is_first = not self._upkept.file.exists()
        tell("looking at the files")
        run = self._running(now_s=asked_s, is_first=is_first)
        run.wait(FIRST_WAIT_S if is_first else WAIT_S, tell, few_only=not is_first)
        if is_first and not self._upkept.file.exists():
            raise UserError(f"There is no index yet. {run.standing or ''}".rstrip())
        return Look(run.seen_since(asked_s), run.standing)

    def _running(self, *, now_s: float, is_first: bool) -> _Run:
        """The run under way, else the last one where that is young enough, else a new one.

        None is where there is no index any more that it could have made.
        """
        with self._lock:
            is_young = now_s - self._looked_s < LOOK_EVERY_S and not is_first
            if self._run and (not self._run.is_over or is_young):
                return self._run
            self._looked_s = now_s
            self._run = _Run(self._upkept, embeds=not self._run or self._run.owes_vectors)
            self._run.start()
            return self._run


class _Run:
    """One look at the files, and what it leads to: words, and in their own time the vectors."""

    def __init__(self, upkept: Upkept, *, embeds: bool) -> None:
        self._upkept = upkept
        self._embeds = embeds
        self._is_first = not upkept.file.exists()
        self._news = Condition()
        self._watch = Watch(self._news)
        self._says: str | None = None
        self._waits_for = ""
        self._has_model = False
        self._seen = ""
        self._looked_s = 0.0
        self.is_over = False

    @property
    def owes_vectors(self) -> bool:
        """Whether the next look has to see to them again."""
        return self._embeds

    def start(self) -> None:
        """In a thread that does not keep the process from ending."""
        Thread(target=self._go, name="upkeep", daemon=True).start()

    def wait(self, seconds: float, tell: Tell, *, few_only: bool) -> None:
        """Until the run is over, or the time is; with `few_only`, or its files are many."""
        until_s = time.monotonic() + seconds
        with self._news:
            while not self.is_over and (left_s := until_s - time.monotonic()) > 0:
                if few_only and self._watch.total > FEW_FILES:
                    return
                self._news.wait(left_s)
                if self._watch.total:
                    tell(f"indexing {self._watch}")

    @property
    def standing(self) -> str | None:
        """What the reader of an answer has to know; None where the index equals the files."""
        if self.is_over:
            return self._says or (EMBEDS if self._upkept.embeds else None)
        if self._waits_for:
            return self._waits_for
        how_far = f" ({self._watch})" if self._watch.total else ""
        what = (
            "The index is being made"
            if self._is_first
            else "The files have changed, and the index follows"
        )
        return f"{what}{how_far}: {AGAIN}"

    def seen_since(self, asked_s: float) -> str:
        """The root tree that the index was brought to, where the files were looked at since."""
        is_since = self.is_over and self._says is None and self._looked_s >= asked_s
        return self._seen if is_since else ""

    def _go(self) -> None:
        says: str | None = "The index could not be brought to the files."
        try:
            says = self._words()
        except (FeederError, OSError) as exc:
            reason = str(exc).rstrip(".")
            says = f"The index could not be brought to the files: {reason}."
        finally:
            with self._news:
                self._says, self.is_over = says, True
                self._news.notify_all()
        if says is None and self._embeds and self._has_model:
            with suppress(FeederError, OSError):  # `feeder sync` says it, and words answer
                self._embeds = not self._vectors()

    def _words(self) -> str | None:
        """Brings words on, and what comes with them; why that was left, where it was."""
        until_s = time.monotonic() + WAIT_S
        while self._is_left():
            if time.monotonic() > until_s:
                return self._waits_for
            time.sleep(POLL_S)
        return None

    def _is_left(self) -> bool:
        """Whether others are at it."""
        if is_locked_by_command(self._upkept.file):
            self._waits_for = f"A command {AT_IT}"
            return True
        with try_lock(self._upkept.file, SERVER_LOCK) as is_mine:
            if not is_mine:
                self._waits_for = f"Another server {AT_IT}"
                return True
            self._waits_for = ""
            try:
                self._sync(self._watch, with_model=False)
            except Superseded:
                self._waits_for = f"Another run {AT_IT}"
        return bool(self._waits_for)

    def _vectors(self) -> bool:
        """Makes what the words have left; whether nothing is left of it."""
        with try_lock(self._upkept.file, SERVER_VECTORS_LOCK) as is_mine:
            if is_mine:
                self._upkept.embeds = True
                try:
                    self._sync(ProgressReporter(quiet=True), with_model=True)
                finally:
                    self._upkept.embeds = False
            return is_mine

    def _sync(self, talk: ProgressReporter, *, with_model: bool) -> None:
        """Makes the index equal to the files, but for vectors of a model that is not asked."""
        upkept = self._upkept
        looked_s = time.monotonic()
        tree, settings = upkept.tree(), replace(upkept.settings, quiet=True)
        branch = workspace_for(upkept.place.base, settings).branch  # another may be checked out
        place = replace(upkept.place, branch=branch)
        with open_session(place, settings, writes=True, create=True) as store:
            store.progress = talk
            # a model that is elsewhere costs: only a command asks it
            self._has_model = bool(
                store.model_vectors
            ) and not store.backend.budget.embedding_requests(1)
            if not with_model:
                store.model_vectors = None
                upkept.parser = upkept.parser or start_workers(store, settings)
            parser = None if with_model else upkept.parser
            with open_run(store, tree, settings, dry_run=False, parser=parser) as feed:
                if is_locked_by_command(upkept.file):  # one that begins later wins by its token
                    raise Superseded("A command has begun since.")
                sync(feed)
            if not with_model:
                self._seen, self._looked_s = tree.root_tree_id, looked_s
            self._embeds |= bool(feed.report.files_processed)
        if parser and feed.report.files_processed > FEW_FILES:
            upkept.close()
