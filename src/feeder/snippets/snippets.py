"""Chooses the lines shown for a hit: where the query's words are densest, cut between statements.

Uses integers only, so that the Worker chooses the same lines.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from feeder.query.query_plan import DEFAULT_LINES
from feeder.query.term_matching import TermMatch, TermMatcher
from feeder.snippets.layout import Layout

TABLE_ROW, TABLE_RULE = re.compile(r" *\|"), re.compile(r" *\|(?: *:?-+:? *\|)+ *")
"""A row of a markdown table, and the line below its header."""

REPEAT_WEIGHTS = (0, 4, 6, 7)
"""Weights of a word by the number of its lines in a snippet; more add nothing."""

MAX_SHIFT = 12
"""Lines by which a snippet may be moved to begin or end at a statement."""

MAX_HEAD_LINES, HEAD_SEARCH_LINES = 3, 80
"""Lines of a signature that are shown, and lines in which it is searched for."""

SIGNATURE_TRIM = " ,;\\"
"""Characters that the index removes from the end of a signature."""

MAX_COMPARED, CUT_PENALTY = 8, 32
"""Best ranges whose cuts are compared, and the cost of a cut that outweighs all words."""

ANCHOR_WEIGHT, LITERAL_WEIGHT = 1_000_000, 10_000
"""Weights of the row that must be shown, and of each row with a literal: above those of words."""

MAX_HIGHLIGHTS = 1_000
"""Highlights of a snippet: one line may be a whole file."""


class Highlight(NamedTuple):
    """A highlighted word: its line, and its characters from `start` up to `end`, from 0.

    Characters are code points. A word in several parts has a highlight for each.
    """

    line: int
    start: int
    end: int


class SnippetPart(NamedTuple):
    """Consecutive lines and the number of the first."""

    start_line: int
    lines: list[str]


class Snippet(NamedTuple):
    """The lines shown of a node; `head` is the signature if it is above and apart from them.

    `below` counts the node's lines after all that is shown. `more` are further lines with literals,
    apart from the others.
    """

    start_line: int
    lines: list[str]
    marks: list[Highlight]
    head: SnippetPart | None = None
    below: int = 0
    more: Sequence[SnippetPart] = ()

    @property
    def parts(self) -> list[SnippetPart]:
        """The head and all lines, in their order."""
        own = SnippetPart(self.start_line, self.lines)
        return sorted(filter(None, [self.head, own, *self.more]))

    @property
    def numbered_lines(self) -> Iterator[tuple[int, str]]:
        """All lines that are shown, with their numbers."""
        return (line for part in self.parts for line in enumerate(part.lines, part.start_line))

    def trimmed(self, numbers: Collection[int]) -> "Snippet":
        """The same without its first and last lines that have these numbers; one line stays."""
        first, last = self.start_line, self.start_line + len(self.lines)
        while last - first > 1 and last - 1 in numbers:
            last -= 1
        while last - first > 1 and first in numbers:
            first += 1
        is_end = not any(part.start_line >= last for part in self.more)
        hidden = self.start_line + len(self.lines) - last
        rows = slice(first - self.start_line, last - self.start_line)
        marks = [
            mark
            for mark in self.marks
            if first <= mark.line < last
            or not self.start_line <= mark.line < self.start_line + len(self.lines)
        ]
        return self._replace(
            start_line=first,
            lines=self.lines[rows],
            marks=marks,
            below=self.below + hidden * is_end,
        )

    def renumbered(self, numbers: Sequence[int]) -> "Snippet":
        """The same snippet with these line numbers in place of rows from 0."""
        if not self.lines:
            return self
        marks = [mark._replace(line=numbers[mark.line]) for mark in self.marks]
        head = self.head and self.head._replace(start_line=numbers[self.head.start_line])
        more = [part._replace(start_line=numbers[part.start_line]) for part in self.more]
        return self._replace(start_line=numbers[self.start_line], marks=marks, head=head, more=more)


class SnippetRequest(NamedTuple):
    """The words to show, and at most `size` lines, 0 for none.

    `signature` is the indexed one, on one line. `anchor` is a row that must be shown. `inner` are
    ranges of rows (end exclusive) that belong to other nodes. `literals` are rows with their
    characters from start up to end: lines that match exactly, of which the snippet shows as many as
    fit. Rows are counted from 0.
    """

    words: Sequence[str]
    size: int = DEFAULT_LINES
    signature: str | None = None
    anchor: int | None = None
    inner: Sequence[tuple[int, int]] = ()
    literals: Sequence[tuple[int, int, int]] = ()


def make_snippet(lines: Sequence[str], start_line: int, request: SnippetRequest) -> Snippet:
    """Chooses the best lines of a node whose first line has the number `start_line`."""
    places = list(_term_matcher(tuple(request.words)).find_matches(lines))
    rows = _score_rows(places, len(lines), request)
    layout = Layout(lines if rows and len(lines) > request.size else ())
    text = _NodeText(lines, layout, rows, _find_head(lines, request.signature))
    literal_rows = _literal_rows(request)
    size = min(request.size, len(lines))
    shown = _choose_lines(text, size, literal_rows)
    hidden = _hidden_rows(shown, literal_rows)
    reserved = 0  # for hidden rows with literals: fewer lines may hide more of them
    while len(hidden) > size - _line_count(shown) and reserved < size // 2:
        reserved = min(max(len(hidden), reserved + 1), size // 2)
        shown = _choose_lines(text, size - reserved, literal_rows)
        hidden = _hidden_rows(shown, literal_rows)
    more = hidden[: size - _line_count(shown)]
    return _cut_snippet(lines, start_line, _highlights(places, request.literals), shown, more)


class _NodeText(NamedTuple):
    """A node's lines with their layout, the words in each row, and the rows of the signature."""

    lines: Sequence[str]
    layout: Layout
    rows: "RowScores"
    head: tuple[int, int]


