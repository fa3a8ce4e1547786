"""What does `read` answer? The lines of each target, as many as fit, and how to get the rest."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from feeder.mcp.formatting import (
    bytes_beside_footer,
    format_code,
    hit_heading,
    index_note,
    join_answer,
)
from feeder.mcp.token_budget import SEPARATOR_BYTES, byte_size, truncate_lines
from feeder.search.answers import Page, PageHit

MAX_NAMED_TARGETS = 5
"""Targets of what is not shown."""
NAMED_TARGETS_BYTES = 300
"""That are kept for them."""
MIN_PASSAGE_BYTES = 80
"""Beside the line that says where it is; with less room a target is only named."""


class ReadResult(NamedTuple):
    """A target as it was named, and its lines, or why there are none."""

    target: str
    page: Page | None
    error: str = ""


class FittedText(NamedTuple):
    """What fits of a target, the target of what does not, and what has to be said of it."""

    text: str
    rest: str = ""
    note: str = ""


def format_read_results(
    results: Sequence[ReadResult], tokens: int, freshness_note: str | None
) -> str:
    """All that fits, the first targets first."""
    age = next((one.page.note for one in results if one.page), "")
    note = index_note(freshness_note, age)
    left = bytes_beside_footer(tokens, [note]) - NAMED_TARGETS_BYTES
    some = []
    for one in results:
        for fit in _fit_result(one, left):
            left -= byte_size(fit.text) + SEPARATOR_BYTES
            some.append(fit)
    said = [*_omitted_note([fit.rest for fit in some if fit.rest]), *(fit.note for fit in some)]
    return join_answer((fit.text for fit in some if fit.text), said, note)


def _fit_result(result: ReadResult, bytes_left: int) -> Iterator[FittedText]:
    if result.page is None:
        fits = byte_size(result.error) <= bytes_left
        yield (
            FittedText(result.error)
            if fits
            else FittedText("", result.target[:NAMED_TARGETS_BYTES])
        )
        return
    for shown in result.page.hits:
        fit = _fit_hit(shown, bytes_left)
        bytes_left -= byte_size(fit.text) + SEPARATOR_BYTES
        yield fit


def _fit_hit(hit: PageHit, bytes_left: int) -> FittedText:
    excerpt, path = hit.excerpt, hit.result.hit.path
    head = hit_heading(hit)
    whole = f"{head}\n{format_code(excerpt.lines)}" if excerpt.lines else head
    if byte_size(whole) <= bytes_left:
        return FittedText(whole)
    numbers = list(excerpt.numbers) or [excerpt.first]
    room = bytes_left - byte_size(head) - MIN_PASSAGE_BYTES
    if room <= 0 or not excerpt.lines:
        return FittedText("", f"{path}:{numbers[0]}-{numbers[-1]}")
    some = truncate_lines(excerpt.lines, room)
    last = len(some)
    rest = f"{path}:{numbers[last]}-{numbers[-1]}" if last < len(numbers) else ""
    gone = len(excerpt.lines[last - 1]) - len(some[-1])
    note = f"Line {numbers[last - 1]} of {path} is cut by {gone} characters." if gone else ""
    text = f"{hit_heading(hit, f'{numbers[0]}-{numbers[last - 1]}')}\n{format_code(some)}"
    return FittedText(text, rest, note)


def _omitted_note(targets: Sequence[str]) -> Iterator[str]:
    if targets:
        more = (
            f" and {len(targets) - MAX_NAMED_TARGETS} more"
            if len(targets) > MAX_NAMED_TARGETS
            else ""
        )
        named = ", ".join(targets[:MAX_NAMED_TARGETS])
        yield f"Not shown: {named}{more}. Read those, or take a larger budget."
