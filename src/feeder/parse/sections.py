"""Which sections does a text with headings have, and under which path?"""

import html
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

from tree_sitter import Node as Syntax
from tree_sitter import Query, QueryCursor

from feeder.nodes import SIGNATURE_LIMIT
from feeder.parse.comments import QUERY_DEPTH
from feeder.parse.layout import Source, Span

SECTION_MIN = 100
"""Characters of a section that is a node of its own inside another; smaller ones stay there."""
BLOCK_MIN = 200
"""Characters of a code block that is a node of its own."""
HEADING_LIMIT = 120
"""Characters of a heading in a path: a longer one is cut."""

ANCHOR_LIMIT = 10
"""Sections that an element may lie in to be one by its anchor: deeper ones are part of the text."""
_ANCHOR = 7
"""The level of what is known by its anchor: below that of any heading."""
_TAG = re.compile(r"<[^<>]*>")
_CELL = re.compile(r"<t[hd]\b[^<>]*>", re.IGNORECASE)

_LEVEL = re.compile(r"h([1-6])|anchor")
_CLOSERS = re.compile(r"(?:^|\s)#+\s*$")
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_IMAGE = re.compile(r"!\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])")
_ASIDE = re.compile(
    r"</?(?:a|abbr|br|i|img|kbd|picture|source|span|sup)\b[^<>]*>|\{ ?[#:.][^{}]*\}$"
)
_WRITTEN_LIMIT = 2000
"""Characters of a heading that are read: a longer one is no heading."""


class _Part(NamedTuple):
    """A heading with its level and text, or a code block or table, whose level is 0.

    Its section, or the block, ends at `end` at the latest.
    """

    start: int
    end: int
    level: int
    heading: str
    signature: str | None = None


class _Open(NamedTuple):
    """A section that what follows may lie in."""

    level: int
    end: int
    section: Span


def sections(source: Source, roots: Iterable[Syntax], query: Query, before: str) -> Span:
    """The tree of a text's sections, each from its heading to the next one of its level or above.

    The text is read in one tree or several; `before` is the type of what stands before the first
    section. Captures: `@h1` to `@h6` a heading, `@name` its text or `@markup` an element that holds
    it, `@frame` an element that begins with the heading, and whose end is the section's; `@anchor`
    an element that is a section of its own, `@codeblock` a block of code, `@table` a table, which
    is left in its section where it has headings or tables in it, `@inset` what has headings that
    are none of the document's: a quotation, a list.
    """
    whole = Span(0, len(source.content))
    headings, blocks = _parts(source, roots, query)
    first = headings[0].start if headings else whole.end
    preamble = Span(0, source.trimmed_end(first), before)
    open_ = [_Open(0, whole.end, preamble)]
    for part in sorted([*headings, *blocks], key=lambda part: (part.start, not part.level)):
        _close(source, open_, part)
        if part.level == _ANCHOR and len(open_) > ANCHOR_LIMIT:
            continue
        is_before = len(open_) == 1 and part.start < preamble.end
        outer = open_[-1].section if len(open_) > 1 or is_before else whole
        path = " > ".join(filter(None, (outer.logical_path, part.heading))) or None
        node_type = "md_section" if part.level else "md_codeblock"
        if part.signature is not None:
            node_type = "doc_table"
        span = Span(part.start, part.end, node_type, None, part.signature or None, path)
        outer.children.append(span)
        if part.level:
            open_.append(_Open(part.level, min(part.end, open_[-1].end), span))
    _close(source, open_, _Part(whole.end, whole.end, 1, ""))
    for section in whole.children:
        _drop_small(source, section)
    if preamble.end:
        whole.children.insert(0, preamble)
    return whole


def _close(source: Source, open_: list[_Open], part: _Part) -> None:
    """Ends the sections that a heading, an anchor or a block does not lie in."""
    closed = part.level if 0 < part.level < _ANCHOR else _ANCHOR + 1
    while len(open_) > 1 and (open_[-1].level >= closed or open_[-1].end <= part.start):
        _, end, section = open_.pop()
        section.end = source.trimmed_end(min(end, part.start))


def _drop_small(source: Source, section: Span) -> None:
    """Leaves small subsections in the section's own text, which gets the tables in them.

    One that is only the element around its code or tables is small too.
    """
    kept: list[Span] = []
    for child in section.children:
        _drop_small(source, child)
        is_small = child.node_type == "md_section" and _is_small(source, child)
        kept += child.children if is_small else [child]
    section.children = kept


def _is_small(source: Source, section: Span) -> bool:
    if len(source.text(section.start, section.end)) < SECTION_MIN:
        return True
    starts = [section.start, *(child.end for child in section.children)]
    ends = [*(child.start for child in section.children), section.end]
    own = (source.text(*gap) for gap in zip(starts, ends, strict=True))
    return not _TAG.sub("", "".join(own)).strip()


