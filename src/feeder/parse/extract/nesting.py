"""Which part of a document lies in which? Sections in sections, pages and blocks in them."""

from collections.abc import Iterable

from feeder.nodes import SIGNATURE_LIMIT
from feeder.parse.extract import Part
from feeder.parse.layout import Source, Span

SECTION_MIN = 100
"""Characters of a section that is a node of its own inside another; smaller ones stay there."""


def nested(source: Source, parts: Iterable[Part]) -> Span:
    """The tree of a document; what stands before its first part is a section without a name."""
    whole = Span(0, len(source.content))
    before = Span(0, len(source.content), "doc_section")
    open_: list[tuple[int, Span]] = [(0, before)]
    top: list[Span] = [before]
    for part in parts:
        if part.level:
            _close(source, open_, part.level, part.start)
        outer = open_[-1][1]
        path = " > ".join(filter(None, (outer.logical_path, part.name))) or None
        signature = part.signature and part.signature[:SIGNATURE_LIMIT]
        span = Span(part.start, part.end, part.node_type, None, signature, path)
        (outer.children if len(open_) > 1 or not part.level else top).append(span)
        if part.level:
            if outer is before:
                before.end = min(before.end, source.trimmed_end(part.start))
            open_.append((part.level, span))
    _close(source, open_, 1, whole.end)
    for section in top:
        _drop_small(source, section)
    whole.children = [span for span in top if span.end > span.start]
    return whole


def _close(source: Source, open_: list[tuple[int, Span]], level: int, at: int) -> None:
    """Ends the sections that a part of this level does not lie in."""
    while len(open_) > 1 and open_[-1][0] >= level:
        span = open_.pop()[1]
        span.end = max(span.start, source.trimmed_end(at))


def _drop_small(source: Source, section: Span) -> None:
    """Leaves small sections in the text of the one around, which gets their tables and code."""
    kept: list[Span] = []
    for child in section.children:
        _drop_small(source, child)
        is_section = child.node_type == "doc_section"
        if is_section and len(source.text(child.start, child.end)) < SECTION_MIN:
            kept += child.children
        elif child.end > child.start:
            kept.append(child)
    section.children = kept
