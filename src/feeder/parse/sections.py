"""Builds the span tree of a text with headings: from the headings, code blocks and tables that
a query captures, or from a list of document elements.
"""

import html
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple

from tree_sitter import Node as Syntax
from tree_sitter import Query, QueryCursor

from feeder.nodes import SIGNATURE_LIMIT
from feeder.parse.extract import DocumentElement
from feeder.parse.grammars import QUERY_DEPTH
from feeder.parse.layout import SourceText, Span

SECTION_MIN = 100
"""Characters of a section that is a node of its own inside another; smaller ones stay there."""

BLOCK_MIN = 200
"""Characters of a code block that is a node of its own."""

HEADING_LIMIT = 120
"""Characters of a heading in a path: a longer one is cut."""


ANCHOR_LIMIT = 10
"""Sections that an element may lie in to be one by its anchor: deeper ones are part of the text."""

_ANCHOR_LEVEL = 7
"""The level of what is known by its anchor: below that of any heading."""

_TAG = re.compile(r"<[^<>]*>")

_TABLE_CELL = re.compile(r"<t[hd]\b[^<>]*>", re.IGNORECASE)


_LEVEL_CAPTURE = re.compile(r"h([1-6])|anchor")

_CLOSING_MARKS = re.compile(r"(?:^|\s)#+\s*$")

_LINK_MARKUP = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")

_IMAGE_MARKUP = re.compile(r"!\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])")

_HEADING_NOISE = re.compile(
    r"</?(?:a|abbr|br|i|img|kbd|picture|source|span|sup)\b[^<>]*>|\{ ?[#:.][^{}]*\}$"
)

_HEADING_READ_LIMIT = 2000
"""Characters of a heading that are read: a longer one is no heading."""


class _Element(NamedTuple):
    """A heading with its level and text, or a code block or table, whose level is 0.

    Its section, or the block, ends at `end` at the latest.
    """

    start: int
    end: int
    level: int
    heading: str
    signature: str | None = None


class _OpenSection(NamedTuple):
    """A section that what follows may lie in."""

    level: int
    end: int
    section: Span


def section_tree(
    source: SourceText, roots: Iterable[Syntax], query: Query, preamble_type: str
) -> Span:
    """The tree of a text's sections, each from its heading to the next one of its level or above.

    The text is read in one tree or several; `before` is the type of what stands before the first
    section. Captures: `@h1` to `@h6` a heading, `@name` its text or `@markup` an element that holds
    it, `@frame` an element that begins with the heading, and whose end is the section's; `@anchor`
    an element that is a section of its own, `@codeblock` a block of code, `@table` a table, which
    is left in its section where it has headings or tables in it, `@inset` what has headings that
    are none of the document's: a quotation, a list.
    """
    whole = Span(0, len(source.content))
    headings, blocks = _headings_and_blocks(source, roots, query)
    first = headings[0].start if headings else whole.end
    preamble = Span(0, source.strip_end(first), preamble_type)
    open_ = [_OpenSection(0, whole.end, preamble)]
    for part in sorted([*headings, *blocks], key=lambda part: (part.start, not part.level)):
        _close_sections(source, open_, part)
        if part.level == _ANCHOR_LEVEL and len(open_) > ANCHOR_LIMIT:
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
            open_.append(_OpenSection(part.level, min(part.end, open_[-1].end), span))
    _close_sections(source, open_, _Element(whole.end, whole.end, 1, ""))
    for section in whole.children:
        _merge_small_sections(source, section)
    if preamble.end:
        whole.children.insert(0, preamble)
    return whole


def _close_sections(
    source: SourceText, open_sections: list[_OpenSection], element: _Element
) -> None:
    """Ends the sections that a heading, an anchor or a block does not lie in."""
    closed = element.level if 0 < element.level < _ANCHOR_LEVEL else _ANCHOR_LEVEL + 1
    while len(open_sections) > 1 and (
        open_sections[-1].level >= closed or open_sections[-1].end <= element.start
    ):
        _, end, section = open_sections.pop()
        section.end = source.strip_end(min(end, element.start))


def _merge_small_sections(source: SourceText, section: Span) -> None:
    """Leaves small subsections in the section's own text, which gets the tables in them.

    One that is only the element around its code or tables is small too.
    """
    kept: list[Span] = []
    for child in section.children:
        _merge_small_sections(source, child)
        is_small = child.node_type == "md_section" and _is_small_section(source, child)
        kept += child.children if is_small else [child]
    section.children = kept


def _is_small_section(source: SourceText, section: Span) -> bool:
    if len(source.text(section.start, section.end)) < SECTION_MIN:
        return True
    starts = [section.start, *(child.end for child in section.children)]
    ends = [*(child.start for child in section.children), section.end]
    own = (source.text(*gap) for gap in zip(starts, ends, strict=True))
    return not _TAG.sub("", "".join(own)).strip()


def _headings_and_blocks(
    source: SourceText, roots: Iterable[Syntax], query: Query
) -> tuple[list[_Element], list[_Element]]:
    """The headings and the large code blocks of a text."""
    cursor = QueryCursor(query)
    cursor.set_max_start_depth(QUERY_DEPTH)
    headings: dict[int, _Element] = {}
    blocks, tables, insets = [], [], []
    for _, captures in chain.from_iterable(map(cursor.matches, roots)):
        for capture, (node, *_) in captures.items():
            if level := _LEVEL_CAPTURE.fullmatch(capture):
                if node.start_byte not in headings or "frame" in captures:
                    heading = _heading_element(
                        source, captures, node, int(level[1] or _ANCHOR_LEVEL)
                    )
                    headings[node.start_byte] = heading
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
    """The heading of a section, which its frame, if it has one, begins and ends."""
    text = ""
    if "markup" in captures:
        text = _element_text(source, captures["markup"][0])
    elif "name" in captures:
        text = _heading_text(source, captures["name"][0])
    whole = captures["frame"][0] if "frame" in captures else heading
    end = whole.end_byte if "frame" in captures else len(source.content)
    return _element(source, whole, end, level, text)


