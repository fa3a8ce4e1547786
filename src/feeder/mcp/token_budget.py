"""Fits hits into a token budget: chooses how detailed each hit is shown, the best ranked first.

Tokens are estimated from bytes: 3.2 bytes of source code are one token or less with the
tokenizers in use (measured in docs/how-to/coding-agents.md).
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

BYTES_PER_TOKEN = 3.2
SEPARATOR_BYTES = 2
"""Bytes between two hits."""
SHARE_DIVISOR = 3


def budget_bytes(tokens: int) -> int:
    """The bytes that an answer may have."""
    return int(tokens * BYTES_PER_TOKEN)


def byte_size(text: str) -> int:
    """The bytes of a text."""
    return len(text.encode("utf-8", "replace"))


class HitVariant(NamedTuple):
    """One of the ways to show a hit: how it is called, and its text."""

    detail: str
    text: str


def fit_to_budget(
    hits: Sequence[Sequence[HitVariant]], budget: int, *, greedy: bool = False
) -> list[HitVariant]:
    """The form of each hit, whose forms are given from the largest to the smallest.

    The first hits are chosen first. Unless it is `greedy`, a hit takes at most a third of the
    budget, or its equal part where that is more; what is left then goes to the first as well.
    Where even the smallest forms do not fit, the last hits are left out, but never the first.
    """
    some = hits[: len(list(_sizes_that_fit([byte_size(forms[-1].text) for forms in hits], budget)))]
    chosen = [forms[-1] for forms in some]
    left = budget - sum(byte_size(form.text) + SEPARATOR_BYTES for form in chosen)
    for most in (
        (left, left) if greedy else (max(left // SHARE_DIVISOR, left // len(some or "1")), left)
    ):
        for at, forms in enumerate(some):
            small = byte_size(chosen[at].text)
            room_for_it = small + min(most, left)
            chosen[at] = next(
                (one for one in forms if byte_size(one.text) <= room_for_it), chosen[at]
            )
            left -= byte_size(chosen[at].text) - small
    return chosen


def _sizes_that_fit(sizes: Sequence[int], budget: int) -> Iterator[int]:
    """As many of the first as fit, and one at least."""
    for at, one in enumerate(sizes):
        budget -= one + SEPARATOR_BYTES
        if budget < 0 and at:
            return
        yield one


def truncate_lines(lines: Sequence[str], budget: int) -> list[str]:
    """The first lines that fit; of a first one that does not, its beginning."""
    some: list[str] = []
    for line in lines:
        budget -= byte_size(line) + 1
        if budget < 0:
            break
        some.append(line)
    if lines and not some:
        room_left = max(budget + byte_size(lines[0]) + 1, 1)
        return [lines[0].encode("utf-8", "replace")[:room_left].decode("utf-8", "ignore")]
    return some
