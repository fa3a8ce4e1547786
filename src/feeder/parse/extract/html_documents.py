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
from feeder.parse.extract.zip_xml import Attributes, XmlHandler, ZipArchive, parse_xml

CONTAINER_MEMBER = "META-INF/container.xml"

_HEADING_LEVELS = {f"h{level}": level for level in range(1, 7)}

_SKIPPED_TAGS = frozenset({"script", "style", "head", "template"})

_BLOCK_TAGS = frozenset(
    [
        *("address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "div"),
        *("dl", "dt", "figcaption", "figure", "footer", "form", "header", "hr", "li", "main"),
        *("nav", "ol", "p", "section", "summary", "ul"),
    ]
)


def extract_epub(archive: ZipArchive) -> ExtractedDocument:
    """Extracts the chapters of a book in their reading order."""
    container = _ContainerHandler()
    parse_xml(archive.read(CONTAINER_MEMBER), container)
    package = _PackageHandler()
    parse_xml(archive.read(container.package_path), package)
    folder = posixpath.dirname(container.package_path)
    writer = DocumentWriter("epub")
    for id_ in package.order:
        chapter = posixpath.normpath(posixpath.join(folder, package.paths.get(id_, "")))
        if chapter in archive.names:
            write_html(writer, archive.read(chapter).decode("utf-8", "replace"))
    return writer.result()


def extract_mhtml(content: bytes) -> ExtractedDocument:
    """Extracts the HTML parts of a page that a browser saved."""
    parser = BytesHeaderParser()  # reads headers only: parts in parts cost nothing, however deep
    page = parser.parsebytes(content)
    boundary = page.get_boundary()
    if page.get_content_maintype() != "multipart" or not boundary:
        raise UnreadableError("no page that a browser saved")
    writer = DocumentWriter("mhtml")
    _, *parts = content.split(b"--" + boundary.encode("ascii", "replace"))
    for part in parts:
        message = parser.parsebytes(part.lstrip(b"\r\n"))
        if message.get_content_type() in ("text/html", "application/xhtml+xml"):
            write_html(writer, _decode_part(message))
    return writer.result()


def _decode_part(message: Message) -> str:
    content = message.get_payload(decode=True)
    if not isinstance(content, bytes):
        return ""
    try:
        return content.decode(message.get_content_charset("utf-8"), "replace")
    except (LookupError, UnicodeError):  # an unknown encoding, or one of bytes to bytes
        return content.decode("utf-8", "replace")


def write_html(writer: DocumentWriter, text: str) -> None:
    """Writes the text of an HTML page."""
    page = _HtmlHandler(writer)
    page.feed(text)
    page.close()
    page.finish()


class _HtmlHandler(HTMLParser):
    """Writes the blocks of a page as paragraphs."""

    def __init__(self, writer: DocumentWriter) -> None:
        super().__init__()
        self._flow = FlowWriter(writer)
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
        """Writes the last block, and tables that are not closed."""
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


class _ContainerHandler(XmlHandler):
    """Reads the path of the book's package from its container."""

    package_path = ""

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "rootfile" and not self.package_path:
            self.package_path = attributes.get("full-path", "")


class _PackageHandler(XmlHandler):
    """Reads the paths of the chapters by id, and the reading order of the ids."""

    def __init__(self) -> None:
        self.paths: dict[str, str] = {}
        self.order: list[str] = []

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "item" and "nav" not in attributes.get("properties", ""):
            self.paths[attributes.get("id", "")] = unquote(attributes.get("href", ""))
        elif name == "itemref":
            self.order.append(attributes.get("idref", ""))
