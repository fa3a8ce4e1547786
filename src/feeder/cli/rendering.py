"""Renders hits, outlines, paths and vimgrep lines for a terminal or an editor."""

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import NamedTuple

from feeder.cli.console import with_place
from feeder.cli.terminal import (
    BOLD,
    DIM,
    LINE_STYLE,
    MIN_NAME_COLUMNS,
    PATH_STYLE,
    PLAIN,
    Cell,
    Terminal,
    cut_middle,
    highlight_code,
    to_cells,
    total_width,
)
from feeder.escaping import count_of
from feeder.notes import NoteKind
from feeder.search.answers import Page, PageHit, hit_kind, hit_name, hit_status, table_header
from feeder.snippets.excerpts import UNAVAILABLE_REASONS, Freshness
from feeder.snippets.outline import (
    DETAIL_LEVELS,
    MEMBER_TYPE,
    Outline,
    OutlineEntry,
    OutlineLine,
    OutlineRow,
    entry_status,
    file_count,
    nested_lines,
    outline_rows,
    top_level_names,
)

MAX_SAME_NAME = 5
"""Consecutive nodes of one name that an outline lists one by one; more become one line."""
GUTTER_COLUMNS = 8
"""Columns before a line of a file: its number and two spaces."""


class Style(NamedTuple):
    """The output's properties; whether scores are explained, and the index's state is left out."""

    terminal: Terminal = Terminal()
    explain: bool = False
    quiet: bool = False


PLAIN_STYLE = Style()


def render_hits(page: Page, style: Style = PLAIN_STYLE) -> Iterator[str]:
    """Renders each hit with heading and snippet, then the number of hits, notes and freshness.

    A blank line parts hits of which lines are shown.
    """
    if is_by_meaning_only(page):
        yield "No match by name or word; nearest in meaning:"
        kept = [note for note in page.notes if note.kind is not NoteKind.NO_WORD_FOUND]
        page = page._replace(notes=kept)
    has_lines = False
    for shown in page.hits:
        if has_lines:
            yield ""
        lines = list(_hit_lines(shown, style))
        has_lines = len(lines) > 1
        yield from lines
    for text in _footer_lines(page, quiet=style.quiet):
        yield from style.terminal.wrap(text)


def render_vimgrep(page: Page, root: Path, max_columns: int | None = None) -> Iterator[str]:
    """Renders `path:line:column:text` for each line that matches the query exactly, else for the
    best line of each hit, in the working tree.

    Columns count bytes from 1. Longer lines are cut to `max_columns` around the match.
    """
    terminal = Terminal(max_line_columns=max_columns)
    seen: set[tuple[str, int]] = set()
    for shown in filter(is_in_working_tree, page.hits):
        path = _relative_path(root, shown)
        lines = dict(zip(shown.excerpt.numbers, shown.excerpt.lines, strict=True))
        for line, start in _matching_places(shown):
            if (path, line) in seen:
                continue
            seen.add((path, line))
            column = len(lines[line][:start].encode("utf-8", "replace")) + 1
            text = terminal.render_code_line("", lines[line], [(start, start)])
            yield f"{path}:{line}:{column}:{text}"


def _matching_places(shown: PageHit) -> Iterator[tuple[int, int]]:
    """The first place in each line that matches exactly; else the best line of the hit."""
    if shown.literals:
        yield from sorted({mark.line: mark.start for mark in reversed(shown.literals)}.items())
    elif shown.excerpt.lines:
        snippet = shown.snippet
        first = (snippet.start_line, 0) if snippet.lines else (shown.excerpt.first, 0)
        yield next(((mark.line, mark.start) for mark in snippet.marks), first)


def render_paths(page: Page, root: Path) -> Iterator[str]:
    """Renders the path of each file in the working tree that has a hit, best first."""
    yield from dict.fromkeys(
        _relative_path(root, shown) for shown in filter(is_in_working_tree, page.hits)
    )


def is_in_working_tree(hit: PageHit) -> bool:
    """Tells whether the hit's lines are in the file at its path, which an editor would open."""
    return hit.excerpt.is_shown and hit.excerpt.commit is None


def omitted_hits(page: Page) -> Iterator[str]:
    """Lists the hits that `render_paths` and `render_vimgrep` leave out, with the reason."""
    for shown in page.hits:
        if not is_in_working_tree(shown):
            location = f"{shown.result.hit.path}:{shown.excerpt.first}"
            yield f"Left out: {location} ({_omission_reason(shown)})"


def _omission_reason(hit: PageHit) -> str:
    state, commit = hit.excerpt.freshness, hit.excerpt.commit_text
    if state is Freshness.OTHER_REPOSITORY:
        return f"in {hit.result.hit.repo}"
    if commit:
        return commit if hit.excerpt.is_deleted else f"not in the working tree, {commit}"
    return UNAVAILABLE_REASONS[state]


