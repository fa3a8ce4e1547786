"""Writes FTS5 queries. Names and words are other people's text, and each is quoted here."""

from collections.abc import Iterable

NOTHING = '""'
"""An FTS5 query that finds nothing."""


def phrase(text: str) -> str:
    """Quotes a text as a phrase: its words next to each other.

    FTS5 ends a query at a NUL.
    """
    return '"' + text.replace('"', '""').replace("\0", " ") + '"'


def phrase_sql(text: str) -> str:
    """Returns SQL that quotes the value of an SQL expression as `phrase` does, without a NUL."""
    return f"""'"' || replace({text}, '"', '""') || '"'"""


def any_of(texts: Iterable[str]) -> str:
    """Finds what has one of the texts as a phrase; nothing without a text."""
    return " OR ".join(map(phrase, texts)) or NOTHING


def all_of(texts: Iterable[str]) -> str:
    """Finds what has each of the texts as a phrase; nothing without a text."""
    return " AND ".join(map(phrase, texts)) or NOTHING
