"""Finds the lines that consecutive parts of a node cover, and hashes the lines of nodes.

With both on a node's row, a search groups parts and finds copies without reading other rows or
lines.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b

from feeder.nodes import (
    DOCUMENT_TYPES,
    MAX_GAP_LINES,
    MIN_DUPLICATE_LINES,
    MIN_DUPLICATE_WORDS,
    LineRun,
    Node,
)
from feeder.parse.layout import SourceText
from feeder.parse.notebook_cells import Notebook, lines_between

HASH_BYTES = 6
"""Bytes of a hash: as many as a number of JavaScript holds exactly."""

MAX_NESTING = 32
"""Lines within more nodes than this have no hash, so that a file takes linear time."""


def line_runs(
    source: SourceText, notebook: Notebook | None, nodes: Sequence[Node]
) -> tuple[LineRun, ...]:
    """Returns the run of each node, in their order."""
    ranges = [(node.start_line, node.end_line, 1) for node in nodes]
    for places in _same_named(nodes):
        for run in _consecutive(nodes, places):
            last = max(nodes[place].end_line for place in run)
            for place in run:
                ranges[place] = nodes[run[0]].start_line, last, len(run)
    return tuple(_with_hashes(source, notebook, nodes, ranges))


def _with_hashes(
    source: SourceText,
    notebook: Notebook | None,
    nodes: Sequence[Node],
    ranges: Iterable[tuple[int, int, int]],
) -> Iterator[LineRun]:
    """Hashes each range of lines once."""
    hashes: dict[tuple[bool, int, int], int] = {}
    rest = MAX_NESTING * len(source.content)
    for node, (first, last, count) in zip(nodes, ranges, strict=True):
        is_document = node.node_type in DOCUMENT_TYPES
        key = is_document, first, last
        if key not in hashes:
            is_short = last - first + 1 < MIN_DUPLICATE_LINES and not is_document
            content = b"" if is_short or rest < 0 else _lines(source, notebook, first, last)
            rest -= len(content)
            hashes[key] = _hash(content, is_document=is_document) if content else 0
        yield LineRun(first, last, count, hashes[key])


def _same_named(nodes: Sequence[Node]) -> Iterable[list[int]]:
    """The places of nodes with equal names, types and signatures, in the order of their lines."""
    places = defaultdict(list)
    for place, node in enumerate(nodes):
        if node.symbol or node.logical_path:
            name = node.node_type, node.symbol, node.signature, node.logical_path
            places[name].append(place)
    for same in places.values():
        if len(same) > 1:
            yield sorted(same, key=lambda place: (nodes[place].start_line, nodes[place].end_line))


def _consecutive(nodes: Sequence[Node], places: Iterable[int]) -> Iterable[list[int]]:
    """Groups places, in the order of lines, whose nodes have no lines of others between them."""
    run: list[int] = []
    last = 0
    for place in places:
        if run and nodes[place].start_line > last + MAX_GAP_LINES:
            yield run
            run, last = [], 0
        run.append(place)
        last = max(last, nodes[place].end_line)
    yield run


def _lines(source: SourceText, notebook: Notebook | None, first: int, last: int) -> bytes:
    """The lines between two numbers; of a notebook none if they are too few to compare."""
    if notebook is None:
        return source.lines(first, last)
    numbered = lines_between(notebook, first, last)
    if len(numbered) < MIN_DUPLICATE_LINES:
        return b""
    return "\n".join(line for _, line in numbered).encode("utf-8", "replace")


def _hash(content: bytes, *, is_document: bool) -> int:
    if is_document:
        words = content.decode("utf-8", "replace").split()
        if len(words) < MIN_DUPLICATE_WORDS:
            return 0
        content = " ".join(words).encode()
    return int.from_bytes(blake2b(content, digest_size=HASH_BYTES).digest()) or 1
