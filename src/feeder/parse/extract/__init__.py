"""Extracts text and structure from documents (PDF, Office, OpenDocument, RTF, EPUB, MHTML).

Start with `formats.extract`. Nothing in a document is fetched, run or followed; a damaged,
encrypted or too large one raises `Unreadable`.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple, TypeVar

from feeder.parse.decoding import NotTextError

EXTRACT_VERSION = "4"
"""Counted up when the same document gives another text or other parts than before."""

REQUIRED_PACKAGES = ("pypdfium2", "python-calamine")

NOT_INSTALLED = 'a document, which is read where it is installed: pip install "headfeed[documents]"'

FINGERPRINT_PREFIX = "documents:"
"""How the word begins that says so in the fingerprint of a parser."""

DOCUMENT_LANGUAGES = ("docx", "epub", "mhtml", "odp", "odt", "pdf", "pptx", "rtf", "sheet")
"""What documents are called in a `lang:`; a workbook of any kind is a sheet."""

MAX_TEXT_BYTES = 10_000_000
"""Of the text of a document; what has more is data."""


class DocumentElement(NamedTuple):
    """A heading or page with its level from 1, or a block, whose level is 0; offsets in bytes.

    The section of a heading goes on to the next one of its level or above; a block ends at `end`.
    `signature` is the head of a table.
    """

    start: int
    level: int
    node_type: str
    name: str = ""
    end: int = 0
    signature: str | None = None


class ExtractedDocument(NamedTuple):
    """A document's text as UTF-8, its parts in order, and the lines on which its blocks begin."""

    language: str
    text: bytes
    elements: list[DocumentElement]
    block_lines: frozenset[int]


class UnreadableError(NotTextError):
    """The document has no text that could be taken out; the message says why."""


@cache
def extractor_versions() -> str:
    """What takes the texts out, as one word; empty where it is not installed."""
    try:
        found = [version(name) for name in REQUIRED_PACKAGES]
    except PackageNotFoundError:
        return ""
    return "/".join([f"{FINGERPRINT_PREFIX}{EXTRACT_VERSION}", *found])


def fingerprint_without_documents(fingerprint: str) -> str:
    """What shapes the nodes of all other files."""
    return " ".join(word for word in fingerprint.split() if not word.startswith(FINGERPRINT_PREFIX))


def includes_documents(fingerprint: str) -> bool:
    """Whether what is called so takes the texts out of documents."""
    return fingerprint != fingerprint_without_documents(fingerprint)


PROGRESS_INTERVAL_S = 0.5
"""Between two times that it is told: what is read sooner tells nothing."""


class DocumentProgress(NamedTuple):
    """What is read, counted from 1: page 410 of 1,213."""

    unit: str
    number: int
    total: int

    def __str__(self) -> str:
        return f"{self.unit} {self.number:,} of {self.total:,}"


Item = TypeVar("Item")

ProgressListener = Callable[[DocumentProgress], None]

progress_listener: ContextVar[ProgressListener | None] = ContextVar("listener", default=None)
"""Who is told."""


def report_progress(unit: str, items: Sequence[Item]) -> Iterator[Item]:
    """Goes through them, and tells the listener where it is."""
    tell, told_s = progress_listener.get(), time.monotonic()
    for number, thing in enumerate(items, 1):
        if tell and time.monotonic() - told_s >= PROGRESS_INTERVAL_S:
            tell(DocumentProgress(unit, number, len(items)))
            told_s = time.monotonic()
        yield thing
