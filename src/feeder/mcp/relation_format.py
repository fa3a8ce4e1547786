"""Formats references, definitions, callers and the impact of a change as text for a language
model: one line each, the surest first, as many as fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from feeder.escaping import count_of, escape_line
from feeder.impact.sections import impact_sections, impact_summary
from feeder.impact.touched import Impact
from feeder.mcp.formatting import bytes_beside_footer, join_answer
from feeder.mcp.token_budget import byte_size, truncate_lines
from feeder.mcp.tool_schemas import DEFAULT_TOKENS
from feeder.relations.callers import Caller, CallerTree
from feeder.relations.found_definition import FoundDefinition
from feeder.relations.modules import (
    Definition,
    say_left_out,
    say_nothing_implements,
    say_unindexed,
)
from feeder.relations.name_lines import name_line_texts
from feeder.relations.references import ReferencePage
from feeder.relations.sites import Implementation, Reference
from feeder.relations.uses import UsePage

MAX_LINE_CHARS = 160
"""Characters of a source line."""

MAX_SECTION_SHARE = 0.5
"""A section of an impact takes at most this share of what earlier ones left of the budget."""

MAX_NAME_LINES = 20
"""Lines with a name that are shown where nothing refers to it."""

BY_NAME = " (by name only)"


def format_references(page: ReferencePage, last_note: str, tokens: int = DEFAULT_TOKENS) -> str:
    """The references of a page below their files."""
    if not page.total:
        return _no_reference(page, last_note, tokens)
    texts = list(_reference_texts(page.references))
    counts = _counts(page.total, page.resolved, at_least=page.at_least)
    counts += say_left_out(len(page.left_out)) + say_unindexed(page.target)
    return _paged(texts, page.offset, page.total, counts, last_note, tokens=tokens)


def _no_reference(page: ReferencePage | CallerTree, last_note: str, tokens: int) -> str:
    """The answer if nothing refers to a definition, below the lines of code with its name."""
    lines = [_cut(escape_line(line)) for line in name_line_texts(page.name_lines)][:MAX_NAME_LINES]
    budget = bytes_beside_footer(tokens, [page.reason(len(lines)), last_note])
    shown = truncate_lines(lines, max(budget, 1))
    text = "\n".join(shown)
    return join_answer([text] if text else [], [page.reason(len(shown))], last_note)


def format_uses(page: UsePage, last_note: str, tokens: int = DEFAULT_TOKENS) -> str:
    """The definitions that a target refers to, with the lines that do."""
    if not page.total:
        return join_answer([], [page.reason], last_note)
    texts = []
    above = None
    for use in page.uses:
        heading = _definition_line(use.definition)
        site = use.reference
        line = f"  {site.line} {site.detail}: {_cut(site.text)}"
        texts.append([line] if heading == above else [heading, line])
        above = heading
    counts = _counts(page.total, page.resolved, at_least=page.at_least)
    return _paged(texts, page.offset, page.total, counts, last_note, tokens=tokens)


def format_definitions(
    definitions: Sequence[FoundDefinition],
    last_note: str,
    tokens: int = DEFAULT_TOKENS,
    *,
    at_least: bool,
    offset: int = 0,
) -> str:
    """One line for each definition, from an offset on."""
    texts = [[_definition_line(definition)] for definition in definitions]
    counts = f"{'at least ' if at_least else ''}{count_of(len(texts), 'definition')}"
    return _paged(texts[offset:], offset, len(texts), counts, last_note, tokens=tokens)


def format_implementations(  # noqa: PLR0913 - the entries, their place among all, and the footer
    definition: Definition,
    types: Sequence[Implementation],
    last_note: str,
    tokens: int = DEFAULT_TOKENS,
    *,
    at_least: bool,
    offset: int = 0,
) -> str:
    """The types below a type, indented by level, or the members that override a member, from an
    offset on.
    """
    if not types:
        return join_answer([], [say_nothing_implements(definition)], last_note)
    texts = [[_type_line(type_)] for type_ in types]
    counts = f"{'at least ' if at_least else ''}{count_of(len(types), 'implementation')}"
    return _paged(texts[offset:], offset, len(types), counts, last_note, tokens=tokens)


def _type_line(type_: Implementation) -> str:
    note = "" if type_.resolved else BY_NAME
    return f"{'  ' * (type_.depth - 1)}{type_.place} {type_.title}{note}"


def format_callers(
    tree: CallerTree, last_note: str, tokens: int = DEFAULT_TOKENS, *, offset: int = 0
) -> str:
    """The callers and theirs, indented by level, in lines from an offset on."""
    if not tree.total:
        return _no_reference(tree, last_note, tokens)
    texts = [[line] for line in _caller_lines(tree.callers, tree.omitted, 0)]
    counts = f"{'at least ' if tree.at_least else ''}{count_of(tree.total, 'caller')}"
    return _paged(texts[offset:], offset, len(texts), counts, last_note, tokens=tokens)


def format_impact(impact: Impact, whole: Impact, last_note: str) -> str:
    """Sections of what a change touches; the first ones get most of the budget."""
    note = impact_summary(whole)
    if not whole.change.paths:
        return join_answer([], [note], last_note)
    budget = bytes_beside_footer(DEFAULT_TOKENS, [*whole.limits, last_note])
    parts = list(_impact_parts(impact, whole, budget))
    return join_answer(parts, [note, *whole.limits], last_note)


def _impact_parts(impact: Impact, whole: Impact, budget: int) -> Iterator[str]:
    """Yields each section with a title and the lines that fit."""
    left = budget
    for section in impact_sections(impact, whole):
        lines = [escape_line(" ".join(map(_cut_part, parts))) for parts in section.lines]
        shown = truncate_lines(lines, max(int(left * MAX_SECTION_SHARE), 1))
        omitted = section.omitted + len(lines) - len(shown)
        text = "\n".join([section.title, *shown, *([f"… {omitted} more"] if omitted else [])])
        yield text
        left -= byte_size(text) + 2


def _cut_part(text: str) -> str:
    """The beginning of a part; its spaces in front are the indentation."""
    return text if len(text) <= MAX_LINE_CHARS else f"{text[:MAX_LINE_CHARS]}…"


def _reference_texts(references: Iterable[Reference]) -> Iterator[list[str]]:
    """The text of each reference; the first ones of a file have its path above them."""
    above = None
    for reference in references:
        heading = f"{reference.path}{'' if reference.resolved else BY_NAME}"
        symbol = f" in {reference.node.symbol}" if reference.node.symbol else ""
        line = f"  {reference.line} {reference.detail}{symbol}: {_cut(reference.text)}"
        yield [line] if heading == above else [heading, line]
        above = heading


def _definition_line(one: FoundDefinition) -> str:
    note = "" if one.resolved else BY_NAME
    return f"{one.place} {one.node_type} {one.symbol}{note}"


def _caller_lines(callers: Sequence[Caller], omitted: int, level: int) -> Iterator[str]:
    indent = "  " * level
    for caller in callers:
        lines = ",".join(map(str, caller.lines))
        symbol = f" {caller.node.symbol}" if caller.node.symbol else ""
        yield f"{indent}{caller.node.path}:{lines}{symbol}{'' if caller.resolved else BY_NAME}"
        yield from _caller_lines(caller.callers, caller.omitted, level + 1)
    if omitted:
        yield f"{indent}… {omitted} more"


def _counts(total: int, resolved: int, *, at_least: bool) -> str:
    prefix = "at least " if at_least else ""
    counts = count_of(total, "reference")
    return f"{prefix}{counts}: {resolved:,} resolved, {total - resolved:,} by name only"


def _paged(  # noqa: PLR0913 - the entries, their place among all, and the footer
    texts: Sequence[Sequence[str]],
    offset: int,
    total: int,
    counts: str,
    last_note: str,
    *,
    tokens: int,
) -> str:
    """The leading entries that fit, and where the next ones begin."""
    budget = bytes_beside_footer(tokens, [last_note])
    fitting, size = 0, 0
    for count, lines in enumerate(texts, start=1):
        size += sum(byte_size(escape_line(line)) + 1 for line in lines)
        if size > budget and fitting:
            break
        fitting = count
    shown = [escape_line(line) for lines in texts[:fitting] for line in lines]
    end = offset + fitting
    if fitting == total:
        note = f"{counts}."
    elif not fitting:
        note = f"Offset {offset} is past the end ({counts})."
    else:
        following = f"; next: offset={end}" if end < total else ""
        note = f"{offset + 1} to {end} of {counts}{following}"
    return join_answer(["\n".join(shown)] if shown else [], [note], last_note)


def _cut(text: str) -> str:
    text = text.strip()
    return text if len(text) <= MAX_LINE_CHARS else f"{text[:MAX_LINE_CHARS]}…"
