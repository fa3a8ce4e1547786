"""Writes extracted paragraphs, headings, tables and code as lines of text, and records where
each element starts.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from feeder.parse.extract import DocumentElement, ExtractedDocument

LINE_WIDTH = 100
"""Characters of a line that a paragraph is broken into; a longer word stays whole."""

ELEMENT_NAME_LIMIT = 120

PAGE_LEVEL = 9
"""The level of a page: it lies in the headings of what it shows."""

_INVALID_CHARACTERS = re.compile("[\0-\x08\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
"""What some documents hold and no text has a use for."""

_WRAPPED_LINE = re.compile(rf"(?=\S)(?:.{{1,{LINE_WIDTH}}}(?!\S)|\S+)")


class DocumentWriter:
    """The text of a document as it is written down, and its parts."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._lines: list[str] = []
        self._size = 0
        self._elements: list[DocumentElement] = []
        self._block_lines: set[int] = set()

    def heading(self, level: int, text: str) -> None:
        """A section begins, with this heading as its first lines."""
        if name := " ".join(remove_invalid(text).split()):
            self._elements.append(
                DocumentElement(self._size, level, "doc_section", name[:ELEMENT_NAME_LIMIT].strip())
            )
            self._add_block(_WRAPPED_LINE.findall(name))

    def section(self, level: int, name: str) -> None:
        """A section begins whose heading is in the text that follows, or in none."""
        if name := " ".join(remove_invalid(name).split()):
            self._elements.append(
                DocumentElement(self._size, level, "doc_section", name[:ELEMENT_NAME_LIMIT].strip())
            )

    def page(self, number: int) -> None:
        """A page or a slide begins."""
        self._elements.append(DocumentElement(self._size, PAGE_LEVEL, "doc_page", f"p. {number}"))

    def paragraph(self, text: str) -> None:
        """Its lines, broken where they are too long to be read."""
        lines = (line.strip() for line in remove_invalid(text).splitlines())
        self._add_block([part for line in lines for part in _WRAPPED_LINE.findall(line)])

    def lines(self, lines: Iterable[str]) -> None:
        """A block whose lines stay as they are."""
        self._add_block([remove_invalid(line).rstrip() for line in lines])

    def code(self, text: str) -> None:
        """A block of code."""
        lines = [remove_invalid(line).rstrip() for line in text.expandtabs(4).split("\n")]
        self._add_typed_block("doc_codeblock", lines)

    def table(self, rows: Sequence[Sequence[str]]) -> None:
        """Rows of cells, each on a line; the first is the head."""
        lines = [line for row in rows if (line := join_row(row))]
        if len(lines) > 1:
            self._add_typed_block("doc_table", lines, signature=lines[0])
        elif lines:
            self.paragraph(lines[0])

    def sheet(self, name: str, lines: Sequence[str], head: str) -> None:
        """Rows of a sheet under the name of their range."""
        self._add_typed_block("sheet", lines, name, head)

    @property
    def size(self) -> int:
        """Bytes so far."""
        return self._size

    def result(self) -> ExtractedDocument:
        """All that was written."""
        text = "\n".join(self._lines).encode()
        return ExtractedDocument(self._language, text, self._elements, frozenset(self._block_lines))

    def _add_typed_block(
        self, node_type: str, lines: Sequence[str], name: str = "", signature: str | None = None
    ) -> None:
        start = self._size
        self._add_block(lines)
        if self._size > start:
            end = self._size - 2  # before the line's end and the blank line
            self._elements.append(DocumentElement(start, 0, node_type, name, end, signature))

    def _add_block(self, lines: Sequence[str]) -> None:
        if not any(map(str.strip, lines)):
            return
        self._block_lines.add(len(self._lines) + 1)
        for line in (*lines, ""):
            self._lines.append(line)
            self._size += len(line.encode()) + 1


def remove_invalid(text: str) -> str:
    """The text without characters that are none."""
    return _INVALID_CHARACTERS.sub("", text)


def join_row(cells: Sequence[str]) -> str:
    """A row as one line; empty cells behind the last one go."""
    written = [" ".join(remove_invalid(cell).split()) for cell in cells]
    while written and not written[-1]:
        written.pop()
    return " | ".join(written) if any(written) else ""


_HEADING_STYLE = re.compile(r"heading (\d)")

_CODE_STYLE = re.compile(r"code|preformatted|listing|verbatim|macro text")


@dataclass
class ParagraphStyle:
    """What a paragraph is: a heading of a level from 1, code, or plain text."""

    level: int = 0
    is_code: bool = False


def style_by_name(name: str) -> ParagraphStyle | None:
    """What a style is that Word and LibreOffice call so; None where its name tells nothing."""
    name = name.lower()
    if name == "title":
        return ParagraphStyle(1)
    if heading := _HEADING_STYLE.fullmatch(name):
        return ParagraphStyle(int(heading[1]) + 1)
    return ParagraphStyle(is_code=True) if _CODE_STYLE.search(name) else None


@dataclass
class _Table:
    rows: list[list[str]] = field(default_factory=list)


class FlowWriter:
    """Writes paragraphs as they end; in a table they are gathered until it ends.

    Paragraphs of code in a row are one block. Of a table in a table the cells' text is kept.
    """

    def __init__(self, writer: DocumentWriter) -> None:
        self._writer = writer
        self._tables: list[_Table] = []
        self._code: list[str] = []

    def paragraph(self, text: str, style: ParagraphStyle) -> None:
        """A paragraph, wherever it stands."""
        if self._tables:
            if (rows := self._tables[0].rows) and rows[-1] and text.strip():
                rows[-1][-1] += f" {text}"
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
        """A table begins."""
        self.flush()
        self._tables.append(_Table())

    def begin_row(self) -> None:
        """A row of it begins."""
        if len(self._tables) == 1:
            self._tables[0].rows.append([])

    def begin_cell(self) -> None:
        """A cell of it begins."""
        if len(self._tables) == 1:
            rows = self._tables[0].rows or [[]]
            rows[-1].append("")

    def end_table(self) -> None:
        """A table ends."""
        if len(self._tables) == 1:
            self._writer.table(self._tables[0].rows)
        if self._tables:
            self._tables.pop()

    @property
    def is_in_table(self) -> bool:
        """Whether a table has begun and not ended."""
        return bool(self._tables)

    def flush(self) -> None:
        """Code ends where it is followed by anything else."""
        if self._code:
            self._writer.code("\n".join(self._code).strip("\n"))
            self._code = []
