"""Extracts text from DOCX: paragraphs, headings, tables, code and notes."""

from collections.abc import Iterator

from feeder.parse.extract import ExtractedDocument
from feeder.parse.extract.document_writer import (
    DocumentWriter,
    FlowWriter,
    ParagraphStyle,
    style_by_name,
)
from feeder.parse.extract.zip_xml import Attributes, XmlHandler, ZipArchive, parse_xml

BODY_MEMBER = "word/document.xml"
NOTE_MEMBERS = ("word/footnotes.xml", "word/endnotes.xml")
_SKIPPED_ELEMENTS = frozenset({"Fallback", "del", "moveFrom"})
"""Copies of other elements for older programs, and text that was deleted or moved away."""
_CHARACTERS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}


def extract_docx(archive: ZipArchive) -> ExtractedDocument:
    """Extracts a text document; notes are at its end."""
    writer = DocumentWriter("docx")
    styles = _StyleSheet()
    if "word/styles.xml" in archive.names:
        parse_xml(archive.read("word/styles.xml"), styles)
    for name in (BODY_MEMBER, *NOTE_MEMBERS):
        if name in archive.names:
            body = _BodyHandler(FlowWriter(writer), styles)
            parse_xml(archive.read(name), body)
            body.flow.flush()
    return writer.result()


class _StyleSheet(XmlHandler):
    """Reads the paragraph styles of a document, by id."""

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

    def _add_named(self, name: str) -> None:
        if style := style_by_name(name):
            self._by_id[self._id] = style

    def style_of(self, id_: str) -> ParagraphStyle:
        """The meaning of a style, or of the nearest one that it is based on."""
        styles = (self._by_id.get(ancestor) for ancestor in self._ancestors(id_))
        return next(filter(None, styles), ParagraphStyle())

    def _ancestors(self, id_: str) -> Iterator[str]:
        seen: set[str] = set()
        while id_ and id_ not in seen:
            seen.add(id_)
            yield id_
            id_ = self._based_on.get(id_, "")


class _BodyHandler(XmlHandler):
    """Writes the paragraphs of a member; one may lie in another, in a text box."""

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
            case _ if name in _CHARACTERS and "val" not in attributes:  # a tab stop has `val`
                self._add_text(_CHARACTERS[name])

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

    def text(self, text: str) -> None:
        if self._is_text and not self._hidden:
            self._add_text(text)

    def _add_text(self, text: str) -> None:
        if self._paragraphs:
            self._paragraphs[-1][0].append(text)
