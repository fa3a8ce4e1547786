"""How far is a run? For those who wait for it, or look now and then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

from feeder.sync.report import ProgressReporter, ProgressStep


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
