"""What does a question say? Its words, the parts of them, and whether it is a name."""

import re
from collections.abc import Iterable
from functools import cached_property

from feeder.symbols import normalize_symbol
from feeder.text import expand_words, lowercase_parts

RANKING_STOP_WORDS = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "but",
        "by",
        "can",
        "could",
        "do",
        "does",
        "did",
        "for",
        "from",
        "get",
        "has",
        "have",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "me",
        "my",
        "of",
        "on",
        "or",
        "our",
        "should",
        "so",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "this",
        "to",
        "us",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)
"""They say nothing of what is asked for, where other words do."""
ANALYZED_CHARS = 400
"""Of a question's beginning, whose words are looked for in names and paths."""
MIN_WORD_LETTERS = 3

SYMBOL_NAME = re.compile(r"[^\W\d][\w$]*(?:(?:\.|::|->|#)~?[\w$]+)*(?:\(\))?")
PATH_PATTERN = re.compile(r"[\w.@+~-]*(?:/[\w.@+~\[\]()-]+)+/?|[\w.+-]*\.\w{1,8}|[A-Z]\w*file")
IDENTIFIER_PATTERN = re.compile(
    r"`[^`]+`|\b(?:[A-Z]*[a-z][a-z0-9]*[A-Z]\w*|\w+_\w+|\w+(?:::|\.)\w+|\w+(?=\())"
)
COMPOUND_NAME = re.compile(r"[^\W_]+(?:_+[^\W_]+)+")
"""A name whose parts the index has as words, one after the other: `MAX_BYTES`."""
ALNUM_PATTERN, QUERY_WORD_PATTERN, _NON_WORD = (
    re.compile(r"[^\W_]+"),
    re.compile(r"\w+"),
    re.compile(r"\W+"),
)
PATH_WORD = re.compile(r"[^\W\d_][^\W_]*")
SUFFIXES = ("ing", "ies", "ed", "es", "s", "e", "y")
MIN_STEM_LETTERS = 3


class QueryText:
    """A question in words; signs of its language are no part of it."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def fts_terms(self) -> list[str]:
        """An FTS5 query for each word that says something, and for the parts of each name in a row.

        They are quoted, since one can be syntax.
        """
        found = dict.fromkeys(ALNUM_PATTERN.findall(expand_words(self.text)))
        telling = [word for word in found if word.lower() not in RANKING_STOP_WORDS]
        joined = dict.fromkeys(COMPOUND_NAME.findall(self.text[:ANALYZED_CHARS]))
        return [f'"{word}"' for word in [*(telling or found), *joined]]

    @cached_property
    def word_parts(self) -> list[str]:
        """The words that its words are made of, in small letters, each once."""
        found = [
            part
            for word in QUERY_WORD_PATTERN.findall(self.text[:ANALYZED_CHARS])
            for part in lowercase_parts(word)
        ]
        return [part for part in dict.fromkeys(found) if part not in RANKING_STOP_WORDS]

    @cached_property
    def name(self) -> str:
        """The name that is asked for, its parts joined by dots; empty where it is none."""
        typed = self.text.strip()
        is_one = len(typed) <= ANALYZED_CHARS and SYMBOL_NAME.fullmatch(typed)
        return normalize_symbol(typed) if is_one else ""

    @cached_property
    def identifiers(self) -> frozenset[str]:
        """The names in it, by how they are written; the last parts of them, in small letters."""
        found = IDENTIFIER_PATTERN.findall(self.text[:ANALYZED_CHARS])
        return frozenset(_NON_WORD.split(one.strip("`()"))[-1].lower() for one in found)

    @cached_property
    def path(self) -> str:
        """The path, or part of one, that is asked for; empty where it is none."""
        typed = self.text.strip()
        is_one = len(typed) <= ANALYZED_CHARS and PATH_PATTERN.fullmatch(typed)
        return typed.removeprefix("./").strip("/") if is_one else ""

    @cached_property
    def path_words(self) -> frozenset[str]:
        """Words that may stand in a path, in small letters."""
        found = PATH_WORD.findall(self.text[:ANALYZED_CHARS].lower())
        return (
            frozenset(word for word in found if len(word) >= MIN_WORD_LETTERS) - RANKING_STOP_WORDS
        )

    @cached_property
    def stems(self) -> frozenset[str]:
        """The parts of its words, without their endings."""
        return self.stems_with_stop_words - RANKING_STOP_WORDS

    @cached_property
    def stems_with_stop_words(self) -> frozenset[str]:
        """Those of small words too, which names are made of as well: `hasRecord`."""
        return name_part_stems(QUERY_WORD_PATTERN.findall(self.text[:ANALYZED_CHARS]))

    def matches(self, pattern: re.Pattern[str]) -> bool:
        """Whether its beginning has such words."""
        return pattern.search(self.text[:ANALYZED_CHARS].casefold()) is not None


def name_part_stems(names: Iterable[str]) -> frozenset[str]:
    """Of all their parts."""
    return frozenset(_stem(part) for name in names for part in lowercase_parts(name))


def _stem(word: str) -> str:
    for ending in SUFFIXES:
        if word.endswith(ending) and len(word) - len(ending) >= MIN_STEM_LETTERS:
            return word.removesuffix(ending)
    return word
