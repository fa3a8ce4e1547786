"""Extracts text from DOCX: paragraphs, headings, tables, code and notes."""

from collections.abc import Iterator

from feeder.parse.extract import ExtractedDocument
from feeder.parse.extract.document_writer import (
    DocumentWriter,
    FlowWriter,
    ParagraphStyle,
    style_by_name,
)
from feeder.parse.extract.zip_xml import Attributes, ZipArchive, parse_xml

BODY_MEMBER = "word/document.xml"
NOTE_MEMBERS = ("word/footnotes.xml", "word/endnotes.xml")
_SKIPPED_ELEMENTS = frozenset({"Fallback", "del", "moveFrom"})
"""The same once more for older programs, and what was deleted or moved away."""
_CHARACTERS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}


def extract_docx(archive: ZipArchive) -> ExtractedDocument:
    """The text of a document; notes stand at its end."""
    writing = DocumentWriter("docx")
    styles = _StyleSheet()
    if "word/styles.xml" in archive.names:
        parse_xml(archive.read("word/styles.xml"), styles)
    for name in (BODY_MEMBER, *NOTE_MEMBERS):
        if name in archive.names:
            body = _BodyHandler(FlowWriter(writing), styles)
            parse_xml(archive.read(name), body)
            body.flow.flush()
    return writing.result()


class _StyleSheet:
    """What the styles of paragraphs are, by their ids: `Elements`."""

    def __init__(self) -> None:
        self._id = ""
        self._by_id: dict[str, ParagraphStyle] = {}
        self._based_on: dict[str, str] = {}

    def start(self, name: str, attributes: Attributes) -> None:
        value = attributes.get("val", "")
        if name == "style":
            self._id = attributes.get("styleId", "")
        elif name == "name" and self._id:
            self._add_named(value)
        elif name == "basedOn":
            self._based_on[self._id] = value
        elif name == "outlineLvl" and value.isdecimal() and int(value) < 9:
            self._by_id.setdefault(self._id, ParagraphStyle(int(value) + 2))

    def end(self, name: str) -> None:
        if name == "style":
            self._id = ""

    def text(self, text: str) -> None:
        pass

    def _add_named(self, name: str) -> None:
        if style := style_by_name(name):
            self._by_id[self._id] = style

    def style_of(self, id_: str) -> ParagraphStyle:
        """What a paragraph of this style is, or of one that the style is based on."""
        return next(
            (self._by_id[one] for one in self._ancestors(id_) if one in self._by_id),
            ParagraphStyle(),
        )

    def _ancestors(self, id_: str) -> Iterator[str]:
        seen: set[str] = set()
        while id_ and id_ not in seen:
            seen.add(id_)
            yield id_
            id_ = self._based_on.get(id_, "")


class _BodyHandler:
    """Writes a part of the document: `Elements`. A paragraph can lie in another, in a text box."""

    def __init__(self, flow: FlowWriter, styles: _StyleSheet) -> None:
        self.flow = flow
        self._styles = styles
        self._paragraphs: list[tuple[list[str], ParagraphStyle]] = []
        self._is_text = False
        self._hidden = 0

    def start(self, name: str, attributes: Attributes) -> None:
        if name in _SKIPPED_ELEMENTS:
            self._hidden += 1
        if self._hidden:
            return
        match name:
            case "p":
                self._paragraphs.append(([], ParagraphStyle()))
            case "pStyle" if self._paragraphs:
                words, _ = self._paragraphs[-1]
                self._paragraphs[-1] = words, self._styles.style_of(attributes.get("val", ""))
            case "t":
                self._is_text = True
            case "tbl":
                self.flow.begin_table()
            case "tr":
                self.flow.begin_row()
            case "tc":
                self.flow.begin_cell()
            case _ if name in _CHARACTERS and "val" not in attributes:  # a tab of the ruler has one
                self.text(_CHARACTERS[name], always=True)

    def end(self, name: str) -> None:
        if name in _SKIPPED_ELEMENTS:
            self._hidden -= 1
        elif self._hidden:
            return
        elif name == "t":
            self._is_text = False
        elif name == "p" and self._paragraphs:
            words, style = self._paragraphs.pop()
            self.flow.paragraph("".join(words), style)
        elif name == "tbl":
            self.flow.end_table()

    def text(self, text: str, *, always: bool = False) -> None:
        if (self._is_text or always) and self._paragraphs and not self._hidden:
            self._paragraphs[-1][0].append(text)
