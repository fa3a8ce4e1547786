"""Builds the span tree of a source file: nests the captured declarations, qualifies their names
and attaches their doc comments.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import takewhile

from tree_sitter import Node as Syntax
from tree_sitter import Query

from feeder.nodes import SIGNATURE_LIMIT
from feeder.parse.captures import NODE_TYPES, Captures, Declaration, DocComment, collect_captures
from feeder.parse.layout import MemberName, SourceText, Span
from feeder.parse.splitting import NODE_LIMIT

SAME_LINE_LIMIT = 200
"""Characters beside a declaration, on its first and last line, that still belong to it."""

NESTING_LIMIT = 100
"""Declarations inside declarations that are looked at: deeper ones are part of the text."""

_SPLIT_WHEN_LARGE = frozenset({"method", "call", "object", "holder", "closure"})
_BRACKETS = ((b"(", b")"), (b"{", b"}"))


def declaration_tree(
    source: SourceText,
    root: Syntax,
    query: Query,
    pattern_captures: Iterable[Captures],
    whole: Span | None = None,
) -> Span:
    """The tree of the methods and classes of a file, or of the part of it that `whole` is.

    `more` is what the patterns of its language match.

    Captures: `@type`, `@method`, `@namespace` the whole declaration, `@call` one that is known by a
    string in it, `@object` a value with members of its own, `@holder` one that is an object only if
    it holds declarations, `@closure` a function or object without a name, `@package` a clause that
    names all that follows it, `@member` the name of what is no node, `@name` the name (or `(#set!
    name …)`), `@scope` what qualifies the name (a receiver), `@body` where the signature ends,
    `@end` a sibling that still belongs to the declaration, `@clause` one of several declarations
    that are one where no blank line parts them, `@doc` what belongs to the declaration that follows
    it, `@apart` beside it if a blank line may lie between.

    What a method, a call, an object or a closure declares is part of it, unless it is above the
    limit of a node; a closure then adds nothing to the names of what it declares.
    """
    found = collect_captures(source, root, query, pattern_captures)
    layout = _SpanBuilder(source, found.docs, whole)
    span = layout.root_span(_nest_declarations(source, found.declarations))
    span.members = list(_members_outside(found.members, layout.opaque_bodies))
    return span


def _members_outside(
    members: list[MemberName], bodies: list[tuple[int, int]]
) -> Iterator[MemberName]:
    """The members that lie in none of the stretches, both in order."""
    at = 0
    for member in members:
        while at < len(bodies) and bodies[at][1] <= member.start:
            at += 1
        if at == len(bodies) or member.start < bodies[at][0]:
            yield member


def _function_bodies(inner: list[Declaration]) -> Iterator[tuple[int, int]]:
    """Where the functions of a declaration that is one node do what they do."""
    for one in inner:
        if NODE_TYPES[one.kind] == "method":
            yield one.body, one.end
        else:
            yield from _function_bodies(one.children)


def _nest_declarations(source: SourceText, declarations: list[Declaration]) -> list[Declaration]:
    """The declarations as a forest.

    One that two queries matched is kept once: the outer one, else that of the earlier query. A
    method ends where one begins that cannot lie in it.
    """
    outermost: list[Declaration] = []
    open_: list[Declaration] = []
    for one in sorted(declarations, key=lambda one: (one.start, -one.end, one.pattern)):
        while open_ and open_[-1].end <= one.start:
            open_.pop()
        if one.nesting_rule and any(around.kind == "method" for around in open_):
            if one.nesting_rule != "cuts" or source.line_start(one.start) != one.start:
                continue
            open_ = list(takewhile(lambda around: around.kind != "method", open_))
        outer = open_[-1] if open_ else None
        if outer and (
            one.end > outer.end or _is_duplicate(outer, one) or len(open_) >= NESTING_LIMIT
        ):
            continue
        beside = outer.children if outer else outermost
        if one.kind not in {"holder", "closure"}:
            _mark_holders(open_)
        if one.kind != "closure":
            beside.append(one)
        elif _is_large(source, one.start, one.end):
            one.children = beside
        open_.append(one)
    return outermost


def _mark_holders(ancestors: list[Declaration]) -> None:
    for one in reversed(ancestors):
        if one.has_declarations:
            break
        one.has_declarations = True


def _is_duplicate(outer: Declaration, inner: Declaration) -> bool:
    if (outer.start, outer.end) == (inner.start, inner.end) or outer.body == inner.body < inner.end:
        return True
    if inner.kind == "closure" and outer.body == inner.start:
        return True
    return outer.name == inner.name and (outer.start == inner.start or outer.end == inner.end)


def _enclosing_names(scope: tuple[str, ...], declaration: Declaration) -> tuple[str, ...]:
    """The names around a declaration that its own name does not say already."""
    if declaration.is_fully_qualified:
        return ()
    for index, name in enumerate(scope):
        if declaration.may_be_qualified and declaration.name.startswith(f"{name}."):
            return scope[:index]
    return scope


def _is_large(source: SourceText, start: int, end: int) -> bool:
    return end - start > NODE_LIMIT and len(source.text(start, end)) > NODE_LIMIT


class _SpanBuilder:
    """Turns declarations into spans: extends them over what belongs to them and names them."""

    def __init__(self, source: SourceText, docs: list[DocComment], whole: Span | None) -> None:
        self._source = source
        self._docs = docs
        self._doc_ends = [doc.end for doc in docs]
        self._whole = whole or Span(0, len(source.content))
        self.opaque_bodies: list[tuple[int, int]] = []
        """Functions in nodes that are not opened, where no member lies."""

    def root_span(self, declarations: list[Declaration]) -> Span:
        self._whole.children = list(self._child_spans(declarations, self._whole, ()))
        return self._whole

    def _child_spans(
        self, declarations: list[Declaration], outer: Span, scope: tuple[str, ...]
    ) -> Iterator[Span]:
        """The spans of declarations that lie side by side in `outer`."""
        at = outer.start
        declarations = self._join_clauses(declarations)
        for index, one in enumerate(declarations):
            if one.kind == "package":
                scope = (one.name,)
                continue
            if one.kind == "holder" and not one.has_declarations:
                continue
            names = (*_enclosing_names(scope, one), *filter(None, [one.name]))
            if one.kind == "namespace":
                yield from self._child_spans(one.children, Span(one.body, one.end), names)
                at = one.end
                continue
            latest = declarations[index + 1].start if index + 1 < len(declarations) else outer.end
            if one.end > latest:
                above = self._start_with_docs(
                    self._extend_to_line_start(latest, outer, at), one.start
                )
                one.end = self._source.strip_end(above)
            span = self._declaration_span(one, outer, at, latest)
            span.symbol = ".".join(names)
            opened = one.kind not in _SPLIT_WHEN_LARGE
            if one.children and (opened or _is_large(self._source, span.start, span.end)):
                span.children = list(self._child_spans(one.children, span, names))
            else:
                self.opaque_bodies += _function_bodies(one.children)
            yield span
            at = span.end

    def _join_clauses(self, declarations: list[Declaration]) -> list[Declaration]:
        """The declarations, clauses of one name without a blank line between them as one."""
        joined: list[Declaration] = []
        for one in declarations:
            last = joined[-1] if joined else one
            both = last is not one and last.can_join and one.can_join
            if both and last.name == one.name and self._is_adjacent_below(last.end, one.start):
                last.end = one.end
                last.children += one.children
            else:
                joined.append(one)
        return joined

    def _is_adjacent_below(self, end: int, start: int) -> bool:
        """Whether only lines of comments and annotations lie between, and no blank one."""
        between = self._source.content[
            self._source.line_end(end) : self._start_with_docs(start, end)
        ]
        return between.count(b"\n") == 1 and not between.strip()

    def _declaration_span(
        self, declaration: Declaration, outer: Span, earliest: int, latest: int
    ) -> Span:
        start = self._extend_to_line_start(declaration.start, outer, earliest)
        end = self._extend_to_line_end(declaration.end, outer, latest)
        begin = declaration.start if self._is_in_brackets(start, declaration.start) else start
        signature = self._signature(begin, declaration.body)
        return Span(
            self._start_with_docs(start, earliest),
            end,
            NODE_TYPES[declaration.kind],
            signature=signature,
        )

    def _is_in_brackets(self, start: int, end: int) -> bool:
        """Whether what stands before a declaration on its line opens a group that holds it."""
        before = self._source.content[start:end]
        return any(before.count(opening) > before.count(close) for opening, close in _BRACKETS)

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

    def _extend_to_line_start(self, start: int, outer: Span, earliest: int) -> int:
        """Where the declaration's first line begins, if the line is its own: `export`, `pub`."""
        begin = self._source.line_start(start)
        opens_outer = outer.start == begin and outer is not self._whole
        if opens_outer or begin < earliest or start - begin > SAME_LINE_LIMIT:
            return start
        before = self._source.content[begin:start]
        return begin + len(before) - len(before.lstrip())

    def _extend_to_line_end(self, end: int, outer: Span, latest: int) -> int:
        """Where its last line ends: a semicolon or a comment behind it belongs to it."""
        line_end = self._source.line_end(end - 1)
        closes_outer = outer.end <= line_end and outer is not self._whole
        line_end = min(line_end, latest)
        return end if closes_outer or line_end > end + SAME_LINE_LIMIT else max(end, line_end)

    def _start_with_docs(self, start: int, earliest: int) -> int:
        """The start of the comments and annotations that stand right above the declaration."""
        first = start
        while (index := bisect_right(self._doc_ends, start) - 1) >= 0:
            doc = self._docs[index]
            newlines = 2 if doc.allows_blank_line and start == first else 1
            if doc.start < earliest or not self._is_adjacent_above(index, start, newlines):
                break
            start = doc.start
        return start

    def _is_adjacent_above(self, index: int, start: int, newlines: int) -> bool:
        """Whether the doc begins its line, and at most so many newlines part it from `start`."""
        content, doc = self._source.content, self._docs[index]
        between = content[doc.end : start]
        line = self._source.line_start(doc.start)
        before = content[max(line, self._doc_ends[index - 1]) if index else line : doc.start]
        return between.count(b"\n") <= newlines and not between.strip() and not before.strip()
