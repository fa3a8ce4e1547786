"""Finds regions of a file in another language, such as a script in HTML, and adds their
declarations to the file's span tree.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from tree_sitter import Node as Syntax
from tree_sitter import Query

from feeder.parse.captures import pattern_matches
from feeder.parse.code import declaration_tree
from feeder.parse.grammars import Grammars, query_matches
from feeder.parse.layout import SourceText, Span, find_split_points
from feeder.parse.recovery import parse_code
from feeder.parse.relation_names import RECEIVER_LIMIT, Site, bound_names, named_relation
from feeder.relation import CALL, MENTION

REGION_MIN = 200
"""Minimum characters of a region without declarations that is a chunk of its own."""
_DEFAULT_EXPORT = "default"

_NAME_IN_EXPRESSION = re.compile(
    rb"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
    rb"|(?P<receiver>(?:[A-Za-z_$][\w$]*\??\.)+)?(?P<name>[A-Za-z_$][\w$]*)(?P<call>\s*\()?"
    rb"|\.\w+",
)
"""A name in an expression of markup; strings, and members of other expressions, have no name."""


class Region(NamedTuple):
    """A byte range in another language: `whole` with its tags, `content` without.

    `extension` is a file extension of that language.
    """

    whole: tuple[int, int]
    content: tuple[int, int]
    extension: str


class HostFile(NamedTuple):
    """A file with regions: the text for its nodes, the text to parse, and its name.

    The two texts differ in masked secrets only; the name replaces `default` in symbols.
    """

    source: SourceText
    text: bytes
    name: str


def find_regions(root: Syntax, query: Query) -> list[Region]:
    """The regions of a file, in order.

    Captures: `@embedded` the whole region, `@content` the text in the other language, `@ending` a
    file extension of that language (or `(#set! ending …)`). If several patterns match one region,
    the first counts.
    """
    by_range: dict[tuple[int, int], tuple[int, Region]] = {}
    for pattern, captures in query_matches(query, root):
        if "embedded" not in captures:
            continue
        whole = _byte_range(captures["embedded"][0])
        content = _byte_range(captures["content"][0]) if "content" in captures else whole
        if "ending" in captures:
            extension = (captures["ending"][0].text or b"").decode("utf-8", "replace")
        else:
            extension = query.pattern_settings(pattern).get("ending") or ""
        if whole not in by_range or pattern < by_range[whole][0]:
            by_range[whole] = pattern, Region(whole, content, extension)
    return sorted(region for _, region in by_range.values())


def add_regions(
    grammars: Grammars, host: HostFile, root_span: Span, regions: Iterable[Region]
) -> dict[int, int]:
    """Adds the declarations in a file's regions, and the lines that cannot be parsed, to its span
    tree; returns their split points.

    A region's default export is named after the file. A region in a language that is not code
    stays as it is.
    """
    source = host.source
    split_points: dict[int, int] = {}
    for region in regions:
        language, kind = grammars.detect_language(f"region.{region.extension}", b"")
        if kind != "code":
            continue
        grammar = grammars.grammar(language)
        parsed = parse_code(grammar, host.text, source.range(*region.content))
        root, found = parsed.root, pattern_matches(host.text, grammar.patterns, *region.content)
        captures = chain(found, parsed.declarations)
        whole = Span(*region.content)
        inner = declaration_tree(source, grammar.query, parsed.matches, captures, whole)
        root_span.unparsed += parsed.unparsed
        root_span.relations = sorted([*root_span.relations, *inner.relations])
        if inner.children or len(source.text(*region.content)) >= REGION_MIN:
            _rename_default_export(inner.children, host.name)
            start, end = region.whole
            root_span.members = sorted([*root_span.members, *inner.members])
            root_span.attributes = sorted([*root_span.attributes, *inner.attributes])
            _insert_span(root_span, Span(start, source.strip_end(end), children=inner.children))
        split_points |= find_split_points(source, root, grammar.split_query)
    return split_points


def markup_relations(root: Syntax, query: Query, text: bytes, span: Span) -> Iterator[Site]:
    """Yields what the expressions in a component's markup refer to: `{total(cart)}`, `<Cart />`.

    A name alone counts if a script of the file imports or declares it.
    """
    names = {name for _, relation in span.relations for name in bound_names(relation)}
    names |= {member.name for member in span.members}
    names |= {(child.symbol or "").partition(".")[0] for child in _all_children(span)}
    for _, captures in query_matches(query, root):
        for tag in captures.get("component", ()):
            source = tag.text or b""
            is_known = source.decode("utf-8", "replace") in names
            if is_known and (relation := named_relation(CALL, source, "")):
                yield tag.start_byte, relation
        for expression in captures.get("expression", ()):
            yield from _expression_relations(text, *_byte_range(expression), names)


def _expression_relations(text: bytes, start: int, end: int, names: set[str]) -> Iterator[Site]:
    for match in _NAME_IN_EXPRESSION.finditer(text, start, end):
        if not match["name"]:
            continue
        receiver = (match["receiver"] or b"").replace(b"?", b"").strip(b".").decode()
        kind = CALL if match["call"] else MENTION
        if receiver or match["call"] or match["name"].decode() in names:
            relation = named_relation(kind, match["name"], receiver[-RECEIVER_LIMIT:])
            if relation:
                yield match.start("name"), relation


def _all_children(span: Span) -> Iterator[Span]:
    following = [*span.children]
    while following:
        child = following.pop()
        yield child
        following += child.children


def _byte_range(syntax: Syntax) -> tuple[int, int]:
    return syntax.start_byte, syntax.end_byte


def _rename_default_export(spans: list[Span], name: str) -> None:
    for span in spans:
        first, dot, rest = (span.symbol or "").partition(".")
        if first == _DEFAULT_EXPORT:
            span.symbol = f"{name}{dot}{rest}"
        _rename_default_export(span.children, name)


def _insert_span(outer: Span, inner: Span) -> None:
    """Inserts a span into the innermost one around it, and copies the path of that.

    A span that overlaps another in part is dropped.
    """
    index = _insertion_index(outer, inner)
    while index and inner.start < outer.children[index - 1].end:
        outer = outer.children[index - 1]
        if outer.end < inner.end:
            return
        index = _insertion_index(outer, inner)
    if index < len(outer.children) and outer.children[index].start < inner.end:
        return
    inner.logical_path = outer.logical_path
    outer.children.insert(index, inner)


def _insertion_index(outer: Span, inner: Span) -> int:
    return bisect_right(outer.children, inner.start, key=lambda child: child.start)
