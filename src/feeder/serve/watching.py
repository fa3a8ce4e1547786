"""How far is a run? For those who wait for it, or look now and then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

from feeder.run.report import ProgressReporter, ProgressStep


class Watch(ProgressReporter):
    """What a run does now, and how much of that is done; `news` is notified of each step."""

    def __init__(self, news: Condition) -> None:
        super().__init__(quiet=True)
        self._news = news
        self.what, self.done, self.total = "", 0, 0
        self._where = ""

    def __str__(self) -> str:
        where = f", {self._where}" if self._where else ""
        return f"{self.what}: {self.done:,} of {self.total:,} files{where}"

    def at(self, where: str) -> None:
        """Notes where in a long file it is."""
        with self._news:
            self._where = where
            self._news.notify_all()

    @contextmanager
    def step(self, what: str, total: int) -> Iterator[ProgressStep]:
        """Notes what is done."""

        def step(done: int) -> None:
            with self._news:
                self.done += done
                self._news.notify_all()

        with self._news:
            self.what, self.done, self.total = what, 0, total
            self._news.notify_all()
        yield step
