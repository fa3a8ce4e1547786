"""Which methods and classes does a source file declare, and where does each begin and end?"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import NamedTuple

from tree_sitter import Node as Syntax
from tree_sitter import Query, QueryCursor

from feeder.nodes import SIGNATURE_LIMIT
from feeder.parse.layout import NODE_LIMIT, Source, Span
from feeder.parse.patterns import Captures, Stretch

QUERY_DEPTH = 1000
"""Levels of the tree that queries look into: matching a deeper tree takes minutes."""
BESIDE_LIMIT = 200
"""Characters beside a declaration, on its first and last line, that still belong to it."""

NESTING_LIMIT = 100
"""Declarations inside declarations that are looked at: deeper ones are part of the text."""

_NODE_TYPES = {
    "method": "method",
    "type": "class",
    "object": "class",
    "namespace": "chunk",
    "closure": "chunk",
    "package": "chunk",
}
_OPENED_WHEN_LARGE = frozenset({"method", "object", "closure"})
_CARRIERS = ("value", "right", "definition", "declaration")
_SEPARATORS = ("::", "\\")
_BESIDE_NAME = re.compile(r"(?<=\w)<(?!=)[^<>]*>|(?<!\w)[&@](?=\w)|(?<=\w) (?=[^\w\s]+$)")
"""Type arguments (`Cart<T>`), the mark of a name that would be a keyword (`&End`, `@class`), and
the blank in `operator ()`."""


class _Doc(NamedTuple):
    """A comment or an annotation; `apart` if one blank line may follow it."""

    start: int
    end: int
    apart: bool


@dataclass(slots=True)
class _Declaration:
    """What a query matched, before it is known what lies inside what."""

    pattern: int
    kind: str
    name: str
    start: int
    end: int
    body: int
    is_clause: bool = False
    inner: list["_Declaration"] = field(default_factory=list)


def declarations(
    source: Source,
    root: Syntax,
    query: Query,
    more: Iterable[Captures],
    whole: Span | None = None,
) -> Span:
    """The tree of the methods and classes of a file, or of the part of it that `whole` is.

    `more` is what the patterns of its language match.

    Captures: `@type`, `@method`, `@namespace` the whole declaration, `@object` a value with members
    of its own, `@closure` a function or object without a name, `@package` a clause that names all
    that follows it, `@name` the name (or `(#set! name …)`), `@scope` what qualifies the name (a
    receiver), `@body` where the signature ends, `@end` a sibling that still belongs to the
    declaration, `@clause` one of several declarations that are one where no blank line parts them,
    `@doc` what belongs to the declaration that follows it, `@apart` beside it if a blank line may
    lie between.

    What a method, an object or a closure declares is part of it, unless it is above the limit of a
    node; a closure then adds nothing to the names of what it declares.
    """
    found, docs = _matches(source, root, query, more)
    return _Layout(source, docs, whole).file(_nest(source, found))


def _matches(
    source: Source, root: Syntax, query: Query, more: Iterable[Captures]
) -> tuple[list[_Declaration], list[_Doc]]:
    cursor = QueryCursor(query)
    cursor.set_max_start_depth(QUERY_DEPTH)
    found: list[_Declaration] = []
    docs: list[_Doc] = []
    own: Iterable[tuple[int, Captures]] = cursor.matches(root)
    for pattern, captures in chain(own, zip(repeat(query.pattern_count), more)):
        if whole := captures.get("doc"):
            end = source.trimmed_end(whole[-1].end_byte)
            docs.append(_Doc(whole[0].start_byte, end, "apart" in captures))
        elif kind := next(filter(captures.__contains__, _NODE_TYPES), None):
            if "name" in captures:
                name = _qualified(source, captures)
            else:
                name = _fixed_name(query, pattern)
            if name or kind == "closure":
                found.append(_declaration(source, pattern, kind, name, captures))
    return found, _outermost(docs)


def _fixed_name(query: Query, pattern: int) -> str:
    known = pattern < query.pattern_count
    return (query.pattern_settings(pattern).get("name") if known else None) or ""


def _outermost(docs: list[_Doc]) -> list[_Doc]:
    """The docs in order, without those inside others, as comments in a decorator's arguments are.

    Of two that are the same, the one that may stand apart is kept.
    """
    kept: list[_Doc] = []
    for doc in sorted(docs, key=lambda doc: (doc.start, -doc.end, not doc.apart)):
        if not kept or kept[-1].end < doc.end:
            kept.append(doc)
    return kept


def _declaration(
    source: Source, pattern: int, kind: str, name: str, captures: Captures
) -> _Declaration:
    whole = captures[kind][0]
    tail = captures["end"][-1] if "end" in captures else whole
    end = source.trimmed_end(max(whole.end_byte, tail.end_byte))
    body = captures["body"][0] if "body" in captures else _body(whole)
    until = body.start_byte if body else end
    is_clause = "clause" in captures
    return _Declaration(pattern, kind, name, whole.start_byte, end, until, is_clause)


def _qualified(source: Source, captures: Captures) -> str:
    if "scope" not in captures:
        return _name(source, captures["name"][0])
    parts = [*captures["scope"], captures["name"][0]]
    return ".".join(_name(source, part) for part in parts)


def _name(source: Source, node: Stretch) -> str:
    name = source.text(node.start_byte, node.end_byte)
    if name.isidentifier():
        return name
    name = " ".join(name.split())
    for separator in _SEPARATORS:
        name = name.replace(separator, ".")
    while (bare := _BESIDE_NAME.sub("", name)) != name:
        name = bare
    bare = name.strip('"`.:')
    # a quote behind a name is part of it in Haskell: foldl'
    return (bare.strip("'") if bare.startswith("'") else bare) or name


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


def _nest(source: Source, found: list[_Declaration]) -> list[_Declaration]:
    """The declarations as a forest.

    One that two queries matched is kept once: the outer one, else that of the earlier query.
    """
    outermost: list[_Declaration] = []
    open_: list[_Declaration] = []
    for one in sorted(found, key=lambda one: (one.start, -one.end, one.pattern)):
        while open_ and open_[-1].end <= one.start:
            open_.pop()
        outer = open_[-1] if open_ else None
        if outer and (one.end > outer.end or _is_same(outer, one) or len(open_) >= NESTING_LIMIT):
            continue
        beside = outer.inner if outer else outermost
        if one.kind != "closure":
            beside.append(one)
        elif _is_large(source, one.start, one.end):
            one.inner = beside
        open_.append(one)
    return outermost


def _is_same(outer: _Declaration, one: _Declaration) -> bool:
    if (outer.start, outer.end) == (one.start, one.end) or outer.body == one.body < one.end:
        return True
    if one.kind == "closure" and outer.body == one.start:
        return True
    return outer.name == one.name and (outer.start == one.start or outer.end == one.end)


def _is_large(source: Source, start: int, end: int) -> bool:
    return end - start > NODE_LIMIT and len(source.text(start, end)) > NODE_LIMIT


class _Layout:
    """Turns declarations into spans: extends them over what belongs to them and names them."""

    def __init__(self, source: Source, docs: list[_Doc], whole: Span | None) -> None:
        self._source = source
        self._docs = docs
        self._doc_ends = [doc.end for doc in docs]
        self._whole = whole or Span(0, len(source.content))

    def file(self, outermost: list[_Declaration]) -> Span:
        self._whole.children = list(self._spans(outermost, self._whole, ()))
        return self._whole

    def _spans(
        self, inner: list[_Declaration], outer: Span, scope: tuple[str, ...]
    ) -> Iterator[Span]:
        """The spans of declarations that lie side by side in `outer`."""
        at = outer.start
        inner = self._with_clauses_joined(inner)
        for index, one in enumerate(inner):
            if one.kind == "package":
                scope = (one.name,)
                continue
            names = (*scope, one.name)
            if one.kind == "namespace":
                yield from self._spans(one.inner, Span(one.body, one.end), names)
                at = one.end
                continue
            latest = inner[index + 1].start if index + 1 < len(inner) else outer.end
            span = self._span(one, outer, at, latest)
            span.symbol = ".".join(names)
            opened = one.kind not in _OPENED_WHEN_LARGE
            if one.inner and (opened or _is_large(self._source, span.start, span.end)):
                span.children = list(self._spans(one.inner, span, names))
            yield span
            at = span.end

    def _with_clauses_joined(self, inner: list[_Declaration]) -> list[_Declaration]:
        """The declarations, clauses of one name without a blank line between them as one."""
        joined: list[_Declaration] = []
        for one in inner:
            last = joined[-1] if joined else one
            both = last is not one and last.is_clause and one.is_clause
            if both and last.name == one.name and self._is_right_below(last.end, one.start):
                last.end = one.end
                last.inner += one.inner
            else:
                joined.append(one)
        return joined

    def _is_right_below(self, end: int, start: int) -> bool:
        """Whether only lines of comments and annotations lie between, and no blank one."""
        between = self._source.content[self._source.line_end(end) : self._with_docs(start, end)]
        return between.count(b"\n") == 1 and not between.strip()

    def _span(self, one: _Declaration, outer: Span, earliest: int, latest: int) -> Span:
        start = self._line_before(one.start, outer, earliest)
        end = self._line_after(one.end, outer, latest)
        signature = self._signature(start, one.body)
        return Span(
            self._with_docs(start, earliest), end, _NODE_TYPES[one.kind], signature=signature
        )

    def _signature(self, start: int, end: int) -> str:
        """The declaration up to its body on one line, comments and annotations left out."""
        text = ""
        index = bisect_left(self._doc_ends, start)
        while index < len(self._docs) and self._docs[index].start < end:
            doc = self._docs[index]
            text += self._source.text(start, doc.start) + " "
            start = min(doc.end, end)
            index += 1
        text += self._source.text(start, end)
        return " ".join(text.split()).rstrip(" ,;\\")[:SIGNATURE_LIMIT]

    def _line_before(self, start: int, outer: Span, earliest: int) -> int:
        """Where the declaration's first line begins, if the line is its own: `export`, `pub`."""
        begin = self._source.line_start(start)
        opens_outer = outer.start == begin and outer is not self._whole
        if opens_outer or begin < earliest or start - begin > BESIDE_LIMIT:
            return start
        before = self._source.content[begin:start]
        return begin + len(before) - len(before.lstrip())

    def _line_after(self, end: int, outer: Span, latest: int) -> int:
        """Where its last line ends: a semicolon or a comment behind it belongs to it."""
        line_end = self._source.line_end(end - 1)
        closes_outer = outer.end <= line_end and outer is not self._whole
        line_end = min(line_end, latest)
        return end if closes_outer or line_end > end + BESIDE_LIMIT else max(end, line_end)

    def _with_docs(self, start: int, earliest: int) -> int:
        """The start of the comments and annotations that stand right above the declaration."""
        first = start
        while (index := bisect_right(self._doc_ends, start) - 1) >= 0:
            doc = self._docs[index]
            newlines = 2 if doc.apart and start == first else 1
            if doc.start < earliest or not self._is_right_above(index, start, newlines):
                break
            start = doc.start
        return start

    def _is_right_above(self, index: int, start: int, newlines: int) -> bool:
        """Whether the doc begins its line, and at most so many newlines part it from `start`."""
        content, doc = self._source.content, self._docs[index]
        between = content[doc.end : start]
        line = self._source.line_start(doc.start)
        before = content[max(line, self._doc_ends[index - 1]) if index else line : doc.start]
        return between.count(b"\n") <= newlines and not between.strip() and not before.strip()
