"""`QueryText`: the words of a query, analysed for ranking."""

import re
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise

from feeder.bigrams import has_run, split_words
from feeder.query.query import MIN_WORD_LETTERS, SPACE_CHARS
from feeder.query.stopwords import RANKING_STOP_WORDS
from feeder.store import fts_query
from feeder.text import expand_words, lowercase_parts, normalize_symbol

ANALYZED_CHARS = 400
"""The beginning of a query in which names, paths and stems are looked for."""

SYMBOL_NAME = re.compile(r"[^\W\d][\w$]*(?:(?:\.|::|->|#)~?[\w$]+)*(?:\(\)|(?::[A-Za-z_]\w*)+:)?")

PATH_PATTERN = re.compile(r"[\w.@+~-]*(?:/[\w.@+~\[\]()-]+)+/?|[\w.+-]*\.\w{1,8}|[A-Z]\w*file")

IDENTIFIER_PATTERN = re.compile(
    r"`[^`\n]+`|\b(?:[A-Z]*[a-z][a-z0-9]*[A-Z]\w*|\w+_\w+|\w+(?:::|\.)\w+|\w+(?=\())"
)

CAPITALIZED_WORD = re.compile(r"\b[A-Z]\w+")
"""A word that names a type if one is written so: `what is the Hash class for`."""

COMPOUND_NAME = re.compile(r"[^\W_]+(?:_+[^\W_]+)+")
"""A name that the index has as several consecutive words: `MAX_BYTES`."""

CODE_WORD = re.compile(
    r"(?<![\w.$/-])(?:"
    r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|--?\w[\w-]*(?:\.[\w-]+)*"
    r"|\w+-[\w-]*\.[\w.-]*\w|\w+\.\w+-[\w.-]*\w|\w+(?:\.[\w-]+){2,}|[A-Z]\w*(?:-[A-Z]\w*)+"
    r")(?![\w$/-])"
)
"""A word of a longer query that is a token of code and no name of a symbol: `MAX_BYTES`,
`--log.level`, `query.lookback-delta`, `X-Forwarded-For`."""

MESSAGE_PATTERN = re.compile(r"[^ \n]+(?: [^ \n]+){2,24}")
"""A query of three or more words, which may stand in a file as they are: an error message."""

MAX_ANCHORS = 12
"""Names in a text of several lines that are looked for."""

PATH_OR_MODULE = re.compile(r"[\w-]+(?:[./][\w-]+)+")

MAX_CODE_WORDS = 3
"""Tokens of a longer query that are looked for literally."""

MARKS = " \t\n`'\""
"""Characters around a token that are no part of it."""

ALNUM_PATTERN, QUERY_WORD_PATTERN = re.compile(r"[^\W_]+"), re.compile(r"\w+")

PATH_WORD = re.compile(r"[^\W\d_][^\W_]*")

SUFFIXES = ("ing", "ies", "ed", "es", "s", "e", "y")

MIN_STEM_LETTERS = 3


