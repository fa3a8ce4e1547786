"""How much of each hit fits into an answer? The budget is spent by rank; nothing goes unsaid.

Tokens are counted as bytes: 3.2 of a program's text are a token or less with the tokenizers in use
(docs/benchmarks/coding-agents.md says how that was measured), so that an answer takes no more than
was asked for.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

BYTES_A_TOKEN = 3.2
BLANK = 2
"""Bytes between two hits."""
SHARE = 3


def room(tokens: int) -> int:
    """The bytes that an answer may have."""
    return int(tokens * BYTES_A_TOKEN)


def size(text: str) -> int:
    """The bytes of a text."""
    return len(text.encode("utf-8", "replace"))


class Form(NamedTuple):
    """One of the ways to show a hit: how it is called, and its text."""

    detail: str
    text: str


def fitted(hits: Sequence[Sequence[Form]], budget: int, *, greedy: bool = False) -> list[Form]:
    """The form of each hit, whose forms are given from the largest to the smallest.

    The first hits are chosen first. Unless it is `greedy`, a hit takes at most a third of the
    budget, or its equal part where that is more; what is left then goes to the first as well.
    Where even the smallest forms do not fit, the last hits are left out, but never the first.
    """
    some = hits[: len(list(_beginning([size(forms[-1].text) for forms in hits], budget)))]
    chosen = [forms[-1] for forms in some]
    left = budget - sum(size(form.text) + BLANK for form in chosen)
    for most in (left, left) if greedy else (max(left // SHARE, left // len(some or "1")), left):
        for at, forms in enumerate(some):
            small = size(chosen[at].text)
            room_for_it = small + min(most, left)
            chosen[at] = next((one for one in forms if size(one.text) <= room_for_it), chosen[at])
            left -= size(chosen[at].text) - small
    return chosen


def _beginning(sizes: Sequence[int], budget: int) -> Iterator[int]:
    """As many of the first as fit, and one at least."""
    for at, one in enumerate(sizes):
        budget -= one + BLANK
        if budget < 0 and at:
            return
        yield one


def cut(lines: Sequence[str], budget: int) -> list[str]:
    """The first lines that fit; of a first one that does not, its beginning."""
    some: list[str] = []
    for line in lines:
        budget -= size(line) + 1
        if budget < 0:
            break
        some.append(line)
    if lines and not some:
        room_left = max(budget + size(lines[0]) + 1, 1)
        return [lines[0].encode("utf-8", "replace")[:room_left].decode("utf-8", "ignore")]
    return some
