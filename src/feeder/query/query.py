"""Parses a query string into words, phrases, a pattern and filters.

`tests/query/query_cases.json` specifies the language; every implementation runs these cases.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from unicodedata import normalize

from feeder.query.alternatives import OR, Values, read_alternatives
from feeder.suggestions import is_within_one_edit

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

MIN_WORD_LETTERS = 3

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
    return normalize("NFC", text).strip(SPACE_CHARS)


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
