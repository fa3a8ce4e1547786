"""How far is a long document? Now and then it is told which of its pages or sheets is read."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from typing import NamedTuple, TypeVar

EVERY_S = 0.5
"""Between two times that it is told: what is read sooner tells nothing."""


class Place(NamedTuple):
    """What is read, counted from 1: page 410 of 1,213."""

    kind: str
    number: int
    total: int

    def __str__(self) -> str:
        return f"{self.kind} {self.number:,} of {self.total:,}"


T = TypeVar("T")
Listener = Callable[[Place], None]
listener: ContextVar[Listener | None] = ContextVar("listener", default=None)
"""Who is told."""


def told(kind: str, things: Sequence[T]) -> Iterator[T]:
    """Goes through them, and tells the listener where it is."""
    tell, told_s = listener.get(), time.monotonic()
    for number, thing in enumerate(things, 1):
        if tell and time.monotonic() - told_s >= EVERY_S:
            tell(Place(kind, number, len(things)))
            told_s = time.monotonic()
        yield thing
