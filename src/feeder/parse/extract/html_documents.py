"""Extracts text from documents made of HTML: the chapters of an EPUB and the frames of a page
saved as MHTML.
"""

import posixpath
from email.message import Message
from email.parser import BytesHeaderParser
from html.parser import HTMLParser
from urllib.parse import unquote

from feeder.parse.extract import ExtractedDocument, UnreadableError
from feeder.parse.extract.document_writer import DocumentWriter, FlowWriter, ParagraphStyle
from feeder.parse.extract.zip_xml import Attributes, ZipArchive, parse_xml

_HEADING_LEVELS = {f"h{level}": level for level in range(1, 7)}

_SKIPPED_TAGS = frozenset({"script", "style", "head", "template"})

_BLOCK_TAGS = frozenset(
    [
        *("address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "div"),
        *("dl", "dt", "figcaption", "figure", "footer", "form", "header", "hr", "li", "main"),
        *("nav", "ol", "p", "section", "summary", "ul"),
    ]
)


def write_html(writer: DocumentWriter, text: str) -> None:
    """Writes what a page says."""
    page = _HtmlHandler(writer)
    page.feed(text)
    page.close()
    page.finish()


class _HtmlHandler(HTMLParser):
    """Gathers words until a block ends."""

    def __init__(self, writing: DocumentWriter) -> None:
        super().__init__()
        self._flow = FlowWriter(writing)
        self._words: list[str] = []
        self._style = ParagraphStyle()
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _SKIPPED_TAGS:
            self._hidden += 1
        elif tag in _HEADING_LEVELS:
            self._begin_block(ParagraphStyle(_HEADING_LEVELS[tag]))
        elif tag == "pre":
            self._begin_block(ParagraphStyle(is_code=True))
        elif tag == "br":
            self._words.append("\n")
        elif tag == "table":
            self._begin_block(ParagraphStyle())
            self._flow.begin_table()
        elif tag == "tr":
            self._end_block()
            self._flow.begin_row()
        elif tag in ("td", "th"):
            self._end_block()
            self._flow.begin_cell()
        elif tag in _BLOCK_TAGS and not self._style.is_code:
            self._begin_block(ParagraphStyle())

    def handle_endtag(self, tag: str) -> None:
        if tag in _SKIPPED_TAGS:
            self._hidden = max(0, self._hidden - 1)
        elif tag == "table":
            self._end_block()
            self._flow.end_table()
        elif (
            tag == "pre"
            or tag in _HEADING_LEVELS
            or (tag in _BLOCK_TAGS and not self._style.is_code)
        ):
            self._begin_block(ParagraphStyle())

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self._words.append(data if self._style.is_code else " ".join(data.split("\n")))

    def finish(self) -> None:
        """Writes what is left."""
        self._end_block()
        while self._flow.is_in_table:
            self._flow.end_table()
        self._flow.flush()

    def _begin_block(self, style: ParagraphStyle) -> None:
        self._end_block()
        self._style = style

    def _end_block(self) -> None:
        text = "".join(self._words)
        self._words = []
        if text.strip():
            self._flow.paragraph(text.strip("\n") if self._style.is_code else text, self._style)


CONTAINER_MEMBER = "META-INF/container.xml"


def extract_epub(archive: ZipArchive) -> ExtractedDocument:
    """The text of a book; what is not in its order of reading is left out."""
    container = _ContainerHandler()
    parse_xml(archive.read(CONTAINER_MEMBER), container)
    package = _PackageHandler()
    parse_xml(archive.read(container.package_path), package)
    folder = posixpath.dirname(container.package_path)
    writing = DocumentWriter("epub")
    for id_ in package.order:
        place = posixpath.normpath(posixpath.join(folder, package.paths.get(id_, "")))
        if place in archive.names:
            write_html(writing, archive.read(place).decode("utf-8", "replace"))
    return writing.result()


class _ContainerHandler:
    """Where the book's package is: `Elements`."""

    package_path = ""

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "rootfile" and not self.package_path:
            self.package_path = attributes.get("full-path", "")

    def end(self, name: str) -> None:
        pass

    def text(self, text: str) -> None:
        pass


class _PackageHandler:
    """The chapters by id, and their order: `Elements`."""

    def __init__(self) -> None:
        self.paths: dict[str, str] = {}
        self.order: list[str] = []

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "item" and "nav" not in attributes.get("properties", ""):
            self.paths[attributes.get("id", "")] = unquote(attributes.get("href", ""))
        elif name == "itemref":
            self.order.append(attributes.get("idref", ""))

    def end(self, name: str) -> None:
        pass

    def text(self, text: str) -> None:
        pass


def extract_mhtml(content: bytes) -> ExtractedDocument:
    """The text of its parts that are hypertext; pictures and styles are left out."""
    parser = BytesHeaderParser()  # which leaves parts in parts alone, however deep
    whole = parser.parsebytes(content)
    boundary = whole.get_boundary()
    if whole.get_content_maintype() != "multipart" or not boundary:
        raise UnreadableError("no page that a browser saved")
    writing = DocumentWriter("mhtml")
    _, *parts = content.split(b"--" + boundary.encode("ascii", "replace"))
    for part in parts:
        message = parser.parsebytes(part.lstrip(b"\r\n"))
        if message.get_content_type() in ("text/html", "application/xhtml+xml"):
            write_html(writing, _decode_part(message))
    return writing.result()


def _decode_part(message: Message) -> str:
    content = message.get_payload(decode=True)
    if not isinstance(content, bytes):
        return ""
    try:
        return content.decode(message.get_content_charset("utf-8"), "replace")
    except (LookupError, UnicodeError):  # no encoding of this name, or none of a text
        return content.decode("utf-8", "replace")
