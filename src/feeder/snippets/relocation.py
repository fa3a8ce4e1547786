"""Finds a node's lines again in a changed file: by a diff against the indexed contents, else by
the hashes of its parts, else by its signature.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from feeder.nodes import Node, embedding_input, text_sha
from feeder.store.hits import Hit
from feeder.store.node_parts import HitContents, IndexedPart

MAX_DIFF_LINES = 20_000
"""In longer differences only unchanged blocks are found, because a diff would take long."""

MIN_REMAINING_SHARE = 0.4
"""The share of its lines that a changed text must still have."""

MIN_SIMILARITY, MAX_REWRITTEN_LINES, MAX_COMPARED_CHARS = 0.6, 3, 500
"""Lines that replaced others: their similarity, their number and the characters compared."""

MIN_DISTINCTIVE_LINES = 3
"""Fewer lines with letters may be the same elsewhere by chance."""


class LineRange(NamedTuple):
    """A range of lines, 1-based and inclusive; `is_same` if they are unchanged."""

    first: int
    last: int
    is_same: bool


class LineMap:
    """Maps lines `before` to lines `now`; the diff is computed once."""

    def __init__(self, before: Sequence[str], now: Sequence[str]) -> None:
        self._before = before
        self._now = now

    @cached_property
    def inverse(self) -> "LineMap":
        """The map from the lines now to those before."""
        return LineMap(self._now, self._before)

    def locate(self, first: int, last: int) -> LineRange | None:
        """The current range of the lines from `first` to `last`; None if they are gone."""
        last = min(last, len(self._before))
        lines = list(self._before[first - 1 : last])
        if not lines:
            return None
        if list(self._now[first - 1 : last]) == lines:
            return LineRange(first, last, True)
        matched = self._locate_by_diff(first, last)
        if matched and matched.is_same:
            return matched
        return self._locate_unique(lines) or matched

    def _locate_by_diff(self, first: int, last: int) -> LineRange | None:
        row_map = {
            row: target + row - at
            for at, target, size in self._matching_blocks
            for row in range(max(at, first - 1), min(at + size, last))
        }
        rows = range(first - 1, last)
        distinctive = [row for row in rows if _is_distinctive(self._before[row])] or rows
        remaining = sum(row in row_map for row in distinctive)
        if not remaining:
            return None if row_map else self._locate_rewritten(first - 1, last)
        if remaining < MIN_REMAINING_SHARE * len(distinctive):
            return None
        start, end = self._map_start(first - 1, row_map), self._map_end(last - 1, row_map)
        same = list(self._now[start : end + 1]) == list(self._before[first - 1 : last])
        return LineRange(start + 1, end + 1, same)

    def _locate_rewritten(self, start: int, end: int) -> LineRange | None:
        """The range of lines that were all replaced by similar ones."""
        above = max(
            (at + size, to + size) for at, to, size in self._matching_blocks if at + size <= start
        )
        below = min((at, to) for at, to, _ in self._matching_blocks if at >= end)
        shift = above[1] - above[0]
        if below[1] - below[0] != shift or end - start > MAX_REWRITTEN_LINES:
            return None
        from difflib import SequenceMatcher

        old = "\n".join(self._before[start:end])[:MAX_COMPARED_CHARS]
        new = "\n".join(self._now[start + shift : end + shift])[:MAX_COMPARED_CHARS]
        is_like = SequenceMatcher(None, old, new).ratio() > MIN_SIMILARITY
        return LineRange(start + shift + 1, end + shift, False) if is_like else None

    def _map_start(self, row: int, row_map: dict[int, int]) -> int:
        """The current row of the first line, or of what replaced it."""
        if row in row_map:
            return row_map[row]
        following = min(row_map)
        above = max(to + size for at, to, size in self._matching_blocks if at + size <= row)
        return min(row_map[following], max(above, row_map[following] - (following - row)))

    def _map_end(self, row: int, row_map: dict[int, int]) -> int:
        """The same for the last line."""
        if row in row_map:
            return row_map[row]
        before = max(row_map)
        below = min(to for at, to, _ in self._matching_blocks if at > row)
        return max(row_map[before], min(below - 1, row_map[before] + row - before))

    @cached_property
    def _matching_blocks(self) -> list[tuple[int, int, int]]:
        """Equal blocks as (row before, row now, number of rows), in order."""
        before, now = self._before, self._now
        shortest = min(len(before), len(now))
        top = next((row for row in range(shortest) if before[row] != now[row]), shortest)
        rest = shortest - top
        tail = next((row for row in range(rest) if before[-1 - row] != now[-1 - row]), rest)
        old, new = before[top : len(before) - tail], now[top : len(now) - tail]
        ends = (0, 0, top), (len(before) - tail, len(now) - tail, tail)
        if max(len(old), len(new)) > MAX_DIFF_LINES:
            return list(ends)
        from difflib import SequenceMatcher

        blocks = SequenceMatcher(None, old, new).get_matching_blocks()
        return [ends[0], *((at + top, to + top, size) for at, to, size in blocks if size), ends[1]]

    def _locate_unique(self, lines: list[str]) -> LineRange | None:
        """The only place with all of the lines in a row; None if there are several."""
        if sum(map(_is_distinctive, lines)) < MIN_DISTINCTIVE_LINES:
            return None
        rows = list(self._occurrences(lines))
        return LineRange(rows[0] + 1, rows[0] + len(lines), True) if len(rows) == 1 else None

    def _occurrences(self, lines: list[str]) -> Iterator[int]:
        longest = max(range(len(lines)), key=lambda row: len(lines[row]))
        for row, line in enumerate(self._now):
            start = row - longest
            if start >= 0 and line == lines[longest]:
                if list(self._now[start : start + len(lines)]) != lines:
                    continue
                yield start


def _is_distinctive(line: str) -> bool:
    return any(character.isalnum() for character in line)


MAX_HASHED_CHARS = 20_000_000
"""Characters hashed at most to find the parts of a node, nearest to their old lines first."""


def relocate_by_hash(
    hit: Hit, inner: HitContents, now: Sequence[str]
) -> tuple[LineRange | None, bool]:
    """Finds a node by the hashes of its parts' texts, without the indexed contents.

    Returns its range and True if that is certain. The hash of a node with inner nodes matches
    nothing, since their text is not part of it; its signature is searched for then.
    """
    shifts = dict(_part_shifts(hit, inner.parts, now))
    if not shifts:
        return _relocate_by_signature(hit, now), False
    start, end, count = min(shifts), max(shifts), len(inner.parts)
    first, last = hit.start_line + shifts[start], hit.end_line + shifts[end]
    if start and (by_signature := _relocate_by_signature(hit, now)):
        first = min(first, by_signature.first)
    located = LineRange(
        max(1, first), min(last, len(now)), _moved_together(inner.parts, shifts, now)
    )
    is_framed = start == 0 and end == count - 1
    is_complete = len(shifts) == count or (
        not inner.inner_lines and len(shifts) >= MIN_REMAINING_SHARE * count
    )
    return located, is_framed and is_complete


def _moved_together(
    parts: Sequence[IndexedPart], shifts: Mapping[int, int], now: Sequence[str]
) -> bool:
    """Returns True if all parts moved alike, with only blank lines between them."""
    if len(shifts) < len(parts) or len(set(shifts.values())) > 1:
        return False
    between = (range(above.last_line, below.first_line - 1) for above, below in pairwise(parts))
    return not any(now[row + shifts[0]].strip() for rows in between for row in rows)


def _part_shifts(
    hit: Hit, parts: Sequence[IndexedPart], now: Sequence[str]
) -> Iterator[tuple[int, int]]:
    """The lines by which each part that is found has moved, by the part's number."""
    chars = sum(map(len, now)) / max(1, len(now)) + 1
    shift, above = 0, 0
    for number, part in enumerate(parts):
        count = part.last_line - part.first_line + 1
        max_rows = int(MAX_HASHED_CHARS / len(parts) / (count * chars))
        rows = _nearest_rows(range(above, len(now) - count + 1), part.first_line - 1 + shift)[
            :max_rows
        ]
        row_found = next((row for row in rows if _has_hash_at(hit, part, now, row)), None)
        if row_found is not None:
            shift, above = row_found + 1 - part.first_line, row_found + count
            yield number, shift


def _nearest_rows(rows: range, expected: int) -> list[int]:
    return sorted(rows, key=lambda row: abs(row - expected))


def _has_hash_at(hit: Hit, part: IndexedPart, now: Sequence[str], row: int) -> bool:
    named = hit.language or "", hit.node_type, hit.symbol, hit.signature, hit.logical_path
    text = "\n".join(now[row : row + part.last_line - part.first_line + 1]).rstrip()
    nodes = (Node(*named, 0, 0, version) for version in {text, text.lstrip()} if version)
    return any(text_sha(embedding_input(hit.path, node)) == part.text_sha for node in nodes)


def _relocate_by_signature(hit: Hit, now: Sequence[str]) -> LineRange | None:
    """A range of the indexed length at the nearest line with the signature."""
    signature = hit.signature or ""
    texts = (" ".join(line.split()).rstrip(" ,;\\") for line in now)
    starts = [row for row, text in enumerate(texts) if text and signature.startswith(text)]
    if hit.signature and not starts:
        return None
    nearest = min(starts, key=lambda row: abs(row + 1 - hit.start_line), default=hit.start_line - 1)
    first = min(nearest, len(now) - 1) + 1
    return LineRange(first, min(len(now), first + hit.end_line - hit.start_line), False)
