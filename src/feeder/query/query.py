"""Parses a query string into words, phrases, a pattern and filters, and analyses its words for
ranking. `tests/query/query_cases.json` specifies the language; every implementation runs these
cases.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

from feeder.bigrams import has_run, split_words
from feeder.query.alternatives import OR, Values, read_alternatives
from feeder.query.stopwords import RANKING_STOP_WORDS
from feeder.store import fts_query
from feeder.suggestions import is_within_one_edit
from feeder.text import expand_words, lowercase_parts, normalize_symbol

MAX_QUERY_CHARS = 10_000
"""A longer query is cut: 20,000 words take seconds, and D1 refuses more."""


BLANKS_AND_QUOTES = " \t\n\r\"'"
"""Characters that are no query by themselves."""

EMPTY_QUERY = (
    "The query is empty.",
    "Write words, a phrase or a filter such as lang:python.",
)
"""The error for a query without text and filters."""

SPACE_CHARS = (
    " \t\n\v\f\r\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)

SPACE_PATTERN = re.compile(f"[{SPACE_CHARS}]")

LINE_END_PATTERN = re.compile("[\n\r\u2028\u2029]")

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

# invisible characters, which would hide a filter: marks of direction and of no width
INVISIBLE = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]")

CONTROL_PATTERN = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")


# a text in quotes or slashes ends where a space follows: `"name": 1` and `/usr/lib` are words
TOKEN_PATTERN = re.compile(
    r"""
    (?P<head>-?(?:[a-z]+:)?) (?:"(?P<quoted>(?:[^"\\]|\\.)+)"|“(?P<curly>[^”]+)”) (?![^ ])
    | /(?P<regex>(?![ *+?])(?:[^/\\]|\\.)+)/i? (?![^ ])
    | (?P<bare>[^ ]+)
    """,
    re.VERBOSE,
)

GROUPED_TOKEN_PATTERN = re.compile(TOKEN_PATTERN.pattern.replace("[^ ])", "[^ )])"), re.VERBOSE)
"""The same in a query with parentheses, of which one may close after a quote or slash."""

FILTER_PATTERN = re.compile(r"(?P<head>-?[a-z]+:)(?P<value>(?!:|//)[^\"“=].*)")

_NAME_PATTERN = r"[^\W\d]\w+(?:(?:\.|::|->|[/#-])\w+)*"

PREFIX_PATTERN = re.compile(rf"({_NAME_PATTERN})\*")

EXCLUDED_PATTERN = re.compile(rf"-({_NAME_PATTERN}\*?)(?:\(\))?")


FILTER_FIELDS = {
    "lang:": "languages",
    "language:": "languages",
    "-lang:": "not_languages",
    "-language:": "not_languages",
    "path:": "paths",
    "-path:": "not_paths",
    "type:": "node_types",
    "-type:": "not_node_types",
    "symbol:": "symbols",
    "repo:": "repos",
    "category:": "categories",
    "-category:": "not_categories",
    "calls:": "relations",
    "uses:": "relations",
    "imports:": "relations",
    "inherits:": "relations",
    "implements:": "relations",
    "returns:": "relations",
    "param:": "relations",
    "visibility:": "relations",
    "tag:": "categories",
    "-tag:": "not_categories",
    "": "phrases",
    "-": "without",
}
"""The prefix of each filter, and the field of `Query` that its value goes into."""

CHOICE_FILTERS = {"tests:": ("yes", "no", "only"), "case:": ("yes", "no")}

FILTER_NAMES = {head.removeprefix("-") for head in (*FILTER_FIELDS, *CHOICE_FILTERS)}

MIN_REPLACED_LETTERS = 7
"""The shortest prefix that may have a wrong letter: `user:` is no misspelt `uses:`. Its colon and a
minus sign before it count."""

HEADED_FIELDS = ("relations",)
"""Fields whose values keep the prefix, as in `calls:add`."""

COMMA_LIST_FIELDS = ("languages", "not_languages", "node_types", "not_node_types")
"""Fields whose values may be joined by commas."""


class Query(NamedTuple):
    """A parsed query; filter values are as typed.

    `without` has excluded words, phrases and prefixes (which keep their `*`; those of `prefixes`
    have lost it). `either` has conditions with `OR`: the texts, in the same form, of which a node
    needs one. `relations` have filters with their prefix, such as `calls:add`. `tests` is yes,
    no or only. With `case`, words match in their case only. `overruled` has filters that a later
    one of the same name replaced. `unknown_filters` are words that were probably meant as filters,
    such as `typ:method`; they are among the words, too.
    """

    words: str = ""
    phrases: tuple[str, ...] = ()
    regex: str | None = None
    without: tuple[str, ...] = ()
    either: tuple[tuple[str, ...], ...] = ()
    prefixes: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    not_languages: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    not_paths: tuple[str, ...] = ()
    node_types: tuple[str, ...] = ()
    not_node_types: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    repos: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    not_categories: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    tests: str | None = None
    case: bool = False
    overruled: tuple[str, ...] = ()
    unknown_filters: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The text that ranks: the words, then phrases, prefixes, alternatives and symbols."""
        either = (text.removesuffix("*") for text in self.either_texts)
        parts = [self.words, *self.phrases, *self.prefixes, *either, *self.symbols]
        return " ".join(filter(None, parts))

    @property
    def either_texts(self) -> tuple[str, ...]:
        """The distinct texts of all conditions with `OR`; prefixes keep their `*`."""
        return tuple(dict.fromkeys(text for texts in self.either for text in texts))

    @property
    def all_prefixes(self) -> tuple[str, ...]:
        """The prefixes, also of conditions with `OR`."""
        either = (text[:-1] for text in self.either_texts if text.endswith("*"))
        return (*self.prefixes, *either)


