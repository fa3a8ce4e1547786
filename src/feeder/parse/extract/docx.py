"""What does a DOCX say? Its paragraphs, headings, tables, code and notes, in their order."""

from collections.abc import Iterator

from feeder.parse.extract import Extract
from feeder.parse.extract.archive import Archive
from feeder.parse.extract.flowing import Flow, Style, style_called
from feeder.parse.extract.writing import Writing
from feeder.parse.extract.xml import Attributes, walk

BODY = "word/document.xml"
NOTES = ("word/footnotes.xml", "word/endnotes.xml")
_HIDDEN = frozenset({"Fallback", "del", "moveFrom"})
"""The same once more for older programs, and what was deleted or moved away."""
_CHARACTERS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}


def docx(archive: Archive) -> Extract:
    """The text of a document; notes stand at its end."""
    writing = Writing("docx")
    styles = _Styles()
    if "word/styles.xml" in archive.names:
        walk(archive.read("word/styles.xml"), styles)
    for name in (BODY, *NOTES):
        if name in archive.names:
            body = _Body(Flow(writing), styles)
            walk(archive.read(name), body)
            body.flow.flush()
    return writing.extract()


class _Styles:
    """What the styles of paragraphs are, by their ids: `Elements`."""

    def __init__(self) -> None:
        self._id = ""
        self._known: dict[str, Style] = {}
        self._based_on: dict[str, str] = {}

    def start(self, name: str, attributes: Attributes) -> None:
        value = attributes.get("val", "")
        if name == "style":
            self._id = attributes.get("styleId", "")
        elif name == "name" and self._id:
            self._name(value)
        elif name == "basedOn":
            self._based_on[self._id] = value
        elif name == "outlineLvl" and value.isdecimal() and int(value) < 9:
            self._known.setdefault(self._id, Style(int(value) + 2))

    def end(self, name: str) -> None:
        if name == "style":
            self._id = ""

    def text(self, text: str) -> None:
        pass

    def _name(self, name: str) -> None:
        if style := style_called(name):
            self._known[self._id] = style

    def of(self, id_: str) -> Style:
        """What a paragraph of this style is, or of one that the style is based on."""
        return next((self._known[one] for one in self._line(id_) if one in self._known), Style())

    def _line(self, id_: str) -> Iterator[str]:
        seen: set[str] = set()
        while id_ and id_ not in seen:
            seen.add(id_)
            yield id_
            id_ = self._based_on.get(id_, "")


class _Body:
    """Writes a part of the document: `Elements`. A paragraph can lie in another, in a text box."""

    def __init__(self, flow: Flow, styles: _Styles) -> None:
        self.flow = flow
        self._styles = styles
        self._paragraphs: list[tuple[list[str], Style]] = []
        self._is_text = False
        self._hidden = 0

    def start(self, name: str, attributes: Attributes) -> None:
        if name in _HIDDEN:
            self._hidden += 1
        if self._hidden:
            return
        match name:
            case "p":
                self._paragraphs.append(([], Style()))
            case "pStyle" if self._paragraphs:
                words, _ = self._paragraphs[-1]
                self._paragraphs[-1] = words, self._styles.of(attributes.get("val", ""))
            case "t":
                self._is_text = True
            case "tbl":
                self.flow.table()
            case "tr":
                self.flow.row()
            case "tc":
                self.flow.cell()
            case _ if name in _CHARACTERS and "val" not in attributes:  # a tab of the ruler has one
                self.text(_CHARACTERS[name], always=True)

    def end(self, name: str) -> None:
        if name in _HIDDEN:
            self._hidden -= 1
        elif self._hidden:
            return
        elif name == "t":
            self._is_text = False
        elif name == "p" and self._paragraphs:
            words, style = self._paragraphs.pop()
            self.flow.paragraph("".join(words), style)
        elif name == "tbl":
            self.flow.table_end()

    def text(self, text: str, *, always: bool = False) -> None:
        if (self._is_text or always) and self._paragraphs and not self._hidden:
            self._paragraphs[-1][0].append(text)
