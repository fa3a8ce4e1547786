"""How does a document become lines? Block by block, a blank line behind each."""

import re
from collections.abc import Iterable, Sequence

from feeder.parse.extract import Extract, Part

WIDTH = 100
"""Characters of a line that a paragraph is broken into; a longer word stays whole."""
NAME_LIMIT = 120
PAGE = 9
"""The level of a page: it lies in the headings of what it shows."""
_UNCLEAN = re.compile("[\0-\x08\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
"""What some documents hold and no text has a use for."""
_BREAK = re.compile(rf"(?=\S)(?:.{{1,{WIDTH}}}(?!\S)|\S+)")


class Writing:
    """The text of a document as it is written down, and its parts."""

    def __init__(self, language: str) -> None:
        self._language = language
        self._lines: list[str] = []
        self._size = 0
        self._parts: list[Part] = []
        self._begins: set[int] = set()

    def heading(self, level: int, text: str) -> None:
        """A section begins, with this heading as its first lines."""
        if name := " ".join(clean(text).split()):
            self._parts.append(Part(self._size, level, "doc_section", name[:NAME_LIMIT].strip()))
            self._block(_BREAK.findall(name))

    def section(self, level: int, name: str) -> None:
        """A section begins whose heading is in the text that follows, or in none."""
        if name := " ".join(clean(name).split()):
            self._parts.append(Part(self._size, level, "doc_section", name[:NAME_LIMIT].strip()))

    def page(self, number: int) -> None:
        """A page or a slide begins."""
        self._parts.append(Part(self._size, PAGE, "doc_page", f"p. {number}"))

    def paragraph(self, text: str) -> None:
        """Its lines, broken where they are too long to be read."""
        lines = (line.strip() for line in clean(text).splitlines())
        self._block([part for line in lines for part in _BREAK.findall(line)])

    def lines(self, lines: Iterable[str]) -> None:
        """A block whose lines stay as they are."""
        self._block([clean(line).rstrip() for line in lines])

    def code(self, text: str) -> None:
        """A block of code."""
        lines = [clean(line).rstrip() for line in text.expandtabs(4).split("\n")]
        self._typed("doc_codeblock", lines)

    def table(self, rows: Sequence[Sequence[str]]) -> None:
        """Rows of cells, each on a line; the first is the head."""
        lines = [line for row in rows if (line := row_line(row))]
        if len(lines) > 1:
            self._typed("doc_table", lines, signature=lines[0])
        elif lines:
            self.paragraph(lines[0])

    def sheet(self, name: str, lines: Sequence[str], head: str) -> None:
        """Rows of a sheet under the name of their range."""
        self._typed("sheet", lines, name, head)

    @property
    def size(self) -> int:
        """Bytes so far."""
        return self._size

    def extract(self) -> Extract:
        """All that was written."""
        text = "\n".join(self._lines).encode()
        return Extract(self._language, text, self._parts, frozenset(self._begins))

    def _typed(
        self, node_type: str, lines: Sequence[str], name: str = "", signature: str | None = None
    ) -> None:
        start = self._size
        self._block(lines)
        if self._size > start:
            end = self._size - 2  # before the line's end and the blank line
            self._parts.append(Part(start, 0, node_type, name, end, signature))

    def _block(self, lines: Sequence[str]) -> None:
        if not any(map(str.strip, lines)):
            return
        self._begins.add(len(self._lines) + 1)
        for line in (*lines, ""):
            self._lines.append(line)
            self._size += len(line.encode()) + 1


def clean(text: str) -> str:
    """The text without characters that are none."""
    return _UNCLEAN.sub("", text)


def row_line(cells: Sequence[str]) -> str:
    """A row as one line; empty cells behind the last one go."""
    written = [" ".join(clean(cell).split()) for cell in cells]
    while written and not written[-1]:
        written.pop()
    return " | ".join(written) if any(written) else ""
