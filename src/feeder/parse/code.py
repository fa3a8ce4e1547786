"""Builds the span tree of a source file: nests the captured declarations, qualifies their names
and attaches their doc comments.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from itertools import takewhile

from tree_sitter import Query

from feeder.nodes import SIGNATURE_LIMIT
from feeder.parse.captures import NODE_TYPES, Declaration, DocComment, collect_captures
from feeder.parse.grammars import Captures, Matches
from feeder.parse.layout import MemberName, SourceText, Span
from feeder.parse.splitting import NODE_LIMIT

SAME_LINE_LIMIT = 200
"""Maximum characters before or after a declaration on its line that still belong to it."""

NESTING_LIMIT = 100
"""Maximum depth of declarations inside declarations; deeper ones are part of the text."""

_SPLIT_WHEN_LARGE = frozenset({"method", "call", "object", "holder", "closure"})
_BRACKETS = ((b"(", b")"), (b"{", b"}"))


def declaration_tree(
    source: SourceText,
    query: Query,
    matches: Matches,
    pattern_captures: Iterable[Captures],
    whole: Span | None = None,
) -> Span:
    """The span tree of the methods and classes of a file, or of a range of it (`whole`).

    `matches` are those of the language's query, `pattern_captures` those of its regular
    expressions.

    Captures: `@type`, `@method`, `@namespace` the whole declaration, `@call` one that is known by a
    string in it, `@object` a value with members of its own, `@holder` one that is an object only if
    it holds declarations, `@closure` a function or object without a name, `@package` a clause that
    names all that follows it, `@member` the name of what is no node, `@name` the name (or `(#set!
    name …)`), `@scope` what qualifies the name (a receiver), `@body` where the signature ends,
    `@end` a sibling that still belongs to the declaration, `@clause` one of several declarations
    that are one where no blank line parts them, `@doc` what belongs to the declaration that follows
    it, `@apart` beside it if a blank line may lie between.

    Declarations inside a method, call, object or closure are part of it, unless it is longer than
    `NODE_LIMIT`; a closure then adds nothing to their names.
    """
    captures = collect_captures(source, query, matches, pattern_captures)
    builder = _SpanBuilder(source, captures.docs, whole)
    root_span = builder.root_span(_nest_declarations(source, captures.declarations))
    root_span.attributes = captures.attributes
    root_span.members = list(_members_outside(captures.members, builder.opaque_bodies))
    root_span.relations = captures.relations
    return root_span


def _members_outside(
    members: list[MemberName], bodies: list[tuple[int, int]]
) -> Iterator[MemberName]:
    """The members that lie in none of the bodies; both are in order."""
    index = 0
    for member in members:
        while index < len(bodies) and bodies[index][1] <= member.start:
            index += 1
        if index == len(bodies) or member.start < bodies[index][0]:
            yield member


def _function_bodies(declarations: list[Declaration]) -> Iterator[tuple[int, int]]:
    for declaration in declarations:
        if NODE_TYPES[declaration.kind] == "method":
            yield declaration.body, declaration.end
        else:
            yield from _function_bodies(declaration.children)


def _nest_declarations(source: SourceText, declarations: list[Declaration]) -> list[Declaration]:
    """The outermost declarations, with the others as their children.

    Of two matches of one declaration, the outer one remains, else that of the earlier pattern. A
    method ends where a declaration with the nesting rule `cuts` begins.
    """
    outermost: list[Declaration] = []
    ancestors: list[Declaration] = []
    for inner in sorted(declarations, key=lambda one: (one.start, -one.end, one.pattern)):
        while ancestors and ancestors[-1].end <= inner.start:
            ancestors.pop()
        if ancestors and (ancestors[-1].start, ancestors[-1].end) == (inner.start, inner.end):
            continue
        if inner.nesting_rule and any(outer.kind == "method" for outer in ancestors):
            if inner.nesting_rule != "cuts" or source.line_start(inner.start) != inner.start:
                continue
            ancestors = list(takewhile(lambda outer: outer.kind != "method", ancestors))
        outer = ancestors[-1] if ancestors else None
        if outer and (
            inner.end > outer.end or _is_duplicate(outer, inner) or len(ancestors) >= NESTING_LIMIT
        ):
            continue
        siblings = outer.children if outer else outermost
        if inner.kind not in {"holder", "closure"}:
            _mark_holders(ancestors)
        if inner.kind != "closure":
            siblings.append(inner)
        elif _is_large(source, inner.start, inner.end):
            inner.children = siblings
        ancestors.append(inner)
    return outermost


def _mark_holders(ancestors: list[Declaration]) -> None:
    for ancestor in reversed(ancestors):
        if ancestor.has_declarations:
            break
        ancestor.has_declarations = True


def _is_duplicate(outer: Declaration, inner: Declaration) -> bool:
    """True for two matches of one declaration: `export class A` and `class A`, but not for the last
    method of a class, which may have its name and end.
    """
    if outer.body == inner.body < inner.end:
        return True
    if inner.kind == "closure" and outer.body == inner.start:
        return True
    is_inside = outer.body <= inner.start
    return outer.name == inner.name and (
        outer.start == inner.start or (outer.end == inner.end and not is_inside)
    )


def _enclosing_names(scope: tuple[str, ...], declaration: Declaration) -> tuple[str, ...]:
    """The enclosing names without those that the declaration's own name includes."""
    if declaration.is_fully_qualified:
        return ()
    for index, name in enumerate(scope):
        if declaration.may_be_qualified and declaration.name.startswith(f"{name}."):
            return scope[:index]
    return scope


def _is_large(source: SourceText, start: int, end: int) -> bool:
    return end - start > NODE_LIMIT and len(source.text(start, end)) > NODE_LIMIT


