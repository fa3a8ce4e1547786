"""How does a document become lines? Block by block, a blank line behind each."""

import re
from collections.abc import Iterable, Sequence

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
