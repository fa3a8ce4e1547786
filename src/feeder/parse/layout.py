"""Lays a tree of spans out as nodes, so that each character of a file belongs to exactly one node.

A span's own text is its text without that of its children. If it is too long, it is split into
parts, preferably at `split_points`.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, repeat
from types import MappingProxyType
from typing import NamedTuple

from msgspec import Struct, field
from tree_sitter import Node as Syntax
from tree_sitter import Point, Query, Range

from feeder.line_ranges import LineRange
from feeder.nodes import DOCUMENT_TYPES, Member, Node
from feeder.parse.file_relations import FileRelations
from feeder.parse.grammars import query_cursor
from feeder.parse.relation_names import Site
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
from feeder.parse.visibility import Owner, sections, visibility_relations
from feeder.relation import encode_relations
from feeder.traits import traits

SCRAP_MAX = 30
"""A chunk shorter than this many characters, such as a closing brace, joins its neighbour."""

SCRAP_DISTANCE_LINES = 10
"""Maximum lines between a scrap with words and the neighbour that it joins."""

SYMBOL_TYPES = frozenset({"method", "class"})

_WORDLESS = re.compile(r"(?:</[\w:.-]+>|\W)*+")
"""Text of braces and closing tags only."""


class MemberName(NamedTuple):
    """The name of a member and its byte offset."""

    start: int
    name: str


class Span(Struct):
    """A byte range of a file that becomes a node, with the spans inside it in order.

    The root span of a file has the `members`, the `attributes` that methods assign, the `relations`
    and the `unparsed` lines of the whole file. A declaration's body begins at `body`, and its name
    ends at `name_end`.
    """

    start: int
    end: int
    node_type: str = "chunk"
    symbol: str | None = None
    signature: str | None = None
    logical_path: str | None = None
    children: list["Span"] = field(default_factory=list)
    members: list[MemberName] = field(default_factory=list)
    attributes: list[MemberName] = field(default_factory=list)
    relations: list[Site] = field(default_factory=list)
    unparsed: list[LineRange] = field(default_factory=list)
    body: int | None = None
    name_end: int = 0


class NodePart(NamedTuple):
    """The text of a node, or of one part of it, with its first and last line."""

    start_line: int
    end_line: int
    text: str


class SourceText:
    """A file's text as UTF-8 bytes, with an index of its lines; offsets are in bytes."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        sizes = map(len, content.split(b"\n"))
        self._line_starts = [0, *accumulate(map((1).__add__, sizes))]
        self._line_starts.pop()

    def line_at(self, offset: int) -> int:
        """The 1-based number of the line that holds the byte at `offset`."""
        return bisect_right(self._line_starts, offset)

    def lines_at(self, offsets: Sequence[int]) -> list[int]:
        """The 1-based numbers of the lines that hold the bytes at these offsets."""
        return list(map(bisect_right, repeat(self._line_starts), offsets))

    def line_start(self, offset: int) -> int:
        """The offset at which the line that contains `offset` begins."""
        return self.content.rfind(b"\n", 0, offset) + 1

    def line_end(self, offset: int) -> int:
        """The offset at which the line that contains `offset` ends, before its newline."""
        end = self.content.find(b"\n", offset)
        return end if end >= 0 else len(self.content)

    def lines(self, first: int, last: int) -> bytes:
        """The lines with these numbers, without the newline at their end."""
        end = self._line_starts[last] - 1 if last < len(self._line_starts) else None
        return self.content[self._line_starts[first - 1] : end]

    def range(self, start: int, end: int) -> Range:
        """The range between two offsets, in tree-sitter's form."""
        first, last = (Point(self.line_at(at) - 1, at - self.line_start(at)) for at in (start, end))
        return Range(first, last, start, end)

    def text(self, start: int, end: int) -> str:
        """The text between two offsets."""
        return self.content[start:end].decode("utf-8", "replace")

    def strip_end(self, end: int) -> int:
        """The offset after the last character before `end` that is not white space."""
        while end > 0 and self.content[end - 1 : end].isspace():
            end -= 1
        return end

    def node_part(self, start: int, end: int) -> NodePart | None:
        """The lines between two offsets, without blank ones at both ends; None if all are blank."""
        text = self.text(start, end).rstrip()
        if not text:
            return None
        skipped = text.rfind("\n", 0, len(text) - len(text.lstrip())) + 1
        first = self.line_at(start) + text.count("\n", 0, skipped)
        text = text[skipped:]
        return NodePart(first, first + text.count("\n"), text)