def render_outline(
    outline: Outline,
    terminal: Terminal,
    depth: int | None = None,
    max_lines: int = 0,
    *,
    quiet: bool = False,
) -> Iterator[str]:
    """Renders each file's path, and below it a line for each symbol or section.

    The outline of a folder is shortened to `max_lines`, 0 for no limit. `depth` limits the levels
    of folders and of nesting.
    """
    is_limited = max_lines > 0 and len(outline.files) > 1
    for level in DETAIL_LEVELS if is_limited else DETAIL_LEVELS[:1]:
        rows = outline_rows(outline, level, depth)
        rendered = _outline_lines(rows, level.symbols, terminal)
        # no more lines than show that a level does not fit
        lines = list(islice(rendered, max_lines + 1))
        if len(lines) <= max_lines:
            break
    lines += rendered
    limit = max_lines if is_limited else len(lines)
    yield from lines[:limit]
    cut = f" {count_of(len(lines) - limit, 'more line')}." if len(lines) > limit else ""
    shortened = f"{level.note}{cut} Show all lines: --max-lines 0" if level.note else ""
    state = outline.status.note_for(quiet=quiet)
    for note in filter(None, [shortened, outline.unparsed_note, state]):
        yield from terminal.wrap(" ".join(with_place(note).split()))


def _outline_lines(rows: Iterable[OutlineRow], symbols: str, terminal: Terminal) -> Iterator[str]:
    for row in rows:
        path = [*to_cells(row.path, PATH_STYLE), *to_cells(row.mark)]
        if row.files:
            yield terminal.render_cells([*path, *to_cells(f"  {file_count(row.files)}", DIM)])
        elif symbols == "names":
            names = to_cells(f"  {', '.join(top_level_names(row.entries))}")
            yield terminal.render_cells([*path, *names])
        elif symbols == "count":
            yield terminal.render_cells([*path, *to_cells(f"  {len(row.entries)}", DIM)])
        else:
            yield terminal.render_cells(path)
            yield from _entry_lines(row.entries, terminal)


def _entry_lines(entries: Iterable[OutlineEntry], terminal: Terminal) -> Iterator[str]:
    """A line for each entry, by its last name; more than `MAX_SAME_NAME` consecutive ones of one
    name become two.
    """
    for _, group in groupby(nested_lines(list(entries)), key=_line_key):
        same = list(group)
        listed = same if len(same) <= MAX_SAME_NAME else same[:1]
        yield from (terminal.render_cells(_line_cells(line)) for line in listed)
        if len(same) > MAX_SAME_NAME:
            others = [line.entry for line in same[1:] if line.entry]
            yield terminal.render_cells(to_cells(_indent(_same_name_line(others)), DIM))


def _line_key(line: OutlineLine) -> tuple[str | int | None, ...]:
    if line.entry is None:
        return line.depth, line.name
    hit = line.entry.hit
    return line.depth, hit.node_type, hit.symbol or hit.logical_path, hit.signature


def _same_name_line(entries: Sequence[OutlineEntry]) -> str:
    lines = [f"{entry.start_line}-{entry.end_line}" for entry in entries]
    if len(lines) > MAX_SAME_NAME:
        lines = [*lines[: MAX_SAME_NAME - 1], "…", lines[-1]]
    return f"    and {len(entries):,} more of this name: {', '.join(lines)}"


def _line_cells(line: OutlineLine) -> list[Cell]:
    entry = line.entry
    if entry is None:
        return to_cells(f"{' ' * (GUTTER_COLUMNS + 6)}{line.name}", DIM)
    hit, state = entry.hit, entry_status(entry)
    is_member = hit.node_type == MEMBER_TYPE
    lines = f"{entry.start_line}" if is_member else f"{entry.start_line}-{entry.end_line}"
    return [
        *to_cells(lines.rjust(GUTTER_COLUMNS + 4) + "  ", LINE_STYLE),
        *to_cells("  " * line.depth),
        *to_cells(f"{hit.node_type}  ", DIM),
        *to_cells(line.name, BOLD),
        *to_cells(f"  {hit.signature}" if hit.signature else ""),
        *to_cells(f"  ({state})" if state else ""),
    ]


def explain_score(hit: PageHit) -> str:
    """Formats the score with its parts, and the rank in each retrieval."""
    one = hit.result
    ranks = {name: f" (rank {rank})" for name, rank in one.ranks.items()}
    parts = [f"{name} {value:+.4g}{ranks.get(name, '')}" for name, value in one.score_parts.items()]
    return f"score {one.score:.4g}: {', '.join(parts) or 'by filters alone'}"


def _relative_path(root: Path, hit: PageHit) -> str:
    """Returns the path relative to the current folder."""
    return os.path.relpath(root / hit.result.hit.path)


def is_by_meaning_only(page: Page) -> bool:
    """Tells whether no node has the query's name or one of its words, and the hits are near it."""
    return any(note.kind is NoteKind.NO_WORD_FOUND for note in page.notes)


def _hit_lines(shown: PageHit, style: Style) -> Iterator[str]:
    yield style.terminal.render_cells(_heading_cells(shown, style.terminal.width))
    yield from _description_lines(shown, style.terminal)
    if style.explain:
        yield style.terminal.render_cells(to_cells(_indent(explain_score(shown)), DIM))
    yield from _snippet_lines(shown, style.terminal)


