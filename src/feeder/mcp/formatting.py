"""Formats hits and read lines as text for a language model: a heading `path:first-last type
name`, the code, and a short footer with counts, notes and the freshness of the index.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from textwrap import dedent
from typing import NamedTuple

from feeder.errors import NotInIndexError
from feeder.escaping import escape_line, escape_lines
from feeder.mcp.remedies import note_for_agent
from feeder.mcp.token_budget import (
    SEPARATOR_BYTES,
    HitVariant,
    budget_bytes,
    byte_size,
    fit_to_budget,
    truncate_lines,
)
from feeder.mcp.tool_schemas import DEFAULT_TOKENS
from feeder.notes import NEEDLESS_DURING_SYNC, Note, NoteKind
from feeder.search.answers import Page, PageHit, hit_name, hit_status, table_header
from feeder.snippets.excerpts import UNAVAILABLE_REASONS
from feeder.snippets.snippets import SnippetPart

FULL, SNIPPET, SIGNATURE, LOCATIONS = "full", "snippet", "signature", "locations"
DETAIL_ORDER = (FULL, SNIPPET, SIGNATURE, LOCATIONS)
"""Detail levels of a hit, from the largest to the smallest."""
SHORTENED_TO = {SNIPPET: "to snippets", SIGNATURE: "to signatures", LOCATIONS: "to locations"}

DESCRIPTION_PREFIX = "described: "
"""Precedes the description of a hit, so that a reader does not take it for code."""

FOOTER_BYTES = 200
"""Reserved for the footer of an answer, beside notes and the freshness of the index."""
MAX_NOTES_CHARS = 800
"""Characters of notes in the footer."""
MAX_NAMED_TARGETS = 5
"""Targets of `read` that are named although they are not shown."""
NAMED_TARGETS_BYTES = 300
"""Reserved for their names."""
MIN_PASSAGE_BYTES = 80
"""Code that has to fit below a heading; with fewer bytes left, a target is only named."""


class AnswerOptions(NamedTuple):
    """The detail level that was requested for hits, and the tokens that an answer may have."""

    detail: str = "auto"
    tokens: int = DEFAULT_TOKENS


class ReadResult(NamedTuple):
    """A target of `read` as it was written, and its lines or an error.

    `absent` is the error of a name that the index does not have.
    """

    target: str
    page: Page | None
    error: str = ""
    absent: NotInIndexError | None = None


class FittedText(NamedTuple):
    """The part of a target that fits, a target for the rest, and a note about a cut line."""

    text: str
    rest: str = ""
    note: str = ""


def format_hits(page: Page, options: AnswerOptions, freshness_note: Note | None) -> str:
    """A page of hits, each with as much detail as the token budget allows."""
    most_detailed = FULL if options.detail == "auto" else options.detail
    hits = [_detail_variants(hit, most_detailed) for hit in page.hits]
    last_note = index_note(freshness_note, page.status.notes)
    budget = bytes_beside_footer(options.tokens, [*page.notes, last_note])
    chosen = fit_to_budget(hits, budget)
    count, shortened = _count_line(page, len(chosen)), _shortening_note(chosen, hits)
    texts = [variant.text for variant in chosen]
    return join_answer(texts, [count, shortened, *page.notes], last_note)


def format_read_results(
    results: Sequence[ReadResult],
    tokens: int,
    freshness_note: Note | None,
    doubts: Sequence[Note] = (),
) -> str:
    """The lines of the targets of `read`, as many as fit, the first targets first.

    `doubts` are reasons why a target that the index does not have may exist nevertheless.
    """
    status_notes = next((result.page.status.notes for result in results if result.page), [])
    status_notes = [*status_notes, *(note for note in doubts if note not in status_notes)]
    last_note = index_note(freshness_note, status_notes)
    left = bytes_beside_footer(tokens, [last_note]) - NAMED_TARGETS_BYTES
    fitted = []
    for result in results:
        for part in _fit_result(result, left):
            left -= byte_size(part.text) + SEPARATOR_BYTES
            fitted.append(part)
    omitted = _omitted_note([part.rest for part in fitted if part.rest])
    page_notes = [note for result in results if result.page for note in result.page.notes]
    notes: list[str | Note] = [omitted, *(part.note for part in fitted), *page_notes]
    return join_answer((part.text for part in fitted if part.text), notes, last_note)


def index_note(refresh_note: Note | None, status_notes: Sequence[Note]) -> str:
    """The note of the refresh and the notes on what the index equals."""
    notes = without_needless_remedies(refresh_note, status_notes)
    return " ".join(map(note_for_agent, [*filter(None, [refresh_note]), *notes]))


def without_needless_remedies(refresh_note: Note | None, notes: Sequence[Note]) -> list[Note]:
    """The notes, without the advice to run `feeder sync` if the index is being updated anyway."""
    is_updated = refresh_note is not None and refresh_note.kind is NoteKind.UPDATE_RUNNING
    return [
        note.without_remedy() if is_updated and note.kind in NEEDLESS_DURING_SYNC else note
        for note in notes
    ]


def bytes_beside_footer(tokens: int, footer: Iterable[str | Note]) -> int:
    """The bytes that are left for hits, given the notes of the footer."""
    notes_bytes = min(sum(byte_size(str(note)) for note in footer), 2 * MAX_NOTES_CHARS)
    return budget_bytes(tokens) - FOOTER_BYTES - notes_bytes


def join_answer(parts: Iterable[str], notes: Iterable[str | Note], last_note: str) -> str:
    """The parts and a footer of at most three lines: the first note, the others, `last_note`."""
    texts = [note if isinstance(note, str) else note_for_agent(note) for note in notes]
    first, *more = list(filter(None, texts)) or [""]
    footer = [first, _cut_notes(" ".join(more)), last_note]
    return "\n\n".join([*parts, "\n".join(line for line in map(escape_line, footer) if line)])


def _cut_notes(text: str) -> str:
    """The notes up to the limit; a cut one ends with three dots."""
    return text if len(text) <= MAX_NOTES_CHARS else f"{text[: MAX_NOTES_CHARS - 1]}…"


def _detail_variants(hit: PageHit, most_detailed: str) -> list[HitVariant]:
    """The hit at each detail level, from `most_detailed` on; equal texts once."""
    texts = {
        FULL: _full_text(hit),
        SNIPPET: _snippet_text(hit),
        SIGNATURE: _signature_text(hit),
        LOCATIONS: hit_heading(hit),
    }
    variants: dict[str, HitVariant] = {}
    if most_detailed == FULL and (text := _text_in_context(hit)):
        variants[text] = HitVariant(FULL, text)
    for detail in DETAIL_ORDER[DETAIL_ORDER.index(most_detailed) :]:
        if text := texts[detail]:
            variants.setdefault(text, HitVariant(detail, text))
    return list(variants.values())


def hit_heading(hit: PageHit, lines: str = "") -> str:
    """The line above a hit: `path:first-last type name`, and the lines shown if not all are."""
    node, excerpt = hit.result.hit, hit.excerpt
    unavailable = UNAVAILABLE_REASONS.get(excerpt.freshness, "")
    state = ", ".join(filter(None, [hit_status(hit), unavailable]))
    parts = [
        f"{node.path}:{excerpt.first}-{excerpt.last}",
        "" if node.node_type == "lines" else node.node_type,
        hit_name(hit),
        f"[{lines}]" if lines else "",
        f"({state})" if state else "",
    ]
    heading = escape_line(" ".join(filter(None, parts)))
    if not node.description:
        return heading
    return f"{heading}\n{DESCRIPTION_PREFIX}{escape_line(node.description)}"


def format_code(lines: Iterable[str]) -> str:
    """Lines without common indentation, trailing blanks and invisible characters."""
    text = dedent("\n".join(lines)).strip("\n")
    return escape_lines("\n".join(line.rstrip() for line in text.split("\n")))


def _full_text(hit: PageHit) -> str:
    lines = hit.excerpt.lines if hit.excerpt.is_shown else ()
    return f"{hit_heading(hit)}\n{_header_text(hit, lines)}{format_code(lines)}" if lines else ""


def _text_in_context(hit: PageHit) -> str:
    """The lines with those around them; empty if there are none."""
    excerpt = hit.excerpt
    if not excerpt.lines or not (excerpt.before or excerpt.after):
        return ""
    lines = [*excerpt.before, *excerpt.lines, *excerpt.after]
    shown = f"{excerpt.first - len(excerpt.before)}-{excerpt.last + len(excerpt.after)}"
    return f"{hit_heading(hit, shown)}\n{_header_text(hit, lines)}{format_code(lines)}"


def _header_text(hit: PageHit, lines: Iterable[str]) -> str:
    """The header row of a table with a gap below it; empty for other hits."""
    header = table_header(hit, lines)
    return f"{escape_line(header)}\n…\n" if header else ""


def _snippet_text(hit: PageHit) -> str:
    parts = [part for part in hit.snippet.parts if part.lines]
    if not parts:
        return ""
    if sum(len(part.lines) for part in parts) == len(hit.excerpt.lines):
        return _full_text(hit)
    lines = [line for part in parts for line in ("…", *part.lines)][1:]
    ranges = ", ".join(map(_line_range, parts))
    return f"{hit_heading(hit, ranges)}\n{_header_text(hit, lines)}{_join_with_gaps(lines)}"


def _join_with_gaps(lines: Sequence[str]) -> str:
    """Code with a line `…` at each gap, which has no part in the common indentation."""
    gaps = [i for i, line in enumerate(lines) if line == "…"]
    text = format_code("" if i in gaps else line for i, line in enumerate(lines)).split("\n")
    for i in gaps:
        text[i] = "…"
    return "\n".join(text)


def _line_range(part: SnippetPart) -> str:
    last = part.start_line + len(part.lines) - 1
    return f"{part.start_line}-{last}" if last > part.start_line else f"{last}"


def _signature_text(hit: PageHit) -> str:
    signature = hit.result.hit.signature
    return f"{hit_heading(hit)}\n{escape_line(signature)}" if signature else ""


def _count_line(page: Page, shown: int) -> str:
    end = page.offset + shown
    total = f"at least {page.total}" if page.at_least else f"{page.total}"
    if not shown:
        hits = "hit" if page.total == 1 else "hits"
        return f"Offset {page.offset} is past the end ({total} {hits})."
    next_page = f"; next: offset={end}" if end < page.total else ""
    hits = f"{page.offset + 1} to {end}" if page.offset else f"{shown}"
    return f"{hits} of {total}{next_page}"


def _shortening_note(chosen: Sequence[HitVariant], hits: Sequence[Sequence[HitVariant]]) -> str:
    """The number of hits with less detail than requested, and the way to get the rest."""
    pairs = zip(chosen, hits, strict=False)
    counts = Counter(one.detail for one, variants in pairs if one.detail != variants[0].detail)
    if not counts:
        return ""
    shortened = ", ".join(
        f"{counts[detail]} {SHORTENED_TO[detail]}" for detail in SHORTENED_TO if counts[detail]
    )
    return f"Shortened to fit: {shortened}. For all lines, use `read` or a larger `budget`."


def _fit_result(result: ReadResult, bytes_left: int) -> Iterator[FittedText]:
    if result.page is None:
        fits = byte_size(result.error) <= bytes_left
        rest = result.target[:NAMED_TARGETS_BYTES]
        yield FittedText(result.error) if fits else FittedText("", rest)
        return
    for hit in result.page.hits:
        part = _fit_hit(hit, bytes_left)
        bytes_left -= byte_size(part.text) + SEPARATOR_BYTES
        yield part


def _fit_hit(hit: PageHit, bytes_left: int) -> FittedText:
    excerpt, path = hit.excerpt, hit.result.hit.path
    heading = hit_heading(hit)
    whole = f"{heading}\n{format_code(excerpt.lines)}" if excerpt.lines else heading
    if byte_size(whole) <= bytes_left:
        return FittedText(whole)
    numbers = list(excerpt.numbers) or [excerpt.first]
    code_bytes = bytes_left - byte_size(heading) - MIN_PASSAGE_BYTES
    if code_bytes <= 0 or not excerpt.lines:
        return FittedText("", f"{path}:{numbers[0]}-{numbers[-1]}")
    lines = truncate_lines(excerpt.lines, code_bytes)
    count = len(lines)
    last = numbers[count - 1]
    rest = f"{path}:{numbers[count]}-{numbers[-1]}" if count < len(numbers) else ""
    missing = len(excerpt.lines[count - 1]) - len(lines[-1])
    note = f"Line {last} of {path} is cut by {missing} characters." if missing else ""
    text = f"{hit_heading(hit, f'{numbers[0]}-{last}')}\n{format_code(lines)}"
    return FittedText(text, rest, note)


def _omitted_note(targets: Sequence[str]) -> str:
    if not targets:
        return ""
    more = len(targets) - MAX_NAMED_TARGETS
    named = ", ".join(targets[:MAX_NAMED_TARGETS]) + (f" and {more} more" if more > 0 else "")
    return f"Not shown: {named}. Read them, or use a larger budget."
