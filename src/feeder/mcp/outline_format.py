"""Formats the outline of a file or folder as text for a language model.

Large outlines are shortened in the levels of `feeder.snippets.outline`, from all symbols down to
rolled-up folders.
"""

from collections.abc import Iterable, Iterator, Sequence

from feeder.escaping import count_of, escape_line
from feeder.mcp.formatting import bytes_beside_footer, index_note, join_answer
from feeder.mcp.token_budget import byte_size, truncate_lines
from feeder.mcp.tool_schemas import DEFAULT_TOKENS
from feeder.notes import Note
from feeder.relations.overview import Overview, fit_symbols, overview_sections, symbol_line
from feeder.snippets.outline import (
    DETAIL_LEVELS,
    FILE_DETAIL_LEVELS,
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


def format_outline(
    outline: Outline, depth: int | None, freshness_note: Note | None, offset: int = 0
) -> str:
    """The outline at the first detail level that fits into the default token budget, else its
    lines from `offset` on.

    `depth` limits the levels of folders and of nesting; None shows all.
    """
    last_note = index_note(freshness_note, outline.status.notes)
    budget = bytes_beside_footer(DEFAULT_TOKENS, [last_note])
    levels = DETAIL_LEVELS if len(outline.files) > 1 else DETAIL_LEVELS[:FILE_DETAIL_LEVELS]
    whole: list[str] = []
    for level in levels:
        rows = outline_rows(outline, level, depth)
        lines = [escape_line(line) for line in _format_rows(rows, level.symbols)]
        whole = whole or lines
        if byte_size("\n".join(lines)) <= budget:
            break
    above = lines_around(lines, offset)
    shown = truncate_lines([*above, *lines[offset:]], budget)
    end = offset + max(len(shown) - len(above), 0)
    notes = [_count_line(outline.files.values(), depth), outline.unparsed_note]
    notes.append(level.note if lines != whole else "")
    if offset >= len(lines):
        notes.append(f"Offset {offset} is past the end ({count_of(len(lines), 'line')}).")
    elif offset or end < len(lines):
        following = f"; next: offset={end}" if end < len(lines) else ""
        notes.append(f"Lines {offset + 1} to {end} of {len(lines)}{following}.")
    return join_answer(["\n".join(shown)] if lines[offset:] else [], notes, last_note)


def lines_around(lines: Sequence[str], offset: int) -> list[str]:
    """The lines before a page that are around its first one: those above it with fewer spaces."""
    around: list[str] = []
    indent = _indent(lines[offset]) if offset < len(lines) else 0
    for line in reversed(lines[:offset]):
        if _indent(line) < indent:
            around.append(line)
            indent = _indent(line)
    return around[::-1]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def format_overview(overview: Overview, cost: str, last_note: str) -> str:
    """Packages, entry points and as many of the most-referenced symbols as fit.

    `cost` is the sentence of `overview_cost`.
    """
    above = [line for title, lines in overview_sections(overview) for line in (title, *lines, "")]
    above.append("Most-referenced symbols")
    head = "\n".join(map(escape_line, above))
    budget = bytes_beside_footer(DEFAULT_TOKENS, [cost, last_note])
    fitting = fit_symbols(overview.symbols, budget - byte_size(head))
    lines = [
        escape_line(line)
        for path, symbols in fitting.items()
        for line in (path, *map(symbol_line, symbols))
    ]
    whole = [*head.split("\n"), *lines]
    shown = truncate_lines(whole, budget)
    at_least = "at least " if overview.at_least else ""
    count = f"{sum(map(len, fitting.values()))} of {at_least}{len(overview.symbols)} symbols"
    cut = "The lists are cut to fit. " if len(shown) < len(whole) else ""
    notes = [f"{cut}{count}; for more: a subfolder.", cost]
    return join_answer(["\n".join(shown)], notes, last_note)


def _count_line(files: Iterable[list[OutlineEntry]], depth: int | None) -> str:
    counts = [sum(depth is None or entry.depth < depth for entry in entries) for entries in files]
    symbols = "1 symbol or section" if sum(counts) == 1 else f"{sum(counts):,} symbols and sections"
    return f"{symbols} in {file_count(len(counts))}"


def _format_rows(rows: Iterable[OutlineRow], symbols: str) -> Iterator[str]:
    """Each file with its symbols: below it, behind it as names, or as their number."""
    for row in rows:
        if row.files:
            yield f"{row.path} {file_count(row.files)}"
        elif symbols == "names":
            names = top_level_names(row.entries)
            title = f"{row.path}{row.mark}"
            yield f"{title}: {', '.join(names)}" if names else title
        elif symbols == "count":
            yield f"{row.path} {len(row.entries)}{row.mark}"
        else:
            yield f"{row.path}{row.mark}"
            yield from map(_symbol_line, nested_lines(row.entries))


def _symbol_line(line: OutlineLine) -> str:
    indent, entry = " " * (line.depth + 1), line.entry
    if entry is None:
        return f"{indent}{line.name}"
    hit, state = entry.hit, entry_status(entry)
    is_member = hit.node_type == MEMBER_TYPE
    lines = f"{entry.start_line}" if is_member else f"{entry.start_line}-{entry.end_line}"
    parts = [f"{indent}{lines}", hit.node_type, line.name, f"({state})" if state else ""]
    return " ".join(filter(None, parts))