def _highest_at_each_start(headings: Iterable[_Element]) -> list[_Element]:
    """Of those at one place the highest."""
    return list({one.start: one for one in sorted(headings, key=lambda one: -one.level)}.values())


def _table_element(source: SourceText, node: Syntax) -> _Element:
    """A table with its first row, cell by cell."""
    row = source.text(node.start_byte, node.end_byte)[:_HEADING_READ_LIMIT].partition("</tr")[0]
    cells = (
        " ".join(html.unescape(_TAG.sub(" ", cell)).split()) for cell in _TABLE_CELL.split(row)[1:]
    )
    end = source.strip_end(node.end_byte)
    return _element(source, node, end, 0, "")._replace(
        signature=" | ".join(cells)[:SIGNATURE_LIMIT]
    )


def _data_tables(tables: list[_Element], headings: list[_Element]) -> list[_Element]:
    """Those that only hold data: with a heading or a table inside they lay out a page."""
    starts = sorted(one.start for one in (*tables, *headings) if one.level < _ANCHOR_LEVEL)
    return [
        one for one in tables if bisect_right(starts, one.start) == bisect_left(starts, one.end)
    ]


def _outermost_blocks(blocks: list[_Element]) -> list[_Element]:
    kept: list[_Element] = []
    for block in sorted(blocks, key=lambda block: (block.start, -block.end)):
        if not kept or kept[-1].end <= block.start:
            kept.append(block)
    return kept


def _element(source: SourceText, node: Syntax, end: int, level: int, heading: str) -> _Element:
    start, line = node.start_byte, source.line_start(node.start_byte)
    start = start if source.content[line:start].strip() else line
    return _Element(start, end, level, heading)


def _is_large_block(source: SourceText, block: _Element) -> bool:
    """Whether a code block is large and, unlike one in a quotation, begins its line.

    Elements may begin before it there.
    """
    before = source.text(source.line_start(block.start), block.start)[:_HEADING_READ_LIMIT]
    is_first = not _TAG.sub("", before).strip()
    return is_first and len(source.text(block.start, block.end)) >= BLOCK_MIN


def _headings_outside(
    headings: list[_Element], insets: Iterable[tuple[int, int]]
) -> list[_Element]:
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


def _heading_text(source: SourceText, node: Syntax) -> str:
    """A heading's text on one line, without closing marks, tags, anchors and, beside text, images.

    Of links their text is left.
    """
    written = " ".join(source.text(node.start_byte, node.end_byte)[:_HEADING_READ_LIMIT].split())
    text = _HEADING_NOISE.sub("", _CLOSING_MARKS.sub("", written))
    plain = _strip_links(_IMAGE_MARKUP.sub("", text)) or _strip_links(text)
    return plain[:HEADING_LIMIT].strip()


def _element_text(source: SourceText, element: Syntax) -> str:
    """An element's text on one line, without its tags and the sign that links to it."""
    written = source.text(element.start_byte, element.end_byte)[:_HEADING_READ_LIMIT]
    words = " ".join(html.unescape(_TAG.sub("", written)).split())
    return words[:HEADING_LIMIT].rstrip("\u00b6 ")


def _strip_links(text: str) -> str:
    while (plain := _LINK_MARKUP.sub(r"\1", text)) != text:
        text = plain
    return " ".join(text.split())


DOCUMENT_SECTION_MIN = 100
"""Characters of a section that is a node of its own inside another; smaller ones stay there."""


def document_element_tree(source: SourceText, elements: Iterable[DocumentElement]) -> Span:
    """The tree of a document; what stands before its first part is a section without a name."""
    whole = Span(0, len(source.content))
    before = Span(0, len(source.content), "doc_section")
    open_: list[tuple[int, Span]] = [(0, before)]
    top: list[Span] = [before]
    for part in elements:
        if part.level:
            _close_document_sections(source, open_, part.level, part.start)
        outer = open_[-1][1]
        path = " > ".join(filter(None, (outer.logical_path, part.name))) or None
        signature = part.signature and part.signature[:SIGNATURE_LIMIT]
        span = Span(part.start, part.end, part.node_type, None, signature, path)
        (outer.children if len(open_) > 1 or not part.level else top).append(span)
        if part.level:
            if outer is before:
                before.end = min(before.end, source.strip_end(part.start))
            open_.append((part.level, span))
    _close_document_sections(source, open_, 1, whole.end)
    for section in top:
        _merge_small_document_sections(source, section)
    whole.children = [span for span in top if span.end > span.start]
    return whole


def _close_document_sections(
    source: SourceText, open_sections: list[tuple[int, Span]], level: int, offset: int
) -> None:
    """Ends the sections that a part of this level does not lie in."""
    while len(open_sections) > 1 and open_sections[-1][0] >= level:
        span = open_sections.pop()[1]
        span.end = max(span.start, source.strip_end(offset))


def _merge_small_document_sections(source: SourceText, section: Span) -> None:
    """Leaves small sections in the text of the one around, which gets their tables and code."""
    kept: list[Span] = []
    for child in section.children:
        _merge_small_document_sections(source, child)
        is_section = child.node_type == "doc_section"
        if is_section and len(source.text(child.start, child.end)) < DOCUMENT_SECTION_MIN:
            kept += child.children
        elif child.end > child.start:
            kept.append(child)
    section.children = kept
