"""Sends generated queries to a warm isolate and to new ones, and collects their costs."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from at_edge.account import Index
from at_edge.isolate import Cost, isolate
from edge.query_generator import QueryParams, generate_queries

MODES = {"words alone": True, "words and static": False}
"""Search modes: True for words only."""


class Measured(NamedTuple):
    """The costs of queries to an index in one search mode.

    `taken` are those of one isolate in order, `firsts` those of the first query of new isolates.
    `starts` are the CPU milliseconds of a request to an unknown path before these first queries,
    and `idle_ms` of the same request to a warm isolate.
    """

    nodes: int
    mode: str
    taken: Sequence[Cost]
    firsts: Sequence[Cost]
    starts: Sequence[float]
    idle_ms: float


def measured(script: Path, index: Index, query_count: int, isolates: int) -> Iterator[Measured]:
    """Yields the costs of the queries in each search mode."""
    queries, nodes = list(generate_queries(index.named(), query_count)), index.nodes()
    for mode, by_words in MODES.items():
        with isolate(script, index, by_words=by_words) as one:
            taken = [one.search(query) for query in queries]
            idle_ms = min(one.refused() for _ in range(isolates))
        fresh = [_first(script, index, queries[at], by_words=by_words) for at in range(isolates)]
        starts, firsts = zip(*fresh, strict=True)
        yield Measured(nodes, mode, taken, firsts, starts, idle_ms)


def _first(script: Path, index: Index, query: QueryParams, *, by_words: bool) -> tuple[float, Cost]:
    with isolate(script, index, by_words=by_words) as one:
        return one.refused(), one.search(query)
