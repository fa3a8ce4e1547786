"""Reads the lines of a PDF page with their position, type size, font and table cells."""

import ctypes
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pypdfium2 import PdfiumError, PdfPage, raw

from feeder.parse.extract.document_writer import remove_invalid

CELL_GAP = 0.75
"""Between two cells at least, in heights of the type; words of a line are closer."""
PUNCTUATION_GAP = 1.5
"""The same behind a sign that ends a sentence or a part of it, and around one that equates."""
_FIXED_PITCH_FLAG = 1
_MONOSPACED = re.compile(rb"mono|courier|consol|typewriter|cmtt|menlo|code", re.IGNORECASE)
_WORD = re.compile(r"\S+")
_NAME_BYTES = 128


class TableCell(NamedTuple):
    """Words that stand together, from `left` to `right`."""

    left: float
    right: float
    text: str


class PdfLine(NamedTuple):
    """A line of a page: where it begins, in points from the lower left, and its type."""

    text: str
    x: float = 0.0
    y: float = 0.0
    size: float = 0.0
    is_code: bool = False
    pitch: float = 0.0
    """Of a letter, in a typewriter's face."""
    cells: tuple[TableCell, ...] = ()


def page_text_lines(page: PdfPage) -> list[PdfLine]:
    """The lines of a page that are not blank, in the order of its text."""
    try:
        textpage = page.get_textpage()
        text = textpage.get_text_range()
    except PdfiumError:
        return []
    try:
        is_placed = textpage.count_chars() == len(text)
        return list(
            _positioned_lines(_PageFont(textpage.raw), text)
            if is_placed
            else _lines_without_position(text)
        )
    finally:
        textpage.close()


def body_size(pages: Iterable[Sequence[PdfLine]]) -> float:
    """The size of type in which most of the text is set; 0 where that is not known."""
    sizes: dict[float, int] = defaultdict(int)
    for line in (line for page in pages for line in page):
        sizes[line.size] += len(line.text)
    return max(sizes, key=lambda size: sizes[size], default=0.0)


def _lines_without_position(text: str) -> Iterator[PdfLine]:
    for line in text.splitlines():
        if written := remove_invalid(line).strip():
            yield PdfLine(written)


def _positioned_lines(type_: "_PageFont", text: str) -> Iterator[PdfLine]:
    at = 0
    for written in text.split("\r\n"):
        words = [(at + word.start(), word[0]) for word in _WORD.finditer(written)]
        if words and remove_invalid(written).strip():
            yield _positioned_line(type_, written, words)
        at += len(written) + 2


def _positioned_line(type_: "_PageFont", written: str, words: list[tuple[int, str]]) -> PdfLine:
    last, word = words[-1]
    end = last + len(word) - 1
    if _has_line_number(type_, words, end):
        written = written.split(None, 1)[1]
        words = words[1:]
    first = words[0][0]
    x, y = type_.character_origin(first)
    size = round(type_.type_size(first), 1)
    is_code = type_.is_monospaced(first) and type_.is_monospaced(end)
    pitch = (type_.character_origin(end)[0] - x) / (end - first) if is_code and end > first else 0.0
    cells = () if is_code else _table_cells(type_, words, max(size, 1.0))
    return PdfLine(remove_invalid(written).strip(), x, y, size, is_code, pitch, tuple(cells))


def _has_line_number(type_: "_PageFont", words: list[tuple[int, str]], end: int) -> bool:
    """Whether it is code behind a line's number in another face."""
    (first, number), *others = words
    if not others or not number.isdecimal() or type_.is_monospaced(first):
        return False
    return type_.is_monospaced(others[0][0]) and type_.is_monospaced(end)


def _table_cells(
    type_: "_PageFont", words: list[tuple[int, str]], size: float
) -> Iterator[TableCell]:
    left, right = type_.word_extent(words[0][0], words[0][1])
    text = [words[0][1]]
    for start, word in words[1:]:
        begin, end = type_.word_extent(start, word)
        is_at_sign = text[-1][-1] in ".:?!,;=" or word[0] == "="
        if begin - right > (PUNCTUATION_GAP if is_at_sign else CELL_GAP) * size:
            yield TableCell(left, right, remove_invalid(" ".join(text)))
            left, text = begin, []
        text.append(word)
        right = end
    yield TableCell(left, right, remove_invalid(" ".join(text)))


class _PageFont:
    """What PDFium says of the characters of a page, by their index."""

    def __init__(self, page: raw.FPDF_TEXTPAGE) -> None:
        self._page = page
        self._left, self._right, self._bottom, self._top = (ctypes.c_double() for _ in range(4))
        self._flags = ctypes.c_int()
        self._name = ctypes.create_string_buffer(_NAME_BYTES)

    def character_origin(self, index: int) -> tuple[float, float]:
        """Where a character begins on the line that it stands on."""
        raw.FPDFText_GetCharOrigin(self._page, index, self._left, self._right)
        return self._left.value, self._right.value

    def word_extent(self, start: int, word: str) -> tuple[float, float]:
        """Where a word begins and ends."""
        left = self._character_box(start)[0]
        return left, self._character_box(start + len(word) - 1)[1]

    def _character_box(self, index: int) -> tuple[float, float]:
        places = self._left, self._right, self._bottom, self._top
        raw.FPDFText_GetCharBox(self._page, index, *places)
        return self._left.value, self._right.value

    def type_size(self, index: int) -> float:
        """Of the type, in points."""
        return float(raw.FPDFText_GetFontSize(self._page, index))

    def is_monospaced(self, index: int) -> bool:
        """Whether it is set in a typewriter's face."""
        length = raw.FPDFText_GetFontInfo(self._page, index, self._name, _NAME_BYTES, self._flags)
        is_named = 0 < length <= _NAME_BYTES and bool(_MONOSPACED.search(self._name.value))
        return bool(self._flags.value & _FIXED_PITCH_FLAG) or is_named
