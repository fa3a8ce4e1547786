"""Finds nodes that are nearly copies of changed ones, and may need the same edit."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from feeder.impact.changed_nodes import EDITED, Change, ChangedNode
from feeder.query.query_plan import SearchRequest
from feeder.relations.targets import Target
from feeder.search.open_index import SearchIndex
from feeder.search.similar import similar_page
from feeder.snippets.excerpts import ExcerptReader
from feeder.store.hits import Hit, hits_in_files

MAX_NODES = 8
"""Changed nodes to which similar ones are looked for."""

MAX_CANDIDATES = 6
"""Nearest nodes that are compared with one changed node."""

MIN_TOKENS = 20
"""Tokens of a node; shorter ones resemble too many others."""

MIN_SIMILARITY = 0.6
"""The share of common pairs of tokens, from 0 to 1, of nearly equal nodes."""

_TOKEN = re.compile(r"\w+|[^\w\s]")


class NearDuplicate(NamedTuple):
    """A node that is similar to the changed node `of`; lines are as indexed."""

    of: str
    id: str
    path: str
    symbol: str
    node_type: str
    start_line: int
    end_line: int
    similarity: float

    def as_json(self) -> dict[str, Any]:
        """The node for `--json`."""
        return {**self._asdict(), "similarity": round(self.similarity, 2)}


class NearDuplicates(NamedTuple):
    """The nodes similar to changed ones; `limits` say to which no similar ones were looked for."""

    nodes: list[NearDuplicate]
    limits: list[str]


def find_near_duplicates(index: SearchIndex, change: Change) -> NearDuplicates:
    """The nodes similar to edited declarations, the most similar first.

    Candidates are the nearest by vector or by words; the tokens of their lines decide.
    """
    edited = [node for node in change.nodes if node.change == EDITED and node.is_code and node.name]
    changed = {(node.path, node.name) for node in change.nodes}
    hits = hits_in_files(
        index.corpus.database, index.corpus.repo, dict.fromkeys(node.path for node in edited)
    )
    by_name = {(hit.path, hit.symbol): hit for hit in hits}
    indexed = [
        (node, by_name[node.path, node.name])
        for node in edited
        if node.node_type == "method" and (node.path, node.name) in by_name
    ]
    similar = [
        duplicate
        for node, hit in indexed[:MAX_NODES]
        for duplicate in _near_duplicates(index, node, hit)
        if (duplicate.path, duplicate.symbol) not in changed
    ]
    ordered = sorted(similar, key=lambda one: (-one.similarity, one.path, one.start_line))
    limit = f"Similar code was looked up for {MAX_NODES} of {len(indexed):,} edited methods."
    return NearDuplicates(ordered, [limit] if len(indexed) > MAX_NODES else [])


def _near_duplicates(index: SearchIndex, node: ChangedNode, hit: Hit) -> Iterator[NearDuplicate]:
    corpus = index.corpus
    reader = ExcerptReader(corpus.database, corpus.base, corpus.repo, [hit])
    own = _token_pairs(reader.read(hit).lines)
    if own.total() < MIN_TOKENS:
        return
    request = SearchRequest(limit=MAX_CANDIDATES, snippet_lines=None)
    page = similar_page(index, Target(hit.path, [hit]), request)
    for other in page.hits:
        similar = other.result.hit
        similarity = _dice(own, _token_pairs(other.excerpt.lines))
        if similarity >= MIN_SIMILARITY:
            yield NearDuplicate(
                node.id,
                similar.id,
                similar.path,
                similar.symbol or similar.logical_path or "",
                similar.node_type,
                similar.start_line,
                similar.end_line,
                similarity,
            )


def _token_pairs(lines: Iterable[str]) -> Counter[tuple[str, str]]:
    tokens = _TOKEN.findall("\n".join(lines))
    return Counter(itertools.pairwise(tokens))


def _dice(one: Counter[tuple[str, str]], other: Counter[tuple[str, str]]) -> float:
    """Dice's coefficient of two multisets."""
    size = one.total() + other.total()
    return 2 * (one & other).total() / size if size else 0.0
