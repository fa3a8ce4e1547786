"""What does a document's XML say? Its elements, one after another, and no entities of its own."""

from collections.abc import Mapping
from typing import Protocol
from xml.parsers import expat

from feeder.parse.extract import UnreadableError

Attributes = Mapping[str, str]


class XmlHandler(Protocol):
    """What is told of elements in their order; names are local, without their namespace."""

    def start(self, name: str, attributes: Attributes) -> None:
        """An element begins."""

    def end(self, name: str) -> None:
        """It ends."""

    def text(self, text: str) -> None:
        """Characters between tags."""


def parse_xml(content: bytes, handler: XmlHandler) -> None:
    """Tells all of an XML file; raises Unreadable for one that is damaged or declares entities."""
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = lambda name, attributes: handler.start(
        _local_name(name), {_local_name(key): value for key, value in attributes.items()}
    )
    parser.EndElementHandler = lambda name: handler.end(_local_name(name))
    parser.CharacterDataHandler = handler.text
    parser.StartDoctypeDeclHandler = _reject_doctype
    try:
        parser.Parse(content, True)
    except expat.ExpatError as exc:
        raise UnreadableError(f"a damaged document: {exc}") from exc
    except ValueError as exc:  # an encoding that it does not know
        raise UnreadableError(f"a damaged document: {exc}") from exc


def _reject_doctype(*_: object) -> None:
    # a document type can declare entities that grow without end, or are in other files
    raise UnreadableError("a document whose XML has a document type of its own, which none needs")


def _local_name(name: str) -> str:
    return name.rpartition(":")[2]
