"""What does a PDF say? Page by page, in the sections that its bookmarks or its type sizes name."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pypdfium2 import PdfDocument, PdfiumError

from feeder.parse.extract import Extract, Unreadable
from feeder.parse.extract.pdf_blocks import Block, Kind, blocks
from feeder.parse.extract.pdf_heads import HEADING_SHARE, without_heads
from feeder.parse.extract.pdf_lines import Line, body_size, lines
from feeder.parse.extract.telling import told
from feeder.parse.extract.writing import Writing

DEPTH = 8
BOOKMARKS = 20_000
HEADING_LENGTH = 120
MONOSPACED_SHARE = 0.8
"""A document of which more is set in a typewriter's face is text that happens to be."""
_NUMBER = re.compile(r"(?:[^\W\d_]+\s+(?:\d+|[A-Z])|\d+|[A-Z](?=[.\d]))(?:\.\w+)*[.):]?\s+")
"""Of a heading, such as `2.1`, `A.3` or `Appendix B`."""

Headings = Mapping[int, list[tuple[int, str]]]
"""The level and the title of each heading, by page from 0."""


def pdf(content: bytes) -> Extract:
    """The text of a PDF; raises Unreadable for one that is damaged or locked."""
    try:
        document = PdfDocument(content)
    except PdfiumError as exc:
        is_locked = "password" in str(exc).lower() or "security" in str(exc).lower()
        raise Unreadable("an encrypted document" if is_locked else "a damaged PDF") from exc
    numbers = told("page", range(len(document)))
    pages = without_heads([_page(document, number) for number in numbers])
    headings = _bookmarked(document) or _large(pages)
    writing = Writing("pdf")
    is_code = _share_monospaced(pages) < MONOSPACED_SHARE
    for number, page in enumerate(pages):
        _write(writing, number, blocks(page, with_code=is_code), headings.get(number, []))
    return writing.extract()


def _page(document: PdfDocument, number: int) -> list[Line]:
    """The lines of a page; none of one that is damaged."""
    try:
        page = document[number]
    except PdfiumError:
        return []
    try:
        return lines(page)
    finally:
        page.close()


def _bookmarked(document: PdfDocument) -> Headings:
    """What the bookmarks say."""
    found: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for count, bookmark in enumerate(document.get_toc(max_depth=DEPTH)):
        target = bookmark.get_dest()
        page = target.get_index() if target else None
        if page is not None:
            found[page].append((bookmark.level + 1, bookmark.get_title()))
        if count == BOOKMARKS:
            break
    return found


def _large(pages: Sequence[Sequence[Line]]) -> Headings:
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


def _share_monospaced(pages: Iterable[Sequence[Line]]) -> float:
    all_lines = [line for page in pages for line in page]
    return sum(line.is_code for line in all_lines) / max(1, len(all_lines))


def _write(
    writing: Writing, number: int, found: Iterable[Block], headings: list[tuple[int, str]]
) -> None:
    """A page: before each of its headings that is found in it a section begins."""
    found = list(found)
    places = dict(_places(found, headings))
    for level, title in (one for at, one in enumerate(headings) if at not in places.values()):
        writing.section(level, title)
    writing.page(number + 1)
    for index, block in enumerate(found):
        if index in places:
            level, title = headings[places[index]]
            writing.section(level, title)
            writing.page(number + 1)
        if block.kind is Kind.TABLE:
            writing.table(block.rows)
        elif block.kind is Kind.CODE:
            writing.code("\n".join(block.lines))
        else:
            writing.lines(block.lines)


def _places(found: list[Block], headings: list[tuple[int, str]]) -> Iterator[tuple[int, int]]:
    """The block that each heading begins, as far as it is found, in order."""
    after = 0
    for number, (_, title) in enumerate(headings):
        wanted = _plain(title)
        for index in range(after, len(found)):
            if wanted and found[index].kind is Kind.TEXT and _begins(found[index], wanted):
                yield index, number
                after = index + 1
                break


def _begins(block: Block, wanted: str) -> bool:
    """Whether a block begins with a heading, be it with its number before it."""
    text = " ".join(block.lines[:3])
    number = _NUMBER.match(text)
    written = [text, text[number.end() :] if number else ""]
    return any(_plain(one).startswith(wanted) for one in written)


def _plain(text: str) -> str:
    return "".join(text.casefold().split())
