"""Analyses the layout of PDF pages: groups lines into paragraphs, code and tables, and removes
running headers and footers.
"""

import re
from collections.abc import Iterator, Sequence
from enum import Enum
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from feeder.parse.extract.pdf_lines import PdfLine, TableCell, body_size

MIN_TABLE_ROWS = 3
"""Minimum aligned rows of a table."""

MIN_DUMP_LINES = 3
"""Minimum lines of a hex dump."""

MIN_CODE_LINES = 3
"""Minimum monospaced lines of a code block; fewer are a name or a remark."""

PARAGRAPH_GAP = 1.35
"""Minimum gap between paragraphs, in distances between lines."""

LEADER_REPLACEMENT = " … "

COMPARED_PAGES = 2
"""Preceding pages that are compared for headers: left and right pages often have their own."""

HEADER_LINES = 2
"""Maximum lines of a running header or footer."""

HEADING_SHARE = 1.15
"""Minimum size of a heading's type, as a multiple of the text's."""

_POSITION_TOLERANCE = 2.0
"""Maximum distance in points between the positions of a header on two pages."""

_PAGE_NUMBER = re.compile(r"(\d{1,9})")

_HEX_DUMP_LINE = re.compile(r"(?:0x)?[0-9a-fA-F]{4,16}:?\s+(?:[0-9a-fA-F]{2,8}\s+){2,}")
"""A line of a hex dump, or of a disassembly."""

_DOT_LEADER = re.compile(r"\s?(?:\.\s?){4,}")
"""Dots before a page number in a table of contents or an index."""

_LIST_MARKER = re.compile(r"(?:[\u2022\u25e6\u2023\u2217\u00b7\u2013\u2212]|\(?\d{1,3}[.)])\s")
"""The marker of a list item, which is not a table cell."""


class BlockKind(Enum):
    """The kind of a block."""

    TEXT = 1
    CODE = 2
    TABLE = 3


class PdfBlock(NamedTuple):
    """A block of lines; a table has rows of cells instead."""

    kind: BlockKind
    lines: list[str]
    rows: Sequence[Sequence[str]] = ()


def page_blocks(page: Sequence[PdfLine], *, with_code: bool) -> Iterator[PdfBlock]:
    """The blocks of a page, in order; without code blocks unless `with_code`."""
    start = 0
    distance = _line_distance(page)
    while start < len(page):
        if (end := _code_end(page, start) if with_code else start) > start:
            yield PdfBlock(BlockKind.CODE, _indent_code(page[start:end]))
        elif (end := _table_end(page, start)) > start:
            rows = [[cell.text for cell in line.cells] for line in page[start:end]]
            yield PdfBlock(BlockKind.TABLE, [], rows)
        else:
            end = _text_end(page, start, distance, with_code=with_code)
            texts = (line.text for line in page[start:end])
            lines = [_DOT_LEADER.sub(LEADER_REPLACEMENT, text) for text in texts]
            yield PdfBlock(BlockKind.TEXT, lines)
        start = end


def remove_running_headers(pages: Sequence[Sequence[PdfLine]]) -> list[Sequence[PdfLine]]:
    """Removes the headers and footers of pages that a preceding page has too.

    The first occurrence stays, so that only page numbers are lost, and so do lines on a page that
    has nothing else.
    """
    heading_size = HEADING_SHARE * body_size(pages)
    stripped: list[Sequence[PdfLine]] = []
    for number, page in enumerate(pages):
        preceding = [pages[number - step] for step in range(1, min(COMPARED_PAGES, number) + 1)]
        gap = PARAGRAPH_GAP * _line_distance(page)
        first = _repeated_line_count(page, preceding, gap, heading_size)
        reversed_pages = [other[::-1] for other in preceding]
        last = _repeated_line_count(page[::-1], reversed_pages, gap, heading_size)
        stripped.append(page[first : len(page) - last] or page)
    return stripped


def _line_distance(page: Sequence[PdfLine]) -> float:
    """The median distance between the lines of a page, in points; 0 if unknown."""
    steps = [above.y - below.y for above, below in pairwise(page)]
    return median([step for step in steps if step > 0] or [0.0])


