"""Formats the outline of a file or folder as text for a language model.

Large outlines are reduced in five levels of detail, from all symbols down to folders with counts.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from feeder.escaping import escape_line
from feeder.mcp.formatting import bytes_beside_footer, index_note, join_answer
from feeder.mcp.token_budget import byte_size, truncate_lines
from feeder.mcp.tool_schemas import DEFAULT_TOKENS
from feeder.search.outline import Outline, OutlineEntry, entry_status

FileEntries = dict[str, list[OutlineEntry]]


class _DetailLevel(NamedTuple):
    """A way to format an outline, and the note that says what it leaves out."""

    format_lines: Callable[[FileEntries], Iterable[str]]
    note: str


def format_outline(outline: Outline, depth: int | None, freshness_note: str | None) -> str:
    """The outline at the first detail level that fits into the default token budget.

    `depth` limits the levels of nesting; None shows all.
    """
    files = {
        path: [entry for entry in entries if depth is None or entry.depth < depth]
        for path, entries in outline.files.items()
    }
    last_note = index_note(freshness_note, outline.status.note)
    budget = bytes_beside_footer(DEFAULT_TOKENS, [last_note])
    for level in DETAIL_LEVELS:
        lines = list(map(escape_line, level.format_lines(files)))
        if byte_size("\n".join(lines)) <= budget:
            break
    shown = truncate_lines(lines, budget)
    notes = [_count_line(files), level.note]
    if len(shown) < len(lines):
        notes.append(f"{len(lines) - len(shown)} more folders: outline one of them.")
    return join_answer(["\n".join(shown)], notes, last_note)


def _count_line(files: FileEntries) -> str:
    symbols = sum(map(len, files.values()))
    return f"{symbols} symbols and sections in {_file_count(len(files))}"


def _file_count(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"


def _all_symbols(files: FileEntries) -> Iterator[str]:
    """Each file, and below it a line for each symbol, indented by its depth."""
    for path, entries in files.items():
        yield path
        yield from map(_entry_line, entries)


def _top_level_symbols(files: FileEntries) -> Iterator[str]:
    return _all_symbols(
        {path: [e for e in entries if not e.depth] for path, entries in files.items()}
    )


def _top_level_names(files: FileEntries) -> Iterator[str]:
    """Each file with its symbols that are in no other symbol, by lines or by name."""
    for path, entries in files.items():
        names = {_symbol_name(entry) for entry in entries}
        top_level = [_symbol_name(entry) for entry in entries if not entry.depth]
        outer = [name for name in top_level if name.rpartition(".")[0] not in names]
        yield f"{path}: {', '.join(dict.fromkeys(outer))}" if outer else path


def _symbol_counts(files: FileEntries) -> Iterator[str]:
    for path, entries in files.items():
        yield f"{path} {len(entries)}"


def _folder_counts(files: FileEntries) -> Iterator[str]:
    """Each folder with the number of files directly in it."""
    counts = Counter(path.rpartition("/")[0] for path in files)
    for folder, count in sorted(counts.items()):
        yield f"{folder or '.'}/ {_file_count(count)}"


def _symbol_name(entry: OutlineEntry) -> str:
    return entry.hit.symbol or entry.hit.logical_path or ""


def _entry_line(entry: OutlineEntry) -> str:
    hit, state = entry.hit, entry_status(entry)
    parts = [
        f"{' ' * entry.depth} {entry.start_line}-{entry.end_line}",
        hit.node_type,
        _symbol_name(entry),
        f"({state})" if state else "",
    ]
    return " ".join(filter(None, parts))


_NARROW_HINT = "Outline a file or a subfolder."
DETAIL_LEVELS = (
    _DetailLevel(_all_symbols, ""),
    _DetailLevel(_top_level_symbols, f"Shortened to top-level symbols. {_NARROW_HINT}"),
    _DetailLevel(_top_level_names, f"Shortened to top-level names. {_NARROW_HINT}"),
    _DetailLevel(_symbol_counts, f"Shortened to the number of symbols per file. {_NARROW_HINT}"),
    _DetailLevel(_folder_counts, "Shortened to folders. Outline one of them."),
)
