"""What is in a file? Its symbols and sections with their lines, and which lie in which."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from feeder.search.age import Age, age_of
from feeder.search.answers import Corpus
from feeder.search.sources import Sources, State
from feeder.store.catalog import hits_in_files
from feeder.store.reading import Hit

LEFT_OUT = ("chunk", "md_codeblock", "doc_codeblock")
"""Nodes that have no name of their own."""
GAP = 2
"""From a piece's last line to the next one's first: a blank line may be between them."""


class Entry(NamedTuple):
    """A named node, its lines as they are now, and in how many others it lies."""

    hit: Hit
    start_line: int
    end_line: int
    state: State
    depth: int

    def as_json(self) -> dict[str, Any]:
        """What is known of it."""
        names = ("id", "node_type", "symbol", "logical_path", "signature", "language")
        lines = {"start_line": self.start_line, "end_line": self.end_line}
        return {name: getattr(self.hit, name) for name in names} | {
            **lines,
            "state": self.state.value or "same",
            "depth": self.depth,
        }


class Outline(NamedTuple):
    """The entries of each file in the order of their lines, and how old the index is."""

    files: dict[str, list[Entry]]
    age: Age

    def as_json(self) -> dict[str, Any]:
        """The whole of it."""
        files = [
            {"path": path, "nodes": [entry.as_json() for entry in entries]}
            for path, entries in self.files.items()
        ]
        return {"files": files, "index": self.age.as_json(), "note": self.age.note}


def outline(corpus: Corpus, paths: Sequence[str]) -> Outline:
    """What these files hold; those that are not as they were indexed are matched with it."""
    found = hits_in_files(corpus.database, corpus.repo, paths)
    sources = Sources(corpus.database, corpus.base, corpus.repo, found, with_inside=False)
    files = {
        path: list(_entries(_whole(hits, sources), sources))
        for path, hits in groupby(found, key=lambda hit: hit.path)
    }
    where = age_of(corpus.base, corpus.repo, corpus.meta, len(sources.edited), seen=corpus.seen)
    return Outline({path: files.get(path, []) for path in paths}, where)


def _whole(hits: Iterable[Hit], sources: Sources) -> list[Hit]:
    """The named nodes; one that was cut into pieces is one again."""
    nodes: dict[tuple[str | None, ...], list[Hit]] = {}
    for hit in hits:
        name = hit.symbol or hit.logical_path
        if hit.node_type in LEFT_OUT or not name:
            continue
        alike = nodes.setdefault((hit.node_type, name, hit.signature), [])
        if alike and _goes_on(alike[-1], hit, sources):
            alike[-1] = alike[-1]._replace(end_line=max(alike[-1].end_line, hit.end_line))
        else:
            alike.append(hit)
    whole = [hit for alike in nodes.values() for hit in alike]
    return sorted(whole, key=lambda hit: (hit.start_line, -hit.end_line))


def _goes_on(before: Hit, hit: Hit, sources: Sources) -> bool:
    """Whether it is the next piece of a node, and not another one of the name behind that.

    Pieces may share lines, which nodes of one name do not; a piece does not begin anew.
    """
    if hit.start_line <= before.end_line:
        return True
    if hit.start_line > before.end_line + GAP:
        return False
    text = " ".join(" ".join(sources.of(hit).lines).split())
    return not (hit.signature and " ".join(hit.signature.split()) in text)


def _entries(hits: Iterable[Hit], sources: Sources) -> Iterator[Entry]:
    outer: list[Hit] = []
    for hit in hits:
        while outer and not _holds(outer[-1], hit):
            outer.pop()
        excerpt = sources.of(hit)
        yield Entry(hit, excerpt.first, excerpt.last, excerpt.state, len(outer))
        outer.append(hit)


def _holds(outer: Hit, hit: Hit) -> bool:
    """Whether one lies in another that begins no later; of the same lines, the names tell."""
    if (outer.start_line, outer.end_line) == (hit.start_line, hit.end_line):
        name, within = (one.symbol or one.logical_path or "" for one in (outer, hit))
        rest = within.removeprefix(name)
        return rest != within and bool(rest) and not rest[0].isalnum()
    return hit.end_line <= outer.end_line
