"""Parses a query string into words, phrases, a pattern and filters, and analyses its words for
ranking. `tests/search/query_cases.json` specifies the language; every implementation runs these
cases.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from feeder.search.stopwords import RANKING_STOP_WORDS
from feeder.text import expand_words, lowercase_parts, normalize_symbol

MAX_QUERY_CHARS = 10_000
"""A longer question is cut: twenty thousand words take seconds, and D1 refuses more."""


SPACE_CHARS = (
    " \t\n\v\f\r\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)

SPACE_PATTERN = re.compile(f"[{SPACE_CHARS}]")

LINE_END_PATTERN = re.compile("[\n\r\u2028\u2029]")

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

# what is not seen, and would hide a sign: marks of direction and of no width
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
    "tag:": "categories",
    "-tag:": "not_categories",
    "": "phrases",
    "-": "without",
}
"""What stands before a value, and the field that takes it."""

CHOICE_FILTERS = {"tests:": ("yes", "no", "only"), "case:": ("yes", "no")}

COMMA_LIST_FIELDS = ("languages", "not_languages", "node_types", "not_node_types")
"""Fields whose values may be joined by commas, which no name of theirs has."""


class Query(NamedTuple):
    """What a question asks for; `words` is what is left of it without its signs, in order.

    Values are as typed. `without` has words, phrases of several and prefixes that end in `*`;
    `prefixes` have lost it. `tests` is yes, no or only; `case` says that the letters' case counts.
    `overruled` are signs of which others were typed later that say something else.
    """

    words: str = ""
    phrases: tuple[str, ...] = ()
    regex: str | None = None
    without: tuple[str, ...] = ()
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
    tests: str | None = None
    case: bool = False
    overruled: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """What ranks: the words, and after them those that must be there or are asked by name."""
        return " ".join(filter(None, [self.words, *self.phrases, *self.prefixes, *self.symbols]))


class _ParsedToken(NamedTuple):
    field: str
    value: str
    raw: str


def parse_query(text: str) -> Query:
    """What the text asks for. Of several lines it is words alone; what is no sign is a word."""
    text = _normalize(text[:MAX_QUERY_CHARS])
    if LINE_END_PATTERN.search(text):
        return Query(text)
    signs = [_parse_token(token) for token in TOKEN_PATTERN.finditer(SPACE_PATTERN.sub(" ", text))]
    values: dict[str, list[str]] = {}
    for sign in signs:
        is_second = sign.field == "regex" in values
        field, value = ("words", sign.raw) if is_second else sign[:2]
        values.setdefault(field, []).extend(_split_values(field, value))
    if "without" in values and values.keys() <= {"without", "case"}:
        # there is nothing to leave it out of
        del values["without"]
        values["words"] = [sign.raw for sign in signs if sign.field == "without"]
    return _build_query(values)


def _normalize(text: str) -> str:
    text = CONTROL_PATTERN.sub(" ", INVISIBLE.sub("", _LONE_SURROGATE.sub("\ufffd", text)))
    return text.strip(SPACE_CHARS)


def _parse_token(token: re.Match[str]) -> _ParsedToken:
    """What a token is: a word unless it is surely something else."""
    typed = token[0]
    if token["regex"]:
        return _ParsedToken("regex", token["regex"].replace(r"\/", "/"), typed)
    text = token["curly"] or (token["quoted"] or "").replace(r"\"", '"')
    head, value = token["head"], text.strip(" ")
    if token["bare"] and (found := FILTER_PATTERN.fullmatch(typed)):
        head, value = found.groups()
    if head is not None and value:
        field = FILTER_FIELDS.get(head)
        if field:
            return _ParsedToken(field, value, typed)
        if value in CHOICE_FILTERS.get(head, ()):
            return _ParsedToken(head.rstrip(":"), value, typed)
    return _parse_bare_word(typed)


def _parse_bare_word(raw: str) -> _ParsedToken:
    for field, form in (("prefixes", PREFIX_PATTERN), ("without", EXCLUDED_PATTERN)):
        if found := form.fullmatch(raw):
            return _ParsedToken(field, found[1], raw)
    return _ParsedToken("words", raw, raw)


def _split_values(field: str, value: str) -> Iterator[str]:
    parts = value.split(",") if field in COMMA_LIST_FIELDS else [value]
    return (part.strip(" ") for part in parts if part.strip(" "))


def _build_query(values: dict[str, list[str]]) -> Query:
    """The last of what can be said once, and each of the rest once."""
    overruled = tuple(
        f"{head}{value}"
        for head in CHOICE_FILTERS
        for value in dict.fromkeys(values.get(head.rstrip(":"), ()))
        if value != values[head.rstrip(":")][-1]
    )
    once = {name: values.pop(name)[-1] for name in ("tests", "regex") if name in values}
    case = values.pop("case", [""])[-1] == "yes"
    words = " ".join(values.pop("words", []))
    rest = {field: tuple(dict.fromkeys(found)) for field, found in values.items()}
    fields: dict[str, Any] = once | rest
    return Query(words, case=case, overruled=overruled)._replace(**fields)


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
