"""What does an EPUB say? Its chapters in the order in which they are read."""

import posixpath
from urllib.parse import unquote

from feeder.parse.extract import ExtractedDocument
from feeder.parse.extract.document_writer import DocumentWriter
from feeder.parse.extract.html_documents import write_html
from feeder.parse.extract.xml import Attributes, parse_xml
from feeder.parse.extract.zip_xml import ZipArchive

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
