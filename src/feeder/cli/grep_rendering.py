"""Renders matching lines for a terminal, an editor or a program."""

import os
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from feeder.cli.terminal import BOLD, DIM, LINE_STYLE, PATH_STYLE, Cell, Terminal, to_cells
from feeder.grep.exact_search import LinePage
from feeder.snippets.line_matches import LineMatch, Section

LINE_COLUMNS = 6
"""Columns of a line's number."""


def render_matches(page: LinePage, terminal: Terminal) -> Iterator[str]:
    """Renders each file with its nodes, and below them their matching lines with context."""
    for (path, _), group in groupby(page.matches, key=lambda match: (match.path, match.section)):
        matches = list(group)
        yield terminal.render_cells(_path_cells(path, matches[0]))
        shown_line, shown_node = 0, None
        for at, match in enumerate(matches):
            next_line = matches[at + 1].line if at + 1 < len(matches) else None
            before = match.before[max(0, len(match.before) - (match.line - shown_line - 1)) :]
            if shown_line and match.before and match.line - len(before) > shown_line + 1:
                yield terminal.render_cells(to_cells(" " * LINE_COLUMNS + "…", DIM))
            if match.node != shown_node and match.node:
                yield terminal.render_cells(_node_cells(match))
            shown_node = match.node
            yield from _context_lines(before, match.line - len(before), terminal)
            yield terminal.render_code_line(_gutter(match.line, ":"), match.text, match.spans)
            after = match.after[: next_line and next_line - match.line - 1]
            yield from _context_lines(after, match.line + 1, terminal)
            shown_line = match.line + len(after)


def _path_cells(path: str, match: LineMatch) -> list[Cell]:
    marks = []
    if match.section is Section.DEFINITION:
        marks.append("definition")
    if match.is_test:
        marks.append("test")
    if match.is_changed:
        marks.append("changed since, lines as they were indexed")
    note = f"  ({', '.join(marks)})" if marks else ""
    return [*to_cells(path, PATH_STYLE), *to_cells(note)]


def _node_cells(match: LineMatch) -> list[Cell]:
    node = match.node
    if node is None:
        return []
    name = node.symbol or node.logical_path
    return [
        *to_cells(f"  {node.start_line}-{node.end_line}", LINE_STYLE),
        *to_cells(f"  {node.node_type}", DIM),
        *to_cells(f"  {name}" if name else "", BOLD),
    ]


def _context_lines(lines: Sequence[str], first: int, terminal: Terminal) -> Iterator[str]:
    for number, text in enumerate(lines, start=first):
        yield terminal.render_code_line(_gutter(number, "-"), text, ())


def _gutter(number: int, mark: str) -> str:
    return f"{number:>{LINE_COLUMNS}}{mark} "


def render_vimgrep(page: LinePage, root: Path) -> Iterator[str]:
    """Renders `path:line:column:text` for each matching line; columns count bytes from 1."""
    for match in page.matches:
        text = Terminal().render_code_line("", match.text, match.spans)
        yield f"{_relative_path(root, match.path)}:{match.line}:{match.column}:{text}"


def render_counts(page: LinePage, root: Path) -> Iterator[str]:
    """Renders `path:count` for each file with a matching line."""
    for file in page.files:
        yield f"{_relative_path(root, file.path)}:{file.matches}"


def render_paths(page: LinePage, root: Path) -> Iterator[str]:
    """Renders the path of each file with a matching line."""
    for file in page.files:
        yield _relative_path(root, file.path)


def _relative_path(root: Path, path: str) -> str:
    """Returns the path relative to the current folder."""
    return os.path.relpath(root / path)


def page_summary(page: LinePage) -> str:
    """The number of matching lines and files, and which of them are on the page."""
    total = _count(page.total, "matching line", "matching lines")
    at_least = "at least " if page.at_least else ""
    files = f"{at_least}{total} in {_count(len(page.files), 'file', 'files')}"
    shown, after = len(page.matches), page.offset + len(page.matches)
    if not shown:
        return f"Offset {page.offset} is past the end ({files})."
    if shown == page.total:
        return files
    following = f"; more: --offset {after}" if after < page.total else ""
    return f"{page.offset + 1} to {after} of {files}{following}"


def _count(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"
