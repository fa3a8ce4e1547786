"""Builds the span tree of a text with headings: from the headings, code blocks and tables that
a query captures, or from a list of document elements.
"""

import html
import re
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from itertools import chain
from typing import NamedTuple

from tree_sitter import Node as Syntax
from tree_sitter import Query

from feeder.nodes import SIGNATURE_LIMIT
from feeder.parse.extract import DocumentElement
from feeder.parse.grammars import query_cursor
from feeder.parse.layout import SourceText, Span

SECTION_MIN = 100
"""Minimum characters of a subsection that is a node; a smaller one stays in its parent."""

BLOCK_MIN = 200
"""Minimum characters of a code block that is a node."""

HEADING_LIMIT = 120
"""Maximum characters of a heading in a path; the rest is cut."""

ANCHOR_LIMIT = 10
"""Maximum depth of an element that is a section by its anchor; deeper ones are part of the text."""

_ANCHOR_LEVEL = 7
"""The level of a section by anchor: below any heading."""

_HEADING_READ_LIMIT = 2000
"""Maximum characters of a heading or a table's first row that are read."""

_LEVEL_CAPTURE = re.compile(r"h([1-6])|anchor")

_TAG = re.compile(r"<[^<>]*>")

_TABLE_CELL = re.compile(r"<t[hd]\b[^<>]*>", re.IGNORECASE)

_CLOSING_MARKS = re.compile(r"(?:^|\s)#+\s*$")

_LINK_MARKUP = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")

_IMAGE_MARKUP = re.compile(r"!\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])")

_HEADING_NOISE = re.compile(
    r"</?(?:a|abbr|br|i|img|kbd|picture|source|span|sup)\b[^<>]*>|\{ ?[#:.][^{}]*\}$"
)


class _Element(NamedTuple):
    """A heading with its level and text, or a code block or table, whose level is 0.

    `end` is the end of the block, or the last possible end of the heading's section.
    """

    start: int
    end: int
    level: int
    heading: str
    signature: str | None = None


class _OpenSection(NamedTuple):
    """A section that the next elements may lie in; it ends at `end` at the latest."""

    level: int
    end: int
    section: Span


def section_tree(
    source: SourceText, roots: Iterable[Syntax], query: Query, preamble_type: str
) -> Span:
    """The span tree of a text, with sections from a heading to the next of its level or above.

    `roots` are the syntax trees of the text, one or several; `preamble_type` is the node type of
    the text before the first section.

    Captures: `@h1` to `@h6` a heading, `@name` its text or `@markup` an element that holds it;
    `@frame` an element that begins with the heading and ends with its section; `@anchor` an element
    that is a section of its own; `@codeblock` a block of code; `@table` a table, which is a block
    unless it has headings or tables in it; `@inset` an element, such as a quotation or a list,
    whose headings are not sections.
    """
    whole = Span(0, len(source.content))
    headings, blocks = _headings_and_blocks(source, roots, query)
    first = headings[0].start if headings else whole.end
    preamble = Span(0, source.strip_end(first), preamble_type)
    open_sections = [_OpenSection(0, whole.end, preamble)]
    for element in sorted([*headings, *blocks], key=lambda one: (one.start, not one.level)):
        is_heading = 0 < element.level < _ANCHOR_LEVEL
        closed_level = element.level if is_heading else _ANCHOR_LEVEL + 1
        _close_sections(source, open_sections, closed_level, element.start)
        if element.level == _ANCHOR_LEVEL and len(open_sections) > ANCHOR_LIMIT:
            continue
        is_in_preamble = len(open_sections) == 1 and element.start < preamble.end
        outer = open_sections[-1].section if len(open_sections) > 1 or is_in_preamble else whole
        path = " > ".join(filter(None, (outer.logical_path, element.heading))) or None
        node_type = "md_section" if element.level else "md_codeblock"
        if element.signature is not None:
            node_type = "doc_table"
        span = Span(element.start, element.end, node_type, None, element.signature or None, path)
        outer.children.append(span)
        if element.level:
            end = min(element.end, open_sections[-1].end)
            open_sections.append(_OpenSection(element.level, end, span))
    _close_sections(source, open_sections, 1, whole.end)
    for section in whole.children:
        _merge_small_sections(section, lambda child: _is_small_section(source, child))
    if preamble.end:
        whole.children.insert(0, preamble)
    return whole


