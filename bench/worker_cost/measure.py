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


BETWEEN = 3
"""Between the queries of `warm` and as many of `later` are this many times as many others."""


class Scripts(NamedTuple):
    """The built Worker, and the one of `worker/test/replay.ts`."""

    worker: Path
    replay: Path


class QueryCosts(NamedTuple):
    """The costs of queries to an index in one search mode.

    `warm` are those of the first queries of one isolate, `later` those of as many other queries
    after `BETWEEN` times as many, and `first_queries` those of new isolates.
    `starts` are the CPU milliseconds of a request to an unknown path before these first queries,
    and `idle_ms` of the same request to a warm isolate. `replays` are the costs of the queries
    without the Worker's own work: its requests and its answers alone. `by_kind` are the costs of
    requests of each kind, sent to the same isolate afterwards.
    """

    nodes: int
    mode: str
    warm: Sequence[Cost]
    later: Sequence[Cost]
    first_queries: Sequence[Cost]
    starts: Sequence[float]
    idle_ms: float
    replays: Sequence[Cost]
    by_kind: Mapping[str, Sequence[Cost]]


def measure(
    scripts: Scripts, index: Index, query_count: int, isolates: int, modes: Sequence[str]
) -> Iterator[QueryCosts]:
    """Yields the costs of the queries in each search mode."""
    script = scripts.worker
    generated = list(generate_queries(index.named_nodes(), query_count * (BETWEEN + 2)))
    queries, nodes = generated[:query_count], index.nodes()
    for mode in modes:
        by_words = MODES[mode]
        with isolate(script, index, by_words=by_words) as running:
            costs = [running.search(query) for query in generated]
            idle_ms = min(running.not_found_ms() for _ in range(isolates))
            by_kind = {
                kind: [running.get(endpoint, params) for params in all_params]
                for kind, (endpoint, all_params) in queries_by_kind(
                    index.named_nodes(), query_count // 4
                ).items()
            }
        with isolate(scripts.replay, index, by_words=by_words) as running:
            for query in queries:
                running.search(query)  # records the calls
            replays = [running.search(query) for query in queries]
        first_costs = [
            _first(script, index, queries[at], by_words=by_words) for at in range(isolates)
        ]
        starts, first_queries = zip(*first_costs, strict=True)
        warm, later = costs[:query_count], costs[-query_count:]
        yield QueryCosts(nodes, mode, warm, later, first_queries, starts, idle_ms, replays, by_kind)


def queries_by_kind(
    nodes: Sequence[SymbolNode], count: int
) -> dict[str, tuple[str, Sequence[QueryParams]]]:
    """Returns the endpoint and the parameters of each kind of request; always the same ones."""
    draw = random.Random(17)
    sample = [draw.choice(nodes) for _ in range(count)]
    return {
        "plain query": ("search", [{"q": f"where is {node.words}"} for node in sample]),
        "name": ("search", [{"q": node.last} for node in sample]),
        "misspelt name": (
            "search",
            [{"q": misspelt(node.last, len(node.last) // 2)} for node in sample],
        ),
        "`tests:no`": ("search", [{"q": f"{node.words} tests:no"} for node in sample]),
        "`-word`": ("search", [{"q": f"{node.words} -return"} for node in sample]),
        "`path:`": ("search", [{"q": f"{node.words} path:{node.folder}"} for node in sample]),
        "status": ("status", [{}]),
        "map": ("map", [{}]),
    }


def _first(script: Path, index: Index, query: QueryParams, *, by_words: bool) -> tuple[float, Cost]:
    with isolate(script, index, by_words=by_words) as running:
        return running.not_found_ms(), running.search(query)
