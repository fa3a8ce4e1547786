"""Sends generated queries to a warm isolate and to new ones, and collects their costs."""

import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from edge.query_generator import QueryParams, SymbolNode, generate_queries, misspelt
from worker_cost.account import Index
from worker_cost.isolate import Cost, isolate

MODES = {"words alone": True, "words and static": False}
"""Search modes: True for words only."""


class Measured(NamedTuple):
    """The costs of queries to an index in one search mode.

    `taken` are those of one isolate in order, `firsts` those of the first query of new isolates.
    `starts` are the CPU milliseconds of a request to an unknown path before these first queries,
    and `idle_ms` of the same request to a warm isolate. `by_kind` are the costs of requests of each
    kind, sent to the same isolate afterwards.
    """

    nodes: int
    mode: str
    taken: Sequence[Cost]
    firsts: Sequence[Cost]
    starts: Sequence[float]
    idle_ms: float
    by_kind: Mapping[str, Sequence[Cost]]


def measured(script: Path, index: Index, query_count: int, isolates: int) -> Iterator[Measured]:
    """Yields the costs of the queries in each search mode."""
    queries, nodes = list(generate_queries(index.named(), query_count)), index.nodes()
    for mode, by_words in MODES.items():
        with isolate(script, index, by_words=by_words) as one:
            taken = [one.search(query) for query in queries]
            idle_ms = min(one.refused() for _ in range(isolates))
            by_kind = {
                kind: [one.get(endpoint, params) for params in some]
                for kind, (endpoint, some) in _kinds(index.named(), query_count // 4).items()
            }
        fresh = [_first(script, index, queries[at], by_words=by_words) for at in range(isolates)]
        starts, firsts = zip(*fresh, strict=True)
        yield Measured(nodes, mode, taken, firsts, starts, idle_ms, by_kind)


def _kinds(nodes: Sequence[SymbolNode], count: int) -> dict[str, tuple[str, Sequence[QueryParams]]]:
    """Returns the endpoint and the parameters of each kind of request; always the same ones."""
    choice = random.Random(17)
    some = [choice.choice(nodes) for _ in range(count)]
    return {
        "plain query": ("search", [{"q": f"where is {one.words}"} for one in some]),
        "name": ("search", [{"q": one.last} for one in some]),
        "misspelt name": (
            "search",
            [{"q": misspelt(one.last, len(one.last) // 2)} for one in some],
        ),
        "`tests:no`": ("search", [{"q": f"{one.words} tests:no"} for one in some]),
        "`-word`": ("search", [{"q": f"{one.words} -return"} for one in some]),
        "`path:`": ("search", [{"q": f"{one.words} path:{one.folder}"} for one in some]),
        "status": ("status", [{}]),
        "map": ("map", [{}]),
    }


def _first(script: Path, index: Index, query: QueryParams, *, by_words: bool) -> tuple[float, Cost]:
    with isolate(script, index, by_words=by_words) as one:
        return one.refused(), one.search(query)
