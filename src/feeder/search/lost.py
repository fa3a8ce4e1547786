"""Where are a node's lines in a file whose contents at that time are lost? Hashes of texts tell."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from feeder.nodes import Node, embedding_input, text_sha
from feeder.search.relocation import MIN_KEPT_SHARE, LineRange
from feeder.store.node_parts import HitContents, IndexedPart
from feeder.store.word_search import Hit

MAX_HASHED_CHARS = 20_000_000
"""That are hashed at most to find a node's texts again, nearest to where they were."""


def relocate_by_hash(
    hit: Hit, inner: HitContents, now: Sequence[str]
) -> tuple[LineRange | None, bool]:
    """Where the hit is now, and whether these are its lines: where its pieces are, by their texts.

    It is edited where pieces between its first and its last are others now. The text of a node with
    others in it, which are no part of that, is found nowhere: then its signature tells.
    """
    shifts = dict(_part_shifts(hit, inner.parts, now))
    if not shifts:
        return _relocate_by_signature(hit, now), False
    start, end, count = min(shifts), max(shifts), len(inner.parts)
    first, last = hit.start_line + shifts[start], hit.end_line + shifts[end]
    if start and (signed := _relocate_by_signature(hit, now)):
        first = min(first, signed.first)
    traced = LineRange(
        max(1, first), min(last, len(now)), _moved_together(inner.parts, shifts, now)
    )
    is_framed = start == 0 and end == count - 1
    is_known = len(shifts) == count or (
        not inner.inner_lines and len(shifts) >= MIN_KEPT_SHARE * count
    )
    return traced, is_framed and is_known


def _moved_together(
    pieces: Sequence[IndexedPart], shifts: Mapping[int, int], now: Sequence[str]
) -> bool:
    """Whether all have moved alike, and nothing stands between them."""
    if len(shifts) < len(pieces) or len(set(shifts.values())) > 1:
        return False
    between = (range(above.last_line, below.first_line - 1) for above, below in pairwise(pieces))
    return not any(now[row + shifts[0]].strip() for rows in between for row in rows)


def _part_shifts(
    hit: Hit, pieces: Sequence[IndexedPart], now: Sequence[str]
) -> Iterator[tuple[int, int]]:
    """How far those pieces have moved that are found one below the other, by their numbers."""
    chars = sum(map(len, now)) / max(1, len(now)) + 1
    shift, above = 0, 0
    for number, piece in enumerate(pieces):
        count = piece.last_line - piece.first_line + 1
        tried = int(MAX_HASHED_CHARS / len(pieces) / (count * chars))
        rows = _nearest_rows(range(above, len(now) - count + 1), piece.first_line - 1 + shift)[
            :tried
        ]
        found = next((row for row in rows if _has_hash_at(hit, piece, now, row)), None)
        if found is not None:
            shift, above = found + 1 - piece.first_line, found + count
            yield number, shift


def _nearest_rows(rows: range, expected: int) -> list[int]:
    return sorted(rows, key=lambda row: abs(row - expected))


def _has_hash_at(hit: Hit, piece: IndexedPart, now: Sequence[str], row: int) -> bool:
    named = hit.language or "", hit.node_type, hit.symbol, hit.signature, hit.logical_path
    text = "\n".join(now[row : row + piece.last_line - piece.first_line + 1]).rstrip()
    nodes = (Node(*named, 0, 0, one) for one in {text, text.lstrip()} if one)
    return any(text_sha(embedding_input(hit.path, node)) == piece.text_sha for node in nodes)


def _relocate_by_signature(hit: Hit, now: Sequence[str]) -> LineRange | None:
    """As many lines as there were, with the signature where it was; the same ones without one."""
    sought = hit.signature or ""
    said = (" ".join(line.split()).rstrip(" ,;\\") for line in now)
    starts = [row for row, text in enumerate(said) if text and sought.startswith(text)]
    if hit.signature and not starts:
        return None
    nearest = min(starts, key=lambda row: abs(row + 1 - hit.start_line), default=hit.start_line - 1)
    first = min(nearest, len(now) - 1) + 1
    return LineRange(first, min(len(now), first + hit.end_line - hit.start_line), False)