def _heading_cells(page_hit: PageHit, width: int | None) -> list[Cell]:
    """Path, lines, kind and name.

    What does not fit is cut in the middle: the name first, then the folder, never the file's name.
    """
    hit, member, excerpt = page_hit.result.hit, page_hit.member, page_hit.excerpt
    name = hit_name(page_hit)
    state = hit_status(page_hit)
    folder, slash, file = hit.path.rpartition("/")
    place = [
        *to_cells(file, PATH_STYLE),
        *to_cells(f":{member.line if member else f'{excerpt.first}-{excerpt.last}'}", LINE_STYLE),
        *to_cells(f"  {hit_kind(page_hit)}", DIM),
    ]
    folder_cells = to_cells(folder + slash, PATH_STYLE)
    name_cells = to_cells(f"  {name}" if name else "", BOLD)
    after = to_cells(f"  ({state})" if state else "", PLAIN)
    if width is not None:
        room = width - total_width([*place, *after])
        name_cells = cut_middle(name_cells, max(room - total_width(folder_cells), MIN_NAME_COLUMNS))
        folder_cells = cut_middle(folder_cells, max(room - total_width(name_cells), 1))
    return [*folder_cells, *place, *name_cells, *after]


def _description_lines(hit: PageHit, terminal: Terminal) -> Iterator[str]:
    narrower = terminal._replace(width=terminal.width and max(1, terminal.width - GUTTER_COLUMNS))
    for line in narrower.wrap(hit.result.hit.description) if hit.result.hit.description else ():
        yield terminal.render_cells(to_cells(_indent(line), DIM))


def _snippet_lines(hit: PageHit, terminal: Terminal) -> Iterator[str]:
    snippet = hit.snippet
    if reason := UNAVAILABLE_REASONS.get(hit.excerpt.freshness):
        yield terminal.render_cells(to_cells(_indent(f"({reason})"), DIM))
    if not snippet.lines:
        return
    if header := table_header(hit, (line for part in snippet.parts for line in part.lines)):
        yield terminal.render_code_line(" " * GUTTER_COLUMNS, header, ())
        yield terminal.render_cells(to_cells(_indent("…"), DIM))
    for at, part in enumerate(snippet.parts):
        if at:
            yield terminal.render_cells(to_cells(_indent("…"), DIM))
        yield from _snippet_part(hit, part.start_line, part.lines, terminal)
    if snippet.below:
        lines = "line" if snippet.below == 1 else "lines"
        yield terminal.render_cells(to_cells(_indent(f"… {snippet.below} {lines} more"), DIM))


def _snippet_part(hit: PageHit, first: int, lines: list[str], terminal: Terminal) -> Iterator[str]:
    numbers = list(hit.excerpt.numbers)
    at = numbers.index(first)
    styles = _code_styles(hit, at, len(lines)) if terminal.colours else [()] * len(lines)
    for number, line, style in zip(numbers[at:], lines, styles, strict=False):
        marks = [mark[1:] for mark in hit.snippet.marks if mark.line == number]
        yield terminal.render_code_line(f"{number:>{GUTTER_COLUMNS - 2}}  ", line, marks, style)


def _code_styles(hit: PageHit, start: int, count: int) -> list[list[str]]:
    """Highlights the whole node, since a string or comment may span lines, and returns a part."""
    return highlight_code(hit.excerpt.lines, hit.result.hit.language)[start : start + count]


def _indent(text: str) -> str:
    return " " * GUTTER_COLUMNS + text


def _footer_lines(page: Page, *, quiet: bool) -> Iterator[str]:
    """Yields the number of hits, the notes of the search and the freshness of the index."""
    shown, after = len(page.hits), page.offset + len(page.hits)
    total = f"at least {page.total}" if page.at_least else str(page.total)
    if not shown and not page.offset:
        yield f"Nothing found.{_next_attempt(page)}"
    elif not shown:
        hint = _next_page_hint(page, page.total) or "."
        hits = "hit" if page.total == 1 else "hits"
        yield f"Offset {page.offset} is past the end ({total} {hits}){hint}"
    elif page.offset or after < page.total or page.at_least:
        yield f"{page.offset + 1} to {after} of {total}{_next_page_hint(page, after)}"
    state = page.status.note_for(quiet=quiet)
    yield from map(with_place, filter(None, [*map(str, page.notes), state]))


def _next_attempt(page: Page) -> str:
    """Advice for a search that required something and found nothing."""
    from feeder.search.relaxed_filters import narrowing_filters

    if not page.plan:
        return ""
    query = page.plan.query
    if query.phrases:
        return " Try the words without quotes."
    if query.regex:
        return " Try a shorter pattern, or words."
    if query.symbols:
        return f" Try without symbol:{query.symbols[0]}"
    filters = [*query.relations, *narrowing_filters(page.plan)]
    return f" Try without {' or '.join(filters)}" if page.plan.text and filters else ""


def _next_page_hint(page: Page, after: int) -> str:
    if after < page.total:
        return f"; more: --offset {after}"
    return "; narrow the query to see others" if page.at_least else ""
