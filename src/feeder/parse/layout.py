"""Lays a tree of spans out as nodes, so that each character of a file belongs to exactly one node.

A span's own text is what its children leave over; `split_points` are the lines at which long
text is best cut.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from types import MappingProxyType
from typing import NamedTuple

from tree_sitter import Node as Syntax
from tree_sitter import Point, Query, QueryCursor, Range

from feeder.nodes import DOCUMENT_TYPES, Member, Node
from feeder.parse.grammars import QUERY_DEPTH
from feeder.parse.splitting import (
    NODE_LIMIT,
    PART_MAX,
    TAIL_MIN,
    SplitPoints,
    numbered_lines,
    split_blocks,
    split_lines,
    trim_blank_lines,
)

SCRAP_MAX = 30
"""A chunk below this, such as a closing brace, joins its neighbour."""

SCRAP_DISTANCE_LINES = 10
"""Lines over which a scrap with words in it still joins."""


SYMBOL_TYPES = frozenset({"method", "class"})


class MemberName(NamedTuple):
    """Where the name of a member stands."""

    start: int
    name: str


@dataclass(slots=True)
class Span:
    """A named stretch of the source, `start` to `end` in bytes, and the spans inside, in order.

    That of a file has the names of all `members` in it.
    """

    start: int
    end: int
    node_type: str = "chunk"
    symbol: str | None = None
    signature: str | None = None
    logical_path: str | None = None
    children: list["Span"] = field(default_factory=list)
    members: list[MemberName] = field(default_factory=list)


class NodePart(NamedTuple):
    """A stretch of text that becomes a node, and the lines that it is said to be on."""

    start_line: int
    end_line: int
    text: str


class SourceText:
    """A file's text as UTF-8 bytes, which know their lines."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        sizes = map(len, content.split(b"\n"))
        self._line_starts = [0, *accumulate(size + 1 for size in sizes)]
        self._line_starts.pop()

    def line_at(self, offset: int) -> int:
        """The 1-based number of the line that holds the byte at `offset`."""
        return bisect_right(self._line_starts, offset)

    def line_start(self, offset: int) -> int:
        """Where the line that holds `offset` begins."""
        return self.content.rfind(b"\n", 0, offset) + 1

    def line_end(self, offset: int) -> int:
        """Where the line that holds `offset` ends, before its newline."""
        end = self.content.find(b"\n", offset)
        return end if end >= 0 else len(self.content)

    def range(self, start: int, end: int) -> Range:
        """What lies between two offsets, as a parser is told of it."""
        first, last = (Point(self.line_at(at) - 1, at - self.line_start(at)) for at in (start, end))
        return Range(first, last, start, end)

    def text(self, start: int, end: int) -> str:
        """The text between two offsets."""
        return self.content[start:end].decode("utf-8", "replace")

    def strip_end(self, end: int) -> int:
        """The offset behind the last character before `end` that is not white space."""
        while end > 0 and self.content[end - 1 : end].isspace():
            end -= 1
        return end

    def node_part(self, start: int, end: int) -> NodePart | None:
        """The lines between two offsets but for blank ones at both ends; None if all are blank."""
        text = self.text(start, end).rstrip()
        if not text:
            return None
        skipped = text.rfind("\n", 0, len(text) - len(text.lstrip())) + 1
        first = self.line_at(start) + text.count("\n", 0, skipped)
        kept = text[skipped:]
        return NodePart(first, first + kept.count("\n"), kept)


def layout_nodes(
    source: SourceText, root: Span, language: str, split_points: SplitPoints = MappingProxyType({})
) -> list[Node]:
    """The nodes of a file in source order; the text of the file is shared out among them."""
    nodes: list[Node] = []
    spans = [root]
    while spans:
        span = spans.pop()
        named = span.symbol, span.signature, span.logical_path
        pieces = _own_parts(source, span, split_points)
        members = _members_by_part(source, root.members, span, pieces)
        if span.children and pieces and span.node_type != "chunk":
            first, last = source.line_at(span.start), source.line_at(max(span.start, span.end - 1))
            pieces[0] = NodePart(first, last, pieces[0].text)
        for piece, own in zip(pieces, members, strict=True):
            nodes.append(Node(language, span.node_type, *named, *piece, own))
        spans.extend(reversed(span.children))
    nodes.sort(key=lambda node: (node.start_line, -node.end_line))
    return nodes


def _own_parts(source: SourceText, span: Span, split_points: SplitPoints) -> list[NodePart]:
    """What the children of a span leave over, in pieces of a good size."""
    gaps = [gap for start, end in _gaps(span) if (gap := source.node_part(start, end))]
    if span.node_type == "chunk":
        return _chunk_parts(gaps, split_points)
    limit = NODE_LIMIT if span.node_type in SYMBOL_TYPES else PART_MAX
    return _split_gaps(gaps, limit, split_points, by_blocks=span.node_type in DOCUMENT_TYPES)


