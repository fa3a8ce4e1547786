"""How far is a long document? Now and then it is told which of its pages or sheets is read."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import NamedTuple, TypeVar

PROGRESS_INTERVAL_S = 0.5
"""Between two times that it is told: what is read sooner tells nothing."""


class DocumentProgress(NamedTuple):
    """What is read, counted from 1: page 410 of 1,213."""

    unit: str
    number: int
    total: int

    def __str__(self) -> str:
        return f"{self.unit} {self.number:,} of {self.total:,}"


Item = TypeVar("Item")
ProgressListener = Callable[[DocumentProgress], None]
progress_listener: ContextVar[ProgressListener | None] = ContextVar("listener", default=None)
"""Who is told."""


def report_progress(unit: str, items: Sequence[Item]) -> Iterator[Item]:
    """Goes through them, and tells the listener where it is."""
    tell, told_s = progress_listener.get(), time.monotonic()
    for number, thing in enumerate(items, 1):
        if tell and time.monotonic() - told_s >= PROGRESS_INTERVAL_S:
            tell(DocumentProgress(unit, number, len(items)))
            told_s = time.monotonic()
        yield thing
