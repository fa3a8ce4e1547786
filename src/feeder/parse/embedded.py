"""Which parts of a file are in another language, and what do they declare?"""

from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from tree_sitter import Node as Syntax
from tree_sitter import Query, QueryCursor

from feeder.parse.code import declarations
from feeder.parse.comments import QUERY_DEPTH
from feeder.parse.grammars import Grammars
from feeder.parse.layout import Source, Span
from feeder.parse.parts import parts
from feeder.parse.patterns import matches
from feeder.parse.reading import read_part

REGION_MIN = 200
"""Characters of a region that is a chunk of its own without a declaration in it."""
_DEFAULT = "default"


class Region(NamedTuple):
    """A stretch in another language: `whole` with its tags, `content` without, in bytes.

    `ending` is that of a file in this language.
    """

    whole: tuple[int, int]
    content: tuple[int, int]
    ending: str


class Host(NamedTuple):
    """A file with regions: what of it becomes nodes, what grammars read, and what it is called."""

    source: Source
    text: bytes
    name: str


def regions(root: Syntax, query: Query) -> list[Region]:
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
        whole = _range(captures["embedded"][0])
        content = _range(captures["content"][0]) if "content" in captures else whole
        if "ending" in captures:
            ending = (captures["ending"][0].text or b"").decode("utf-8", "replace")
        else:
            ending = query.pattern_settings(pattern).get("ending") or ""
        if whole not in found or pattern < found[whole][0]:
            found[whole] = pattern, Region(whole, content, ending)
    return sorted(region for _, region in found.values())


def embed(grammars: Grammars, host: Host, outer: Span, found: Iterable[Region]) -> dict[int, int]:
    """Puts what the regions of a file declare into its tree; returns the parts of their texts.

    What a region exports as its default is called like the file. A language of which no
    declarations are known leaves its region as it is.
    """
    source = host.source
    inside: dict[int, int] = {}
    for region in found:
        language, kind = grammars.language(f"region.{region.ending}", b"")
        if kind != "code":
            continue
        grammar = grammars.grammar(language)
        root = read_part(grammar, host.text, source.range(*region.content))
        more = matches(host.text, grammar.patterns, *region.content)
        inner = declarations(source, root, grammar.query, more, Span(*region.content))
        if inner.children or len(source.text(*region.content)) >= REGION_MIN:
            _name_default(inner.children, host.name)
            start, end = region.whole
            outer.members = sorted([*outer.members, *inner.members])
            _put(outer, Span(start, source.trimmed_end(end), children=inner.children))
        inside |= parts(source, root, grammar.parts)
    return inside


def _range(syntax: Syntax) -> tuple[int, int]:
    return syntax.start_byte, syntax.end_byte


def _name_default(spans: list[Span], name: str) -> None:
    for span in spans:
        first, dot, rest = (span.symbol or "").partition(".")
        if first == _DEFAULT:
            span.symbol = f"{name}{dot}{rest}"
        _name_default(span.children, name)


def _put(outer: Span, inner: Span) -> None:
    """Puts a span into the innermost one that holds it, whose path it takes.

    One that lies across the border of another is left out: its text is that of those around it.
    """
    at = _index(outer, inner)
    while at and inner.start < outer.children[at - 1].end:
        outer = outer.children[at - 1]
        if outer.end < inner.end:
            return
        at = _index(outer, inner)
    if at < len(outer.children) and outer.children[at].start < inner.end:
        return
    inner.logical_path = outer.logical_path
    outer.children.insert(at, inner)


def _index(outer: Span, inner: Span) -> int:
    return bisect_right(outer.children, inner.start, key=lambda one: one.start)
