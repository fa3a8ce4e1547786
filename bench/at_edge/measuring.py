"""Asks questions made by rule of an index, and of isolates that were never asked before."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from at_edge.account import Index
from at_edge.isolate import Taken, isolate
from edge.questions import Asked, made

WAYS = {"words alone": True, "words and static": False}
"""Whether nothing else is asked."""


class Measured(NamedTuple):
    """What an index' questions took, by one way of answering.

    `taken` are those of one isolate, in order; `firsts` those that others were asked first, and
    `starts` milliseconds that these took before, to refuse an address; `idle_ms` what refusing one
    takes of an isolate that has answered.
    """

    nodes: int
    way: str
    taken: Sequence[Taken]
    firsts: Sequence[Taken]
    starts: Sequence[float]
    idle_ms: float


def measured(script: Path, index: Index, questions: int, isolates: int) -> Iterator[Measured]:
    """By each way of answering."""
    asked, nodes = list(made(index.named(), questions)), index.nodes()
    for way, by_words in WAYS.items():
        with isolate(script, index, by_words=by_words) as one:
            taken = [one.asked(question) for question in asked]
            idle_ms = min(one.refused() for _ in range(isolates))
        fresh = [_first(script, index, asked[at], by_words=by_words) for at in range(isolates)]
        starts, firsts = zip(*fresh, strict=True)
        yield Measured(nodes, way, taken, firsts, starts, idle_ms)


def _first(script: Path, index: Index, question: Asked, *, by_words: bool) -> tuple[float, Taken]:
    with isolate(script, index, by_words=by_words) as one:
        return one.refused(), one.asked(question)
