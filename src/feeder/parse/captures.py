"""Runs a language's queries and regular expressions over a file and collects the declarations,
doc comments and member names that they capture.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import NamedTuple, Protocol

from tree_sitter import Node as Syntax
from tree_sitter import Query, QueryCursor

from feeder.parse.grammars import QUERY_DEPTH
from feeder.parse.layout import MemberName, SourceText


class Capture(Protocol):
    """A part of a file: a syntax node, or what a group of a pattern matched."""

    @property
    def start_byte(self) -> int: ...
    @property
    def end_byte(self) -> int: ...
    def child_by_field_name(self, name: str, /) -> Syntax | None: ...


Captures = Mapping[str, Sequence[Capture]]
"""What a query or a pattern matched, by the names of its captures or groups."""


@dataclass(frozen=True, slots=True)
class _PatternGroup:
    start_byte: int
    end_byte: int

    def child_by_field_name(self, _name: str, /) -> None:
        """A group has no fields."""


def pattern_matches(
    content: bytes, patterns: Sequence[re.Pattern[bytes]], start: int = 0, end: int = sys.maxsize
) -> Iterator[Captures]:
    """What the patterns match between two offsets.

    A group means what a capture of its name means in a query.
    """
    for pattern in patterns:
        for match in pattern.finditer(content, start, end):
            yield {
                name: [_PatternGroup(*match.span(name))]
                for name in pattern.groupindex
                if match.start(name) >= 0
            }


NAME_LIMIT = 100
"""Characters of one name: a string that a call is known by can have any number."""


_NAME_BYTES_READ = 4 * NAME_LIMIT + 40
"""Bytes of a name that are looked at."""

_SEPARATORS = ("::", "\\")

_GLOBAL_NAME = re.compile(rb"::\s*[^\W\d]")

_WORD_CHARACTER = re.compile(r"\w")
"""What is in every name but an operator's, which may be of separators: `::`, `+:`."""

_NAME_DECORATION = re.compile(r"(?<=\w)<(?!=)[^<>]*>|(?<!\w)[&@](?=\w)|(?<=\w) (?=[^\w\s]+$)")
"""Type arguments (`Cart<T>`), the mark of a name that would be a keyword (`&End`, `@class`), and
the blank in `operator ()`."""

_QUOTES = "\"\"\"|'''|\"|'|`"

_STRING_LITERAL = re.compile(
    rf"(?P<quote>{_QUOTES})(?P<text>.*?)(?P=quote)?"
    rf"|[^\W\d]{{0,3}}[$@#]{{0,3}}(?P<mark>{_QUOTES})(?P<marked>.+)(?P=mark)",
    re.DOTALL,
)
"""With what may stand before a string's text: `r"`, `$@"`."""


def declared_name(source: SourceText, captures: Captures) -> str:
    """The name as it was captured, from its first part to its last, with what qualifies it.

    Empty where none was.
    """
    if "name" not in captures:
        return ""
    first, last = captures["name"][0], captures["name"][-1]
    parts = [_clean_name(source, part, part) for part in captures.get("scope", ())]
    return ".".join([*parts, _clean_name(source, first, last)])


def is_fully_qualified(source: SourceText, captures: Captures) -> bool:
    """Whether the name says by itself that nothing around it qualifies it: `::Cart`."""
    names = captures.get("name", ())
    return any(_GLOBAL_NAME.match(source.content, one.start_byte) for one in names[:1])


def _clean_name(source: SourceText, first: Capture, last: Capture) -> str:
    name = source.text(first.start_byte, min(last.end_byte, first.start_byte + _NAME_BYTES_READ))
    if name.isidentifier():
        return name[:NAME_LIMIT]
    if string := _STRING_LITERAL.fullmatch(name):
        return _single_line(string["text"] or string["marked"] or "")
    name = _single_line(name)
    if not _WORD_CHARACTER.search(name):
        return name
    for separator in _SEPARATORS:
        name = name.replace(separator, ".")
    while (bare := _NAME_DECORATION.sub("", name)) != name:
        name = bare
    bare = name.strip('"`.:')
    # a quote behind a name is part of it in Haskell: foldl'
    return (bare.strip("'") if bare.startswith("'") else bare) or name


def _single_line(text: str) -> str:
    """The text with single blanks and no control characters, cut at the limit."""
    text = " ".join(text.split())
    return "".join(filter(str.isprintable, text))[:NAME_LIMIT].strip()


NODE_TYPES = {
    "method": "method",
    "call": "method",
    "type": "class",
    "object": "class",
    "holder": "class",
    "namespace": "chunk",
    "closure": "chunk",
    "package": "chunk",
}
"""What becomes of a declaration, by the capture that says its kind."""

