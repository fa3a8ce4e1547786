"""Extracts text from ODT and ODP: headings, paragraphs, tables, code and slides."""

from feeder.parse.extract import ExtractedDocument
from feeder.parse.extract.document_writer import (
    PAGE_LEVEL,
    DocumentWriter,
    FlowWriter,
    ParagraphStyle,
)
from feeder.parse.extract.zip_xml import Attributes, XmlHandler, ZipArchive, parse_xml

_SKIPPED_ELEMENTS = frozenset(
    {"tracked-changes", "annotation", "note-citation", "page-number", "page-thumbnail"}
)
"""Deleted text, comments, and the numbers of notes and pages."""
_CODE_STYLE_NAMES = ("preformatted", "code", "listing")
_REPEAT_LIMIT = 100
"""Maximum blanks that one element may stand for."""


def extract_odf(archive: ZipArchive, *, is_slides: bool) -> ExtractedDocument:
    """Extracts a text document or a presentation; a slide is a page."""
    writer = DocumentWriter("odp" if is_slides else "odt")
    content = _ContentHandler(writer)
    if "styles.xml" in archive.names:
        parse_xml(archive.read("styles.xml"), _StyleParents(content.parents))
    parse_xml(archive.read("content.xml"), content)
    content.flow.flush()
    return writer.result()


class _StyleParents(XmlHandler):
    """Adds the parent of each style to a mapping by name."""

    def __init__(self, parents: dict[str, str]) -> None:
        self._parents = parents

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "style" and "name" in attributes:
            self._parents[attributes["name"]] = attributes.get("parent-style-name", "")


class _ContentHandler(XmlHandler):
    """Writes the paragraphs of a document; one may lie in another, as a note."""

    def __init__(self, writer: DocumentWriter) -> None:
        self._writer = writer
        self.flow = FlowWriter(writer)
        self.parents: dict[str, str] = {}
        self._styles = _StyleParents(self.parents)
        self._paragraphs: list[tuple[list[str], ParagraphStyle]] = []
        self._hidden = 0
        self._pages = 0
        self._is_title = False

    def start(self, name: str, attributes: Attributes) -> None:
        if name in _SKIPPED_ELEMENTS:
            self._hidden += 1
        if self._hidden:
            return
        match name:
            case "style":
                self._styles.start(name, attributes)
            case "h":
                level = attributes.get("outline-level", "1")
                self._paragraphs.append(
                    ([], ParagraphStyle(1 + int(level) if level.isdecimal() else 2))
                )
            case "p":
                self._paragraphs.append(([], self._style_of(attributes.get("style-name", ""))))
            case "s":
                count = attributes.get("c", "1")
                self._add_text(" " * min(_REPEAT_LIMIT, int(count) if count.isdecimal() else 1))
            case "tab":
                self._add_text("\t")
            case "line-break":
                self._add_text("\n")
            case "page":
                self._begin_page()
            case "frame":
                self._is_title = attributes.get("class") == "title"
            case _:
                self._start_in_table(name)

    def _start_in_table(self, name: str) -> None:
        match name:
            case "table":
                self.flow.begin_table()
            case "table-row":
                self.flow.begin_row()
            case "table-cell" | "covered-table-cell":
                self.flow.begin_cell()

    def end(self, name: str) -> None:
        if name in _SKIPPED_ELEMENTS:
            self._hidden -= 1
        elif self._hidden:
            return
        elif name in ("p", "h") and self._paragraphs:
            words, style = self._paragraphs.pop()
            self.flow.paragraph("".join(words), style)
        elif name == "table":
            self.flow.end_table()
        elif name == "frame":
            self._is_title = False

    def text(self, text: str) -> None:
        # line ends count as blanks: those of the text are elements of their own
        if self._paragraphs and not self._hidden:
            self._add_text(text.replace("\n", " "))

    def _add_text(self, text: str) -> None:
        if self._paragraphs:
            self._paragraphs[-1][0].append(text)

    def _begin_page(self) -> None:
        self.flow.flush()
        self._pages += 1
        self._writer.page(self._pages)

    def _style_of(self, name: str) -> ParagraphStyle:
        if self._is_title:
            return ParagraphStyle(PAGE_LEVEL + 1)
        seen: set[str] = set()
        while name and name not in seen:
            seen.add(name)
            plain = name.replace("_20_", " ").casefold()
            if plain == "title":
                return ParagraphStyle(1)
            if any(word in plain for word in _CODE_STYLE_NAMES):
                return ParagraphStyle(is_code=True)
            name = self.parents.get(name, "")
        return ParagraphStyle()
