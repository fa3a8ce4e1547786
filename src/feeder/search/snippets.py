"""Chooses the lines shown for a hit: where the query's words are densest, cut between statements.

Uses integers only, so that the Worker chooses the same lines.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from feeder.search.term_matching import TermMatch, TermMatcher

TAB_WIDTH = 4

BRACKET_COST, HEADING_COST, END_COST = 8, 4, 2

MAX_DEPTH_COST = 3
"""A cut deeper in is no worse."""

QUOTED_PATTERN = re.compile(r'"(?:\\.|[^"\\])*"|' + r"'(?:\\.|[^'\\])*'")

CONTINUATION = re.compile(
    r"\s*(?:[)\]}]|(?:end|else|elif|elsif|except|finally|catch|rescue|ensure|fi|done|esac)\b)"
)


class Layout:
    """How lines are nested, by their indentation and by brackets that are open."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.count = len(lines)
        self._lines = lines
        self._indents = list(_indents(lines))
        self._depths = list(_nesting_depths(self._indents))
        self._open_brackets = list(_open_bracket_counts(lines))

    def start_cost(self, row: int) -> int:
        """What it costs to leave out the lines above this one."""
        return self._cost(row) if row else 0

    def end_cost(self, row: int) -> int:
        """What it costs to leave out this line and all below."""
        if row >= self.count:
            return 0
        is_deeper = self._indents[row] > self._indents[row - 1]
        return self._cost(row) + is_deeper * HEADING_COST

    def _cost(self, row: int) -> int:
        cost = (
            min(MAX_DEPTH_COST, self._depths[row]) + bool(self._open_brackets[row]) * BRACKET_COST
        )
        cost += bool(CONTINUATION.match(self._lines[row])) * END_COST
        return cost - (not self._lines[row - 1].strip())


def _indents(lines: Sequence[str]) -> Iterator[int]:
    """Columns before the first letter; a blank line is as its next one."""
    following = 0
    found = []
    for line in reversed(lines):
        text = line.lstrip()
        if text:
            following = len(line[: len(line) - len(text)].expandtabs(TAB_WIDTH))
        found.append(following)
    return reversed(found)


def _nesting_depths(indents: Sequence[int]) -> Iterator[int]:
    """In how many others each line lies."""
    outer: list[int] = []
    for indent in indents:
        while outer and outer[-1] >= indent:
            outer.pop()
        yield len(outer)
        outer.append(indent)


def _open_bracket_counts(lines: Sequence[str]) -> Iterator[int]:
    """How many round and square brackets are open before each line."""
    depth = 0
    for line in lines:
        yield depth
        text = QUOTED_PATTERN.sub("", line)
        opened = text.count("(") + text.count("[")
        depth = max(0, depth + opened - text.count(")") - text.count("]"))


DEFAULT_LINES = 6

REPEAT_WEIGHTS = (0, 4, 6, 7)
"""What a word's first line, its first two and so on are worth; more add nothing."""

MAX_SHIFT = 12
"""Lines by which a window is moved for the sake of whole statements."""

MAX_HEAD_LINES, HEAD_SEARCH_LINES = 3, 80
"""Of a signature at most so many, and so far from the node's first line at most."""

SIGNATURE_TRIM = " ,;\\"
"""What a signature in the index leaves out at its end."""

MAX_COMPARED, CUT_PENALTY = 8, 32
"""Of the windows with most words so many are compared by how they cut too; a cut that costs so much
is as bad as to have no words."""

ANCHOR_WEIGHT = 1_000_000

MAX_HIGHLIGHTS = 1_000
"""Of a window at most: a line may be a whole file."""


class Highlight(NamedTuple):
    """Where a word stands: its line, and its characters from `start` up to `end`, counted from 0.

    Characters are code points, and a word in several parts has a mark for each.
    """

    line: int
    start: int
    end: int


class SnippetPart(NamedTuple):
    """Lines in a row; the first one's number."""

    start_line: int
    lines: list[str]


class Snippet(NamedTuple):
    """Lines that answer; `head` is the signature where it stands above and apart from them.

    `below` counts the node's lines that follow, and are not shown.
    """

    start_line: int
    lines: list[str]
    marks: list[Highlight]
    head: SnippetPart | None = None
    below: int = 0

    @property
    def parts(self) -> list[SnippetPart]:
        """All lines shown."""
        return [*filter(None, [self.head]), SnippetPart(self.start_line, self.lines)]

    def renumbered(self, numbers: Sequence[int]) -> "Snippet":
        """The same where lines, counted from 0 so far, have these numbers in their file."""
        if not self.lines:
            return self
        marks = [mark._replace(line=numbers[mark.line]) for mark in self.marks]
        head = self.head and self.head._replace(start_line=numbers[self.head.start_line])
        return self._replace(start_line=numbers[self.start_line], marks=marks, head=head)


class SnippetRequest(NamedTuple):
    """What is asked of a node's lines.

    `size` lines at most, 0 for none. `signature` is the index's, on one line; `anchor` is the row
    that must be shown, and `inner` are ranges of rows, from and up to, that are others' to show;
    rows are counted from the node's first, which is 0.
    """

    words: Sequence[str]
    size: int = DEFAULT_LINES
    signature: str | None = None
    anchor: int | None = None
    inner: Sequence[tuple[int, int]] = ()


