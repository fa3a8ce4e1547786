"""Lists the symbols and sections of files with their current lines and nesting."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from feeder.search.excerpts import UNAVAILABLE_REASONS, ExcerptReader, Freshness, freshness_text
from feeder.search.index_status import Corpus, IndexStatus
from feeder.store.hits import Hit, hits_in_files

UNNAMED_TYPES = ("chunk", "md_codeblock", "doc_codeblock")
"""Types of nodes without a name of their own."""

MAX_PART_GAP = 2
"""Lines from the end of a part to the start of the next; a blank line may be between them."""


class OutlineEntry(NamedTuple):
    """A named node with its current lines and its nesting depth."""

    hit: Hit
    start_line: int
    end_line: int
    freshness: Freshness
    depth: int

    def as_json(self) -> dict[str, Any]:
        names = ("id", "node_type", "symbol", "logical_path", "signature", "language")
        lines = {"start_line": self.start_line, "end_line": self.end_line}
        return {name: getattr(self.hit, name) for name in names} | {
            **lines,
            "state": self.freshness.value or "same",
            "depth": self.depth,
        }


class Outline(NamedTuple):
    """The entries of each file in the order of their lines, and the state of the index."""

    files: dict[str, list[OutlineEntry]]
    status: IndexStatus

    def as_json(self) -> dict[str, Any]:
        files = [
            {"path": path, "nodes": [entry.as_json() for entry in entries]}
            for path, entries in self.files.items()
        ]
        return {"files": files, "index": self.status.as_json(), "note": self.status.note}


def build_outline(corpus: Corpus, paths: Sequence[str]) -> Outline:
    """Lists the named nodes of files with their current lines."""
    hits = hits_in_files(corpus.database, corpus.repo, paths)
    reader = ExcerptReader(corpus.database, corpus.base, corpus.repo, hits, with_inner=False)
    files = {
        path: list(_nested_entries(_merge_parts(file_hits, reader), reader))
        for path, file_hits in groupby(hits, key=lambda hit: hit.path)
    }
    status = corpus.status(len(reader.changed_paths))
    return Outline({path: files.get(path, []) for path in paths}, status)


def _merge_parts(hits: Iterable[Hit], sources: ExcerptReader) -> list[Hit]:
    """The named nodes, each with the lines of all its parts."""
    nodes: dict[tuple[str | None, ...], list[Hit]] = {}
    for hit in hits:
        name = hit.symbol or hit.logical_path
        if hit.node_type in UNNAMED_TYPES or not name:
            continue
        same_name = nodes.setdefault((hit.node_type, name, hit.signature), [])
        if same_name and _continues(same_name[-1], hit, sources):
            same_name[-1] = same_name[-1]._replace(
                end_line=max(same_name[-1].end_line, hit.end_line)
            )
        else:
            same_name.append(hit)
    whole = [hit for same_name in nodes.values() for hit in same_name]
    return sorted(whole, key=lambda hit: (hit.start_line, -hit.end_line))


def _continues(before: Hit, hit: Hit, sources: ExcerptReader) -> bool:
    """Returns True if a hit is the next part of a node, and not another node of the same name.

    Parts may share lines, unlike nodes; a part does not begin with the signature.
    """
    if hit.start_line <= before.end_line:
        return True
    if hit.start_line > before.end_line + MAX_PART_GAP:
        return False
    text = " ".join(" ".join(sources.read(hit).lines).split())
    return not (hit.signature and " ".join(hit.signature.split()) in text)


def _nested_entries(hits: Iterable[Hit], sources: ExcerptReader) -> Iterator[OutlineEntry]:
    outer: list[Hit] = []
    for hit in hits:
        while outer and not _contains(outer[-1], hit):
            outer.pop()
        excerpt = sources.read(hit)
        yield OutlineEntry(hit, excerpt.first, excerpt.last, excerpt.freshness, len(outer))
        outer.append(hit)


def _contains(outer: Hit, hit: Hit) -> bool:
    """Returns True if a node that begins no later contains the other; for equal lines by name."""
    if (outer.start_line, outer.end_line) == (hit.start_line, hit.end_line):
        name, within = (node.symbol or node.logical_path or "" for node in (outer, hit))
        rest = within.removeprefix(name)
        return rest != within and bool(rest) and not rest[0].isalnum()
    return hit.end_line <= outer.end_line


def entry_status(entry: OutlineEntry) -> str:
    """The freshness of an entry in words."""
    lines = entry.start_line, entry.end_line
    return freshness_text(entry.freshness, entry.hit, lines) or UNAVAILABLE_REASONS.get(
        entry.freshness, ""
    )
