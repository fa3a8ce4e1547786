"""Finds the places in a hit's current lines that match the exact parts of a query."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from feeder.notes import Note, NoteKind
from feeder.query.literals import (
    Literal,
    LiteralMatch,
    find_literals,
    required_literals,
    token_literal,
)
from feeder.query.must_match import required_patterns
from feeder.query.query_text import QueryText

if TYPE_CHECKING:
    from feeder.query.query import Query
    from feeder.snippets.declarations import FindSpans
    from feeder.snippets.excerpts import Excerpt, ExcerptReader
    from feeder.store.hits import Hit


INEXACT_REASON = "where the files are not available, words are compared as the index has them"
"""The reason why a hit may lack a phrase."""


class ExactParts(NamedTuple):
    """The parts of a query that are to be shown as they are: literals, and lines that git matched
    with a pattern, by path, of which `find_spans` finds the matching characters.

    A hit `is_required` to have a place that matches.
    """

    literals: Sequence[Literal] = ()
    lines: Mapping[str, Sequence[int]] = {}
    find_spans: FindSpans = lambda text: ()
    is_required: bool = False


def _pattern_finders(query: Query) -> list[FindSpans]:
    patterns = required_patterns(query)
    if not patterns:  # as in most queries
        return []
    from feeder.snippets.declarations import make_span_finder
    from feeder.source.grep import PatternOptions

    options = PatternOptions(ignore_case=not query.case)
    return [make_span_finder(pattern, options) for pattern in patterns]


def exact_parts(query: Query, lines: Mapping[str, Sequence[int]]) -> ExactParts:
    """The parts of a query that must match exactly; `lines` are those that match its pattern."""
    finders = _pattern_finders(query)

    def find_spans(text: str) -> Sequence[tuple[int, int]]:
        return [span for find in finders for span in find(text)]

    required = required_literals(query)
    tokens = [token_literal(token) for token in QueryText(query.text).code_tokens]
    literals = required or tokens
    return ExactParts(literals, lines, find_spans, bool(required or finders))


def find_places(
    hit: Hit, reader: ExcerptReader, excerpt: Excerpt, exact: ExactParts
) -> list[LiteralMatch]:
    """The places in the current lines that match exactly: rows with their characters."""
    places = set(find_literals(excerpt.lines, exact.literals)) if exact.literals else set()
    numbers = exact.lines.get(hit.path, ())
    matched = numbers[bisect_left(numbers, hit.start_line) : bisect_right(numbers, hit.end_line)]
    rows = {number: row for row, number in enumerate(excerpt.numbers)} if matched else {}
    for number in matched:
        row = rows.get(reader.current_line(hit, number, excerpt) or 0)
        if row is not None:
            text = excerpt.lines[row]
            places.update(LiteralMatch(row, *span) for span in _matched_spans(text, excerpt, exact))
    return sorted(places)


def _matched_spans(text: str, excerpt: Excerpt, exact: ExactParts) -> Sequence[tuple[int, int]]:
    """The matching characters of a line that git matched; of an uncertain line only known ones.

    The whole line where the pattern has a syntax that only Perl knows.
    """
    if spans := exact.find_spans(text):
        return spans
    indent = len(text) - len(text.lstrip())
    return [(indent, len(text))] if excerpt.is_certain and text.strip() else []


def inexact_notes(
    hits: Iterable[tuple[Excerpt, Sequence[object]]], exact: ExactParts
) -> Iterator[Note]:
    """Notes on hits, given as lines with their places, that lack what the query requires."""
    if not exact.is_required:
        return
    inexact = [excerpt for excerpt, places in hits if excerpt.lines and not places]
    changed = sum(bool(excerpt.freshness) for excerpt in inexact)
    if changed:
        yield Note(
            NoteKind.INEXACT_HITS,
            f"{_count_hits(changed)} no longer {_have(changed)} what the query requires: "
            f"the {'file has' if changed == 1 else 'files have'} changed since the index was made.",
        )
    if count := len(inexact) - changed:
        yield Note(
            NoteKind.INEXACT_HITS,
            f"{_count_hits(count)} {_have(count)} the words of the query in another form: "
            f"{INEXACT_REASON}.",
        )


def _count_hits(count: int) -> str:
    return f"{count} {'hit' if count == 1 else 'hits'}"


def _have(count: int) -> str:
    return "has" if count == 1 else "have"