class QueryText:
    """The text of a query, analysed for ranking.

    A search reports those of `checked_words` that no node has. `prefixes` are words of the text
    that stand for every word which begins so.
    """

    def __init__(
        self, text: str, checked_words: Sequence[str] = (), prefixes: Sequence[str] = ()
    ) -> None:
        self.text = text
        self.checked_words = checked_words
        self.prefixes = prefixes
        self._matches: dict[re.Pattern[str], bool] = {}

    @cached_property
    def fts_terms(self) -> list[str]:
        """FTS5 terms for the words without stop words, the prefixes, and a phrase for each compound
        name and each run.

        They are quoted, since a word can be FTS5 syntax.
        """
        words = dict.fromkeys(ALNUM_PATTERN.findall(expand_words(split_words(self.text))))
        meaningful = [word for word in words if word.lower() not in RANKING_STOP_WORDS]
        terms = list(map(fts_query.phrase, [*(meaningful or words), *self._phrases]))
        return [*terms, *map(fts_query.prefix, self.prefixes)]

    @cached_property
    def title(self) -> str:
        """The first line of a text of several lines, such as an issue; else empty."""
        text = self.text.strip()
        return text.partition("\n")[0].strip() if "\n" in text else ""

    @cached_property
    def title_terms(self) -> list[str]:
        """FTS5 terms for the title."""
        return QueryText(self.title).fts_terms if self.title else []

    @cached_property
    def _phrases(self) -> list[str]:
        """Words that the index has as several consecutive words: compound names, and those with a
        run of more than one pair.
        """
        text = self.text[:ANALYZED_CHARS]
        runs = [word for word in ALNUM_PATTERN.findall(text) if len(word) > 2 and has_run(word)]
        return list(dict.fromkeys([*COMPOUND_NAME.findall(text), *runs]))

    @cached_property
    def word_parts(self) -> list[str]:
        """The distinct parts of all words, in lower case, without stop words."""
        parts = [
            part
            for word in QUERY_WORD_PATTERN.findall(self.text[:ANALYZED_CHARS])
            for part in lowercase_parts(word)
        ]
        return [part for part in dict.fromkeys(parts) if part not in RANKING_STOP_WORDS]

    @cached_property
    def name(self) -> str:
        """The query as a symbol name with dots between its parts; empty if it is no single name."""
        typed = self.text.strip()
        is_one = len(typed) <= ANALYZED_CHARS and SYMBOL_NAME.fullmatch(typed)
        return normalize_symbol(typed) if is_one else ""

    @cached_property
    def is_one_token(self) -> bool:
        """Returns True for a query without spaces."""
        return len(self.text) <= ANALYZED_CHARS and len(self.text.split()) == 1

    @cached_property
    def code_tokens(self) -> list[str]:
        """The tokens to find literally: the whole query if it has no spaces, else words of it that
        are written like code, and the message that the query may be. Without the marks around
        them: quotes, leading dashes, `()`.
        """
        tokens = dict.fromkeys(map(_strip_marks, self._code_words))
        code_tokens = [token for token in tokens if ALNUM_PATTERN.search(token)][:MAX_CODE_WORDS]
        return [*code_tokens, *([self.message] if self.message else [])]

    @cached_property
    def flag_tokens(self) -> frozenset[str]:
        """Those of the tokens that were typed with dashes before them."""
        return frozenset(
            _strip_marks(word) for word in self._code_words if word.lstrip(MARKS).startswith("-")
        )

    @cached_property
    def _code_words(self) -> list[str]:
        """The words written like code; none of a text of several lines, which is mostly context."""
        if self.title:
            return []
        return [self.text] if self.is_one_token else CODE_WORD.findall(self.text[:ANALYZED_CHARS])

    @cached_property
    def message(self) -> str:
        """The query without the marks around it if it has several words; else empty."""
        message = _strip_marks(self.text) if MESSAGE_PATTERN.fullmatch(self.text) else ""
        return message if ALNUM_PATTERN.search(message) else ""

    @cached_property
    def anchor_names(self) -> list[str]:
        """The first names written like code in a text of several lines, with dots between parts."""
        if not self.title:
            return []
        typed = [name.strip("`") for name in IDENTIFIER_PATTERN.findall(self.text)]
        names = [normalize_symbol(name) for name in typed if SYMBOL_NAME.fullmatch(name)]
        return list(dict.fromkeys(names))[:MAX_ANCHORS]

    @cached_property
    def named_files(self) -> frozenset[str]:
        """Folder and file that a text of several lines names by a path or a module, without the
        extension: `app/base` for `shop/app/base.py` and for `app.base.Shop`.
        """
        if not self.title:
            return frozenset()
        return frozenset(
            f"{folder}/{name}"
            for token in PATH_OR_MODULE.findall(self.text)
            for folder, name in _folders_and_names(token)
        )

    @cached_property
    def identifiers(self) -> frozenset[str]:
        """The last parts of all words written like code, in lower case."""
        names = IDENTIFIER_PATTERN.findall(self.text[:ANALYZED_CHARS])
        last_words = (QUERY_WORD_PATTERN.findall(name)[-1:] for name in names)
        return frozenset(word.lower() for words in last_words for word in words)

    @cached_property
    def capitalized_words(self) -> frozenset[str]:
        """The words that begin with a capital, as they are."""
        return frozenset(CAPITALIZED_WORD.findall(self.text[:ANALYZED_CHARS]))

    @cached_property
    def path(self) -> str:
        """The query as a path or part of one; empty if it is none."""
        typed = self.text.strip()
        is_one = len(typed) <= ANALYZED_CHARS and PATH_PATTERN.fullmatch(typed)
        return typed.removeprefix("./").strip("/") if is_one else ""

    @cached_property
    def path_words(self) -> frozenset[str]:
        """Words that may be in a path, in lower case."""
        words = PATH_WORD.findall(self.text[:ANALYZED_CHARS].lower())
        return (
            frozenset(word for word in words if len(word) >= MIN_WORD_LETTERS) - RANKING_STOP_WORDS
        )

    @cached_property
    def stems(self) -> frozenset[str]:
        """Stems of all parts of the words, without stop words."""
        return self.stems_with_stop_words - RANKING_STOP_WORDS

    @cached_property
    def stems_with_stop_words(self) -> frozenset[str]:
        """The same with stop words, which may be part of a name: `hasRecord`."""
        return name_part_stems(QUERY_WORD_PATTERN.findall(self.text[:ANALYZED_CHARS]))

    def matches(self, pattern: re.Pattern[str]) -> bool:
        """Returns True if the beginning of the query matches the pattern; of a text of several
        lines, such as an issue, the first line: the others mention more than they ask for.
        """
        if pattern not in self._matches:  # asked for each of the hits
            self._matches[pattern] = pattern.search(self._beginning) is not None
        return self._matches[pattern]

    @cached_property
    def _beginning(self) -> str:
        return self.text.lstrip(SPACE_CHARS).partition("\n")[0][:ANALYZED_CHARS].casefold()


def _folders_and_names(token: str) -> Iterable[tuple[str, str]]:
    """The last folder and file of a path; all pairs of names of a module."""
    *folders, last = token.split("/")
    if folders:
        return [(folders[-1], last.rpartition(".")[0] or last)]
    return pairwise(token.split("."))


def _strip_marks(word: str) -> str:
    return word.strip(MARKS).lstrip("-").removesuffix("()")


def name_part_stems(names: Iterable[str]) -> frozenset[str]:
    """Stems of the parts of names."""
    return frozenset(_stem(part) for name in names for part in lowercase_parts(name))


@lru_cache(10_000)
def _stem(word: str) -> str:
    for ending in SUFFIXES:
        if word.endswith(ending) and len(word) - len(ending) >= MIN_STEM_LETTERS:
            return word.removesuffix(ending)
    return word
