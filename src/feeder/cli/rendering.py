"""Renders hits, outlines, paths and vimgrep lines for a terminal or an editor."""

import os
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from feeder.cli.terminal import (
    BOLD,
    DIM,
    LINE_STYLE,
    PATH_STYLE,
    PLAIN,
    Cell,
    Terminal,
    highlight_code,
    to_cells,
)
from feeder.search.answers import Page, PageHit, hit_name, hit_status
from feeder.search.excerpts import UNAVAILABLE_REASONS, Freshness
from feeder.search.outline import Outline, OutlineEntry, entry_status

MAX_SAME_NAME = 5
"""Nodes of one name in a row that an outline has a line each for, or lines that it tells."""
GUTTER_COLUMNS = 8
"""Columns before a line of a file: its number and two blanks."""


class Style(NamedTuple):
    """Where the hits are shown, and whether with reasons."""

    terminal: Terminal = Terminal()
    explain: bool = False


PLAIN_STYLE = Style()


def render_hits(page: Page, style: Style = PLAIN_STYLE) -> Iterator[str]:
    """Path, lines, type and name of each hit, and the lines that answer; what is left; how old."""
    for shown in page.hits:
        yield style.terminal.render_cells(_heading_cells(shown))
        yield from _description_lines(shown, style.terminal)
        if style.explain:
            yield style.terminal.render_cells(to_cells(_indent(explain_score(shown)), DIM))
        yield from _snippet_lines(shown, style.terminal)
    for text in _footer_lines(page):
        yield from style.terminal.wrap(text)


def render_vimgrep(page: Page, root: Path, max_columns: int | None = None) -> Iterator[str]:
    """`path:line:column:text` of the best line of each hit that lies here; columns are bytes.

    Of a text that is longer only what is around the match.
    """
    for shown in filter(is_in_working_tree, page.hits):
        if shown.excerpt.lines:
            window = shown.snippet
            first = (window.start_line, 0) if window.lines else (shown.excerpt.first, 0)
            line, start = next(((mark.line, mark.start) for mark in window.marks), first)
            text = dict(zip(shown.excerpt.numbers, shown.excerpt.lines, strict=True))[line]
            column = len(text[:start].encode("utf-8", "replace")) + 1
            text = Terminal(max_line_columns=max_columns).render_code_line(
                "", text, [(start, start)]
            )
            yield f"{_relative_path(root, shown)}:{line}:{column}:{text}"


def render_paths(page: Page, root: Path) -> Iterator[str]:
    """The path of each file that has a hit which lies here, the best first."""
    yield from dict.fromkeys(
        _relative_path(root, shown) for shown in filter(is_in_working_tree, page.hits)
    )


def is_in_working_tree(hit: PageHit) -> bool:
    """Whether the hit's path leads to its lines: a path is all that a program is given."""
    return hit.excerpt.is_shown and hit.excerpt.commit is None


def omitted_hits(page: Page) -> Iterator[str]:
    """What a program is not given, and why."""
    for shown in page.hits:
        if not is_in_working_tree(shown):
            place = f"{shown.result.hit.path}:{shown.excerpt.first}"
            yield f"Left out: {place} ({_omission_reason(shown)})"


def _omission_reason(hit: PageHit) -> str:
    """Why a path does not lead to the hit's lines."""
    state, commit = hit.excerpt.freshness, hit.excerpt.commit
    if state is Freshness.OTHER_REPOSITORY:
        return f"in {hit.result.hit.repo}"
    if commit:
        return f"not in the working tree, as committed in {commit[:10]}"
    return UNAVAILABLE_REASONS[state]


def render_outline(outline: Outline, terminal: Terminal) -> Iterator[str]:
    """Each file's path, and below it a line for each symbol or section.

    Of many in a row that are called the same, the lines are told behind the first.
    """
    for path, entries in outline.files.items():
        yield terminal.render_cells(to_cells(path, PATH_STYLE))
        for _, run in groupby(entries, key=_entry_key):
            alike = list(run)
            some = alike if len(alike) <= MAX_SAME_NAME else alike[:1]
            yield from (terminal.render_cells(_entry_cells(entry)) for entry in some)
            if len(alike) > MAX_SAME_NAME:
                yield terminal.render_cells(to_cells(_indent(_same_name_line(alike[1:])), DIM))
    if outline.status.note:
        yield from terminal.wrap(outline.status.note)


def _entry_key(entry: OutlineEntry) -> tuple[str | int | None, ...]:
    hit = entry.hit
    return entry.depth, hit.node_type, hit.symbol or hit.logical_path, hit.signature


def _same_name_line(entries: Sequence[OutlineEntry]) -> str:
    """Where they are; of many the first and the last."""
    lines = [f"{entry.start_line}-{entry.end_line}" for entry in entries]
    told = lines if len(lines) <= MAX_SAME_NAME else [*lines[: MAX_SAME_NAME - 1], "…", lines[-1]]
    return f"    and {len(lines):,} more of this name: {', '.join(told)}"


