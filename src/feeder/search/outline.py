"""Lists the symbols and sections of files with their current lines and nesting."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from feeder.search.excerpts import UNAVAILABLE_REASONS, ExcerptReader, Freshness, freshness_text
from feeder.search.index_status import Corpus, IndexStatus
from feeder.store.hits import Hit, hits_in_files

UNNAMED_TYPES = ("chunk", "md_codeblock", "doc_codeblock")
"""Nodes that have no name of their own."""

MAX_PART_GAP = 2
"""From a piece's last line to the next one's first: a blank line may be between them."""


class OutlineEntry(NamedTuple):
    """A named node, its lines as they are now, and in how many others it lies."""

    hit: Hit
    start_line: int
    end_line: int
    freshness: Freshness
    depth: int

    def as_json(self) -> dict[str, Any]:
        """What is known of it."""
        names = ("id", "node_type", "symbol", "logical_path", "signature", "language")
        lines = {"start_line": self.start_line, "end_line": self.end_line}
        return {name: getattr(self.hit, name) for name in names} | {
            **lines,
            "state": self.freshness.value or "same",
            "depth": self.depth,
        }


class Outline(NamedTuple):
    """The entries of each file in the order of their lines, and how old the index is."""

    files: dict[str, list[OutlineEntry]]
    status: IndexStatus

    def as_json(self) -> dict[str, Any]:
        """The whole of it."""
        files = [
            {"path": path, "nodes": [entry.as_json() for entry in entries]}
            for path, entries in self.files.items()
        ]
        return {"files": files, "index": self.status.as_json(), "note": self.status.note}


def build_outline(corpus: Corpus, paths: Sequence[str]) -> Outline:
    """What these files hold; those that are not as they were indexed are matched with it."""
    found = hits_in_files(corpus.database, corpus.repo, paths)
    sources = ExcerptReader(corpus.database, corpus.base, corpus.repo, found, with_inner=False)
    files = {
        path: list(_nested_entries(_merge_parts(hits, sources), sources))
        for path, hits in groupby(found, key=lambda hit: hit.path)
    }
    status = corpus.status(len(sources.changed_paths))
    return Outline({path: files.get(path, []) for path in paths}, status)


def _merge_parts(hits: Iterable[Hit], sources: ExcerptReader) -> list[Hit]:
    """The named nodes; one that was cut into pieces is one again."""
    nodes: dict[tuple[str | None, ...], list[Hit]] = {}
    for hit in hits:
        name = hit.symbol or hit.logical_path
        if hit.node_type in UNNAMED_TYPES or not name:
            continue
        alike = nodes.setdefault((hit.node_type, name, hit.signature), [])
        if alike and _continues(alike[-1], hit, sources):
            alike[-1] = alike[-1]._replace(end_line=max(alike[-1].end_line, hit.end_line))
        else:
            alike.append(hit)
    whole = [hit for alike in nodes.values() for hit in alike]
    return sorted(whole, key=lambda hit: (hit.start_line, -hit.end_line))


def _continues(before: Hit, hit: Hit, sources: ExcerptReader) -> bool:
    """Whether it is the next piece of a node, and not another one of the name behind that.

    Pieces may share lines, which nodes of one name do not; a piece does not begin anew.
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
    """Whether one lies in another that begins no later; of the same lines, the names tell."""
    if (outer.start_line, outer.end_line) == (hit.start_line, hit.end_line):
        name, within = (one.symbol or one.logical_path or "" for one in (outer, hit))
        rest = within.removeprefix(name)
        return rest != within and bool(rest) and not rest[0].isalnum()
    return hit.end_line <= outer.end_line


def entry_status(entry: OutlineEntry) -> str:
    """The same of a line of an outline."""
    lines = entry.start_line, entry.end_line
    return freshness_text(entry.freshness, entry.hit, lines) or UNAVAILABLE_REASONS.get(
        entry.freshness, ""
    )
