"""Writes extracted paragraphs, headings, tables and code as lines of text, and records where
each element starts.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from feeder.parse.extract import DocumentElement, ExtractedDocument

LINE_WIDTH = 100
"""Characters at which the lines of a paragraph are wrapped; longer words stay whole."""

ELEMENT_NAME_LIMIT = 120
"""Maximum characters of an element's name; the rest is cut."""

PAGE_LEVEL = 9
"""The level of a page: below any heading."""

_INVALID_CHARACTERS = re.compile("[\0-\x08\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
"""Control characters, surrogates and noncharacters, which are not text."""

_WRAPPED_LINE = re.compile(rf"(?=\S)(?:.{{1,{LINE_WIDTH}}}(?!\S)|\S+)")

_HEADING_STYLE = re.compile(r"heading (\d)")

_CODE_STYLE = re.compile(r"code|preformatted|listing|verbatim|macro text")


class DocumentWriter:
    """Collects the text and the elements of a document."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._lines: list[str] = []
        self._size = 0
        self._elements: list[DocumentElement] = []
        self._block_lines: set[int] = set()

    def heading(self, level: int, text: str) -> None:
        """Begins a section, with this heading as its first lines."""
        self.section(level, text)
        self._add_block(_WRAPPED_LINE.findall(" ".join(remove_invalid(text).split())))

    def section(self, level: int, name: str) -> None:
        """Begins a section whose heading is part of the next text, or not in the text at all."""
        if name := " ".join(remove_invalid(name).split()):
            self._elements.append(
                DocumentElement(self._size, level, "doc_section", name[:ELEMENT_NAME_LIMIT].strip())
            )

    def page(self, number: int) -> None:
        """Begins a page or a slide."""
        self._elements.append(DocumentElement(self._size, PAGE_LEVEL, "doc_page", f"p. {number}"))

    def paragraph(self, text: str) -> None:
        """Writes a paragraph, with its lines wrapped at `LINE_WIDTH`."""
        lines = (line.strip() for line in remove_invalid(text).splitlines())
        self._add_block([part for line in lines for part in _WRAPPED_LINE.findall(line)])

    def lines(self, lines: Iterable[str]) -> None:
        """Writes a block of lines that are not wrapped."""
        self._add_block([remove_invalid(line).rstrip() for line in lines])

    def code(self, text: str) -> None:
        """Writes a block of code."""
        lines = [remove_invalid(line).rstrip() for line in text.expandtabs(4).split("\n")]
        self._add_typed_block("doc_codeblock", lines)

    def table(self, rows: Sequence[Sequence[str]]) -> None:
        """Writes rows of cells, each on a line; the first row is the table's signature."""
        lines = [line for row in rows if (line := join_row(row))]
        if len(lines) > 1:
            self._add_typed_block("doc_table", lines, signature=lines[0])
        elif lines:
            self.paragraph(lines[0])

    def sheet(self, name: str, lines: Sequence[str], header: str) -> None:
        """Writes rows of a sheet as an element with the name of their range."""
        self._add_typed_block("sheet", lines, name, header)

    @property
    def size(self) -> int:
        """Bytes of text so far."""
        return self._size

    def result(self) -> ExtractedDocument:
        """The text and elements written so far."""
        text = "\n".join(self._lines).encode()
        return ExtractedDocument(self._language, text, self._elements, frozenset(self._block_lines))

    def _add_typed_block(
        self, node_type: str, lines: Sequence[str], name: str = "", signature: str | None = None
    ) -> None:
        start = self._size
        self._add_block(lines)
        if self._size > start:
            end = self._size - 2  # without the last line end and the blank line
            self._elements.append(DocumentElement(start, 0, node_type, name, end, signature))

    def _add_block(self, lines: Sequence[str]) -> None:
        if not any(map(str.strip, lines)):
            return
        self._block_lines.add(len(self._lines) + 1)
        for line in (*lines, ""):
            self._lines.append(line)
            self._size += len(line.encode()) + 1


def remove_invalid(text: str) -> str:
    """Removes control characters, surrogates and noncharacters."""
    return _INVALID_CHARACTERS.sub("", text)


def join_row(cells: Sequence[str]) -> str:
    """A table row as one line, without trailing empty cells."""
    texts = [" ".join(remove_invalid(cell).split()) for cell in cells]
    while texts and not texts[-1]:
        texts.pop()
    return " | ".join(texts)


@dataclass
class ParagraphStyle:
    """The kind of a paragraph: a heading with a level from 1, code, or plain text."""

    level: int = 0
    is_code: bool = False


def style_by_name(name: str) -> ParagraphStyle | None:
    """The meaning of a style's name in Word and LibreOffice; None for other names."""
    name = name.lower()
    if name == "title":
        return ParagraphStyle(1)
    if heading := _HEADING_STYLE.fullmatch(name):
        return ParagraphStyle(int(heading[1]) + 1)
    return ParagraphStyle(is_code=True) if _CODE_STYLE.search(name) else None


class FlowWriter:
    """Writes paragraphs one after the other; those in a table are collected until it ends.

    Adjacent paragraphs of code become one block. A table in a table becomes text of its cell.
    """

    def __init__(self, writer: DocumentWriter) -> None:
        self._writer = writer
        self._table_depth = 0
        self._rows: list[list[str]] = []
        self._code: list[str] = []

    def paragraph(self, text: str, style: ParagraphStyle) -> None:
        """Writes a paragraph, or adds it to the current table cell."""
        if self._table_depth:
            if self._rows and self._rows[-1] and text.strip():
                self._rows[-1][-1] += f" {text}"
            return
        if style.is_code:
            self._code.append(text)
            return
        self.flush()
        if style.level:
            self._writer.heading(style.level, text)
        else:
            self._writer.paragraph(text)

    def begin_table(self) -> None:
        """Begins a table, or one inside the current table."""
        self.flush()
        self._table_depth += 1

    def begin_row(self) -> None:
        """Begins a row of the outermost table."""
        if self._table_depth == 1:
            self._rows.append([])

    def begin_cell(self) -> None:
        """Begins a cell of the outermost table."""
        if self._table_depth == 1 and self._rows:
            self._rows[-1].append("")

    def end_table(self) -> None:
        """Ends the current table; writes the outermost one."""
        if self._table_depth == 1:
            self._writer.table(self._rows)
            self._rows = []
        self._table_depth = max(0, self._table_depth - 1)

    @property
    def is_in_table(self) -> bool:
        """True if a table has begun and not ended."""
        return self._table_depth > 0

    def flush(self) -> None:
        """Writes the code collected so far, before anything else is written and at the end."""
        if self._code:
            self._writer.code("\n".join(self._code).strip("\n"))
            self._code = []