def make_snippet(lines: Sequence[str], start_line: int, request: SnippetRequest) -> Snippet:
    """The lines of a node, the first of which is `start_line` of its file, that answer best."""
    places = list(_term_matcher(tuple(request.words)).find_matches(lines))
    rows = _score_rows(places, len(lines), request)
    layout = Layout(lines if rows and len(lines) > request.size else ())
    first, last = _find_head(lines, request.signature)
    size = min(request.size, len(lines))
    start, end = _choose_rows(layout, lines, rows, size)
    if size < 3 or start <= first or first == last:
        return _cut_snippet(lines, start_line, places, (start, end), None)
    last = min(last, first + size - 2)
    start, end = _choose_rows(layout, lines, rows, size - (last - first))
    if start <= last or end - first <= size:
        end = max(end, min(len(lines), first + size))
        return _cut_snippet(lines, start_line, places, (first, end), None)
    return _cut_snippet(lines, start_line, places, (start, end), (first, last))


@lru_cache(8)
def _term_matcher(words: tuple[str, ...]) -> TermMatcher:
    """Of a question, which is asked of each hit."""
    return TermMatcher(words)


def _cut_snippet(
    lines: Sequence[str],
    start_line: int,
    places: Iterable[TermMatch],
    rows: tuple[int, int],
    head: tuple[int, int] | None,
) -> Snippet:
    above = range(*head) if head else range(0)
    shown = (place for place in places if place.row in above or place.row in range(*rows))
    marks = [
        Highlight(start_line + one.row, one.start, one.end) for one in islice(shown, MAX_HIGHLIGHTS)
    ]
    part = SnippetPart(start_line + head[0], list(lines[slice(*head)])) if head else None
    below = len(lines) - rows[1]
    return Snippet(start_line + rows[0], list(lines[slice(*rows)]), marks, part, below)


RowScores = Mapping[int, Mapping[str, int]]
"""Rows that have words of the question: each word with what it is worth."""


def _score_rows(places: Iterable[TermMatch], count: int, request: SnippetRequest) -> RowScores:
    """A word in few of the lines is worth more than one in many."""
    found: dict[int, set[str]] = {}
    for place in places:
        if not any(start <= place.row < end for start, end in request.inner):
            found.setdefault(place.row, set()).update(place.stems)
    lines = Counter(stem for stems in found.values() for stem in stems)
    worth = {stem: (count // lines[stem]).bit_length() for stem in lines}
    rows = {row: {stem: worth[stem] for stem in found[row]} for row in sorted(found)}
    if request.anchor is not None and request.anchor in range(count):
        rows[request.anchor] = {**rows.get(request.anchor, {}), "": ANCHOR_WEIGHT}
    return dict(sorted(rows.items()))


def _choose_rows(
    layout: Layout, lines: Sequence[str], rows: RowScores, size: int
) -> tuple[int, int]:
    """The rows from and up to; the first ones where no word is found."""
    if len(lines) <= size or not rows or not size:
        return 0, min(size, len(lines))
    found = list(rows)
    windows = [found[at : bisect_left(found, row + size)] for at, row in enumerate(found)]
    scores = {some[0]: _range_score(some, rows) for some in windows}
    best = sorted(windows, key=lambda some: (-scores[some[0]], some[0]))[:MAX_COMPARED]
    highest = scores[best[0][0]]
    wholes = [(some, _cheapest_cut(layout, some[0], some[-1], size)) for some in best]
    inside, (_, start, end) = max(
        wholes,
        key=lambda one: (scores[one[0][0]] * CUT_PENALTY - highest * one[1][0], -one[0][0]),
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
    """What it costs to cut around these rows where it costs least, and from and up to where.

    Of equal ones the first, and more rows rather than fewer.
    """
    earliest = max(0, last + 1 - size, first - MAX_SHIFT)
    cuts = [
        (layout.start_cost(start) + layout.end_cost(end) + start + size - end, start, -end)
        for start in range(first, earliest - 1, -1)
        for end in range(
            min(start + size, layout.count), max(last, start + size - 1 - MAX_SHIFT), -1
        )
    ]
    cost, start, end = min(cuts)
    return cost, start, -end


def _find_head(lines: Sequence[str], signature: str | None) -> tuple[int, int]:
    """The rows, from and up to, of the signature; the first row where it is not found.

    None where there is no signature.
    """
    sought = " ".join((signature or "").split())
    if not sought:
        return 0, 0
    for row, line in enumerate(lines[:HEAD_SEARCH_LINES]):
        said = _normalize_line(line)
        if said and (sought.startswith(said) or said.startswith(sought)):
            return row, _find_head_end(lines, row, sought)
    return 0, min(1, len(lines))


def _find_head_end(lines: Sequence[str], first: int, sought: str) -> int:
    """Where a signature that begins in a row is over."""
    said = " ".join(lines[first].split())
    row = first + 1
    while row < min(len(lines), first + MAX_HEAD_LINES) and len(said) < len(sought):
        said = f"{said} {' '.join(lines[row].split())}"
        if not (sought.startswith(said.rstrip(SIGNATURE_TRIM)) or said.startswith(sought)):
            break
        row += 1
    return row


def _normalize_line(line: str) -> str:
    """A line with single blanks, without what a signature leaves out at its end."""
    return " ".join(line.split()).rstrip(SIGNATURE_TRIM)
