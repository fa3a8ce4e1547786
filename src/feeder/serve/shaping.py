"""What does a model read? A line `path:first-last type name`, the code, and a short end."""

from collections import Counter
from collections.abc import Iterable, Sequence
from textwrap import dedent
from typing import NamedTuple

from feeder import shown as harmless
from feeder.search.answers import Page, PageHit
from feeder.search.windows import SnippetPart
from feeder.search.wording import UNAVAILABLE_REASONS, hit_name, hit_status
from feeder.serve.catalogue import DEFAULT_TOKENS
from feeder.serve.fitting import Form, fitted, room, size
from feeder.serve.remedies import in_tools, left_to

FOOT_BYTES = 200
"""That are kept for the end of an answer beside what it has to say of itself."""
NOTES_CHARS = 800
FULL, SNIPPET, SIGNATURE, LOCATION = "full", "snippet", "signature", "locations"
DESCRIBED = "described: "
"""Before what a language model has said of a hit: a reader knows it from code."""
FORMS = (FULL, SNIPPET, SIGNATURE, LOCATION)
SHORTENED = {
    SNIPPET: "to the lines that answer",
    SIGNATURE: "to signatures",
    LOCATION: "to locations",
}


class Wanted(NamedTuple):
    """How much of each hit is asked for, and the tokens that all may take."""

    detail: str = "auto"
    tokens: int = DEFAULT_TOKENS


def hits_as_text(page: Page, wanted: Wanted, says: str | None) -> str:
    """An answer with as much of each hit as fits."""
    first = FULL if wanted.detail == "auto" else wanted.detail
    hits = [_forms(shown, first) for shown in page.hits]
    ends = [*page.notes, standing(says, page.note)]
    budget = room_beside(wanted.tokens, ends)
    chosen = fitted(hits, budget, greedy=wanted.detail == FULL)
    said = [_count(page, len(chosen)), _shortened(chosen, hits), *page.notes]
    return joined([form.text for form in chosen], said, ends[-1])


def standing(before: str | None, age: str) -> str:
    """What was said before the answer, and how old the index is that gave it."""
    return " ".join(filter(None, [before, left_to(before, age)]))


def room_beside(tokens: int, ends: Iterable[str]) -> int:
    """The bytes that are left for hits beside what ends an answer."""
    return room(tokens) - FOOT_BYTES - min(sum(map(size, ends)), 2 * NOTES_CHARS)


def joined(parts: Iterable[str], said: Iterable[str], standing: str) -> str:
    """The parts, and below them at most three lines, the last of what the index equals."""
    first, *more = [in_tools(one) for one in said if one] or [""]
    foot = [first, " ".join(more)[:NOTES_CHARS], standing]
    return "\n\n".join(
        [*parts, "\n".join(line for line in map(harmless.escape_line, foot) if line)]
    )


def _forms(shown: PageHit, first: str) -> list[Form]:
    """The ways to show a hit, from the one that is asked for to the smallest."""
    known = {
        FULL: _body(shown),
        SNIPPET: _window(shown),
        SIGNATURE: _signature(shown),
        LOCATION: heading(shown),
    }
    wanted = FORMS[FORMS.index(first) :]
    forms = [Form(detail, text) for detail in wanted if (text := known[detail])]
    return [one for at, one in enumerate(forms) if one.text not in _texts(forms[:at])]


def _texts(forms: Iterable[Form]) -> set[str]:
    return {form.text for form in forms}


def heading(shown: PageHit, lines: str = "") -> str:
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
        f"{place}\n{DESCRIBED}{harmless.escape_line(hit.description)}" if hit.description else place
    )


def code(lines: Iterable[str]) -> str:
    """Lines without what all of them begin with, and without what a reader cannot see."""
    text = dedent("\n".join(lines)).strip("\n")
    return harmless.escape_lines("\n".join(line.rstrip() for line in text.split("\n")))


def _body(shown: PageHit) -> str:
    lines = shown.excerpt.lines if shown.excerpt.is_shown else ()
    return f"{heading(shown)}\n{code(lines)}" if lines else ""


def _window(shown: PageHit) -> str:
    parts = [part for part in shown.snippet.parts if part.lines]
    if not parts:
        return ""
    if sum(len(part.lines) for part in parts) == len(shown.excerpt.lines):
        return _body(shown)
    lines = [line for part in parts for line in ("…", *part.lines)][1:]
    spans = ", ".join(map(_span, parts))
    return f"{heading(shown, spans)}\n{_with_gaps(lines)}"


def _with_gaps(lines: Sequence[str]) -> str:
    """The gap between two parts stands at no column of theirs."""
    gaps = [at for at, line in enumerate(lines) if line == "…"]
    text = code("" if at in gaps else line for at, line in enumerate(lines)).split("\n")
    for at in gaps:
        text[at : at + 1] = ["…"]
    return "\n".join(text)


def _span(part: SnippetPart) -> str:
    last = part.start_line + len(part.lines) - 1
    return f"{part.start_line}-{last}" if last > part.start_line else f"{last}"


def _signature(shown: PageHit) -> str:
    signature = shown.result.hit.signature
    return f"{heading(shown)}\n{harmless.escape_line(signature)}" if signature else ""


def _count(page: Page, shown: int) -> str:
    after = page.offset + shown
    total = f"at least {page.total}" if page.at_least else f"{page.total}"
    if not shown:
        return f"Nothing from {page.offset} on: {total} found."
    rest = f"; the next: offset={after}" if after < page.total else ""
    some = f"{page.offset + 1} to {after}" if page.offset else f"{shown}"
    return f"{some} of {total}{rest}"


def _shortened(chosen: Sequence[Form], hits: Sequence[Sequence[Form]]) -> str:
    """What is not as long as was asked for, and how to get the rest."""
    shorter = [form for form, forms in zip(chosen, hits, strict=False) if form != forms[0]]
    if not shorter:
        return ""
    counts = Counter(form.detail for form in shorter)
    told = ", ".join(f"{counts[one]} {SHORTENED[one]}" for one in FORMS if one in counts)
    return f"Shortened to fit: {told}. Whole: read them, or a larger budget."
