"""What does a question ask for? Its words, phrases, pattern and filters; nothing is an error.

`tests/search/query_cases.json` has the language by example: whatever parses it runs these cases.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

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
