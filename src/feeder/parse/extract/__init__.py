"""Extracts text and structure from documents (PDF, Office, OpenDocument, RTF, EPUB, MHTML).

Start with `formats.extract_document`. `extract` never fetches, runs or follows anything in a
document; one that is damaged, encrypted or too large raises `UnreadableError`.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from functools import cache
from typing import NamedTuple, TypeVar

from feeder.package_versions import installed_version
from feeder.parse.decoding import NotTextError

EXTRACT_VERSION = "4"
"""Incremented when the same document yields another text or other elements than before."""

REQUIRED_PACKAGES = ("pypdfium2", "python-calamine")

NOT_INSTALLED = "a document that needs the extra `documents`"
"""The reason of a skipped document, which the index stores: the same for every installation."""

FINGERPRINT_PREFIX = "documents:"
"""Prefix of the word for the document extractors in a parser fingerprint."""

DOCUMENT_LANGUAGES = ("docx", "epub", "mhtml", "odp", "odt", "pdf", "pptx", "rtf", "sheet")
"""Languages of documents, as in the filter `lang:`; a workbook of any format is a `sheet`."""

MAX_TEXT_BYTES = 10_000_000
"""Maximum bytes of a document's text; one with more is probably data."""

PROGRESS_INTERVAL_S = 0.5
"""Minimum seconds between two progress reports."""


class DocumentElement(NamedTuple):
    """A heading or page with a level from 1, or a block, whose level is 0; offsets in bytes.

    The section of a heading ends at the next heading of its level or above; a block ends at `end`.
    `signature` is the first row of a table.
    """

    start: int
    level: int
    node_type: str
    name: str = ""
    end: int = 0
    signature: str | None = None


class ExtractedDocument(NamedTuple):
    """A document's text as UTF-8, its elements in order, and the first lines of its blocks."""

    language: str
    text: bytes
    elements: list[DocumentElement]
    block_lines: frozenset[int]


class UnreadableError(NotTextError):
    """No text can be extracted from the document; the message is the skip reason."""


@cache
def extractor_versions() -> str:
    """The extractors' word in a parser fingerprint; empty if a required package is missing."""
    versions = [installed_version(name) for name in REQUIRED_PACKAGES]
    if None in versions:
        return ""
    return "/".join([f"{FINGERPRINT_PREFIX}{EXTRACT_VERSION}", *filter(None, versions)])


def fingerprint_without_documents(fingerprint: str) -> str:
    """A parser fingerprint without the word for the document extractors."""
    return " ".join(word for word in fingerprint.split() if not word.startswith(FINGERPRINT_PREFIX))


def includes_documents(fingerprint: str) -> bool:
    """True if a parser with this fingerprint extracts documents."""
    return fingerprint != fingerprint_without_documents(fingerprint)


class DocumentProgress(NamedTuple):
    """The page or sheet that is being extracted, counted from 1: `page 410 of 1,213`."""

    unit: str
    number: int
    total: int

    def __str__(self) -> str:
        return f"{self.unit} {self.number:,} of {self.total:,}"


Item = TypeVar("Item")

ProgressListener = Callable[[DocumentProgress], None]

progress_listener: ContextVar[ProgressListener | None] = ContextVar("listener", default=None)
"""Called with the progress of the document that is being extracted, if set."""


def report_progress(unit: str, items: Sequence[Item]) -> Iterator[Item]:
    """Yields the items; reports the number of the current one every `PROGRESS_INTERVAL_S`."""
    listener, reported_s = progress_listener.get(), time.monotonic()
    for number, item in enumerate(items, 1):
        if listener and time.monotonic() - reported_s >= PROGRESS_INTERVAL_S:
            listener(DocumentProgress(unit, number, len(items)))
            reported_s = time.monotonic()
        yield item