class _ShownRows(NamedTuple):
    """The rows shown, end exclusive, and those of the signature if it is apart from them."""

    rows: tuple[int, int]
    head: tuple[int, int] | None = None


def _choose_lines(text: _NodeText, size: int, literal_rows: Sequence[int]) -> _ShownRows:
    """At most `size` rows, with the signature if it fits."""
    first, last = text.head
    start, end = _choose_rows(text, size, literal_rows)
    if size >= 3 and first == last and _find_table_header(text.lines, start):
        start, end = _choose_rows(text, size - 1, literal_rows)
        return _ShownRows((start, end), _find_table_header(text.lines, start))
    if size < 3 or start <= first or first == last:
        return _ShownRows((start, end))
    last = min(last, first + size - 2)
    start, end = _choose_rows(text, size - (last - first), literal_rows)
    if start <= last or end - first <= size:
        return _ShownRows((first, max(end, min(len(text.lines), first + size))))
    return _ShownRows((start, end), _find_table_header(text.lines, start) or (first, last))


def _literal_rows(request: SnippetRequest) -> list[int]:
    """The rows with literals; those of inner nodes only if there are no others."""
    rows = sorted({row for row, _, _ in request.literals})
    own = [row for row in rows if not _is_inner(row, request.inner)]
    return own or rows


def _hidden_rows(shown: _ShownRows, rows: Iterable[int]) -> list[int]:
    ranges = [range(*shown_range) for shown_range in filter(None, shown)]
    return [row for row in rows if not any(row in range_ for range_ in ranges)]


def _line_count(shown: _ShownRows) -> int:
    return sum(end - start for start, end in filter(None, shown))


def _is_inner(row: int, inner: Iterable[tuple[int, int]]) -> bool:
    return any(start <= row < end for start, end in inner)


def _highlights(
    places: Iterable[TermMatch], literals: Sequence[tuple[int, int, int]]
) -> list[tuple[int, int, int]]:
    """The literals, and the words that do not overlap them, in the order of the lines."""
    if not literals:
        return [(place.row, place.start, place.end) for place in places]
    by_row: dict[int, list[tuple[int, int]]] = {}
    for row, start, end in literals:
        by_row.setdefault(row, []).append((start, end))
    words = [
        (place.row, place.start, place.end)
        for place in places
        if not any(
            start < place.end and place.start < end for start, end in by_row.get(place.row, ())
        )
    ]
    return sorted({*literals, *words})


@lru_cache(8)
def _term_matcher(words: tuple[str, ...]) -> TermMatcher:
    return TermMatcher(words)


def _cut_snippet(
    lines: Sequence[str],
    start_line: int,
    highlights: Iterable[tuple[int, int, int]],
    shown: _ShownRows,
    more: Sequence[int],
) -> Snippet:
    """Cuts the rows out; those of `more` that follow or precede the others are of one part."""
    rows = {*range(*shown.rows), *(range(*shown.head) if shown.head else ()), *more}
    marks = (
        Highlight(start_line + row, start, end) for row, start, end in highlights if row in rows
    )
    ranges = _consecutive_ranges(sorted(rows)) if more else [*filter(None, shown)]
    own = (
        next(range_ for range_ in ranges if range_[0] <= shown.rows[0] < range_[1])
        if more
        else shown.rows
    )
    head = None
    if shown.head:
        head = next(range_ for range_ in ranges if range_[0] <= shown.head[0] < range_[1])
        head = None if head == own else head
    rest = [range_ for range_ in ranges if range_ not in (own, head)]

    def part(rows: tuple[int, int]) -> SnippetPart:
        return SnippetPart(start_line + rows[0], list(lines[slice(*rows)]))

    start, own_lines = part(own)
    below = len(lines) - max((end for _, end in ranges), default=own[1])
    return Snippet(
        start,
        own_lines,
        list(islice(marks, MAX_HIGHLIGHTS)),
        part(head) if head else None,
        below,
        [part(rows) for rows in rest],
    )


def _consecutive_ranges(rows: Iterable[int]) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    for row in rows:
        if ranges and ranges[-1][1] == row:
            ranges[-1] = (ranges[-1][0], row + 1)
        else:
            ranges.append((row, row + 1))
    return ranges


RowScores = Mapping[int, Mapping[str, int]]
"""The words of the query in each row, with their weights."""


