"""Reads the lines of a PDF page with their position, type size, font and table cells."""

import ctypes
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from pypdfium2 import PdfiumError, PdfPage, raw

from feeder.parse.extract.document_writer import remove_invalid

CELL_GAP = 0.75
"""Minimum gap between two cells, in type sizes; words of one cell are closer."""
PUNCTUATION_GAP = 1.5
"""The same after punctuation and around an equals sign, where words are further apart."""
_FIXED_PITCH_FLAG = 1
_MONOSPACED = re.compile(rb"mono|courier|consol|typewriter|cmtt|menlo|code", re.IGNORECASE)
_WORD = re.compile(r"\S+")
_NAME_BYTES = 128


class TableCell(NamedTuple):
    """A group of words and its horizontal position, in points."""

    left: float
    right: float
    text: str


class PdfLine(NamedTuple):
    """A line of a page, with its start in points from the lower left corner and its type size."""

    text: str
    x: float = 0.0
    y: float = 0.0
    size: float = 0.0
    is_code: bool = False
    pitch: float = 0.0
    """Width of a character in a monospaced font, in points."""
    cells: tuple[TableCell, ...] = ()


def page_text_lines(page: PdfPage) -> list[PdfLine]:
    """The lines of a page that are not blank, in text order; none if it is damaged."""
    try:
        textpage = page.get_textpage()
        text = textpage.get_text_range()
    except PdfiumError:
        return []
    try:
        if textpage.count_chars() == len(text):  # else PDFium's indices do not fit
            return list(_positioned_lines(_CharacterInfo(textpage.raw), text))
        return list(_lines_without_position(text))
    finally:
        textpage.close()


def body_size(pages: Iterable[Sequence[PdfLine]]) -> float:
    """The type size of most of the text; 0 if unknown."""
    sizes: dict[float, int] = defaultdict(int)
    for line in (line for page in pages for line in page):
        sizes[line.size] += len(line.text)
    return max(sizes, key=lambda size: sizes[size], default=0.0)


def _lines_without_position(text: str) -> Iterator[PdfLine]:
    for line in text.splitlines():
        if line_text := remove_invalid(line).strip():
            yield PdfLine(line_text)


def _positioned_lines(characters: "_CharacterInfo", text: str) -> Iterator[PdfLine]:
    offset = 0
    for line in text.split("\r\n"):
        words = [(offset + word.start(), word[0]) for word in _WORD.finditer(line)]
        if words and remove_invalid(line).strip():
            yield _positioned_line(characters, line, words)
        offset += len(line) + 2


def _positioned_line(
    characters: "_CharacterInfo", text: str, words: list[tuple[int, str]]
) -> PdfLine:
    last, word = words[-1]
    end = last + len(word) - 1
    if _has_line_number(characters, words, end):
        text = text.split(None, 1)[1]
        words = words[1:]
    first = words[0][0]
    x, y = characters.character_origin(first)
    size = round(characters.type_size(first), 1)
    is_code = characters.is_monospaced(first) and characters.is_monospaced(end)
    pitch = 0.0
    if is_code and end > first:
        pitch = (characters.character_origin(end)[0] - x) / (end - first)
    cells = () if is_code else _table_cells(characters, words, max(size, 1.0))
    return PdfLine(remove_invalid(text).strip(), x, y, size, is_code, pitch, tuple(cells))


def _has_line_number(characters: "_CharacterInfo", words: list[tuple[int, str]], end: int) -> bool:
    """True if a line is code after a line number in a font that is not monospaced."""
    (first, number), *others = words
    if not others or not number.isdecimal() or characters.is_monospaced(first):
        return False
    return characters.is_monospaced(others[0][0]) and characters.is_monospaced(end)


def _table_cells(
    characters: "_CharacterInfo", words: list[tuple[int, str]], size: float
) -> Iterator[TableCell]:
    left, right = characters.word_extent(words[0][0], words[0][1])
    text = [words[0][1]]
    for start, word in words[1:]:
        begin, end = characters.word_extent(start, word)
        is_at_sign = text[-1][-1] in ".:?!,;=" or word[0] == "="
        if begin - right > (PUNCTUATION_GAP if is_at_sign else CELL_GAP) * size:
            yield TableCell(left, right, remove_invalid(" ".join(text)))
            left, text = begin, []
        text.append(word)
        right = end
    yield TableCell(left, right, remove_invalid(" ".join(text)))


class _CharacterInfo:
    """Position and font of the characters of a page, by index, from PDFium."""

    def __init__(self, page: raw.FPDF_TEXTPAGE) -> None:
        self._page = page
        self._left, self._right, self._bottom, self._top = (ctypes.c_double() for _ in range(4))
        self._flags = ctypes.c_int()
        self._name = ctypes.create_string_buffer(_NAME_BYTES)

    def character_origin(self, index: int) -> tuple[float, float]:
        """The start of a character on its baseline, in points."""
        raw.FPDFText_GetCharOrigin(self._page, index, self._left, self._right)
        return self._left.value, self._right.value

    def word_extent(self, start: int, word: str) -> tuple[float, float]:
        """The left and right edge of a word, in points."""
        left = self._character_box(start)[0]
        return left, self._character_box(start + len(word) - 1)[1]

    def _character_box(self, index: int) -> tuple[float, float]:
        edges = self._left, self._right, self._bottom, self._top
        raw.FPDFText_GetCharBox(self._page, index, *edges)
        return self._left.value, self._right.value

    def type_size(self, index: int) -> float:
        """The type size of a character, in points."""
        return float(raw.FPDFText_GetFontSize(self._page, index))

    def is_monospaced(self, index: int) -> bool:
        """True if a character's font is monospaced, by its flags or its name."""
        length = raw.FPDFText_GetFontInfo(self._page, index, self._name, _NAME_BYTES, self._flags)
        is_named = 0 < length <= _NAME_BYTES and bool(_MONOSPACED.search(self._name.value))
        return bool(self._flags.value & _FIXED_PITCH_FLAG) or is_named
