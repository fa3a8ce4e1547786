"""Which part of a document lies in which? Sections in sections, pages and blocks in them."""

from collections.abc import Iterable

from feeder.nodes import SIGNATURE_LIMIT
from feeder.parse.extract import DocumentElement
from feeder.parse.layout import SourceText, Span

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
