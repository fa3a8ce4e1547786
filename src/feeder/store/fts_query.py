"""Writes FTS5 queries. Names and words are other people's text, and each is quoted here.

Phrases are split into words as postings are; `names_fts`, whose words are trigrams, has `quoted`
texts.
"""

from collections.abc import Iterable

from feeder.bigrams import RUN_GLOB, split_phrase

NOTHING = '""'
"""An FTS5 query that finds nothing."""

_ASCII_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$.:"


def quoted(text: str) -> str:
    """Quotes a text as it is. FTS5 ends a query at a NUL."""
    return '"' + text.replace('"', '""').replace("\0", " ") + '"'


def phrase(text: str) -> str:
    """Finds a text: its words next to each other."""
    words, is_beginning = split_phrase(text)
    return quoted(words) + " *" * is_beginning


def prefix(text: str) -> str:
    """Finds the words that begin so; of several words the last one."""
    return f"{quoted(split_phrase(text)[0])} *"


def quoted_sql(text: str) -> str:
    """Returns SQL that quotes the value of an SQL expression as `quoted` does, without a NUL."""
    return f"""'"' || replace({text}, '"', '""') || '"'"""


def candidates_sql(name: str) -> str:
    """Returns SQL for a query that finds a name, the value of an SQL expression.

    It finds more for a name with a run, of which SQL takes the first two characters only.
    """
    rest = f"ltrim({name}, '{_ASCII_LETTERS}')"
    first, second = f"substr({rest}, 1, 1)", f"substr({rest}, 2, 1)"
    is_run = f"GLOB '{RUN_GLOB}'"
    return f"""
CASE WHEN NOT {first} {is_run} THEN {quoted_sql(name)}
  WHEN {second} {is_run} THEN '"' || substr({rest}, 1, 2) || '"'
  ELSE '"' || {first} || '" *' END
"""


def any_of(texts: Iterable[str]) -> str:
    """Finds what has one of the texts as a phrase; nothing without a text."""
    return " OR ".join(map(phrase, texts)) or NOTHING


def all_of(texts: Iterable[str]) -> str:
    """Finds what has each of the texts as a phrase; nothing without a text."""
    return " AND ".join(map(phrase, texts)) or NOTHING
