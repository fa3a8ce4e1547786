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
MONOSPACED_SHARE = 0.8
"""A document of which more is set in a typewriter's face is text that happens to be."""
_HEADING_NUMBER = re.compile(r"(?:[^\W\d_]+\s+(?:\d+|[A-Z])|\d+|[A-Z](?=[.\d]))(?:\.\w+)*[.):]?\s+")
"""Of a heading, such as `2.1`, `A.3` or `Appendix B`."""

PageHeadings = Mapping[int, list[tuple[int, str]]]
"""The level and the title of each heading, by page from 0."""


def extract_pdf(content: bytes) -> ExtractedDocument:
    """The text of a PDF; raises Unreadable for one that is damaged or locked."""
    try:
        document = PdfDocument(content)
    except PdfiumError as exc:
        is_locked = "password" in str(exc).lower() or "security" in str(exc).lower()
        raise UnreadableError("an encrypted document" if is_locked else "a damaged PDF") from exc
    numbers = report_progress("page", range(len(document)))
    pages = remove_running_headers([_page_lines(document, number) for number in numbers])
    headings = _bookmark_headings(document) or _large_type_headings(pages)
    writing = DocumentWriter("pdf")
    is_code = _share_monospaced(pages) < MONOSPACED_SHARE
    for number, page in enumerate(pages):
        _write_page(writing, number, page_blocks(page, with_code=is_code), headings.get(number, []))
    return writing.result()


def _page_lines(document: PdfDocument, number: int) -> list[PdfLine]:
    """The lines of a page; none of one that is damaged."""
    try:
        page = document[number]
    except PdfiumError:
        return []
    try:
        return page_text_lines(page)
    finally:
        page.close()


def _bookmark_headings(document: PdfDocument) -> PageHeadings:
    """What the bookmarks say."""
    found: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for count, bookmark in enumerate(document.get_toc(max_depth=BOOKMARK_DEPTH)):
        target = bookmark.get_dest()
        page = target.get_index() if target else None
        if page is not None:
            found[page].append((bookmark.level + 1, bookmark.get_title()))
        if count == BOOKMARK_LIMIT:
            break
    return found


def _large_type_headings(pages: Sequence[Sequence[PdfLine]]) -> PageHeadings:
    """Lines in larger type than the text; the larger, the higher their level."""
    least = HEADING_SHARE * body_size(pages)
    found: dict[int, list[tuple[int, str]]] = defaultdict(list)
    sizes = {line.size for page in pages for line in page}
    large = sorted((size for size in sizes if size >= least), reverse=True)
    levels = {size: min(level, 6) for level, size in enumerate(large, 1)}
    for number, page in enumerate(pages):
        for line in page:
            if line.size in levels and len(line.text) <= HEADING_LENGTH and _has_words(line.text):
                found[number].append((levels[line.size], line.text))
    return found


def _has_words(text: str) -> bool:
    return sum(map(str.isalpha, text)) >= 3


def _share_monospaced(pages: Iterable[Sequence[PdfLine]]) -> float:
    all_lines = [line for page in pages for line in page]
    return sum(line.is_code for line in all_lines) / max(1, len(all_lines))


def _write_page(
    writer: DocumentWriter,
    number: int,
    page_blocks: Iterable[PdfBlock],
    headings: list[tuple[int, str]],
) -> None:
    """A page: before each of its headings that is found in it a section begins."""
    page_blocks = list(page_blocks)
    places = dict(_heading_blocks(page_blocks, headings))
    for level, title in (one for at, one in enumerate(headings) if at not in places.values()):
        writer.section(level, title)
    writer.page(number + 1)
    for index, block in enumerate(page_blocks):
        if index in places:
            level, title = headings[places[index]]
            writer.section(level, title)
            writer.page(number + 1)
        if block.kind is BlockKind.TABLE:
            writer.table(block.rows)
        elif block.kind is BlockKind.CODE:
            writer.code("\n".join(block.lines))
        else:
            writer.lines(block.lines)


def _heading_blocks(
    found: list[PdfBlock], headings: list[tuple[int, str]]
) -> Iterator[tuple[int, int]]:
    """The block that each heading begins, as far as it is found, in order."""
    after = 0
    for number, (_, title) in enumerate(headings):
        wanted = _normalize(title)
        for index in range(after, len(found)):
            if (
                wanted
                and found[index].kind is BlockKind.TEXT
                and _begins_with(found[index], wanted)
            ):
                yield index, number
                after = index + 1
                break


def _begins_with(block: PdfBlock, title: str) -> bool:
    """Whether a block begins with a heading, be it with its number before it."""
    text = " ".join(block.lines[:3])
    number = _HEADING_NUMBER.match(text)
    written = [text, text[number.end() :] if number else ""]
    return any(_normalize(one).startswith(title) for one in written)


def _normalize(text: str) -> str:
    return "".join(text.casefold().split())
