"""Finds regions of a file in another language, such as a script in HTML, and adds their
declarations to the file's span tree.
"""

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from tree_sitter import Node as Syntax
from tree_sitter import Query, QueryCursor

from feeder.parse.captures import pattern_matches
from feeder.parse.code import declaration_tree
from feeder.parse.grammars import QUERY_DEPTH, Grammars
from feeder.parse.layout import SourceText, Span, find_split_points
from feeder.parse.syntax_tree import parse_range

REGION_MIN = 200
"""Characters of a region that is a chunk of its own without a declaration in it."""
_DEFAULT_EXPORT = "default"


class Region(NamedTuple):
    """A stretch in another language: `whole` with its tags, `content` without, in bytes.

    `ending` is that of a file in this language.
    """

    whole: tuple[int, int]
    content: tuple[int, int]
    extension: str


class HostFile(NamedTuple):
    """A file with regions: what of it becomes nodes, what grammars read, and what it is called."""

    source: SourceText
    text: bytes
    name: str


def find_regions(root: Syntax, query: Query) -> list[Region]:
    """The regions of a file, as the queries of its grammar find them, in order.

    Captures: `@embedded` the whole region, `@content` what of it the other grammar reads, `@ending`
    the ending of a file in its language (or `(#set! ending …)`). Of several patterns that match one
    region the first counts.
    """
    cursor = QueryCursor(query)
    cursor.set_max_start_depth(QUERY_DEPTH)
    found: dict[tuple[int, int], tuple[int, Region]] = {}
    for pattern, captures in cursor.matches(root):
        if "embedded" not in captures:
            continue
        whole = _byte_range(captures["embedded"][0])
        content = _byte_range(captures["content"][0]) if "content" in captures else whole
        if "ending" in captures:
            ending = (captures["ending"][0].text or b"").decode("utf-8", "replace")
        else:
            ending = query.pattern_settings(pattern).get("ending") or ""
        if whole not in found or pattern < found[whole][0]:
            found[whole] = pattern, Region(whole, content, ending)
    return sorted(region for _, region in found.values())


def add_regions(
    grammars: Grammars, host: HostFile, root_span: Span, regions_found: Iterable[Region]
) -> dict[int, int]:
    """Puts what the regions of a file declare into its tree; returns the parts of their texts.

    What a region exports as its default is called like the file. A language of which no
    declarations are known leaves its region as it is.
    """
    source = host.source
    inside: dict[int, int] = {}
    for region in regions_found:
        language, kind = grammars.detect_language(f"region.{region.extension}", b"")
        if kind != "code":
            continue
        grammar = grammars.grammar(language)
        root = parse_range(grammar, host.text, source.range(*region.content))
        more = pattern_matches(host.text, grammar.patterns, *region.content)
        inner = declaration_tree(source, root, grammar.query, more, Span(*region.content))
        if inner.children or len(source.text(*region.content)) >= REGION_MIN:
            _rename_default_export(inner.children, host.name)
            start, end = region.whole
            root_span.members = sorted([*root_span.members, *inner.members])
            _insert_span(root_span, Span(start, source.strip_end(end), children=inner.children))
        inside |= find_split_points(source, root, grammar.split_query)
    return inside


def _byte_range(syntax: Syntax) -> tuple[int, int]:
    return syntax.start_byte, syntax.end_byte


def _rename_default_export(spans: list[Span], name: str) -> None:
    for span in spans:
        first, dot, rest = (span.symbol or "").partition(".")
        if first == _DEFAULT_EXPORT:
            span.symbol = f"{name}{dot}{rest}"
        _rename_default_export(span.children, name)


def _insert_span(outer: Span, inner: Span) -> None:
    """Puts a span into the innermost one that holds it, whose path it takes.

    One that lies across the border of another is left out: its text is that of those around it.
    """
    at = _insertion_index(outer, inner)
    while at and inner.start < outer.children[at - 1].end:
        outer = outer.children[at - 1]
        if outer.end < inner.end:
            return
        at = _insertion_index(outer, inner)
    if at < len(outer.children) and outer.children[at].start < inner.end:
        return
    inner.logical_path = outer.logical_path
    outer.children.insert(at, inner)


def _insertion_index(outer: Span, inner: Span) -> int:
    return bisect_right(outer.children, inner.start, key=lambda one: one.start)
