"""Which lines stand at the head or foot of page after page? They say nothing about the page."""

import re
from collections.abc import Sequence

from feeder.parse.extract.pdf_layout import PARAGRAPH_GAP, line_distance, table_end
from feeder.parse.extract.pdf_lines import PdfLine, body_size

COMPARED_PAGES = 2
"""Pages before one that may have the same head: left and right pages often have their own."""
HEADER_LINES = 2
HEADING_SHARE = 1.15
"""By how much a heading's type is larger than the text's."""
_POSITION_TOLERANCE = 2.0
"""Points between the places of a head on two pages."""
_PAGE_NUMBER = re.compile(r"(\d{1,9})")


def remove_running_headers(pages: Sequence[Sequence[PdfLine]]) -> list[Sequence[PdfLine]]:
    """The pages, each without the heads and feet that stand on a page right before it too.

    Where they first stand they are kept, so that no word is lost but the numbers of pages, and on a
    page that has nothing else.
    """
    largest = HEADING_SHARE * body_size(pages)
    kept: list[Sequence[PdfLine]] = []
    for number, page in enumerate(pages):
        before = [pages[number - step] for step in range(1, min(COMPARED_PAGES, number) + 1)]
        apart = PARAGRAPH_GAP * line_distance(page)
        first = _repeated_line_count(page, before, apart, largest)
        last = _repeated_line_count(page[::-1], [other[::-1] for other in before], apart, largest)
        kept.append(page[first : len(page) - last] or page)
    return kept


def _repeated_line_count(
    page: Sequence[PdfLine],
    previous_pages: Sequence[Sequence[PdfLine]],
    min_distance: float,
    heading_size: float,
) -> int:
    """How many lines at the edge of a page stand there on one of the pages before it too.

    They are further than `apart` from what follows, and not in type as large as `largest`.
    """
    for at, line in enumerate(page[:HEADER_LINES]):
        is_alone = at + 1 == len(page) or abs(line.y - page[at + 1].y) > min_distance > 0
        others = [
            (step, other[at]) for step, other in enumerate(previous_pages, 1) if at < len(other)
        ]
        if (
            not is_alone
            or not _is_running_header(line, others, heading_size)
            or table_end(page, at) > at
        ):
            return at
    return min(HEADER_LINES, len(page))


def _is_running_header(
    line: PdfLine, others: Sequence[tuple[int, PdfLine]], heading_size: float
) -> bool:
    """Whether one of the others has the same place and words, but for the page's own number."""
    if line.size >= heading_size or not any(map(str.isalnum, line.text)):
        return False
    return any(
        abs(line.y - other.y) < _POSITION_TOLERANCE
        and _is_same_but_page_number(line.text, other.text, step)
        for step, other in others
    )


def _is_same_but_page_number(text: str, other: str, pages: int) -> bool:
    """Whether the texts differ at most in numbers that count the pages between them."""
    parts, others = _PAGE_NUMBER.split(text), _PAGE_NUMBER.split(other)
    return len(parts) == len(others) and all(
        one == two or (at % 2 == 1 and int(one) - int(two) == pages)
        for at, (one, two) in enumerate(zip(parts, others, strict=True))
    )
