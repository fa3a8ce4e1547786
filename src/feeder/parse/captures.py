"""What do a language's queries and patterns find in a file, before it is laid out?"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import NamedTuple

from tree_sitter import Node as Syntax
from tree_sitter import Query, QueryCursor

from feeder.parse.comments import QUERY_DEPTH
from feeder.parse.layout import MemberName, SourceText
from feeder.parse.naming import declared_name, is_fully_qualified
from feeder.parse.patterns import Capture, Captures

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
