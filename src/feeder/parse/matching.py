"""What do a language's queries and patterns find in a file, before it is laid out?"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import NamedTuple

from tree_sitter import Node as Syntax
from tree_sitter import Query, QueryCursor

from feeder.parse.comments import QUERY_DEPTH
from feeder.parse.layout import Name, Source
from feeder.parse.naming import is_rooted, name_of
from feeder.parse.patterns import Captures, Stretch

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
_NAMELESS = frozenset({"closure", "namespace"})
_CARRIERS = ("value", "right", "definition", "declaration")


class Doc(NamedTuple):
    """A comment or an annotation; `apart` if one blank line may follow it."""

    start: int
    end: int
    apart: bool


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
    is_clause: bool = False
    is_qualified: bool = False
    is_rooted: bool = False
    outermost: str | None = None
    holds: bool = False
    inner: list["Declaration"] = field(default_factory=list)


class Matched(NamedTuple):
    """What a file declares, its comments and annotations in order, the names of its members."""

    declarations: list[Declaration]
    docs: list[Doc]
    members: list[Name]


def matched(source: Source, root: Syntax, query: Query, more: Iterable[Captures]) -> Matched:
    """All that the query and `more` of a file's matches find."""
    cursor = QueryCursor(query)
    cursor.set_max_start_depth(QUERY_DEPTH)
    found: list[Declaration] = []
    docs: list[Doc] = []
    members: set[Name] = set()
    own: Iterable[tuple[int, Captures]] = cursor.matches(root)
    for pattern, captures in chain(own, zip(repeat(query.pattern_count), more)):
        if names := captures.get("member"):
            members.update(_members(source, names))
        elif whole := captures.get("doc"):
            end = source.trimmed_end(whole[-1].end_byte)
            docs.append(Doc(whole[0].start_byte, end, "apart" in captures))
        elif kind := next(filter(captures.__contains__, NODE_TYPES), None):
            is_known = pattern < query.pattern_count
            settings = query.pattern_settings(pattern) if is_known else {}
            name = name_of(source, captures) or settings.get("name") or ""
            if kind == "call" and not _says(name):
                continue  # `configure("2")`: a version or a separator says nothing of what it does
            if name or kind in _NAMELESS:
                one = _declaration(source, pattern, kind, name, captures)
                one.outermost = settings.get("outermost")
                found.append(one)
    return Matched(found, _outermost(docs), sorted(members))


def _members(source: Source, names: Sequence[Stretch]) -> Iterator[Name]:
    """The members that have these names; one with a blank in it is a text, and no name."""
    for one in names:
        name = name_of(source, {"name": [one]})
        if name and " " not in name:
            yield Name(one.start_byte, name)


def _outermost(docs: list[Doc]) -> list[Doc]:
    """The docs in order, without those inside others, as comments in a decorator's arguments are.

    Of two that are the same, the one that may stand apart is kept.
    """
    kept: list[Doc] = []
    for doc in sorted(docs, key=lambda doc: (doc.start, -doc.end, not doc.apart)):
        if not kept or kept[-1].end < doc.end:
            kept.append(doc)
    return kept


def _declaration(
    source: Source, pattern: int, kind: str, name: str, captures: Captures
) -> Declaration:
    whole = captures[kind][0]
    tail = captures["end"][-1] if "end" in captures else whole
    end = source.trimmed_end(max(whole.end_byte, tail.end_byte))
    body = captures["body"][0] if "body" in captures else _body(whole)
    return Declaration(
        pattern,
        kind,
        name,
        whole.start_byte,
        end,
        body.start_byte if body else end,
        is_clause="clause" in captures,
        is_qualified="scope" not in captures,
        is_rooted=is_rooted(source, captures),
    )


def _body(node: Stretch) -> Syntax | None:
    """The body of a declaration, also where the declaration only carries the function."""
    if body := node.child_by_field_name("body"):
        return body
    for carrier in _CARRIERS:
        if (inner := node.child_by_field_name(carrier)) and (
            body := inner.child_by_field_name("body")
        ):
            return body
    return None


def _says(name: str) -> bool:
    """Whether the string of a call is a name: it has a letter, or is the path of a route."""
    return name.startswith("/") or any(map(str.isalpha, name))