def document_element_tree(source: SourceText, elements: Iterable[DocumentElement]) -> Span:
    """The span tree of a document; text before its first element is a section without a name."""
    whole = Span(0, len(source.content))
    preamble = Span(0, len(source.content), "doc_section")
    open_sections = [_OpenSection(0, sys.maxsize, preamble)]
    top: list[Span] = [preamble]
    for element in elements:
        if element.level:
            _close_sections(source, open_sections, element.level, element.start)
        outer = open_sections[-1].section
        path = " > ".join(filter(None, (outer.logical_path, element.name))) or None
        signature = element.signature and element.signature[:SIGNATURE_LIMIT]
        span = Span(element.start, element.end, element.node_type, None, signature, path)
        is_inside = len(open_sections) > 1 or not element.level
        (outer.children if is_inside else top).append(span)
        if element.level:
            if outer is preamble:
                preamble.end = min(preamble.end, source.strip_end(element.start))
            open_sections.append(_OpenSection(element.level, sys.maxsize, span))
    _close_sections(source, open_sections, 1, whole.end)
    for section in top:
        _merge_small_sections(section, lambda child: _is_small_doc_section(source, child))
    whole.children = [span for span in top if span.end > span.start]
    return whole


def _close_sections(
    source: SourceText, open_sections: list[_OpenSection], level: int, offset: int
) -> None:
    """Ends the sections of a level from `level` on, and those that end before `offset`."""
    while len(open_sections) > 1 and (
        open_sections[-1].level >= level or open_sections[-1].end <= offset
    ):
        _, end, section = open_sections.pop()
        section.end = max(section.start, source.strip_end(min(end, offset)))


def _merge_small_sections(section: Span, is_small: Callable[[Span], bool]) -> None:
    """Dissolves small subsections into the section's own text; keeps their tables and code."""
    children: list[Span] = []
    for child in section.children:
        _merge_small_sections(child, is_small)
        if is_small(child):
            children += child.children
        elif child.end > child.start:
            children.append(child)
    section.children = children


def _is_small_section(source: SourceText, section: Span) -> bool:
    """True if a section is short, or has no text of its own but tags."""
    if section.node_type != "md_section":
        return False
    if len(source.text(section.start, section.end)) < SECTION_MIN:
        return True
    starts = [section.start, *(child.end for child in section.children)]
    ends = [*(child.start for child in section.children), section.end]
    gaps = (source.text(*gap) for gap in zip(starts, ends, strict=True))
    return not _TAG.sub("", "".join(gaps)).strip()


def _is_small_doc_section(source: SourceText, section: Span) -> bool:
    is_short = len(source.text(section.start, section.end)) < SECTION_MIN
    return section.node_type == "doc_section" and is_short


def _headings_and_blocks(
    source: SourceText, roots: Iterable[Syntax], query: Query
) -> tuple[list[_Element], list[_Element]]:
    """The headings of a text, and its large code blocks and data tables; both in order."""
    cursor = query_cursor(query)
    headings: dict[int, _Element] = {}
    blocks, tables, insets = [], [], []
    for _, captures in chain.from_iterable(map(cursor.matches, roots)):
        for capture, (node, *_) in captures.items():
            if match := _LEVEL_CAPTURE.fullmatch(capture):
                if node.start_byte not in headings or "frame" in captures:
                    level = int(match[1] or _ANCHOR_LEVEL)
                    headings[node.start_byte] = _heading_element(source, captures, node, level)
            elif capture == "codeblock":
                end = source.strip_end(node.end_byte)
                blocks.append(_element(source, node, end, 0, ""))
            elif capture == "table":
                tables.append(_table_element(source, node))
            elif capture == "inset":
                insets.append((node.start_byte, node.end_byte))
    outside = _headings_outside(_highest_at_each_start(headings.values()), insets)
    blocks = [block for block in blocks if _is_large_block(source, block)]
    return outside, _outermost_blocks([*blocks, *_data_tables(tables, outside)])