def _members_by_part(
    source: SourceText, members: list[MemberName], span: Span, node_parts: Sequence[NodePart]
) -> list[tuple[Member, ...]]:
    """The members in each piece of a span; what a method declares is known in it alone."""
    held: list[list[Member]] = [[] for _ in node_parts]
    own = members if span.node_type != "method" else []
    itself = (span.symbol or "").rpartition(".")[2]
    first = 0  # members and pieces are in order: a file may have thousands of each
    for start, end in _gaps(span) if own else ():
        for member in own[bisect_left(own, (start, "")) : bisect_left(own, (end, ""))]:
            line = source.line_at(member.start)
            if member.name == itself:
                continue
            while first < len(node_parts) and node_parts[first].end_line < line:
                first += 1
            for at in range(first, len(node_parts)):
                if node_parts[at].start_line > line:
                    break
                if member.name in node_parts[at].text:
                    held[at].append(Member(member.name, line))
                    first = at
                    break
    return list(map(tuple, held))


def _gaps(span: Span) -> Iterator[tuple[int, int]]:
    """The stretches of a span that no child of it covers."""
    at = span.start
    for child in span.children:
        yield at, child.start
        at = child.end
    yield at, span.end


def _chunk_parts(gaps: list[NodePart], split_points: SplitPoints) -> list[NodePart]:
    """Each gap for itself, in pieces; what is only a scrap goes to a neighbour."""
    chunks: list[NodePart] = []
    for piece in (piece for gap in gaps for piece in _split_gaps([gap], PART_MAX, split_points)):
        if chunks and _should_join(chunks[-1], piece):
            chunks[-1] = _join_parts([chunks[-1], piece])
        else:
            chunks.append(piece)
    return chunks


def _should_join(above: NodePart, below: NodePart) -> bool:
    """Whether one of two chunks is a scrap that the other takes in.

    From afar it does so only where the scrap holds no word: its lines would say little then.
    """
    scrap = min(above.text, below.text, key=len)
    if len(scrap) >= SCRAP_MAX or len(above.text) + len(below.text) >= NODE_LIMIT:
        return False
    return below.start_line - above.end_line <= SCRAP_DISTANCE_LINES or bool(
        _WORDLESS.fullmatch(scrap)
    )


_WORDLESS = re.compile(r"(?:</[\w:.-]+>|\W)*+")
"""Braces and closing tags."""


def _split_gaps(
    gaps: list[NodePart], limit: int, split_points: SplitPoints, *, by_blocks: bool = False
) -> list[NodePart]:
    """The gaps as one piece, or cut where the text pauses when they exceed `limit` characters."""
    if len(gaps) == 1 and len(gaps[0].text) <= limit:
        return gaps
    if sum(len(gap.text) + 1 for gap in gaps) <= limit + 1:
        return [_join_parts(gaps)] if gaps else []
    pieces: list[NodePart] = []
    cut = split_blocks if by_blocks else split_lines
    for lines in cut(
        (line for gap in gaps for line in numbered_lines(gap.start_line, gap.text)), split_points
    ):
        if kept := trim_blank_lines(lines):
            text = "\n".join(text for _, text in kept)
            pieces.append(NodePart(kept[0][0], kept[-1][0], text.rstrip()))
    if len(pieces) > 1 and len(pieces[-1].text) < TAIL_MIN:
        joined = _join_parts(pieces[-2:])
        pieces[-2:] = [joined] if len(joined.text) <= NODE_LIMIT else pieces[-2:]
    return pieces


def _join_parts(parts: Sequence[NodePart]) -> NodePart:
    return NodePart(parts[0].start_line, parts[-1].end_line, "\n".join(part.text for part in parts))


def find_split_points(source: SourceText, root: Syntax, query: Query | None) -> dict[int, int]:
    """The lines on which parts begin, and in how many others each of them lies.

    Captures: `@part` a part, `@doc` a comment, with which the part right below it begins.
    """
    if not query or root.type == "ERROR":
        return {}
    cursor = QueryCursor(query)
    cursor.set_max_start_depth(QUERY_DEPTH)
    captures = cursor.captures(root)
    docs = sorted((one.start_byte, one.end_byte) for one in captures.get("doc", ()))
    found = sorted((one.start_byte, -one.end_byte) for one in captures.get("part", ()))
    lines: dict[int, int] = {}
    open_: list[int] = []
    for start, minus_end in found:
        while open_ and open_[-1] <= start:
            open_.pop()
        begin = _start_with_docs(source, docs, start)
        if not source.content[source.line_start(begin) : begin].strip():
            lines.setdefault(source.line_at(begin), len(open_))
        open_.append(-minus_end)
    return lines


def _start_with_docs(source: SourceText, docs: list[tuple[int, int]], start: int) -> int:
    """Where the comments begin that stand above `start`, with nothing but white space between."""
    index = bisect_right(docs, (start,)) - 1
    while index >= 0 and not source.content[docs[index][1] : start].strip():
        if source.content[source.line_start(docs[index][0]) : docs[index][0]].strip():
            break
        start = docs[index][0]
        index -= 1
    return start
