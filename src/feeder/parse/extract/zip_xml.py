"""What is in a document that is a ZIP? Its members, read up to a bound."""

import io
import zipfile
import zlib

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