def _heading_element(
    source: SourceText, captures: dict[str, list[Syntax]], heading: Syntax, level: int
) -> _Element:
    """A heading with its text; it starts and ends with its `@frame`, if it has one."""
    text = ""
    if "markup" in captures:
        text = _element_text(source, captures["markup"][0])
    elif "name" in captures:
        text = _heading_text(source, captures["name"][0])
    whole = captures["frame"][0] if "frame" in captures else heading
    end = whole.end_byte if "frame" in captures else len(source.content)
    return _element(source, whole, end, level, text)


def _highest_at_each_start(headings: Iterable[_Element]) -> list[_Element]:
    lowest_first = sorted(headings, key=lambda heading: -heading.level)
    return list({heading.start: heading for heading in lowest_first}.values())


def _table_element(source: SourceText, node: Syntax) -> _Element:
    """A table, with the cells of its first row as the signature."""
    row = source.text(node.start_byte, node.end_byte)[:_HEADING_READ_LIMIT].partition("</tr")[0]
    cells = (
        " ".join(html.unescape(_TAG.sub(" ", cell)).split()) for cell in _TABLE_CELL.split(row)[1:]
    )
    end = source.strip_end(node.end_byte)
    return _element(source, node, end, 0, "")._replace(
        signature=" | ".join(cells)[:SIGNATURE_LIMIT]
    )


def _data_tables(tables: list[_Element], headings: list[_Element]) -> list[_Element]:
    """The tables without a heading or table inside: others lay out a page."""
    starts = sorted(table.start for table in (*tables, *headings) if table.level < _ANCHOR_LEVEL)
    return [
        table
        for table in tables
        if bisect_right(starts, table.start) == bisect_left(starts, table.end)
    ]


def _outermost_blocks(blocks: list[_Element]) -> list[_Element]:
    outermost: list[_Element] = []
    for block in sorted(blocks, key=lambda block: (block.start, -block.end)):
        if not outermost or outermost[-1].end <= block.start:
            outermost.append(block)
    return outermost


def _element(source: SourceText, node: Syntax, end: int, level: int, heading: str) -> _Element:
    start, line = node.start_byte, source.line_start(node.start_byte)
    start = start if source.content[line:start].strip() else line
    return _Element(start, end, level, heading)


def _is_large_block(source: SourceText, block: _Element) -> bool:
    """True if a code block is large and begins its line, unlike one in a quotation; tags may
    precede it.
    """
    before = source.text(source.line_start(block.start), block.start)[:_HEADING_READ_LIMIT]
    is_first = not _TAG.sub("", before).strip()
    return is_first and len(source.text(block.start, block.end)) >= BLOCK_MIN


def _headings_outside(
    headings: list[_Element], insets: Iterable[tuple[int, int]]
) -> list[_Element]:
    """The headings outside of all insets, in order."""
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


def _heading_text(source: SourceText, node: Syntax) -> str:
    """A heading's text on one line, without closing marks, tags, anchors and link targets.

    Images are removed, unless there is nothing else.
    """
    markup = " ".join(source.text(node.start_byte, node.end_byte)[:_HEADING_READ_LIMIT].split())
    text = _HEADING_NOISE.sub("", _CLOSING_MARKS.sub("", markup))
    plain = _strip_links(_IMAGE_MARKUP.sub("", text)) or _strip_links(text)
    return plain[:HEADING_LIMIT].strip()


def _element_text(source: SourceText, element: Syntax) -> str:
    """An element's text on one line, without tags and a pilcrow at its end."""
    markup = source.text(element.start_byte, element.end_byte)[:_HEADING_READ_LIMIT]
    text = " ".join(html.unescape(_TAG.sub("", markup)).split())
    return text[:HEADING_LIMIT].rstrip("\u00b6 ")


def _strip_links(text: str) -> str:
    while (plain := _LINK_MARKUP.sub(r"\1", text)) != text:
        text = plain
    return " ".join(text.split())
