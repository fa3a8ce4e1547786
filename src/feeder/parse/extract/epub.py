"""What does an EPUB say? Its chapters in the order in which they are read."""

import posixpath
from urllib.parse import unquote

from feeder.parse.extract import Extract
from feeder.parse.extract.archive import Archive
from feeder.parse.extract.hypertext import write
from feeder.parse.extract.writing import Writing
from feeder.parse.extract.xml import Attributes, walk

CONTAINER = "META-INF/container.xml"


def epub(archive: Archive) -> Extract:
    """The text of a book; what is not in its order of reading is left out."""
    container = _Container()
    walk(archive.read(CONTAINER), container)
    package = _Package()
    walk(archive.read(container.place), package)
    folder = posixpath.dirname(container.place)
    writing = Writing("epub")
    for id_ in package.order:
        place = posixpath.normpath(posixpath.join(folder, package.places.get(id_, "")))
        if place in archive.names:
            write(writing, archive.read(place).decode("utf-8", "replace"))
    return writing.extract()


class _Container:
    """Where the book's package is: `Elements`."""

    place = ""

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "rootfile" and not self.place:
            self.place = attributes.get("full-path", "")

    def end(self, name: str) -> None:
        pass

    def text(self, text: str) -> None:
        pass


class _Package:
    """The chapters by id, and their order: `Elements`."""

    def __init__(self) -> None:
        self.places: dict[str, str] = {}
        self.order: list[str] = []

    def start(self, name: str, attributes: Attributes) -> None:
        if name == "item" and "nav" not in attributes.get("properties", ""):
            self.places[attributes.get("id", "")] = unquote(attributes.get("href", ""))
        elif name == "itemref":
            self.order.append(attributes.get("idref", ""))

    def end(self, name: str) -> None:
        pass

    def text(self, text: str) -> None:
        pass
