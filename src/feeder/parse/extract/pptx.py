"""Extracts text from PPTX: slides in order, each with its speaker notes."""

import posixpath

from feeder.parse.extract import ExtractedDocument
from feeder.parse.extract.document_writer import (
    PAGE_LEVEL,
    DocumentWriter,
    FlowWriter,
    ParagraphStyle,
)
from feeder.parse.extract.zip_xml import Attributes, XmlHandler, ZipArchive, parse_xml

PRESENTATION_MEMBER = "ppt/presentation.xml"
_TITLE_PLACEHOLDERS = frozenset({"title", "ctrTitle"})
_SKIPPED_PLACEHOLDERS = frozenset({"sldNum", "dt", "ftr", "hdr"})
"""Placeholders for slide numbers, dates, footers and headers."""


def extract_pptx(archive: ZipArchive) -> ExtractedDocument:
    """Extracts a presentation; a slide is a page, and its title a section in it."""
    writer = DocumentWriter("pptx")
    relationships = _Relationships(archive, PRESENTATION_MEMBER)
    order = _SlideOrder()
    parse_xml(archive.read(PRESENTATION_MEMBER), order)
    for number, id_ in enumerate(order.ids, 1):
        slide = relationships.by_id.get(id_)
        if slide in archive.names:
            writer.page(number)
            _write_slide(writer, archive, slide)
    return writer.result()


def _write_slide(writer: DocumentWriter, archive: ZipArchive, slide: str) -> None:
    """Writes a slide, then its speaker notes."""
    notes = _Relationships(archive, slide).by_kind.get("notesSlide")
    for name in filter(None, (slide, notes)):
        if name in archive.names:
            shapes = _ShapeHandler(FlowWriter(writer), is_slide=name == slide)
            parse_xml(archive.read(name), shapes)
            shapes.flow.flush()


class _SlideOrder(XmlHandler):
    """Reads the relationship ids of the slides, in order."""

    def __init__(self) -> None:
        self.ids: list[str] = []

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "sldId":
            # of `r:id` and `id`, the latter is a number
            self.ids += [value for value in attributes.values() if not value.isdecimal()][:1]


class _Relationships(XmlHandler):
    """Reads the paths of the members that a member is related to, by id and by kind."""

    def __init__(self, archive: ZipArchive, member: str) -> None:
        self._folder, name = posixpath.split(member)
        self.by_id: dict[str, str] = {}
        self.by_kind: dict[str, str] = {}
        relationships = f"{self._folder}/_rels/{name}.rels"
        if relationships in archive.names:
            parse_xml(archive.read(relationships), self)

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "Relationship" and attributes.get("TargetMode") != "External":
            target = posixpath.join(self._folder, attributes.get("Target", ""))
            path = posixpath.normpath(target).lstrip("/")
            self.by_id[attributes.get("Id", "")] = path
            self.by_kind[attributes.get("Type", "").rpartition("/")[2]] = path


class _ShapeHandler(XmlHandler):
    """Writes the text and tables on a slide."""

    def __init__(self, flow: FlowWriter, *, is_slide: bool) -> None:
        self.flow = flow
        self._is_slide = is_slide
        self._placeholder = ""
        self._words: list[str] = []
        self._is_text = False

    def start(self, name: str, attributes: Attributes) -> None:
        match name:
            case "sp":
                self._placeholder = ""
            case "ph":
                self._placeholder = attributes.get("type", "body")
            case "p":
                self._words = []
            case "t":
                self._is_text = True
            case "br":
                self._words.append("\n")
            case "tbl":
                self.flow.begin_table()
            case "tr":
                self.flow.begin_row()
            case "tc":
                self.flow.begin_cell()

    def end(self, name: str) -> None:
        match name:
            case "t":
                self._is_text = False
            case "p":
                self._write_paragraph("".join(self._words))
            case "sp":
                self._placeholder = ""
            case "tbl":
                self.flow.end_table()

    def text(self, text: str) -> None:
        if self._is_text:
            self._words.append(text)

    def _write_paragraph(self, text: str) -> None:
        if self._placeholder in _SKIPPED_PLACEHOLDERS:
            return
        is_title = self._is_slide and self._placeholder in _TITLE_PLACEHOLDERS
        self.flow.paragraph(text, ParagraphStyle(PAGE_LEVEL + 1 if is_title else 0))
