"""Formats the outline of a file or folder as text for a language model; large outlines are
reduced in five levels of detail, from all symbols down to folders with counts.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from feeder import escaping as harmless
from feeder.mcp.formatting import bytes_beside_footer, index_note, join_answer
from feeder.mcp.token_budget import byte_size, truncate_lines
from feeder.mcp.tool_schemas import DEFAULT_TOKENS
from feeder.search.outline import Outline, OutlineEntry, entry_status

FileEntries = dict[str, list[OutlineEntry]]


class _DetailLevel(NamedTuple):
    """A way to show an outline, and what is said where not more fitted."""

    format_lines: Callable[[FileEntries], Iterable[str]]
    note: str


def format_outline(outline: Outline, depth: int | None, freshness_note: str | None) -> str:
    """The most that fits."""
    files = {
        path: [one for one in entries if depth is None or one.depth < depth]
        for path, entries in outline.files.items()
    }
    note = index_note(freshness_note, outline.status.note)
    most = bytes_beside_footer(DEFAULT_TOKENS, [note])
    for way in DETAIL_LEVELS:
        lines = list(map(harmless.escape_line, way.format_lines(files)))
        if byte_size("\n".join(lines)) <= most:
            break
    some = truncate_lines(lines, most)
    left = [f"{len(lines) - len(some)} more folders: ask for one of them."]
    said = [_count_line(files), way.note, *(left if len(some) < len(lines) else [])]
    return join_answer(["\n".join(some)], said, note)


def _count_line(files: FileEntries) -> str:
    symbols = sum(map(len, files.values()))
    return f"{symbols} symbols and sections in {_file_count(len(files))}"


def _file_count(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"


def _all_symbols(files: FileEntries) -> Iterator[str]:
    """Each file, and below it a line for each symbol, deeper ones further in."""
    for path, entries in files.items():
        yield path
        yield from map(_entry_line, entries)


def _top_level_symbols(files: FileEntries) -> Iterator[str]:
    return _all_symbols(
        {path: [one for one in some if not one.depth] for path, some in files.items()}
    )


def _top_level_names(files: FileEntries) -> Iterator[str]:
    """Each file with the names in it that are in no other, neither by lines nor by name."""
    for path, entries in files.items():
        names = {_symbol_name(one) for one in entries}
        outer = (
            _symbol_name(one)
            for one in entries
            if not one.depth and _symbol_name(one).rpartition(".")[0] not in names
        )
        told = ", ".join(dict.fromkeys(outer))
        yield f"{path}: {told}" if told else path


def _symbol_counts(files: FileEntries) -> Iterator[str]:
    for path, entries in files.items():
        yield f"{path} {len(entries)}"


def _folder_counts(files: FileEntries) -> Iterator[str]:
    """Each folder with the number of its own files."""
    counts: dict[str, int] = {}
    for path in files:
        above = path.rpartition("/")[0]
        counts[above] = counts.get(above, 0) + 1
    for above, count in sorted(counts.items()):
        yield f"{above or '.'}/ {_file_count(count)}"


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


_NARROW_HINT = "Ask for a file, or a folder below."
DETAIL_LEVELS = (
    _DetailLevel(_all_symbols, ""),
    _DetailLevel(
        _top_level_symbols, f"Shortened: without what lies in other symbols. {_NARROW_HINT}"
    ),
    _DetailLevel(
        _top_level_names, f"Shortened to names, without lines and members. {_NARROW_HINT}"
    ),
    _DetailLevel(
        _symbol_counts, f"Shortened to the number of symbols of each file. {_NARROW_HINT}"
    ),
    _DetailLevel(_folder_counts, "Shortened to folders. Ask for one of them."),
)
