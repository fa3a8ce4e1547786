"""Extracts text from PDF page by page, in sections from its bookmarks or, without any, from
larger type.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pypdfium2 import PdfDocument, PdfiumError

from feeder.parse.extract import ExtractedDocument, UnreadableError, report_progress
from feeder.parse.extract.document_writer import DocumentWriter
from feeder.parse.extract.pdf_layout import (
    HEADING_SHARE,
    BlockKind,
    PdfBlock,
    page_blocks,
    remove_running_headers,
)
from feeder.parse.extract.pdf_lines import PdfLine, body_size, page_text_lines

BOOKMARK_DEPTH = 8
BOOKMARK_LIMIT = 20_000
HEADING_LENGTH = 120
"""Maximum characters of a line in large type that is a heading."""
MONOSPACED_SHARE = 0.8
"""Share of monospaced lines from which a document is text in such a font, not code."""
_HEADING_NUMBER = re.compile(r"(?:[^\W\d_]+\s+(?:\d+|[A-Z])|\d+|[A-Z](?=[.\d]))(?:\.\w+)*[.):]?\s+")
"""The number of a heading, such as `2.1`, `A.3` or `Appendix B`."""

PageHeadings = Mapping[int, list[tuple[int, str]]]
"""The level and title of each heading, by page number from 0."""


def extract_pdf(content: bytes) -> ExtractedDocument:
    """Extracts the text of a PDF; raises UnreadableError if it is damaged or encrypted."""
    try:
        document = PdfDocument(content)
    except PdfiumError as exc:
        is_locked = "password" in str(exc).lower() or "security" in str(exc).lower()
        raise UnreadableError("an encrypted document" if is_locked else "a damaged PDF") from exc
    numbers = report_progress("page", range(len(document)))
    pages = remove_running_headers([_page_lines(document, number) for number in numbers])
    headings = _bookmark_headings(document) or _large_type_headings(pages)
    writer = DocumentWriter("pdf")
    with_code = _share_monospaced(pages) < MONOSPACED_SHARE
    for number, page in enumerate(pages):
        blocks = list(page_blocks(page, with_code=with_code))
        _write_page(writer, number, blocks, headings.get(number, []))
    return writer.result()


def _page_lines(document: PdfDocument, number: int) -> list[PdfLine]:
    """The lines of a page; none if it is damaged."""
    try:
        page = document[number]
    except PdfiumError:
        return []
    try:
        return page_text_lines(page)
    finally:
        page.close()


def _bookmark_headings(document: PdfDocument) -> PageHeadings:
    headings: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for count, bookmark in enumerate(document.get_toc(max_depth=BOOKMARK_DEPTH)):
        target = bookmark.get_dest()
        page = target.get_index() if target else None
        if page is not None:
            headings[page].append((bookmark.level + 1, bookmark.get_title()))
        if count == BOOKMARK_LIMIT:
            break
    return headings


def _large_type_headings(pages: Sequence[Sequence[PdfLine]]) -> PageHeadings:
    """The lines in larger type than the text; the larger the type, the higher the level."""
    min_size = HEADING_SHARE * body_size(pages)
    headings: dict[int, list[tuple[int, str]]] = defaultdict(list)
    sizes = {line.size for page in pages for line in page}
    large_sizes = sorted((size for size in sizes if size >= min_size), reverse=True)
    levels = {size: min(level, 6) for level, size in enumerate(large_sizes, 1)}
    for number, page in enumerate(pages):
        for line in page:
            if line.size in levels and len(line.text) <= HEADING_LENGTH and _has_words(line.text):
                headings[number].append((levels[line.size], line.text))
    return headings


def _has_words(text: str) -> bool:
    return sum(map(str.isalpha, text)) >= 3


def _share_monospaced(pages: Iterable[Sequence[PdfLine]]) -> float:
    all_lines = [line for page in pages for line in page]
    return sum(line.is_code for line in all_lines) / max(1, len(all_lines))


def _write_page(
    writer: DocumentWriter,
    number: int,
    blocks: Sequence[PdfBlock],
    headings: list[tuple[int, str]],
) -> None:
    """Writes a page; a section begins before the block of each heading, else before the page."""
    heading_by_block = dict(_heading_blocks(blocks, headings))
    for index, (level, title) in enumerate(headings):
        if index not in heading_by_block.values():
            writer.section(level, title)
    writer.page(number + 1)
    for index, block in enumerate(blocks):
        if index in heading_by_block:
            level, title = headings[heading_by_block[index]]
            writer.section(level, title)
            writer.page(number + 1)
        if block.kind is BlockKind.TABLE:
            writer.table(block.rows)
        elif block.kind is BlockKind.CODE:
            writer.code("\n".join(block.lines))
        else:
            writer.lines(block.lines)


def _heading_blocks(
    blocks: Sequence[PdfBlock], headings: list[tuple[int, str]]
) -> Iterator[tuple[int, int]]:
    """The index of the block that starts with a heading, and the heading's; both ascending."""
    start = 0
    for heading_index, (_, title) in enumerate(headings):
        if not (title := _normalize(title)):
            continue
        for index in range(start, len(blocks)):
            if blocks[index].kind is BlockKind.TEXT and _starts_with(blocks[index], title):
                yield index, heading_index
                start = index + 1
                break


def _starts_with(block: PdfBlock, title: str) -> bool:
    """True if a block starts with a normalized title, maybe after a number."""
    text = " ".join(block.lines[:3])
    number = _HEADING_NUMBER.match(text)
    texts = [text, text[number.end() :] if number else ""]
    return any(_normalize(text).startswith(title) for text in texts)


def _normalize(text: str) -> str:
    return "".join(text.casefold().split())
