"""What is in a document that is a ZIP? Its members, read up to a bound."""

import io
import zipfile
import zlib

from feeder.parse.extract import Unreadable

MEMBER_BYTES = 100_000_000
"""Of one member, unpacked."""
ALL_BYTES = 400_000_000
"""Of all members, as the archive says it: pictures too, which are not unpacked."""
MEMBERS = 50_000


class Archive:
    """The members of a ZIP; raises Unreadable for one that is none, or unpacks to too much."""

    def __init__(self, content: bytes) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
            members = self._zip.infolist()
        except (zipfile.BadZipFile, ValueError, NotImplementedError, OverflowError) as exc:
            raise Unreadable("a damaged document: its archive cannot be opened") from exc
        if len(members) > MEMBERS or sum(one.file_size for one in members) > ALL_BYTES:
            raise Unreadable(f"a document that unpacks to more than {ALL_BYTES // 1_000_000} MB")
        self.names = {one.filename for one in members}

    def read(self, name: str) -> bytes:
        """A member; raises Unreadable where it is missing, locked, damaged or too large."""
        if name not in self.names:
            raise Unreadable(f"a damaged document: it has no {name}")
        if self._zip.getinfo(name).flag_bits & 1:
            raise Unreadable("an encrypted document")
        try:
            with self._zip.open(name) as member:
                found = member.read(MEMBER_BYTES + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, OSError) as exc:
            raise Unreadable(f"a damaged document: {name} cannot be unpacked") from exc
        if len(found) > MEMBER_BYTES:
            raise Unreadable(f"a document that unpacks to more than {MEMBER_BYTES // 1_000_000} MB")
        return found
