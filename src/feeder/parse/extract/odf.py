"""Extracts text from ODT and ODP: headings, paragraphs, tables, code and slides."""

from feeder.parse.extract import ExtractedDocument
from feeder.parse.extract.document_writer import (
    PAGE_LEVEL,
    DocumentWriter,
    FlowWriter,
    ParagraphStyle,
)
from feeder.parse.extract.zip_xml import Attributes, ZipArchive, parse_xml

_SKIPPED_ELEMENTS = frozenset(
    {"tracked-changes", "annotation", "note-citation", "page-number", "page-thumbnail"}
)
"""What was deleted, what was said of the text, and numbers of notes."""
_CODE_STYLE_NAMES = ("preformatted", "code", "listing")
_REPEAT_LIMIT = 100
"""Blanks or empty cells that are written at most."""


def extract_odf(archive: ZipArchive, *, is_slides: bool) -> ExtractedDocument:
    """The text of a document or presentation; a slide is a page."""
    writing = DocumentWriter("odp" if is_slides else "odt")
    content = _ContentHandler(writing)
    if "styles.xml" in archive.names:
        parse_xml(archive.read("styles.xml"), _StyleParents(content.parents))
    parse_xml(archive.read("content.xml"), content)
    content.flow.flush()
    return writing.result()


class _StyleParents:
    """What each style is called and which it comes from: `Elements`."""

    def __init__(self, parents: dict[str, str]) -> None:
        self._parents = parents

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "style" and "name" in attributes:
            self._parents[attributes["name"]] = attributes.get("parent-style-name", "")

    def end(self, name: str) -> None:
        pass

    def text(self, text: str) -> None:
        pass


class _ContentHandler:
    """Writes the text: `Elements`. A paragraph can lie in another, as a note."""

    def __init__(self, writing: DocumentWriter) -> None:
        self._writer = writing
        self.flow = FlowWriter(writing)
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
        # blanks in a row count as one, line ends too: others are elements of their own
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