def _entry_cells(entry: OutlineEntry) -> list[Cell]:
    hit = entry.hit
    name = hit.symbol or hit.logical_path or ""
    state = entry_status(entry)
    return [
        *to_cells(
            f"{entry.start_line}-{entry.end_line}".rjust(GUTTER_COLUMNS + 4) + "  ", LINE_STYLE
        ),
        *to_cells("  " * entry.depth),
        *to_cells(f"{hit.node_type}  ", DIM),
        *to_cells(name, BOLD),
        *to_cells(f"  {hit.signature}" if hit.signature else ""),
        *to_cells(f"  ({state})" if state else ""),
    ]


def explain_score(hit: PageHit) -> str:
    """The score, the ranks by which the hit was found, and what each rule has given."""
    one = hit.result
    ranks = {name: f" (rank {rank})" for name, rank in one.ranks.items()}
    parts = [f"{name} {value:+.4g}{ranks.get(name, '')}" for name, value in one.score_parts.items()]
    return f"score {one.score:.4g}: {', '.join(parts) or 'by filters alone'}"


def _relative_path(root: Path, hit: PageHit) -> str:
    """The path as it leads there from where the user stands."""
    return os.path.relpath(root / hit.result.hit.path)


def _heading_cells(page_hit: PageHit) -> list[Cell]:
    hit, member, excerpt = page_hit.result.hit, page_hit.member, page_hit.excerpt
    name = hit_name(page_hit)
    where = member.line if member else f"{excerpt.first}-{excerpt.last}"
    state = hit_status(page_hit)
    return [
        *to_cells(hit.path, PATH_STYLE),
        *to_cells(f":{where}", LINE_STYLE),
        *to_cells(f"  {hit.node_type}", DIM),
        *to_cells(f"  {name}" if name else "", BOLD),
        *to_cells(f"  ({state})" if state else "", PLAIN),
    ]


def _description_lines(hit: PageHit, terminal: Terminal) -> Iterator[str]:
    """What a model says that it does."""
    beside = terminal._replace(width=terminal.width and max(1, terminal.width - GUTTER_COLUMNS))
    for line in beside.wrap(hit.result.hit.description) if hit.result.hit.description else ():
        yield terminal.render_cells(to_cells(_indent(line), DIM))


def _snippet_lines(hit: PageHit, terminal: Terminal) -> Iterator[str]:
    window = hit.snippet
    if gone := UNAVAILABLE_REASONS.get(hit.excerpt.freshness):
        yield terminal.render_cells(to_cells(_indent(f"({gone})"), DIM))
    if not window.lines:
        return
    for at, part in enumerate(window.parts):
        if at:
            yield terminal.render_cells(to_cells(_indent("…"), DIM))
        yield from _snippet_part(hit, part.start_line, part.lines, terminal)
    if window.below:
        lines = "line" if window.below == 1 else "lines"
        yield terminal.render_cells(to_cells(_indent(f"… {window.below} {lines} more"), DIM))


def _snippet_part(hit: PageHit, first: int, lines: list[str], terminal: Terminal) -> Iterator[str]:
    numbers = list(hit.excerpt.numbers)
    at = numbers.index(first)
    styles = _code_styles(hit, at, len(lines)) if terminal.colours else [()] * len(lines)
    for number, line, style in zip(numbers[at:], lines, styles, strict=False):
        marks = [mark[1:] for mark in hit.snippet.marks if mark.line == number]
        yield terminal.render_code_line(f"{number:>{GUTTER_COLUMNS - 2}}  ", line, marks, style)


def _code_styles(hit: PageHit, start: int, count: int) -> list[list[str]]:
    """Colours of some lines: all of the node is read, since a text or comment may be open."""
    return highlight_code(hit.excerpt.lines, hit.result.hit.language)[start : start + count]


def _indent(text: str) -> str:
    return " " * GUTTER_COLUMNS + text


def _footer_lines(page: Page) -> Iterator[str]:
    """What follows the hits: how many there are, what the search says of itself, how old all is."""
    shown, after = len(page.hits), page.offset + len(page.hits)
    total = f"at least {page.total}" if page.at_least else str(page.total)
    if not shown and not page.offset:
        yield "Nothing found."
    elif not shown:
        hint = _next_page_hint(page, page.total) or "."
        yield f"Nothing from {page.offset} on: {total} found{hint}"
    elif page.offset or after < page.total or page.at_least:
        yield f"{page.offset + 1} to {after} of {total}{_next_page_hint(page, after)}"
    yield from page.notes
    if page.note:
        yield page.note


def _next_page_hint(page: Page, after: int) -> str:
    """How to see what follows."""
    if after < page.total:
        return f"; the next: --offset {after}"
    return "; for others ask more narrowly" if page.at_least else ""
