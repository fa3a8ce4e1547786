"""How is an answer shown, to a person and to an editor?"""

import os
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from feeder.cli.painting import BOLD, DIM, LINES, PATH, PLAIN, Cell, Terminal, cells, styles_of
from feeder.search.answers import Page, PageHit
from feeder.search.outline import Outline, OutlineEntry
from feeder.search.sources import Freshness
from feeder.search.wording import UNAVAILABLE_REASONS, entry_status, hit_name, hit_status

ALIKE = 5
"""Nodes of one name in a row that an outline has a line each for, or lines that it tells."""
GUTTER = 8
"""Columns before a line of a file: its number and two blanks."""


class Look(NamedTuple):
    """Where the hits are shown, and whether with reasons."""

    terminal: Terminal = Terminal()
    explain: bool = False


PIPED = Look()


def as_text(page: Page, look: Look = PIPED) -> Iterator[str]:
    """Path, lines, type and name of each hit, and the lines that answer; what is left; how old."""
    for shown in page.hits:
        yield look.terminal.line(_heading(shown))
        yield from _description(shown, look.terminal)
        if look.explain:
            yield look.terminal.line(cells(_beside(reasons(shown)), DIM))
        yield from _lines(shown, look.terminal)
    for text in _ends(page):
        yield from look.terminal.wrapped(text)


def as_vimgrep(page: Page, base: Path, longest: int | None = None) -> Iterator[str]:
    """`path:line:column:text` of the best line of each hit that lies here; columns are bytes.

    Of a text that is longer only what is around the match.
    """
    for shown in filter(lies_here, page.hits):
        if shown.excerpt.lines:
            window = shown.snippet
            first = (window.start_line, 0) if window.lines else (shown.excerpt.first, 0)
            line, start = next(((mark.line, mark.start) for mark in window.marks), first)
            text = dict(zip(shown.excerpt.numbers, shown.excerpt.lines, strict=True))[line]
            column = len(text[:start].encode("utf-8", "replace")) + 1
            text = Terminal(longest=longest).code("", text, [(start, start)])
            yield f"{_from_here(base, shown)}:{line}:{column}:{text}"


def as_files(page: Page, base: Path) -> Iterator[str]:
    """The path of each file that has a hit which lies here, the best first."""
    yield from dict.fromkeys(_from_here(base, shown) for shown in filter(lies_here, page.hits))


def lies_here(shown: PageHit) -> bool:
    """Whether the hit's path leads to its lines: a path is all that a program is given."""
    return shown.excerpt.is_shown and shown.excerpt.commit is None


def left_out(page: Page) -> Iterator[str]:
    """What a program is not given, and why."""
    for shown in page.hits:
        if not lies_here(shown):
            yield f"Left out: {shown.result.hit.path}:{shown.excerpt.first} ({_absence(shown)})"


def _absence(shown: PageHit) -> str:
    """Why a path does not lead to the hit's lines."""
    state, commit = shown.excerpt.freshness, shown.excerpt.commit
    if state is Freshness.OTHER_REPOSITORY:
        return f"in {shown.result.hit.repo}"
    if commit:
        return f"not in the working tree, as committed in {commit[:10]}"
    return UNAVAILABLE_REASONS[state]


def as_outline(outline: Outline, terminal: Terminal) -> Iterator[str]:
    """Each file's path, and below it a line for each symbol or section.

    Of many in a row that are called the same, the lines are told behind the first.
    """
    for path, entries in outline.files.items():
        yield terminal.line(cells(path, PATH))
        for _, run in groupby(entries, key=_called):
            alike = list(run)
            some = alike if len(alike) <= ALIKE else alike[:1]
            yield from (terminal.line(_entry(entry)) for entry in some)
            if len(alike) > ALIKE:
                yield terminal.line(cells(_beside(_others(alike[1:])), DIM))
    if outline.status.note:
        yield from terminal.wrapped(outline.status.note)


def _called(entry: OutlineEntry) -> tuple[str | int | None, ...]:
    hit = entry.hit
    return entry.depth, hit.node_type, hit.symbol or hit.logical_path, hit.signature


def _others(entries: Sequence[OutlineEntry]) -> str:
    """Where they are; of many the first and the last."""
    lines = [f"{entry.start_line}-{entry.end_line}" for entry in entries]
    told = lines if len(lines) <= ALIKE else [*lines[: ALIKE - 1], "…", lines[-1]]
    return f"    and {len(lines):,} more of this name: {', '.join(told)}"


