"""How do paragraphs and tables of a flowing text become blocks?"""

import re
from dataclasses import dataclass, field

from feeder.parse.extract.document_writer import DocumentWriter

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
