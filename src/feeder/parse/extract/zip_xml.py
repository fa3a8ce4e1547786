"""Reads ZIP members and XML of documents within limits of size, and refuses XML that declares
entities.
"""

import io
import zipfile
import zlib
from collections.abc import Mapping
from typing import Protocol
from xml.parsers import expat

from feeder.parse.extract import UnreadableError

MAX_MEMBER_BYTES = 100_000_000
"""Of one member, unpacked."""

MAX_TOTAL_BYTES = 400_000_000
"""Of all members, as the archive says it: pictures too, which are not unpacked."""

MAX_MEMBERS = 50_000


class ZipArchive:
    """The members of a ZIP; raises Unreadable for one that is none, or unpacks to too much."""

    def __init__(self, content: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
            members = self._zip.infolist()
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OverflowError) as exc:
            raise UnreadableError("a damaged document: its archive cannot be opened") from exc
        if len(members) > MAX_MEMBERS or sum(one.file_size for one in members) > MAX_TOTAL_BYTES:
            raise UnreadableError(
                f"a document that unpacks to more than {MAX_TOTAL_BYTES // 1_000_000} MB"
            )
        self.names = {one.filename for one in members}

    def read(self, name: str) -> bytes:
        """A member; raises Unreadable where it is missing, locked, damaged or too large."""
        if name not in self.names:
            raise UnreadableError(f"a damaged document: it has no {name}")
        if self._zip.getinfo(name).flag_bits & 1:
            raise UnreadableError("an encrypted document")
        try:
            with self._zip.open(name) as member:
                found = member.read(MAX_MEMBER_BYTES + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError) as exc:
            raise UnreadableError(f"a damaged document: {name} cannot be unpacked") from exc
        if len(found) > MAX_MEMBER_BYTES:
            raise UnreadableError(
                f"a document that unpacks to more than {MAX_MEMBER_BYTES // 1_000_000} MB"
            )
        return found


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
