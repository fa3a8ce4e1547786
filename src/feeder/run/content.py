"""Does the index say of each file what its contents say? All is parsed once more, and compared."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from heapq import merge
from itertools import groupby
from operator import attrgetter, itemgetter

from feeder.run.descriptions import HeldLinks
from feeder.run.feed import Feed, indexed
from feeder.run.texts import Held
from feeder.store import meanings
from feeder.store.content import (
    IndexedNode,
    NodesById,
    expected_nodes,
    read_indexed_nodes,
    read_posting_hashes,
)
from feeder.store.rows import IndexedFile, batched
from feeder.store.state import FileRow
from feeder.tree import Entry

FILES_AT_ONCE = 32
"""Whose nodes are in memory twice: as parsed, and as rows."""


@dataclass
class Comparison:
    """What was compared, and what differs by path; `lost` are ids that are not at their path.

    `rows` are those of nodes and of files, `words` the nodes whose words differ.
    """

    has_words: bool
    files: int = 0
    nodes: int = 0
    rows: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    words: dict[str, int] = field(default_factory=dict)
    texts: list[str] | None = None
    """Files of which another text is kept; None where none is."""
    described: list[str] | None = None
    """Files with nodes whose line is of another text; None where there are no lines."""
    lost: set[str] = field(default_factory=set)
    stopped: list[str] = field(default_factory=list)
    """Files whose parser was stopped either then or now: their nodes need not be equal."""
    again: set[str] = field(default_factory=set)
    """Those of them that it gets through now: they can have their nodes."""

    @property
    def paths(self) -> Set[str]:
        """The files that have to be made anew."""
        return self.rows.keys() | self.words.keys()


def compare_content(
    feed: Feed, entries: Iterable[Entry], have: Mapping[str, FileRow]
) -> Comparison:
    """Compares the nodes of these files, which the index holds by the same blobs; reads only.

    Words too, where the database is on this machine. A few files are in memory at a time.
    """
    database, repo = feed.index.database, feed.index.repo
    numbers = read_posting_hashes(database)
    found = Comparison(
        has_words=numbers is not None, texts=[] if feed.index.stores_source else None
    )
    found.described = [] if feed.index.stores_descriptions else None
    due = _due(feed, sorted(entries, key=attrgetter("path")), have, found)
    vectors = {} if numbers is None else meanings.read_text_vectors(database)
    held_there = read_indexed_nodes(database, repo, numbers or {}, vectors)
    for path, wanted, held in _side_by_side(due, held_there):
        if wanted is None:
            found.stopped.append(path)
        else:
            _compare(found, path, wanted, held)
    return found


def _due(
    feed: Feed, entries: Sequence[Entry], have: Mapping[str, FileRow], found: Comparison
) -> Iterator[tuple[str, NodesById | None]]:
    """Each path, in order, with its nodes; None where they cannot be told.

    What its row in `files` says is compared at once.
    """
    kept_out = ((entry.path, NodesById()) for entry in entries if entry.skip)
    parsed = _parsed(feed, [entry for entry in entries if not entry.skip], have, found)
    return merge(kept_out, parsed, key=itemgetter(0))


def _parsed(
    feed: Feed, entries: Sequence[Entry], have: Mapping[str, FileRow], found: Comparison
) -> Iterator[tuple[str, NodesById | None]]:
    texts, links = Held(feed), HeldLinks(feed)
    with feed.talk.step("content", len(entries)) as step:
        for some in batched(indexed(feed, entries), FILES_AT_ONCE):
            nodes = expected_nodes(some, feed.index.repo, with_words=found.has_words)
            for file in some:
                row = have[file.path]
                is_equal = _is_comparable(file, row)
                if not is_equal and not file.stopped:
                    found.again.add(file.path)
                if is_equal and found.texts is not None and not texts.are_of(file):
                    found.texts.append(file.path)
                if is_equal and found.described is not None and not links.are_of(file):
                    found.described.append(file.path)
                if is_equal and (said := _false_facts(file, row)):
                    found.rows[file.path] += said
                yield file.path, nodes.get(file.path, {}) if is_equal else None
            step(len(some))


def _is_comparable(file: IndexedFile, row: FileRow) -> bool:
    return file.reason == row.reason or not (file.stopped or row.stopped)


def _false_facts(file: IndexedFile, row: FileRow) -> list[str]:
    states = {"skipped"} if file.skipped else {"clean", "pending"}
    facts = {"state": row.state in states, "reason": row.reason == file.reason}
    return [f"another {name}" for name, is_right in facts.items() if not is_right]


def _side_by_side(
    due: Iterable[tuple[str, NodesById | None]], held: Iterable[tuple[str, NodesById]]
) -> Iterator[tuple[str, NodesById | None, NodesById]]:
    """Each path that is due, with what is held there; both come in order."""
    left = ((path, True, nodes) for path, nodes in due)
    right = ((path, False, nodes) for path, nodes in held)
    for path, sides in groupby(merge(left, right, key=itemgetter(0)), key=itemgetter(0)):
        nodes = {is_due: nodes for _, is_due, nodes in sides}
        if True in nodes:
            yield path, nodes[True], nodes.get(False) or {}


def _compare(found: Comparison, path: str, due: NodesById, held: NodesById) -> None:
    found.files += 1
    found.nodes += len(due)
    if due == held:
        return
    false = _false_columns(due, held)
    if words := false.pop("words", 0):
        found.words[path] = words
    counts = {
        "nodes missing": len(due.keys() - held.keys()),
        "nodes too many": len(held.keys() - due.keys()),
        **{f"another {column}": count for column, count in false.items()},
    }
    if said := [f"{what} {count}" for what, count in counts.items() if count]:
        found.rows[path] += said
    found.lost |= due.keys() - held.keys()


def _false_columns(due: NodesById, held: NodesById) -> Counter[str]:
    """In how many nodes that are on both sides each column differs."""
    return Counter(
        column
        for id_, node in due.items()
        for column, one, other in zip(IndexedNode._fields, node, held.get(id_, node), strict=True)
        if one != other
    )
