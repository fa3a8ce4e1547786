"""Reads ZIP members and XML of documents within limits of size, and rejects XML that declares
entities.
"""

import io
import zipfile
import zlib
from collections.abc import Mapping
from xml.parsers import expat

from feeder.parse.extract import UnreadableError

MAX_MEMBER_BYTES = 100_000_000
"""Maximum unpacked size of a member that is read."""

MAX_TOTAL_BYTES = 400_000_000
"""Maximum unpacked size of all members, as the archive declares it; images count too."""

MAX_MEMBERS = 50_000

Attributes = Mapping[str, str]


class ZipArchive:
    """The members of a ZIP archive; raises UnreadableError if it is damaged or too large."""

    def __init__(self, content: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
            members = self._zip.infolist()
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OverflowError) as exc:
            raise UnreadableError("a damaged document: its archive cannot be opened") from exc
        total_bytes = sum(member.file_size for member in members)
        if len(members) > MAX_MEMBERS or total_bytes > MAX_TOTAL_BYTES:
            raise UnreadableError(
                f"a document that unpacks to more than {MAX_TOTAL_BYTES // 1_000_000} MB"
            )
        self.names = {member.filename for member in members}

    def read(self, name: str) -> bytes:
        """Unpacks a member; raises UnreadableError if that is impossible or too large."""
        if name not in self.names:
            raise UnreadableError(f"a damaged document: it has no {name}")
        if self._zip.getinfo(name).flag_bits & 1:
            raise UnreadableError("an encrypted document")
        try:
            with self._zip.open(name) as member:
                content = member.read(MAX_MEMBER_BYTES + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError) as exc:
            raise UnreadableError(f"a damaged document: {name} cannot be unpacked") from exc
        if len(content) > MAX_MEMBER_BYTES:
            raise UnreadableError(
                f"a document that unpacks to more than {MAX_MEMBER_BYTES // 1_000_000} MB"
            )
        return content


class XmlHandler:
    """Base class of handlers of XML elements; names are local, without their namespace."""

    def start(self, name: str, attributes: Attributes) -> None:
        """Called at the start of an element."""

    def end(self, name: str) -> None:
        """Called at the end of an element."""

    def text(self, text: str) -> None:
        """Called with characters between tags."""


def parse_xml(content: bytes, handler: XmlHandler) -> None:
    """Parses XML; raises UnreadableError if it is damaged or has a document type."""
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
    except (expat.ExpatError, ValueError) as exc:  # ValueError: an unknown encoding
        raise UnreadableError(f"a damaged document: {exc}") from exc


def _reject_doctype(*_: object) -> None:
    # a document type can declare entities that grow without limit, or are in other files
    raise UnreadableError("a document whose XML has a DOCTYPE, which is not allowed")


def _local_name(name: str) -> str:
    return name.rpartition(":")[2]
