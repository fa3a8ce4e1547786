"""Which sections does a text with headings have, and under which path?"""

import re
from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from tree_sitter import Node as Syntax
from tree_sitter import Query, QueryCursor

from feeder.parse.comments import QUERY_DEPTH
from feeder.parse.layout import Source, Span

SECTION_MIN = 100
"""Characters of a section that is a node of its own inside another; smaller ones stay there."""
BLOCK_MIN = 200
"""Characters of a code block that is a node of its own."""
HEADING_LIMIT = 120
"""Characters of a heading in a path: a longer one is cut."""

_LEVEL = re.compile(r"h([1-6])")
_CLOSERS = re.compile(r"(?:^|\s)#+\s*$")
_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_IMAGE = re.compile(r"!\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])")
_ASIDE = re.compile(
    r"</?(?:a|abbr|br|i|img|kbd|picture|source|span|sup)\b[^<>]*>|\{ ?[#:.][^{}]*\}$"
)
_WRITTEN_LIMIT = 2000
"""Characters of a heading that are read: a longer one is no heading."""


class _Part(NamedTuple):
    """A heading with its level and text, or a code block, whose level is 0."""

    start: int
    end: int
    level: int
    heading: str


def sections(source: Source, root: Syntax, query: Query) -> Span:
    """The tree of a text's sections, each from its heading to the next one of its level or above.

    Captures: `@h1` to `@h6` a heading, `@name` its text, `@codeblock` a block of code, `@inset`
    what has headings that are none of the document's: a quotation, a list.
    """
    whole = Span(0, len(source.content))
    headings, blocks = _parts(source, root, query)
    first = headings[0].start if headings else whole.end
    preamble = Span(0, source.trimmed_end(first), "md_section")
    open_ = [(0, preamble)]
    for part in sorted([*headings, *blocks]):
        if not part.level:
            outer = open_[-1][1]
            path = outer.logical_path
            outer.children.append(Span(part.start, part.end, "md_codeblock", logical_path=path))
            continue
        _close(source, open_, part)
        outer = open_[-1][1] if len(open_) > 1 else whole
        path = " > ".join(filter(None, (outer.logical_path, part.heading)))
        section = Span(part.start, part.end, "md_section", logical_path=path or None)
        outer.children.append(section)
        open_.append((part.level, section))
    _close(source, open_, _Part(whole.end, whole.end, 1, ""))
    for section in whole.children:
        _drop_small(source, section)
    if preamble.end:
        whole.children.insert(0, preamble)
    return whole


def _close(source: Source, open_: list[tuple[int, Span]], heading: _Part) -> None:
    """Ends the sections that a heading does not lie in."""
    while open_[-1][0] >= heading.level:
        open_.pop()[1].end = source.trimmed_end(heading.start)


def _drop_small(source: Source, section: Span) -> None:
    """Leaves small subsections in the section's own text."""
    section.children = [
        child
        for child in section.children
        if child.node_type != "md_section"
        or len(source.text(child.start, child.end)) >= SECTION_MIN
    ]
    for child in section.children:
        _drop_small(source, child)


def _parts(source: Source, root: Syntax, query: Query) -> tuple[list[_Part], list[_Part]]:
    """The headings and the large code blocks of a text."""
    cursor = QueryCursor(query)
    cursor.set_max_start_depth(QUERY_DEPTH)
    headings, blocks, insets = [], [], []
    for _, captures in cursor.matches(root):
        for capture, (node, *_) in captures.items():
            if level := _LEVEL.fullmatch(capture):
                name = captures.get("name")
                heading = _heading(source, name[0]) if name else ""
                headings.append(_part(source, node, int(level[1]), heading))
            elif capture == "codeblock":
                blocks.append(_part(source, node, 0, ""))
            elif capture == "inset":
                insets.append((node.start_byte, node.end_byte))
    outside = _outside(headings, insets)
    return outside, [block for block in blocks if _is_block(source, block)]


def _part(source: Source, node: Syntax, level: int, heading: str) -> _Part:
    start, line = node.start_byte, source.line_start(node.start_byte)
    start = start if source.content[line:start].strip() else line
    return _Part(start, source.trimmed_end(node.end_byte), level, heading)


def _is_block(source: Source, block: _Part) -> bool:
    """Whether a code block is large and, unlike one in a quotation, begins its line."""
    begins = block.start == source.line_start(block.start)
    return begins and len(source.text(block.start, block.end)) >= BLOCK_MIN


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


def _without_links(text: str) -> str:
    while (plain := _LINK.sub(r"\1", text)) != text:
        text = plain
    return " ".join(text.split())