def _parts(
    source: Source, roots: Iterable[Syntax], query: Query
) -> tuple[list[_Part], list[_Part]]:
    """The headings and the large code blocks of a text."""
    cursor = QueryCursor(query)
    cursor.set_max_start_depth(QUERY_DEPTH)
    headings: dict[int, _Part] = {}
    blocks, tables, insets = [], [], []
    for _, captures in chain.from_iterable(map(cursor.matches, roots)):
        for capture, (node, *_) in captures.items():
            if level := _LEVEL.fullmatch(capture):
                if node.start_byte not in headings or "frame" in captures:
                    heading = _section(source, captures, node, int(level[1] or _ANCHOR))
                    headings[node.start_byte] = heading
            elif capture == "codeblock":
                end = source.trimmed_end(node.end_byte)
                blocks.append(_part(source, node, end, 0, ""))
            elif capture == "table":
                tables.append(_table(source, node))
            elif capture == "inset":
                insets.append((node.start_byte, node.end_byte))
    outside = _outside(_distinct(headings.values()), insets)
    blocks = [block for block in blocks if _is_block(source, block)]
    return outside, _outermost([*blocks, *_plain_tables(tables, outside)])


def _section(
    source: Source, captures: dict[str, list[Syntax]], heading: Syntax, level: int
) -> _Part:
    """The heading of a section, which its frame, if it has one, begins and ends."""
    text = ""
    if "markup" in captures:
        text = _plain(source, captures["markup"][0])
    elif "name" in captures:
        text = _heading(source, captures["name"][0])
    whole = captures["frame"][0] if "frame" in captures else heading
    end = whole.end_byte if "frame" in captures else len(source.content)
    return _part(source, whole, end, level, text)


def _distinct(headings: Iterable[_Part]) -> list[_Part]:
    """Of those at one place the highest."""
    return list({one.start: one for one in sorted(headings, key=lambda one: -one.level)}.values())


def _table(source: Source, node: Syntax) -> _Part:
    """A table with its first row, cell by cell."""
    row = source.text(node.start_byte, node.end_byte)[:_WRITTEN_LIMIT].partition("</tr")[0]
    cells = (" ".join(html.unescape(_TAG.sub(" ", cell)).split()) for cell in _CELL.split(row)[1:])
    end = source.trimmed_end(node.end_byte)
    return _part(source, node, end, 0, "")._replace(signature=" | ".join(cells)[:SIGNATURE_LIMIT])


def _plain_tables(tables: list[_Part], headings: list[_Part]) -> list[_Part]:
    """Those that only hold data: with a heading or a table inside they lay out a page."""
    starts = sorted(one.start for one in (*tables, *headings) if one.level < _ANCHOR)
    return [
        one for one in tables if bisect_right(starts, one.start) == bisect_left(starts, one.end)
    ]


def _outermost(blocks: list[_Part]) -> list[_Part]:
    kept: list[_Part] = []
    for block in sorted(blocks, key=lambda block: (block.start, -block.end)):
        if not kept or kept[-1].end <= block.start:
            kept.append(block)
    return kept


def _part(source: Source, node: Syntax, end: int, level: int, heading: str) -> _Part:
    start, line = node.start_byte, source.line_start(node.start_byte)
    start = start if source.content[line:start].strip() else line
    return _Part(start, end, level, heading)


def _is_block(source: Source, block: _Part) -> bool:
    """Whether a code block is large and, unlike one in a quotation, begins its line.

    Elements may begin before it there.
    """
    before = source.text(source.line_start(block.start), block.start)[:_WRITTEN_LIMIT]
    is_first = not _TAG.sub("", before).strip()
    return is_first and len(source.text(block.start, block.end)) >= BLOCK_MIN


def _outside(headings: list[_Part], insets: Iterable[tuple[int, int]]) -> list[_Part]:
    """The headings that lie in no inset, in order."""
    outermost: list[tuple[int, int]] = []
    for start, end in sorted(insets):
        if not outermost or start >= outermost[-1][1]:
            outermost.append((start, end))
    starts = [start for start, _ in outermost]
    return [
        heading
        for heading in sorted(headings)
        if (index := bisect_right(starts, heading.start) - 1) < 0
        or outermost[index][1] <= heading.start
    ]


def _heading(source: Source, node: Syntax) -> str:
    """A heading's text on one line, without closing marks, tags, anchors and, beside text, images.

    Of links their text is left.
    """
    written = " ".join(source.text(node.start_byte, node.end_byte)[:_WRITTEN_LIMIT].split())
    text = _ASIDE.sub("", _CLOSERS.sub("", written))
    plain = _without_links(_IMAGE.sub("", text)) or _without_links(text)
    return plain[:HEADING_LIMIT].strip()


def _plain(source: Source, element: Syntax) -> str:
    """An element's text on one line, without its tags and the sign that links to it."""
    written = source.text(element.start_byte, element.end_byte)[:_WRITTEN_LIMIT]
    words = " ".join(html.unescape(_TAG.sub("", written)).split())
    return words[:HEADING_LIMIT].rstrip("\u00b6 ")


def _without_links(text: str) -> str:
    while (plain := _LINK.sub(r"\1", text)) != text:
        text = plain
    return " ".join(text.split())
