"""Fits hits into a token budget: chooses how detailed each hit is shown, the best ranked first.

Tokens are estimated from bytes: 3.2 bytes of source code are one token or less with the
tokenizers in use (described in docs/reference/mcp.md).
"""

from collections.abc import Sequence
from typing import NamedTuple

BYTES_PER_TOKEN = 3.2
SEPARATOR_BYTES = 2
"""Bytes of the blank line between two hits."""


MIN_HIT_BYTES, MIN_HITS = 192, 3
"""Bytes for each hit, 60 tokens, and the hits of a budget without as many; chosen by `python -m
bench budget`."""


SMALL_BUDGET_BYTES, MAX_SMALL_HITS = 3_200, 8
"""A budget of fewer bytes, 1,000 tokens, has at most so many hits; chosen likewise."""


def budget_bytes(tokens: int) -> int:
    """The number of bytes that `tokens` tokens surely hold."""
    return int(tokens * BYTES_PER_TOKEN)


def byte_size(text: str) -> int:
    """The length of a text in UTF-8."""
    return len(text.encode("utf-8", "replace"))


class HitVariant(NamedTuple):
    """A hit formatted at a detail level."""

    detail: str
    text: str


def fit_to_budget(hits: Sequence[Sequence[HitVariant]], budget: int) -> list[HitVariant]:
    """Chooses a variant of each hit, so that all fit into `budget` bytes.

    `hits` are in the order of their ranks, the variants of each from the largest to the smallest.
    Every hit gets its smallest variant; if even these do not fit, the last hits are dropped, but
    never the first. Of hits with several variants, a small budget has fewer: `MIN_HIT_BYTES` for
    each, but at least `MIN_HITS` and at most `MAX_SMALL_HITS`. What is left of the budget goes to
    the best hits first, without a limit for each, which would lose right lines.
    """
    if any(len(variants) > 1 for variants in hits):
        most = MAX_SMALL_HITS if budget < SMALL_BUDGET_BYTES else len(hits)
        hits = hits[: max(MIN_HITS, min(most, budget // MIN_HIT_BYTES))]
    hits = hits[: _count_that_fit([byte_size(variants[-1].text) for variants in hits], budget)]
    chosen = [variants[-1] for variants in hits]
    left = budget - sum(byte_size(variant.text) + SEPARATOR_BYTES for variant in chosen)
    for i, variants in enumerate(hits):
        size = byte_size(chosen[i].text)
        chosen[i] = next((v for v in variants if byte_size(v.text) <= size + left), chosen[i])
        left -= byte_size(chosen[i].text) - size
    return chosen


def _count_that_fit(sizes: Sequence[int], budget: int) -> int:
    """The number of leading sizes that fit, at least one."""
    for i, size in enumerate(sizes):
        budget -= size + SEPARATOR_BYTES
        if budget < 0 and i:
            return i
    return len(sizes)


def truncate_lines(lines: Sequence[str], budget: int) -> list[str]:
    """The leading lines that fit into `budget` bytes; at least the beginning of the first line."""
    fitting: list[str] = []
    left = budget
    for line in lines:
        left -= byte_size(line) + 1
        if left < 0:
            break
        fitting.append(line)
    if lines and not fitting:
        return [lines[0].encode("utf-8", "replace")[: max(budget, 1)].decode("utf-8", "ignore")]
    return fitting
