"""What does `outline` answer? Lines, types and names; of a large folder less, which is said."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from feeder import shown as harmless
from feeder.search.outline import Outline, OutlineEntry
from feeder.search.wording import entry_status
from feeder.serve.catalogue import DEFAULT_TOKENS
from feeder.serve.fitting import cut, size
from feeder.serve.shaping import joined, room_beside, standing

Files = dict[str, list[OutlineEntry]]


class _Way(NamedTuple):
    """A way to show an outline, and what is said where not more fitted."""

    lines: Callable[[Files], Iterable[str]]
    said: str


def outline_as_text(outline: Outline, depth: int | None, says: str | None) -> str:
    """The most that fits."""
    files = {
        path: [one for one in entries if depth is None or one.depth < depth]
        for path, entries in outline.files.items()
    }
    note = standing(says, outline.status.note)
    most = room_beside(DEFAULT_TOKENS, [note])
    for way in WAYS:
        lines = list(map(harmless.escape_line, way.lines(files)))
        if size("\n".join(lines)) <= most:
            break
    some = cut(lines, most)
    left = [f"{len(lines) - len(some)} more folders: ask for one of them."]
    said = [_count(files), way.said, *(left if len(some) < len(lines) else [])]
    return joined(["\n".join(some)], said, note)


def _count(files: Files) -> str:
    symbols = sum(map(len, files.values()))
    return f"{symbols} symbols and sections in {_files(len(files))}"


def _files(count: int) -> str:
    return "1 file" if count == 1 else f"{count} files"


def _all(files: Files) -> Iterator[str]:
    """Each file, and below it a line for each symbol, deeper ones further in."""
    for path, entries in files.items():
        yield path
        yield from map(_entry, entries)


def _outer(files: Files) -> Iterator[str]:
    return _all({path: [one for one in some if not one.depth] for path, some in files.items()})


def _named(files: Files) -> Iterator[str]:
    """Each file with the names in it that are in no other, neither by lines nor by name."""
    for path, entries in files.items():
        names = {_name(one) for one in entries}
        outer = (
            _name(one)
            for one in entries
            if not one.depth and _name(one).rpartition(".")[0] not in names
        )
        told = ", ".join(dict.fromkeys(outer))
        yield f"{path}: {told}" if told else path


def _counts(files: Files) -> Iterator[str]:
    for path, entries in files.items():
        yield f"{path} {len(entries)}"


def _folders(files: Files) -> Iterator[str]:
    """Each folder with the number of its own files."""
    counts: dict[str, int] = {}
    for path in files:
        above = path.rpartition("/")[0]
        counts[above] = counts.get(above, 0) + 1
    for above, count in sorted(counts.items()):
        yield f"{above or '.'}/ {_files(count)}"


def _name(entry: OutlineEntry) -> str:
    return entry.hit.symbol or entry.hit.logical_path or ""


def _entry(entry: OutlineEntry) -> str:
    hit, state = entry.hit, entry_status(entry)
    parts = [
        f"{' ' * entry.depth} {entry.start_line}-{entry.end_line}",
        hit.node_type,
        _name(entry),
        f"({state})" if state else "",
    ]
    return " ".join(filter(None, parts))


_ASK = "Ask for a file, or a folder below."
WAYS = (
    _Way(_all, ""),
    _Way(_outer, f"Shortened: without what lies in other symbols. {_ASK}"),
    _Way(_named, f"Shortened to names, without lines and members. {_ASK}"),
    _Way(_counts, f"Shortened to the number of symbols of each file. {_ASK}"),
    _Way(_folders, "Shortened to folders. Ask for one of them."),
)
