"""What does a document say, and how is it built? Its text is taken out, with its parts.

Nothing in a document is fetched, run or followed; what is damaged, locked or too large says so.
"""

from collections.abc import Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from feeder.parse.text import NotText

EXTRACT_VERSION = "1"
"""Counted up when the same document gives another text or other parts than before."""
NEEDED = ("pypdfium2", "python-calamine")
NOT_INSTALLED = 'a document, which is read where it is installed: pip install "headfeed[documents]"'
WORD = "documents:"
"""How the word begins that says so in the fingerprint of a parser."""
LANGUAGES = ("docx", "epub", "odp", "odt", "pdf", "pptx", "sheet")
"""What documents are called in a `lang:`; a workbook of any kind is a sheet."""
TEXT_BYTES = 10_000_000
"""Of the text of a document; what has more is data."""


class Part(NamedTuple):
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


class Extract(NamedTuple):
    """A document's text as UTF-8, its parts in order, and the lines on which its blocks begin."""

    language: str
    text: bytes
    parts: list[Part]
    begins: frozenset[int]


class Unreadable(NotText):
    """The document has no text that could be taken out; the message says why."""


@cache
def versions() -> str:
    """What takes the texts out, as one word; empty where it is not installed."""
    try:
        found = [version(name) for name in NEEDED]
    except PackageNotFoundError:
        return ""
    return "/".join([f"{WORD}{EXTRACT_VERSION}", *found])


def without_documents(fingerprint: str) -> str:
    """What shapes the nodes of all other files."""
    return " ".join(word for word in fingerprint.split() if not word.startswith(WORD))


def reads_documents(fingerprint: str) -> bool:
    """Whether what is called so takes the texts out of documents."""
    return fingerprint != without_documents(fingerprint)


Reader = Callable[[bytes], "Extract"]


def extract(ending: str, content: bytes) -> Extract:
    """The text of a document whose name has this ending; raises Unreadable.

    Its first bytes say what it is, whatever it is called.
    """
    if not versions():
        raise Unreadable(NOT_INSTALLED)
    found = _reader(ending, content)(content)
    if len(found.text) > TEXT_BYTES:
        raise Unreadable(f"a document with more than {TEXT_BYTES // 1_000_000} MB of text")
    if not found.text.strip():
        raise Unreadable("a document without text, such as pictures of pages")
    return found


def _reader(ending: str, content: bytes) -> Callable[[bytes], Extract]:
    if b"%PDF-" in content[:1024]:
        from feeder.parse.extract.pdf import pdf

        return pdf
    if content.startswith(b"PK\x03\x04"):
        from feeder.parse.extract.zipped import reader

        return reader(content)
    if content.startswith(_OLE) and ending == "xls":
        from feeder.parse.extract.sheets import sheets

        return sheets
    if content.startswith(_OLE):
        raise Unreadable("an encrypted document, or one of an Office before 2007")
    raise Unreadable(f"no {ending} by its first bytes")


_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