class _ParsedToken(NamedTuple):
    field: str
    value: str
    raw: str


def parse_query(text: str) -> Query:
    """Parses a query; text of several lines, such as a stack trace, has words only.

    Raises UserError for a query with `OR` that `read_alternatives` cannot read.
    """
    text = _normalize(text[:MAX_QUERY_CHARS])
    if LINE_END_PATTERN.search(text):
        return Query(text)
    text = SPACE_PATTERN.sub(" ", text)
    tokens = list(map(_parse_token, TOKEN_PATTERN.finditer(text)))
    if f" {OR} " in text and any(token.raw == OR for token in tokens[1:-1]):
        read = read_alternatives(text, GROUPED_TOKEN_PATTERN, _token_values)
        if not read.keys() <= {"words"}:  # words alone rank as they are
            return _build_query(read)
    values: dict[str, list[str]] = {}
    for token in tokens:
        is_second = token.field == "regex" in values
        field, value = ("words", token.raw) if is_second else token[:2]
        values.setdefault(field, []).extend(_split_values(field, value))
    if "without" in values and values.keys() <= {"without", "case"}:
        # there is nothing to leave it out of
        del values["without"]
        values["words"] = [token.raw for token in tokens if token.field == "without"]
    return _build_query(values)


def _normalize(text: str) -> str:
    text = CONTROL_PATTERN.sub(" ", INVISIBLE.sub("", _LONE_SURROGATE.sub("\ufffd", text)))
    return text.strip(SPACE_CHARS)


def _parse_token(token: re.Match[str]) -> _ParsedToken:
    typed = token[0]
    if token["regex"]:
        return _ParsedToken("regex", token["regex"].replace(r"\/", "/"), typed)
    text = token["curly"] or (token["quoted"] or "").replace(r"\"", '"')
    head, value = token["head"], text.strip(" ")
    if token["bare"] and (filter_match := FILTER_PATTERN.fullmatch(typed)):
        head, value = filter_match.groups()
    if head is not None and value:
        field = FILTER_FIELDS.get(head)
        if field:
            value = f"{head}{value}" if field in HEADED_FIELDS else value
            return _ParsedToken(field, value, typed)
        if value in CHOICE_FILTERS.get(head, ()):
            return _ParsedToken(head.rstrip(":"), value, typed)
    return _parse_bare_word(typed)


def _parse_bare_word(raw: str) -> _ParsedToken:
    for field, form in (("prefixes", PREFIX_PATTERN), ("without", EXCLUDED_PATTERN)):
        if match := form.fullmatch(raw):
            return _ParsedToken(field, match[1], raw)
    return _ParsedToken("words", raw, raw)


def _token_values(typed: str) -> Values:
    """The values of one token, by field."""
    match = TOKEN_PATTERN.fullmatch(typed)
    token = _parse_token(match) if match else _parse_bare_word(typed)
    return {token.field: list(_split_values(token.field, token.value))}


def _split_values(field: str, value: str) -> Iterator[str]:
    parts = value.split(",") if field in COMMA_LIST_FIELDS else [value]
    return (part.strip(" ") for part in parts if part.strip(" "))


def _build_query(values: dict[str, list[str]]) -> Query:
    """Joins repeated filters; of those with one value the last one counts."""
    overruled = tuple(
        f"{head}{value}"
        for head in CHOICE_FILTERS
        for value in dict.fromkeys(values.get(head.rstrip(":"), ()))
        if value != values[head.rstrip(":")][-1]
    )
    once = {name: values.pop(name)[-1] for name in ("tests", "regex") if name in values}
    case = values.pop("case", [""])[-1] == "yes"
    typed_words = values.pop("words", [])
    unknown = tuple(word for word in dict.fromkeys(typed_words) if _is_unknown_filter(word))
    words = " ".join(typed_words)
    rest = {field: tuple(dict.fromkeys(field_values)) for field, field_values in values.items()}
    fields: dict[str, Any] = once | rest
    return Query(words, case=case, overruled=overruled, unknown_filters=unknown)._replace(**fields)


def _is_unknown_filter(word: str) -> bool:
    """Returns True for a filter with an unknown value, for a negated filter that cannot be negated,
    and for a name that is nearly that of a filter.
    """
    match = FILTER_PATTERN.fullmatch(word)
    return match is not None and (
        match["head"].removeprefix("-") in FILTER_NAMES or bool(nearest_filter(*match.groups()))
    )


def nearest_filter(head: str, value: str) -> str:
    """The prefix of the filter that `head` probably misspells; empty if there is none."""
    for existing in (*FILTER_FIELDS, *CHOICE_FILTERS):
        if value in CHOICE_FILTERS.get(existing, (value,)) and _is_misspelling(head, existing):
            return existing
    return ""


def _is_misspelling(head: str, name: str) -> bool:
    """Returns True for prefixes that begin alike and are one edit apart; in a short one no letter
    is replaced.
    """
    is_replaced = len(head) == len(name) and sorted(head) != sorted(name)
    return (
        len(head) > MIN_WORD_LETTERS
        and head[:1] == name[:1]
        and is_within_one_edit(head, name)
        and (not is_replaced or len(head) >= MIN_REPLACED_LETTERS)
    )


ANALYZED_CHARS = 400
"""The beginning of a query in which names, paths and stems are looked for."""

MIN_WORD_LETTERS = 3


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
        """None of a text of several lines, which mentions more than it asks for."""
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