def layout_nodes(
    source: SourceText, root: Span, language: str, split_points: SplitPoints = MappingProxyType({})
) -> list[Node]:
    """The nodes of a file in source order."""
    nodes: list[Node] = []
    relations = None
    if sites := root.relations:
        relations = FileRelations(sites, source.lines_at([start for start, _ in sites]))
    spans: list[tuple[Span, Owner | None]] = [(root, None)]
    while spans:
        span, owner = spans.pop()
        names = span.symbol, span.signature, span.logical_path
        parts = _own_parts(source, span, split_points)
        members = _members_by_part(source, root.members, span, parts)
        if root.attributes and span.node_type == "class" and members:
            members[0] += tuple(_attributes(source, root.attributes, span, members))
        ends = [part.end_line for part in parts]
        if span.children and parts and span.node_type != "chunk":
            first, last = source.line_at(span.start), source.line_at(max(span.start, span.end - 1))
            parts[0] = NodePart(first, last, parts[0].text)
        if len(parts) > 1 and span.body:  # a long comment may part a class from its signature
            ends[0] = max(ends[0], min(source.line_at(span.body), parts[0].end_line))
        encoded = _relations_by_part(relations, span, parts, ends)
        if encoded and span.symbol and span.node_type in SYMBOL_TYPES:
            signature = span.signature or ""
            encoded[0] += visibility_relations(encoded[0], language, span.symbol, signature, owner)
        for part, part_members, text in zip(parts, members, encoded, strict=True):
            nodes.append(Node(language, span.node_type, *names, *part, part_members, text))
        if span.children:
            spans.extend(reversed(_children_with_owner(source, span, language)))
    nodes.sort(key=lambda node: (node.start_line, -node.end_line))
    return nodes


def _children_with_owner(
    source: SourceText, span: Span, language: str
) -> list[tuple[Span, Owner | None]]:
    """The spans in a span, those of a type with its signature and their section of it."""
    if span.node_type != "class":
        return [(child, None) for child in span.children]
    signature = span.signature or ""
    form = traits(language).visibility.sections
    if not form:
        owner = signature, ""
        return [(child, owner) for child in span.children]
    starts = list(sections(form, source.content, _gaps(span)))
    children: list[tuple[Span, Owner | None]] = []
    at, section = 0, ""
    for child in span.children:
        while at < len(starts) and starts[at][0] < child.start:
            section = starts[at][1]
            at += 1
        children.append((child, (signature, section)))
    return children


def find_split_points(source: SourceText, root: Syntax, query: Query | None) -> dict[int, int]:
    """The lines at which long text is best split, each with its depth: the parts around it.

    Captures: `@part` a part, `@doc` a comment, which belongs to the part right below it.
    """
    if not query or root.type == "ERROR":
        return {}
    captures = query_cursor(query).captures(root)
    docs = sorted((node.start_byte, node.end_byte) for node in captures.get("doc", ()))
    parts = sorted((node.start_byte, -node.end_byte) for node in captures.get("part", ()))
    depth_by_line: dict[int, int] = {}
    open_ends: list[int] = []
    for part_start, minus_end in parts:
        while open_ends and open_ends[-1] <= part_start:
            open_ends.pop()
        start = _start_with_docs(source, docs, part_start)
        if not source.content[source.line_start(start) : start].strip():
            depth_by_line.setdefault(source.line_at(start), len(open_ends))
        open_ends.append(-minus_end)
    return depth_by_line


def _own_parts(source: SourceText, span: Span, split_points: SplitPoints) -> list[NodePart]:
    """The text of a span that its children do not cover, in parts."""
    gaps = [gap for start, end in _gaps(span) if (gap := source.node_part(start, end))]
    if span.node_type == "chunk":
        return _chunk_parts(gaps, split_points)
    limit = NODE_LIMIT if span.node_type in SYMBOL_TYPES else PART_MAX
    return _split_gaps(gaps, limit, split_points, by_blocks=span.node_type in DOCUMENT_TYPES)


def _members_by_part(
    source: SourceText, members: list[MemberName], span: Span, node_parts: Sequence[NodePart]
) -> list[tuple[Member, ...]]:
    """The members in each part of a span; a method has none, since its names are local to it."""
    if not members or span.node_type == "method":
        return [()] * len(node_parts)
    by_part: list[list[Member]] = [[] for _ in node_parts]
    own_name = (span.symbol or "").rpartition(".")[2]
    first = 0  # members and parts are in order: a file may have thousands of each
    for start, end in _gaps(span):
        for member in members[bisect_left(members, (start, "")) : bisect_left(members, (end, ""))]:
            line = source.line_at(member.start)
            if member.name == own_name and member.start < span.name_end:
                continue  # the declaration itself
            while first < len(node_parts) and node_parts[first].end_line < line:
                first += 1
            for index in range(first, len(node_parts)):
                if node_parts[index].start_line > line:
                    break
                if member.name in node_parts[index].text:
                    by_part[index].append(Member(member.name, line))
                    first = index
                    break
    return list(map(tuple, by_part))


