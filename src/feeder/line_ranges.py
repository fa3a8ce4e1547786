"""Ranges of lines of a file, 1-based and inclusive, and their stored form: `12-40,55`."""

from collections.abc import Iterable

LineRange = tuple[int, int]
"""The first and the last line."""


def merge_ranges(ranges: Iterable[LineRange]) -> tuple[LineRange, ...]:
    """Sorts ranges, and joins those that overlap or follow each other without a gap."""
    merged: list[LineRange] = []
    for first, last in sorted(ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(last, merged[-1][1])
        else:
            merged.append((first, last))
    return tuple(merged)


def encode_ranges(ranges: Iterable[LineRange]) -> str:
    """Encodes ranges: `12-40,55`; empty without any."""
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)


def decode_ranges(text: str) -> tuple[LineRange, ...]:
    """Decodes what `encode_ranges` returned."""
    pairs = (part.partition("-") for part in text.split(",") if part)
    return tuple((int(first), int(last or first)) for first, _, last in pairs)


def ranges_within(ranges: Iterable[LineRange], first: int, last: int) -> tuple[LineRange, ...]:
    """The parts of ranges that are on the lines `first` to `last`."""
    cut = ((max(start, first), min(end, last)) for start, end in ranges)
    return tuple((start, end) for start, end in cut if start <= end)


def count_lines(ranges: Iterable[LineRange]) -> int:
    """Counts the lines of ranges that do not overlap."""
    return sum(last - first + 1 for first, last in ranges)