def _entry(entry: OutlineEntry) -> list[Cell]:
    hit = entry.hit
    name = hit.symbol or hit.logical_path or ""
    state = entry_status(entry)
    return [
        *cells(f"{entry.start_line}-{entry.end_line}".rjust(GUTTER + 4) + "  ", LINES),
        *cells("  " * entry.depth),
        *cells(f"{hit.node_type}  ", DIM),
        *cells(name, BOLD),
        *cells(f"  {hit.signature}" if hit.signature else ""),
        *cells(f"  ({state})" if state else ""),
    ]


def reasons(shown: PageHit) -> str:
    """The score, the ranks by which the hit was found, and what each rule has given."""
    one = shown.result
    ranks = {name: f" (rank {rank})" for name, rank in one.ranks.items()}
    parts = [f"{name} {value:+.4g}{ranks.get(name, '')}" for name, value in one.score_parts.items()]
    return f"score {one.score:.4g}: {', '.join(parts) or 'by filters alone'}"


def _from_here(base: Path, shown: PageHit) -> str:
    """The path as it leads there from where the user stands."""
    return os.path.relpath(base / shown.result.hit.path)


def _heading(shown: PageHit) -> list[Cell]:
    hit, member, excerpt = shown.result.hit, shown.member, shown.excerpt
    name = hit_name(shown)
    where = member.line if member else f"{excerpt.first}-{excerpt.last}"
    state = hit_status(shown)
    return [
        *cells(hit.path, PATH),
        *cells(f":{where}", LINES),
        *cells(f"  {hit.node_type}", DIM),
        *cells(f"  {name}" if name else "", BOLD),
        *cells(f"  ({state})" if state else "", PLAIN),
    ]


def _description(shown: PageHit, terminal: Terminal) -> Iterator[str]:
    """What a model says that it does."""
    beside = terminal._replace(width=terminal.width and max(1, terminal.width - GUTTER))
    for line in (
        beside.wrapped(shown.result.hit.description) if shown.result.hit.description else ()
    ):
        yield terminal.line(cells(_beside(line), DIM))


def _lines(shown: PageHit, terminal: Terminal) -> Iterator[str]:
    window = shown.snippet
    if gone := UNAVAILABLE_REASONS.get(shown.excerpt.freshness):
        yield terminal.line(cells(_beside(f"({gone})"), DIM))
    if not window.lines:
        return
    for at, part in enumerate(window.parts):
        if at:
            yield terminal.line(cells(_beside("…"), DIM))
        yield from _part(shown, part.start_line, part.lines, terminal)
    if window.below:
        lines = "line" if window.below == 1 else "lines"
        yield terminal.line(cells(_beside(f"… {window.below} {lines} more"), DIM))


def _part(shown: PageHit, first: int, lines: list[str], terminal: Terminal) -> Iterator[str]:
    numbers = list(shown.excerpt.numbers)
    at = numbers.index(first)
    styles = _styles(shown, at, len(lines)) if terminal.colours else [()] * len(lines)
    for number, line, style in zip(numbers[at:], lines, styles, strict=False):
        marks = [mark[1:] for mark in shown.snippet.marks if mark.line == number]
        yield terminal.code(f"{number:>{GUTTER - 2}}  ", line, marks, style)


def _styles(shown: PageHit, at: int, count: int) -> list[list[str]]:
    """Colours of some lines: all of the node is read, since a text or comment may be open."""
    return styles_of(shown.excerpt.lines, shown.result.hit.language)[at : at + count]


def _beside(text: str) -> str:
    return " " * GUTTER + text


def _ends(page: Page) -> Iterator[str]:
    """What follows the hits: how many there are, what the search says of itself, how old all is."""
    shown, after = len(page.hits), page.offset + len(page.hits)
    total = f"at least {page.total}" if page.at_least else str(page.total)
    if not shown and not page.offset:
        yield "Nothing found."
    elif not shown:
        yield f"Nothing from {page.offset} on: {total} found{_rest(page, page.total) or '.'}"
    elif page.offset or after < page.total or page.at_least:
        yield f"{page.offset + 1} to {after} of {total}{_rest(page, after)}"
    yield from page.notes
    if page.note:
        yield page.note


def _rest(page: Page, after: int) -> str:
    """How to see what follows."""
    if after < page.total:
        return f"; the next: --offset {after}"
    return "; for others ask more narrowly" if page.at_least else ""
