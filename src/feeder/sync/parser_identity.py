"""Identifies the parser and the static model by which a file was read.

The parser fingerprint in `meta` is of the whole index. `files.parser` is of one file, so that a run
that is stopped while it reads files again goes on where it stopped.
"""

import hashlib
from enum import Enum, auto
from functools import cache
from typing import NamedTuple, Self

from feeder.parse.extract import FINGERPRINT_PREFIX
from feeder.source import file_types
from feeder.store.index_state import FileRow, IndexState, static_model_name
from feeder.sync.context import SyncContext

MIXED_PARSER = "mixed"
"""Word in the fingerprint of an index whose files were not all read by the same parser."""

_HASH_DIGITS = 12
"""Hex digits of the parser in `files.parser`: enough to tell the versions of a program apart."""


class ParserIdentity(NamedTuple):
    """The parts of a parser fingerprint.

    `documents` shapes the nodes of documents only, `static_model` no node but its vector; both are
    empty without one. `common` is the rest.
    """

    common: str
    documents: str
    static_model: str

    @classmethod
    def from_fingerprint(cls, fingerprint: str) -> Self:
        words = fingerprint.split()
        documents = [word for word in words if word.startswith(FINGERPRINT_PREFIX)]
        static_model = static_model_name(fingerprint)
        common = [word for word in words if word not in documents and word != static_model]
        return cls(" ".join(common), " ".join(documents), static_model)

    def of_file(self, path: str, *, has_nodes: bool) -> str:
        """Returns the value of `files.parser`: a hash of what shapes the file's nodes, then the
        static model, unless the file has no nodes.
        """
        is_document = bool(file_types.document_extension(path))
        parser = _short_hash(f"{self.common} {self.documents if is_document else ''}")
        return f"{parser} {self.static_model}" if has_nodes and self.static_model else parser


@cache
def _short_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_HASH_DIGITS]


def fingerprint_while_reading(index: str, own: str) -> str:
    """Returns the parser's value in `meta` while a run reads files again.

    It names a static model only if all nodes have its vectors throughout, and document readers as
    soon as one of both programs has them.
    """
    before, after = map(ParserIdentity.from_fingerprint, (index, own))
    common, documents = after.common, after.documents
    if before.common != common:
        common = MIXED_PARSER
    if before.documents != documents:
        documents = f"{FINGERPRINT_PREFIX}{MIXED_PARSER}"
    static_model = after.static_model if before.static_model == after.static_model else ""
    return " ".join(filter(None, [common, documents, static_model]))


class ReadState(Enum):
    """Result of comparing a file's row with the parser and the static model of a run."""

    CURRENT = auto()
    OTHER_PARSER = auto()
    OTHER_STATIC_MODEL = auto()
    """The nodes are those of this parser; their static vectors are missing or of another model."""


class FileParsers:
    """Compares the rows of files with the parser and the static model of a run.

    A row without a value is of an earlier version: the parser in `meta` is its own.
    """

    def __init__(self, run: SyncContext, state: IndexState) -> None:
        own = run.parser.fingerprint
        self._own = ParserIdentity.from_fingerprint(own)
        self._index = ParserIdentity.from_fingerprint(
            state.meta.get(run.index.meta_key("parser"), own)
        )

    def read_state(self, row: FileRow) -> ReadState:
        """Compares the row of a file that was read when the row was written."""
        has_nodes = row.state != "skipped"
        own = self._own.of_file(row.path, has_nodes=has_nodes)
        stored = row.parser or self._index.of_file(row.path, has_nodes=has_nodes)
        if stored == own:
            return ReadState.CURRENT
        if stored.partition(" ")[0] != own.partition(" ")[0]:
            return ReadState.OTHER_PARSER
        # the first write of a run without a static model deletes the vectors of all files
        return ReadState.OTHER_STATIC_MODEL if self._own.static_model else ReadState.CURRENT
