"""Analyses the layout of PDF pages: groups lines into paragraphs, code and tables, and removes
running headers and footers.
"""

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from feeder.parse.extract.pdf_lines import PdfLine, body_size

MIN_TABLE_ROWS = 3
"""Rows in a row whose cells stand below one another."""

MIN_DUMP_LINES = 3

MIN_CODE_LINES = 3
"""Lines in a typewriter's face; fewer are the name of what the text is about, or an aside."""

PARAGRAPH_GAP = 1.35
"""Between paragraphs, in distances between lines."""

_HEX_DUMP_LINE = re.compile(r"(?:0x)?[0-9a-fA-F]{4,16}:?\s+(?:[0-9a-fA-F]{2,8}\s+){2,}")
"""A line of a hex dump, or of a disassembly."""

_DOT_LEADER = re.compile(r"\s?(?:\.\s?){4,}")
"""In a table of contents or an index."""

LEADER_REPLACEMENT = " … "

_LIST_MARKER = re.compile(r"(?:[\u2022\u25e6\u2023\u2217\u00b7\u2013\u2212]|\(?\d{1,3}[.)])\s")
"""Of an item of a list, which is no row of a table for it."""


class BlockKind(Enum):
    """What a block is."""

    TEXT = 1
    CODE = 2
    TABLE = 3


class PdfBlock(NamedTuple):
    """Lines that belong together; a table has rows of cells."""

    kind: BlockKind
    lines: list[str]
    rows: Sequence[Sequence[str]] = ()


def page_blocks(page: Sequence[PdfLine], *, with_code: bool) -> Iterator[PdfBlock]:
    """The blocks of a page, in order."""
    at = 0
    distance = line_distance(page)
    while at < len(page):
        if (end := _code_end(page, at) if with_code else at) > at:
            yield PdfBlock(BlockKind.CODE, _indent_code(page[at:end]))
        elif (end := table_end(page, at)) > at:
            rows = [[cell.text for cell in line.cells] for line in page[at:end]]
            yield PdfBlock(BlockKind.TABLE, [], rows)
        else:
            end = _text_end(page, at, distance, with_code=with_code)
            yield PdfBlock(
                BlockKind.TEXT,
                [_DOT_LEADER.sub(LEADER_REPLACEMENT, line.text) for line in page[at:end]],
            )
        at = end


def line_distance(page: Sequence[PdfLine]) -> float:
    """How far the lines of a page are from one another, in points; 0 where that is not known."""
    steps = [above.y - below.y for above, below in pairwise(page)]
    return median([step for step in steps if step > 0] or [0.0])


def _code_end(page: Sequence[PdfLine], index: int) -> int:
    """The end of the code that begins at a line; `at` where none does."""
    end = index
    while end < len(page) and (page[end].is_code or (end > index and _is_line_number(page[end]))):
        end += 1
    while end > index and _is_line_number(page[end - 1]):
        end -= 1
    dump = index
    while dump < len(page) and _HEX_DUMP_LINE.match(page[dump].text):
        dump += 1
    return max(
        end if end - index >= MIN_CODE_LINES else index,
        dump if dump - index >= MIN_DUMP_LINES else index,
    )


def table_end(page: Sequence[PdfLine], index: int) -> int:
    """The end of the table that begins at a line; `at` where none does."""
    end = index + 1
    if not _is_table_row(page[index]):
        return index
    while end < len(page) and _is_table_row(page[end]) and _are_aligned(page[end - 1], page[end]):
        end += 1
    return end if end - index >= MIN_TABLE_ROWS else index


def _is_table_row(line: PdfLine) -> bool:
    cells = len(line.cells) - bool(_LIST_MARKER.match(line.text))
    return cells > 1 and not _DOT_LEADER.search(line.text)


def _are_aligned(above: PdfLine, below: PdfLine) -> bool:
    """Whether two cells at least of one line stand below cells of the other.

    A gap between them stands below a gap too: the ends of lines that are justified stand so always.
    """
    if not any(
        one < gap_end and gap < one_end
        for one, one_end in _cell_gaps(below)
        for gap, gap_end in _cell_gaps(above)
    ):
        return False
    near = max(above.size, 1.0) / 2
    return (
        sum(
            any(
                abs(one.left - other.left) < near
                or abs(one.right - other.right) < near
                or abs(one.left + one.right - other.left - other.right) < 2 * near
                for other in above.cells
            )
            for one in below.cells
        )
        > 1
    )


def _cell_gaps(line: PdfLine) -> Iterator[tuple[float, float]]:
    return ((left.right, right.left) for left, right in pairwise(line.cells))


def _text_end(page: Sequence[PdfLine], index: int, distance: float, *, with_code: bool) -> int:
    end = index + 1
    while end < len(page):
        above, line = page[end - 1], page[end]
        is_apart = distance > 0 and not 0 <= above.y - line.y <= PARAGRAPH_GAP * distance
        if is_apart or line.size != above.size:
            break
        if (with_code and _code_end(page, end) > end) or table_end(page, end) > end:
            break
        end += 1
    return end


def _indent_code(code: Sequence[PdfLine]) -> list[str]:
    """Lines of code with blanks for how far they are from the leftmost one."""
    left = min((line.x for line in code if not _is_line_number(line)), default=0.0)
    pitch = median([line.pitch for line in code if line.pitch > 0] or [0.0])
    if pitch <= 0:
        return [line.text for line in code]
    return [
        "" if _is_line_number(line) else " " * min(80, round((line.x - left) / pitch)) + line.text
        for line in code
    ]


def _is_line_number(line: PdfLine) -> bool:
    """Whether it is but the number of a line of code that is blank."""
    return line.text.isdecimal() and not line.is_code


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
