"""What does a document say, and how is it built? Its text is taken out, with its parts.

Nothing in a document is fetched, run or followed; what is damaged, locked or too large says so.
"""

from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

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
