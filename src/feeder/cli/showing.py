"""How is a search's answer shown? With the lines of each node as they are in the working tree."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from feeder.parse.text import NotText, decode
from feeder.search.ranking import Found
from feeder.tree.names import file_inside


def as_json(found: Sequence[Found], base: Path) -> list[dict[str, Any]]:
    """A dictionary each: what the index says of the node, its ranks, and its `text` or null."""
    return [
        {
            **one.hit._asdict(),
            "score": round(one.score, 6),
            "word_rank": one.word_rank,
            "vector_rank": one.vector_rank,
            "text": None if (lines := _lines(one, base)) is None else "\n".join(lines),
        }
        for one in found
    ]


def as_text(found: Sequence[Found], base: Path, shown: int) -> Iterator[str]:
    """Path, lines, type and name, and the first `shown` lines of each."""
    if not found:
        yield "Nothing found."
    for one in found:
        hit = one.hit
        name = hit.symbol or hit.logical_path or ""
        yield f"{hit.path}:{hit.start_line}-{hit.end_line}  {hit.node_type}  {name}".rstrip()
        yield from (f"    {line}" for line in _excerpt(_lines(one, base), shown))


def _excerpt(lines: list[str] | None, shown: int) -> Iterator[str]:
    if lines is None:
        yield "(not in the working tree any more)"
        return
    yield from lines[:shown]
    if (more := len(lines) - shown) > 0 and shown:
        yield f"… {more} more"


def _lines(one: Found, base: Path) -> list[str] | None:
    file = file_inside(base, one.hit.path)
    if file is None:
        return None
    try:
        text = decode(file.read_bytes()).decode("utf-8", "replace")
    except (OSError, NotText):
        return None
    return text.split("\n")[one.hit.start_line - 1 : one.hit.end_line]
