"""Formats hits and read lines as text for a language model: a heading `path:first-last type
name`, the code, and a short footer with counts, notes and the freshness of the index. Replaces
CLI commands in messages by tools.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from textwrap import dedent
from typing import NamedTuple

from feeder import escaping as harmless
from feeder.mcp import RETRY_SOON, UPDATE_IN_PROGRESS, VECTORS_IN_PROGRESS
from feeder.mcp.token_budget import (
    SEPARATOR_BYTES,
    HitVariant,
    budget_bytes,
    byte_size,
    fit_to_budget,
    truncate_lines,
)
from feeder.mcp.tool_schemas import DEFAULT_TOKENS
from feeder.search.answers import Page, PageHit, hit_name, hit_status
from feeder.search.excerpts import UNAVAILABLE_REASONS
from feeder.search.snippets import SnippetPart

_SYNC_HINT = re.compile(
    r"\.?(?: To go on| For all)?: feeder sync(?: --path .+)?(?: --working-tree)?$"
)

_OUTLINE_COMMAND = re.compile(r"feeder outline (\S+)")


def without_sync_hint(refresh_note: str | None, age_note: str) -> str:
    """How old the index is, without the command that brings it on where somebody is at it."""
    return (
        _SYNC_HINT.sub(".", age_note)
        if refresh_note
        and refresh_note.endswith((RETRY_SOON, UPDATE_IN_PROGRESS, VECTORS_IN_PROGRESS))
        else age_note
    )


def commands_to_tools(text: str) -> str:
    """The same with tools for the commands that are tools too."""
    return _OUTLINE_COMMAND.sub(r'the outline tool with path "\1"', text)


FOOTER_BYTES = 200
"""That are kept for the end of an answer beside what it has to say of itself."""

MAX_NOTES_CHARS = 800

FULL, SNIPPET, SIGNATURE, LOCATIONS = "full", "snippet", "signature", "locations"

DESCRIPTION_PREFIX = "described: "
"""Before what a language model has said of a hit: a reader knows it from code."""

DETAIL_ORDER = (FULL, SNIPPET, SIGNATURE, LOCATIONS)

SHORTENED_TO = {
    SNIPPET: "to the lines that answer",
    SIGNATURE: "to signatures",
    LOCATIONS: "to locations",
}


class AnswerOptions(NamedTuple):
    """How much of each hit is asked for, and the tokens that all may take."""

    detail: str = "auto"
    tokens: int = DEFAULT_TOKENS


def format_hits(page: Page, options: AnswerOptions, freshness_note: str | None) -> str:
    """An answer with as much of each hit as fits."""
    first = FULL if options.detail == "auto" else options.detail
    hits = [_detail_variants(shown, first) for shown in page.hits]
    ends = [*page.notes, index_note(freshness_note, page.note)]
    budget = bytes_beside_footer(options.tokens, ends)
    chosen = fit_to_budget(hits, budget, greedy=options.detail == FULL)
    said = [_count_line(page, len(chosen)), _shortening_note(chosen, hits), *page.notes]
    return join_answer([form.text for form in chosen], said, ends[-1])


def index_note(refresh_note: str | None, age_note: str) -> str:
    """What was said before the answer, and how old the index is that gave it."""
    return " ".join(filter(None, [refresh_note, without_sync_hint(refresh_note, age_note)]))


def bytes_beside_footer(tokens: int, footer: Iterable[str]) -> int:
    """The bytes that are left for hits beside what ends an answer."""
    return (
        budget_bytes(tokens) - FOOTER_BYTES - min(sum(map(byte_size, footer)), 2 * MAX_NOTES_CHARS)
    )


def join_answer(parts: Iterable[str], notes: Iterable[str], last_note: str) -> str:
    """The parts, and below them at most three lines, the last of what the index equals."""
    first, *more = [commands_to_tools(one) for one in notes if one] or [""]
    foot = [first, " ".join(more)[:MAX_NOTES_CHARS], last_note]
    return "\n\n".join(
        [*parts, "\n".join(line for line in map(harmless.escape_line, foot) if line)]
    )


def _detail_variants(hit: PageHit, most_detailed: str) -> list[HitVariant]:
    """The ways to show a hit, from the one that is asked for to the smallest."""
    known = {
        FULL: _full_text(hit),
        SNIPPET: _snippet_text(hit),
        SIGNATURE: _signature_text(hit),
        LOCATIONS: hit_heading(hit),
    }
    wanted = DETAIL_ORDER[DETAIL_ORDER.index(most_detailed) :]
    forms = [HitVariant(detail, text) for detail in wanted if (text := known[detail])]
    return [one for at, one in enumerate(forms) if one.text not in _variant_texts(forms[:at])]


def _variant_texts(variants: Iterable[HitVariant]) -> set[str]:
    return {form.text for form in variants}


def hit_heading(shown: PageHit, lines: str = "") -> str:
    """Where it is, what it is, and which `lines` of it follow, where those are not all."""
    hit, excerpt = shown.result.hit, shown.excerpt
    state = ", ".join(
        filter(None, [hit_status(shown), UNAVAILABLE_REASONS.get(excerpt.freshness, "")])
    )
    parts = [
        f"{hit.path}:{excerpt.first}-{excerpt.last}",
        "" if hit.node_type == "lines" else hit.node_type,
        hit_name(shown),
        f"[{lines}]" if lines else "",
        f"({state})" if state else "",
    ]
    place = harmless.escape_line(" ".join(filter(None, parts)))
    return (
        f"{place}\n{DESCRIPTION_PREFIX}{harmless.escape_line(hit.description)}"
        if hit.description
        else place
    )


def format_code(lines: Iterable[str]) -> str:
    """Lines without what all of them begin with, and without what a reader cannot see."""
    text = dedent("\n".join(lines)).strip("\n")
    return harmless.escape_lines("\n".join(line.rstrip() for line in text.split("\n")))


def _full_text(hit: PageHit) -> str:
    lines = hit.excerpt.lines if hit.excerpt.is_shown else ()
    return f"{hit_heading(hit)}\n{format_code(lines)}" if lines else ""


def _snippet_text(hit: PageHit) -> str:
    parts = [part for part in hit.snippet.parts if part.lines]
    if not parts:
        return ""
    if sum(len(part.lines) for part in parts) == len(hit.excerpt.lines):
        return _full_text(hit)
    lines = [line for part in parts for line in ("…", *part.lines)][1:]
    spans = ", ".join(map(_line_range, parts))
    return f"{hit_heading(hit, spans)}\n{_join_with_gaps(lines)}"


def _join_with_gaps(lines: Sequence[str]) -> str:
    """The gap between two parts stands at no column of theirs."""
    gaps = [at for at, line in enumerate(lines) if line == "…"]
    text = format_code("" if at in gaps else line for at, line in enumerate(lines)).split("\n")
    for at in gaps:
        text[at : at + 1] = ["…"]
    return "\n".join(text)


def _line_range(part: SnippetPart) -> str:
    last = part.start_line + len(part.lines) - 1
    return f"{part.start_line}-{last}" if last > part.start_line else f"{last}"


def _signature_text(hit: PageHit) -> str:
    signature = hit.result.hit.signature
    return f"{hit_heading(hit)}\n{harmless.escape_line(signature)}" if signature else ""


def _count_line(page: Page, shown: int) -> str:
    after = page.offset + shown
    total = f"at least {page.total}" if page.at_least else f"{page.total}"
    if not shown:
        return f"Nothing from {page.offset} on: {total} found."
    rest = f"; the next: offset={after}" if after < page.total else ""
    some = f"{page.offset + 1} to {after}" if page.offset else f"{shown}"
    return f"{some} of {total}{rest}"


def _shortening_note(chosen: Sequence[HitVariant], variants: Sequence[Sequence[HitVariant]]) -> str:
    """What is not as long as was asked for, and how to get the rest."""
    shorter = [form for form, forms in zip(chosen, variants, strict=False) if form != forms[0]]
    if not shorter:
        return ""
    counts = Counter(form.detail for form in shorter)
    told = ", ".join(f"{counts[one]} {SHORTENED_TO[one]}" for one in DETAIL_ORDER if one in counts)
    return f"Shortened to fit: {told}. Whole: read them, or a larger budget."


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