def _score_rows(places: Iterable[TermMatch], count: int, request: SnippetRequest) -> RowScores:
    """Weighs each word by how few of the lines have it."""
    stems_by_row: dict[int, set[str]] = {}
    for place in places:
        if not _is_inner(place.row, request.inner):
            stems_by_row.setdefault(place.row, set()).update(place.stems)
    lines = Counter(stem for stems in stems_by_row.values() for stem in stems)
    worth = {stem: (count // lines[stem]).bit_length() for stem in lines}
    rows = {row: {stem: worth[stem] for stem in stems_by_row[row]} for row in sorted(stems_by_row)}
    for row in _literal_rows(request):
        rows[row] = {**rows.get(row, {}), f"\0{row}": LITERAL_WEIGHT}
    if request.anchor is not None and request.anchor in range(count):
        rows[request.anchor] = {**rows.get(request.anchor, {}), "": ANCHOR_WEIGHT}
    return dict(sorted(rows.items()))


def _choose_rows(text: _NodeText, size: int, literal_rows: Collection[int]) -> tuple[int, int]:
    """The best range of rows, end exclusive; the first rows if none has a word.

    It has a row with a literal if there is one.
    """
    lines, layout, rows = text.lines, text.layout, text.rows
    if len(lines) <= size or not rows or not size:
        return 0, min(size, len(lines))
    matching = list(rows)
    ranges = [matching[at : bisect_left(matching, row + size)] for at, row in enumerate(matching)]
    if literal_rows:
        required = set(literal_rows)
        ranges = [inside_rows for inside_rows in ranges if not required.isdisjoint(inside_rows)]
    scores = {inside_rows[0]: _range_score(inside_rows, rows) for inside_rows in ranges}
    best = sorted(ranges, key=lambda inside_rows: (-scores[inside_rows[0]], inside_rows[0]))[
        :MAX_COMPARED
    ]
    highest = scores[best[0][0]]
    cuts = [
        (inside_rows, _cheapest_cut(layout, inside_rows[0], inside_rows[-1], size))
        for inside_rows in best
    ]
    inside, (_, start, end) = max(
        cuts,
        key=lambda item: (scores[item[0][0]] * CUT_PENALTY - highest * item[1][0], -item[0][0]),
    )
    while not lines[end - 1].strip() and end - 1 > inside[-1]:
        end -= 1
    while not lines[start].strip() and start < inside[0]:
        start += 1
    return start, end


def _range_score(inside: Iterable[int], rows: RowScores) -> int:
    counts: Counter[str] = Counter()
    worth: dict[str, int] = {}
    for row in inside:
        worth.update(rows[row])
        counts.update(rows[row].keys())
    most = len(REPEAT_WEIGHTS) - 1
    return sum(worth[stem] * REPEAT_WEIGHTS[min(times, most)] for stem, times in counts.items())


def _cheapest_cut(layout: Layout, first: int, last: int, size: int) -> tuple[int, int, int]:
    """The least cost of a cut around rows `first` to `last`, with its start and end row.

    Among equal cuts the first wins, then the longer one.
    """
    earliest = max(0, last + 1 - size, min(first - MAX_SHIFT, layout.count - size))
    cuts = [
        (start_cost + layout.end_cost(end) + start + size - end, start, -end)
        for start in range(first, earliest - 1, -1)
        for start_cost in (layout.start_cost(start),)
        for end in range(
            min(start + size, layout.count), max(last, start + size - 1 - MAX_SHIFT), -1
        )
    ]
    cost, start, end = min(cuts)
    return cost, start, -end


def _find_head(lines: Sequence[str], signature: str | None) -> tuple[int, int]:
    """The rows of the signature, end exclusive; the first row if it is not found."""
    sought = " ".join((signature or "").split())
    if not sought:
        return 0, 0
    for row, line in enumerate(lines[:HEAD_SEARCH_LINES]):
        text = _normalize_line(line)
        if text and (sought.startswith(text) or text.startswith(sought)):
            return row, _find_head_end(lines, row, sought)
    return 0, min(1, len(lines))


def _find_head_end(lines: Sequence[str], first: int, sought: str) -> int:
    """The end of a signature that begins in row `first`."""
    text = " ".join(lines[first].split())
    row = first + 1
    while row < min(len(lines), first + MAX_HEAD_LINES) and len(text) < len(sought):
        text = f"{text} {' '.join(lines[row].split())}"
        if not (sought.startswith(text.rstrip(SIGNATURE_TRIM)) or text.startswith(sought)):
            break
        row += 1
    return row


def _find_table_header(lines: Sequence[str], row: int) -> tuple[int, int] | None:
    """The header row of the markdown table that a row is in, end exclusive; None for other rows."""
    top = row
    while top > 0 and TABLE_ROW.match(lines[top - 1]) and TABLE_ROW.match(lines[row]):
        top -= 1
    is_inside = top < row and TABLE_RULE.fullmatch(lines[top + 1]) is not None
    return (top, top + 1) if is_inside else None


def _normalize_line(line: str) -> str:
    """A line with single spaces, trimmed like a signature."""
    return " ".join(line.split()).rstrip(SIGNATURE_TRIM)