_ANONYMOUS_KINDS = frozenset({"closure", "namespace"})

_FUNCTION_FIELDS = ("value", "right", "definition", "declaration")


class DocComment(NamedTuple):
    """A comment or an annotation; `apart` if one blank line may follow it."""

    start: int
    end: int
    allows_blank_line: bool


@dataclass(slots=True)
class Declaration:
    """What a query matched, before it is known what lies inside what.

    The name of a `is_qualified` one may say what is around it, that of an `is_rooted` one says all
    of it. An `outermost` one lies in no method: one around it is cut there, or keeps it as its
    text. A holder is a declaration only if it `holds` one.
    """

    pattern: int
    kind: str
    name: str
    start: int
    end: int
    body: int
    can_join: bool = False
    may_be_qualified: bool = False
    is_fully_qualified: bool = False
    nesting_rule: str | None = None
    has_declarations: bool = False
    children: list["Declaration"] = field(default_factory=list)


class FileCaptures(NamedTuple):
    """What a file declares, its comments and annotations in order, the names of its members."""

    declarations: list[Declaration]
    docs: list[DocComment]
    members: list[MemberName]


def collect_captures(
    source: SourceText, root: Syntax, query: Query, pattern_captures: Iterable[Captures]
) -> FileCaptures:
    """All that the query and `more` of a file's matches find."""
    cursor = QueryCursor(query)
    cursor.set_max_start_depth(QUERY_DEPTH)
    found: list[Declaration] = []
    docs: list[DocComment] = []
    members: set[MemberName] = set()
    own: Iterable[tuple[int, Captures]] = cursor.matches(root)
    for pattern, captures in chain(own, zip(repeat(query.pattern_count), pattern_captures)):
        if names := captures.get("member"):
            members.update(_member_names(source, names))
        elif whole := captures.get("doc"):
            end = source.strip_end(whole[-1].end_byte)
            docs.append(DocComment(whole[0].start_byte, end, "apart" in captures))
        elif kind := next(filter(captures.__contains__, NODE_TYPES), None):
            is_known = pattern < query.pattern_count
            settings = query.pattern_settings(pattern) if is_known else {}
            name = declared_name(source, captures) or settings.get("name") or ""
            if kind == "call" and not _is_meaningful_name(name):
                continue  # `configure("2")`: a version or a separator says nothing of what it does
            if name or kind in _ANONYMOUS_KINDS:
                one = _declaration(source, pattern, kind, name, captures)
                one.nesting_rule = settings.get("outermost")
                found.append(one)
    return FileCaptures(found, _outermost_docs(docs), sorted(members))


def _member_names(source: SourceText, names: Sequence[Capture]) -> Iterator[MemberName]:
    """The members that have these names; one with a blank in it is a text, and no name."""
    for one in names:
        name = declared_name(source, {"name": [one]})
        if name and " " not in name:
            yield MemberName(one.start_byte, name)


def _outermost_docs(docs: list[DocComment]) -> list[DocComment]:
    """The docs in order, without those inside others, as comments in a decorator's arguments are.

    Of two that are the same, the one that may stand apart is kept.
    """
    kept: list[DocComment] = []
    for doc in sorted(docs, key=lambda doc: (doc.start, -doc.end, not doc.allows_blank_line)):
        if not kept or kept[-1].end < doc.end:
            kept.append(doc)
    return kept


def _declaration(
    source: SourceText, pattern: int, kind: str, name: str, captures: Captures
) -> Declaration:
    whole = captures[kind][0]
    tail = captures["end"][-1] if "end" in captures else whole
    end = source.strip_end(max(whole.end_byte, tail.end_byte))
    body = captures["body"][0] if "body" in captures else _body_node(whole)
    return Declaration(
        pattern,
        kind,
        name,
        whole.start_byte,
        end,
        body.start_byte if body else end,
        can_join="clause" in captures,
        may_be_qualified="scope" not in captures,
        is_fully_qualified=is_fully_qualified(source, captures),
    )


def _body_node(node: Capture) -> Syntax | None:
    """The body of a declaration, also where the declaration only carries the function."""
    if body := node.child_by_field_name("body"):
        return body
    for carrier in _FUNCTION_FIELDS:
        if (inner := node.child_by_field_name(carrier)) and (
            body := inner.child_by_field_name("body")
        ):
            return body
    return None


def _is_meaningful_name(name: str) -> bool:
    """Whether the string of a call is a name: it has a letter, or is the path of a route."""
    return name.startswith("/") or any(map(str.isalpha, name))