def _code_end(page: Sequence[PdfLine], index: int) -> int:
    """The end of the code that begins at line `index`; `index` if none does."""
    end = index
    while end < len(page) and (page[end].is_code or (end > index and _is_line_number(page[end]))):
        end += 1
    while end > index and _is_line_number(page[end - 1]):
        end -= 1
    dump_end = index
    while dump_end < len(page) and _HEX_DUMP_LINE.match(page[dump_end].text):
        dump_end += 1
    return max(
        end if end - index >= MIN_CODE_LINES else index,
        dump_end if dump_end - index >= MIN_DUMP_LINES else index,
    )


def _table_end(page: Sequence[PdfLine], index: int) -> int:
    """The end of the table that begins at line `index`; `index` if none does."""
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
    """True if at least two cells, and a gap between cells, are below those of the other line.

    Without the gap, justified lines would count: their ends are always aligned.
    """
    if not any(
        left < above_right and above_left < right
        for left, right in _cell_gaps(below)
        for above_left, above_right in _cell_gaps(above)
    ):
        return False
    tolerance = max(above.size, 1.0) / 2
    aligned = (
        any(_is_below(cell, other, tolerance) for other in above.cells) for cell in below.cells
    )
    return sum(aligned) > 1


def _is_below(cell: TableCell, above: TableCell, tolerance: float) -> bool:
    """True if the left edges, the right edges or the centers of two cells are aligned."""
    return (
        abs(cell.left - above.left) < tolerance
        or abs(cell.right - above.right) < tolerance
        or abs(cell.left + cell.right - above.left - above.right) < 2 * tolerance
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
        if (with_code and _code_end(page, end) > end) or _table_end(page, end) > end:
            break
        end += 1
    return end


def _indent_code(code: Sequence[PdfLine]) -> list[str]:
    """Lines of code, indented by blanks according to their position."""
    left = min((line.x for line in code if not _is_line_number(line)), default=0.0)
    pitch = median([line.pitch for line in code if line.pitch > 0] or [0.0])
    if pitch <= 0:
        return [line.text for line in code]
    return [
        "" if _is_line_number(line) else " " * min(80, round((line.x - left) / pitch)) + line.text
        for line in code
    ]


def _is_line_number(line: PdfLine) -> bool:
    """True if it is only the number of a code line, which is blank."""
    return line.text.isdecimal() and not line.is_code


def _repeated_line_count(
    page: Sequence[PdfLine],
    previous_pages: Sequence[Sequence[PdfLine]],
    min_distance: float,
    heading_size: float,
) -> int:
    """The number of lines at the edge of a page that are there on a previous page too.

    They are more than `min_distance` from the next line, in type smaller than `heading_size`.
    """
    for index, line in enumerate(page[:HEADER_LINES]):
        is_last = index + 1 == len(page)
        is_apart = is_last or abs(line.y - page[index + 1].y) > min_distance > 0
        others = [
            (step, other[index])
            for step, other in enumerate(previous_pages, 1)
            if index < len(other)
        ]
        is_header = is_apart and _is_running_header(line, others, heading_size)
        if not is_header or _table_end(page, index) > index:
            return index
    return min(HEADER_LINES, len(page))


def _is_running_header(
    line: PdfLine, others: Sequence[tuple[int, PdfLine]], heading_size: float
) -> bool:
    """True if another page's line has the same position and text, except for page numbers.

    `others` are the lines of preceding pages, each with its distance in pages.
    """
    if line.size >= heading_size or not any(map(str.isalnum, line.text)):
        return False
    return any(
        abs(line.y - other.y) < _POSITION_TOLERANCE
        and _is_same_but_page_number(line.text, other.text, step)
        for step, other in others
    )


def _is_same_but_page_number(text: str, other: str, pages: int) -> bool:
    """True if the texts differ at most in numbers, by the number of pages between them."""
    parts, other_parts = _PAGE_NUMBER.split(text), _PAGE_NUMBER.split(other)
    return len(parts) == len(other_parts) and all(
        part == other_part or (index % 2 == 1 and int(part) - int(other_part) == pages)
        for index, (part, other_part) in enumerate(zip(parts, other_parts, strict=True))
    )