class _SpanBuilder:
    """Turns declarations into named spans, each with its doc comments and the rest of its lines."""

    def __init__(self, source: SourceText, docs: list[DocComment], whole: Span | None) -> None:
        self._source = source
        self._docs = docs
        self._doc_ends = [doc.end for doc in docs]
        self._whole = whole or Span(0, len(source.content))
        self.opaque_bodies: list[tuple[int, int]] = []
        """Byte ranges of functions inside one-node declarations; names in them are no members."""

    def root_span(self, declarations: list[Declaration]) -> Span:
        self._whole.children = list(self._child_spans(declarations, self._whole, ()))
        return self._whole

    def _child_spans(
        self, declarations: list[Declaration], outer: Span, scope: tuple[str, ...]
    ) -> Iterator[Span]:
        """The spans of sibling declarations inside `outer`; `scope` are the enclosing names."""
        earliest = outer.start
        declarations = self._join_clauses(declarations)
        for index, declaration in enumerate(declarations):
            if declaration.kind == "package":
                scope = (declaration.name,)
                continue
            if declaration.kind == "holder" and not declaration.has_declarations:
                continue
            enclosing = _enclosing_names(scope, declaration)
            names = (*enclosing, *filter(None, [declaration.name]))
            if declaration.kind == "namespace":
                body = Span(declaration.body, declaration.end)
                yield from self._child_spans(declaration.children, body, names)
                earliest = declaration.end
                continue
            latest = declarations[index + 1].start if index + 1 < len(declarations) else outer.end
            if declaration.end > latest:
                next_start = self._extend_to_line_start(latest, outer, earliest)
                next_start = self._start_with_docs(next_start, declaration.start)
                declaration.end = self._source.strip_end(next_start)
            span = self._declaration_span(declaration, outer, earliest, latest)
            span.symbol = ".".join(names)
            is_opened = declaration.kind not in _SPLIT_WHEN_LARGE
            if declaration.children and (
                is_opened or _is_large(self._source, span.start, span.end)
            ):
                span.children = list(self._child_spans(declaration.children, span, names))
            else:
                self.opaque_bodies += _function_bodies(declaration.children)
            yield span
            earliest = span.end

    def _join_clauses(self, declarations: list[Declaration]) -> list[Declaration]:
        """Joins adjacent clauses of one name; one that lacks its `clause_end` is the last."""
        joined: list[Declaration] = []
        for clause in declarations:
            last = joined[-1] if joined else None
            if (
                last
                and last.can_join
                and clause.can_join
                and last.name == clause.name
                and self._source.content.endswith(last.clause_end.encode(), 0, last.end)
                and self._is_adjacent_below(last.end, clause.start)
            ):
                last.end = clause.end
                last.children += clause.children
            else:
                joined.append(clause)
        return joined

    def _is_adjacent_below(self, end: int, start: int) -> bool:
        """True if only comments and annotations lie between, without a blank line."""
        between = self._source.content[
            self._source.line_end(end) : self._start_with_docs(start, end)
        ]
        return between.count(b"\n") == 1 and not between.strip()

    def _declaration_span(
        self, declaration: Declaration, outer: Span, earliest: int, latest: int
    ) -> Span:
        start = self._extend_to_line_start(declaration.start, outer, earliest)
        end = self._extend_to_line_end(declaration.end, outer, latest)
        is_in_brackets = self._has_open_bracket(start, declaration.start)
        signature_start = declaration.start if is_in_brackets else start
        return Span(
            self._start_with_docs(start, earliest),
            end,
            NODE_TYPES[declaration.kind],
            signature=self._signature(signature_start, declaration.body),
            body=declaration.body,
            name_end=declaration.name_end,
        )

    def _has_open_bracket(self, start: int, end: int) -> bool:
        text = self._source.content[start:end]
        return any(text.count(opening) > text.count(closing) for opening, closing in _BRACKETS)

    def _signature(self, start: int, end: int) -> str:
        """The declaration up to its body on one line, without comments and annotations."""
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
        """The first character of the declaration's line, such as `export`, unless it is shared."""
        line_start = self._source.line_start(start)
        opens_outer = outer.start == line_start and outer is not self._whole
        if opens_outer or line_start < earliest or start - line_start > SAME_LINE_LIMIT:
            return start
        before = self._source.content[line_start:start]
        return line_start + len(before) - len(before.lstrip())

    def _extend_to_line_end(self, end: int, outer: Span, latest: int) -> int:
        """The end of the declaration's last line, with a semicolon or a comment behind it."""
        line_end = self._source.line_end(end - 1)
        closes_outer = outer.end <= line_end and outer is not self._whole
        line_end = min(line_end, latest)
        return end if closes_outer or line_end > end + SAME_LINE_LIMIT else max(end, line_end)

    def _start_with_docs(self, start: int, earliest: int) -> int:
        """The start of the comments and annotations right above the declaration."""
        first = start
        while (index := bisect_right(self._doc_ends, start) - 1) >= 0:
            doc = self._docs[index]
            newlines = 2 if doc.allows_blank_line and start == first else 1
            if doc.start < earliest or not self._is_adjacent_above(index, start, newlines):
                break
            start = doc.start
        return start

    def _is_adjacent_above(self, index: int, start: int, newlines: int) -> bool:
        """True if a doc begins its line, with up to `newlines` line ends between it and `start`."""
        content, doc = self._source.content, self._docs[index]
        between = content[doc.end : start]
        line = self._source.line_start(doc.start)
        before = content[max(line, self._doc_ends[index - 1]) if index else line : doc.start]
        return between.count(b"\n") <= newlines and not between.strip() and not before.strip()
