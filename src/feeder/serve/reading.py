"""What does `read` answer? The lines of each target, as many as fit, and how to get the rest."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from feeder.search.answers import Page, PageHit
from feeder.serve.fitting import BLANK, cut, size
from feeder.serve.shaping import code, heading, joined, room_beside, standing

NAMED = 5
"""Targets of what is not shown."""
NAME_BYTES = 300
"""That are kept for them."""
LEAST_BYTES = 80
"""Beside the line that says where it is; with less room a target is only named."""


class Passage(NamedTuple):
    """A target as it was named, and its lines, or why there are none."""

    target: str
    page: Page | None
    error: str = ""


class Fitted(NamedTuple):
    """What fits of a target, the target of what does not, and what has to be said of it."""

    text: str
    rest: str = ""
    note: str = ""


def passages_as_text(passages: Sequence[Passage], tokens: int, says: str | None) -> str:
    """All that fits, the first targets first."""
    age = next((one.page.note for one in passages if one.page), "")
    note = standing(says, age)
    left = room_beside(tokens, [note]) - NAME_BYTES
    some = []
    for one in passages:
        for fit in _fits(one, left):
            left -= size(fit.text) + BLANK
            some.append(fit)
    said = [*_left([fit.rest for fit in some if fit.rest]), *(fit.note for fit in some)]
    return joined((fit.text for fit in some if fit.text), said, note)


def _fits(passage: Passage, left: int) -> Iterator[Fitted]:
    if passage.page is None:
        fits = size(passage.error) <= left
        yield Fitted(passage.error) if fits else Fitted("", passage.target[:NAME_BYTES])
        return
    for shown in passage.page.hits:
        fit = _fitted(shown, left)
        left -= size(fit.text) + BLANK
        yield fit


def _fitted(shown: PageHit, left: int) -> Fitted:
    excerpt, path = shown.excerpt, shown.result.hit.path
    head = heading(shown)
    whole = f"{head}\n{code(excerpt.lines)}" if excerpt.lines else head
    if size(whole) <= left:
        return Fitted(whole)
    numbers = list(excerpt.numbers) or [excerpt.first]
    room = left - size(head) - LEAST_BYTES
    if room <= 0 or not excerpt.lines:
        return Fitted("", f"{path}:{numbers[0]}-{numbers[-1]}")
    some = cut(excerpt.lines, room)
    last = len(some)
    rest = f"{path}:{numbers[last]}-{numbers[-1]}" if last < len(numbers) else ""
    gone = len(excerpt.lines[last - 1]) - len(some[-1])
    note = f"Line {numbers[last - 1]} of {path} is cut by {gone} characters." if gone else ""
    text = f"{heading(shown, f'{numbers[0]}-{numbers[last - 1]}')}\n{code(some)}"
    return Fitted(text, rest, note)


def _left(rest: Sequence[str]) -> Iterator[str]:
    if rest:
        more = f" and {len(rest) - NAMED} more" if len(rest) > NAMED else ""
        named = ", ".join(rest[:NAMED])
        yield f"Not shown: {named}{more}. Read those, or take a larger budget."
