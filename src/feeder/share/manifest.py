"""The files of a store of published indexes.

    latest.json    the published commits, the newest first: the only file that changes
    m-SHA256.json  manifest of one published index: what it is of, and its packs in order
    p-SHA256       pack: pages of the index's SQLite file, compressed; later packs replace pages of
                   earlier ones
    t-SHA256       page table: digest and pack of each page, for the next publish

A name contains the SHA-256 of the file, so `latest.json` determines everything. A publish writes
packs, then the manifest, then `latest.json`: readers see the old state or the new one.
"""

import hashlib
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta, Struct

from feeder.errors import ServiceError

FORMAT = 1
LATEST = "latest.json"
MAX_ENTRIES = 1_000
"""Commits that one store may list."""
MAX_JSON_BYTES = 4_000_000
MAX_INDEX_BYTES = 32_000_000_000
PACK_BYTES = 8 << 20
"""Bytes of pages in a pack, before compression."""
MAX_PACK_PAGES = PACK_BYTES // 512
"""Pages of the smallest size that SQLite has."""
MAX_FILE_BYTES = 2 * PACK_BYTES
"""Size of a pack or page table in a store: what does not compress becomes a little larger."""
MAX_EXPANSION = 100
"""An index may have this many times the size of its download, or `SMALL_INDEX_BYTES`."""
SMALL_INDEX_BYTES = 64_000_000
MAX_STORED_FACTOR = 4
"""Packs may have this many times the pages of the index; a publish writes at most twice as many."""

_Commit = Annotated[str, Meta(pattern=r"\A([0-9a-f]{40}|[0-9a-f]{64})\Z")]
_Text = Annotated[str, Meta(max_length=500)]
_Digest = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]

Record = TypeVar("Record", bound=Struct)


class Entry(Struct, frozen=True):
    """A published commit. Its manifest repeats these facts."""

    commit: _Commit
    tree: _Commit
    repo: _Text
    committed_s: Annotated[int, Meta(ge=0)]
    """Time of the commit, in seconds since 1970."""
    schema: _Text
    """The last migration of the index."""
    parser: _Text
    """The index's parser fingerprint."""
    model: _Text
    """The model of its vectors; empty for words and static vectors only."""
    manifest: _Digest

    def is_same_index(self, other: "Entry") -> bool:
        """True for the same commit, indexed in the same way."""
        return msgspec.structs.replace(other, manifest=self.manifest) == self


class Listing(Struct, frozen=True):
    """Contents of `latest.json`."""

    format: Annotated[int, Meta(ge=FORMAT, le=FORMAT)] = FORMAT
    entries: Annotated[list[Entry], Meta(max_length=MAX_ENTRIES)] = []


class Pack(Struct, frozen=True):
    """A pack of a manifest: the SHA-256 and size of the file, and the number of its pages."""

    digest: _Digest
    size: Annotated[int, Meta(ge=1, le=MAX_FILE_BYTES)]
    pages: Annotated[int, Meta(ge=1, le=MAX_PACK_PAGES)]

    @property
    def name(self) -> str:
        return f"p-{self.digest}"


class Manifest(Struct, frozen=True):
    """A published index. `digest` is the SHA-256 of its SQLite file."""

    entry: Entry
    """`manifest` is empty here: 64 zeros."""
    page_size: Annotated[int, Meta(ge=512, le=65_536)]
    pages: Annotated[int, Meta(ge=1)]
    digest: _Digest
    packs: list[Pack]
    page_table: _Digest
    feeder: _Text
    """The version of the program that published it."""
    format: Annotated[int, Meta(ge=FORMAT, le=FORMAT)] = FORMAT

    @property
    def index_bytes(self) -> int:
        return self.pages * self.page_size

    @property
    def download_bytes(self) -> int:
        return sum(pack.size for pack in self.packs)

    def check_sizes(self) -> None:
        """Raises ServiceError for sizes that no publish makes."""
        stored = sum(pack.pages for pack in self.packs)
        is_power = self.page_size & (self.page_size - 1) == 0
        largest = max(SMALL_INDEX_BYTES, MAX_EXPANSION * self.download_bytes)
        fits = self.index_bytes <= min(MAX_INDEX_BYTES, largest)
        fits = fits and stored <= self.pages * MAX_STORED_FACTOR
        small = all(pack.pages * self.page_size <= PACK_BYTES for pack in self.packs)
        if not (is_power and fits and small):
            raise ServiceError("Its manifest has impossible sizes.")


def manifest_name(digest: str) -> str:
    """Returns the name of a manifest in a store."""
    return f"m-{digest}.json"


def page_table_name(digest: str) -> str:
    """Returns the name of a page table in a store."""
    return f"t-{digest}"


def sha256(data: bytes | memoryview) -> str:
    """Returns the SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def encode(record: Struct) -> bytes:
    """Returns a record as JSON."""
    return msgspec.json.encode(record)


def decode(data: bytes, kind: type[Record]) -> Record:
    """Reads a record from JSON; raises ServiceError if it is not one of this kind."""
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as exc:
        raise ServiceError(f"Its {kind.__name__.lower()} cannot be read: {exc}.") from exc


def decode_manifest(data: bytes, entry: Entry) -> Manifest:
    """Reads the manifest of an entry; raises ServiceError if it is not that entry's."""
    if sha256(data) != entry.manifest:
        raise ServiceError("Its manifest is not the one that was published.")
    manifest = decode(data, Manifest)
    if not manifest.entry.is_same_index(entry):
        raise ServiceError("Its manifest is for another commit.")
    manifest.check_sizes()
    return manifest
