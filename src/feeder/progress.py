"""Progress and messages on stderr: bars on a terminal, occasional lines elsewhere, or a
recording for an answer.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from feeder import escaping


class ProgressStep(Protocol):
    """Reports the progress of one step of a run."""

    def __call__(self, done: int) -> None:
        """Adds `done` to what is done."""


LINE_INTERVAL_S = 30.0
"""Seconds between two lines of progress where there is no terminal."""


class ProgressReporter:
    """Prints messages and progress on stderr: bars on a terminal, elsewhere a line every 30 s."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._has_bars = sys.stderr.isatty() and "GITHUB_ACTIONS" not in os.environ
        self._on_position: Callable[[str], object] | None = None

    def message(self, text: str) -> None:
        """Prints a line, unless quiet."""
        if not self._quiet:
            print(escaping.escape_line(text), file=sys.stderr, flush=True)

    @contextmanager
    def step(self, label: str, total: int) -> Iterator[ProgressStep]:
        """Shows progress towards `total`; the block calls the yielded step with what it did."""
        if self._quiet or not total:
            yield lambda done: None
            return
        try:
            if not self._has_bars:
                lines = _ProgressLines(self.message, label, total)
                self._on_position = lines.set_position
                yield lines.step
                return
            with _progress_bar() as bar:
                task = bar.add_task(label, total=total, at="")
                self._on_position = lambda where: bar.update(task, at=escaping.escape_line(where))
                yield lambda done: bar.advance(task, done)
        finally:
            self._on_position = None

    def set_position(self, position: str) -> None:
        """Shows the position within a long file beside the current step; empty removes it.

        May be called from any thread, also outside of a step: then nothing is shown.
        """
        if show := self._on_position:
            show(position)


NO_PROGRESS = ProgressReporter(quiet=True)
"""Shows nothing."""


class _ProgressLines:
    """Prints a line of progress every `LINE_INTERVAL_S`."""

    def __init__(self, print_line: Callable[[str], None], label: str, total: int) -> None:
        self._print, self._label, self._total = print_line, label, total
        self._done, self._printed_s = 0, time.monotonic()

    def step(self, done: int) -> None:
        self._done += done
        self._print_if_due("")

    def set_position(self, position: str) -> None:
        if position:
            self._print_if_due(f"; {position}")

    def _print_if_due(self, suffix: str) -> None:
        if time.monotonic() - self._printed_s >= LINE_INTERVAL_S:
            self._printed_s = time.monotonic()
            self._print(f"{self._label}: {self._done:,} of {self._total:,}{suffix}")


def _progress_bar() -> Any:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class Rate(ProgressColumn):
        """Steps per second."""

        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:.0f}/s" if task.speed else "")

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[at]}", markup=False),
    )
    return Progress(*columns, console=Console(stderr=True), transient=True)