def _attributes(
    source: SourceText,
    assigned: list[MemberName],
    span: Span,
    members: Iterable[Iterable[Member]],
) -> Iterator[Member]:
    """Yields the attributes that the methods of a class assign, each once, where it comes first.

    A class attribute and a property of that name are none, nor are those of classes inside.
    """
    seen = {member.name for part in members for member in part}
    seen |= {(child.symbol or "").rpartition(".")[2] for child in span.children}
    inner = [child for child in span.children if child.node_type == "class"]
    own = slice(bisect_left(assigned, (span.start, "")), bisect_left(assigned, (span.end, "")))
    for start, name in assigned[own]:
        is_inner = any(child.start <= start < child.end for child in inner)
        if name not in seen and not is_inner:
            seen.add(name)
            yield Member(name, source.line_at(start))


def _relations_by_part(
    relations: FileRelations | None, span: Span, node_parts: Sequence[NodePart], ends: Sequence[int]
) -> list[str]:
    """The encoded relations in each part of a span; the text of a part ends on a line of `ends`."""
    if relations is None or not node_parts:
        return [""] * len(node_parts)
    own, lines = relations.within(_gaps(span), span.body, span.name_end)
    if len(node_parts) == 1:
        return [
            encode_relations([relation.text for relation in own], lines, node_parts[0].start_line)
        ]
    by_part: list[tuple[list[str], list[int]]] = [([], []) for _ in node_parts]
    first, last = 0, len(node_parts) - 1
    for relation, line in zip(own, lines, strict=True):
        while (
            first < last
            and node_parts[first + 1].start_line <= line
            and (ends[first] < line or relation.name not in node_parts[first].text)
        ):
            first += 1
        by_part[first][0].append(relation.text)
        by_part[first][1].append(line)
    return [
        encode_relations(*part, node.start_line)
        for node, part in zip(node_parts, by_part, strict=True)
    ]


def _gaps(span: Span) -> Iterator[tuple[int, int]]:
    """The byte ranges of a span that no child covers."""
    at = span.start
    for child in span.children:
        yield at, child.start
        at = child.end
    yield at, span.end


def _chunk_parts(gaps: list[NodePart], split_points: SplitPoints) -> list[NodePart]:
    """The parts of each gap; a scrap joins the chunk before it."""
    chunks: list[NodePart] = []
    for part in (part for gap in gaps for part in _split_gaps([gap], PART_MAX, split_points)):
        if chunks and _should_join(chunks[-1], part):
            chunks[-1] = _join_parts([chunks[-1], part])
        else:
            chunks.append(part)
    return chunks


def _should_join(above: NodePart, below: NodePart) -> bool:
    """True if one of two chunks is a scrap, and near the other unless it has no words."""
    scrap = min(above.text, below.text, key=len)
    if len(scrap) >= SCRAP_MAX or len(above.text) + len(below.text) >= NODE_LIMIT:
        return False
    return below.start_line - above.end_line <= SCRAP_DISTANCE_LINES or bool(
        _WORDLESS.fullmatch(scrap)
    )


def _split_gaps(
    gaps: list[NodePart], limit: int, split_points: SplitPoints, *, by_blocks: bool = False
) -> list[NodePart]:
    """The gaps as one part, or as several if they have more than `limit` characters."""
    if len(gaps) == 1 and len(gaps[0].text) <= limit:
        return gaps
    if sum(len(gap.text) + 1 for gap in gaps) <= limit + 1:
        return [_join_parts(gaps)] if gaps else []
    all_lines = chain.from_iterable(numbered_lines(gap.start_line, gap.text) for gap in gaps)
    split = split_blocks if by_blocks else split_lines
    parts: list[NodePart] = []
    for lines in map(trim_blank_lines, split(all_lines, split_points)):
        if lines:
            text = "\n".join(text for _, text in lines)
            parts.append(NodePart(lines[0][0], lines[-1][0], text.rstrip()))
    if len(parts) > 1 and len(parts[-1].text) < TAIL_MIN:
        joined = _join_parts(parts[-2:])
        parts[-2:] = [joined] if len(joined.text) <= NODE_LIMIT else parts[-2:]
    return parts


def _join_parts(parts: Sequence[NodePart]) -> NodePart:
    return NodePart(parts[0].start_line, parts[-1].end_line, "\n".join(part.text for part in parts))


def _start_with_docs(source: SourceText, docs: list[tuple[int, int]], start: int) -> int:
    """The start of the comments above `start` that only white space separates from it."""
    index = bisect_right(docs, (start,)) - 1
    while index >= 0 and not source.content[docs[index][1] : start].strip():
        if source.content[source.line_start(docs[index][0]) : docs[index][0]].strip():
            break
        start = docs[index][0]
        index -= 1
    return start
