"""Parses every file again and compares its nodes and words with the rows of the index."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from heapq import merge
from itertools import groupby
from operator import attrgetter, itemgetter

from feeder.source import Entry
from feeder.store import static_vectors
from feeder.store.index_state import FileRow
from feeder.store.indexed_nodes import (
    IndexedNode,
    NodesById,
    expected_nodes,
    read_indexed_nodes,
    read_posting_hashes,
)
from feeder.store.rows import IndexedFile, batched
from feeder.sync.context import SyncContext
from feeder.sync.node_descriptions import StoredLinksReader
from feeder.sync.source_table import StoredSourceReader
from feeder.sync.write import indexed_files

FILES_PER_BATCH = 32
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
    wrong_source: list[str] | None = None
    """Files of which another text is kept; None where none is."""
    wrong_descriptions: list[str] | None = None
    """Files with nodes whose line is of another text; None where there are no lines."""
    missing_ids: set[str] = field(default_factory=set)
    not_compared: list[str] = field(default_factory=list)
    """Files whose parser was stopped either then or now: their nodes need not be equal."""
    now_parsed: set[str] = field(default_factory=set)
    """Those of them that it gets through now: they can have their nodes."""

    @property
    def paths(self) -> Set[str]:
        """The files that have to be made anew."""
        return self.rows.keys() | self.words.keys()


def compare_content(
    run: SyncContext, entries: Iterable[Entry], stored_files: Mapping[str, FileRow]
) -> Comparison:
    """Compares the nodes of these files, which the index holds by the same blobs; reads only.

    Words too, where the database is on this machine. A few files are in memory at a time.
    """
    database, repo = run.index.database, run.index.repo
    numbers = read_posting_hashes(database)
    found = Comparison(
        has_words=numbers is not None, wrong_source=[] if run.index.stores_source else None
    )
    found.wrong_descriptions = [] if run.index.stores_descriptions else None
    due = _expected_nodes(run, sorted(entries, key=attrgetter("path")), stored_files, found)
    vectors = {} if numbers is None else static_vectors.read_text_vectors(database)
    held_there = read_indexed_nodes(database, repo, numbers or {}, vectors)
    for path, wanted, held in _pair_nodes(due, held_there):
        if wanted is None:
            found.not_compared.append(path)
        else:
            _compare_nodes(found, path, wanted, held)
    return found


def _expected_nodes(
    run: SyncContext,
    entries: Sequence[Entry],
    stored_files: Mapping[str, FileRow],
    comparison: Comparison,
) -> Iterator[tuple[str, NodesById | None]]:
    """Each path, in order, with its nodes; None where they cannot be told.

    What its row in `files` says is compared at once.
    """
    kept_out = ((entry.path, NodesById()) for entry in entries if entry.skip)
    parsed = _parsed_nodes(
        run, [entry for entry in entries if not entry.skip], stored_files, comparison
    )
    return merge(kept_out, parsed, key=itemgetter(0))


def _parsed_nodes(
    run: SyncContext,
    entries: Sequence[Entry],
    stored_files: Mapping[str, FileRow],
    comparison: Comparison,
) -> Iterator[tuple[str, NodesById | None]]:
    texts, links = StoredSourceReader(run), StoredLinksReader(run)
    with run.progress.step("content", len(entries)) as step:
        for some in batched(indexed_files(run, entries), FILES_PER_BATCH):
            nodes = expected_nodes(some, run.index.repo, with_words=comparison.has_words)
            for file in some:
                row = stored_files[file.path]
                is_equal = _is_comparable(file, row)
                if not is_equal and not file.stopped:
                    comparison.now_parsed.add(file.path)
                if is_equal and comparison.wrong_source is not None and not texts.matches(file):
                    comparison.wrong_source.append(file.path)
                if (
                    is_equal
                    and comparison.wrong_descriptions is not None
                    and not links.matches(file)
                ):
                    comparison.wrong_descriptions.append(file.path)
                if is_equal and (said := _wrong_file_columns(file, row)):
                    comparison.rows[file.path] += said
                yield file.path, nodes.get(file.path, {}) if is_equal else None
            step(len(some))


def _is_comparable(file: IndexedFile, row: FileRow) -> bool:
    return file.reason == row.reason or not (file.stopped or row.stopped)


def _wrong_file_columns(file: IndexedFile, row: FileRow) -> list[str]:
    states = {"skipped"} if file.skipped else {"clean", "pending"}
    facts = {"state": row.state in states, "reason": row.reason == file.reason}
    return [f"another {name}" for name, is_right in facts.items() if not is_right]


def _pair_nodes(
    expected: Iterable[tuple[str, NodesById | None]], stored: Iterable[tuple[str, NodesById]]
) -> Iterator[tuple[str, NodesById | None, NodesById]]:
    """Each path that is due, with what is held there; both come in order."""
    left = ((path, True, nodes) for path, nodes in expected)
    right = ((path, False, nodes) for path, nodes in stored)
    for path, sides in groupby(merge(left, right, key=itemgetter(0)), key=itemgetter(0)):
        nodes = {is_due: nodes for _, is_due, nodes in sides}
        if True in nodes:
            yield path, nodes[True], nodes.get(False) or {}


def _compare_nodes(
    comparison: Comparison, path: str, expected: NodesById, stored: NodesById
) -> None:
    comparison.files += 1
    comparison.nodes += len(expected)
    if expected == stored:
        return
    false = _wrong_columns(expected, stored)
    if words := false.pop("words", 0):
        comparison.words[path] = words
    counts = {
        "nodes missing": len(expected.keys() - stored.keys()),
        "nodes too many": len(stored.keys() - expected.keys()),
        **{f"another {column}": count for column, count in false.items()},
    }
    if said := [f"{what} {count}" for what, count in counts.items() if count]:
        comparison.rows[path] += said
    comparison.missing_ids |= expected.keys() - stored.keys()


def _wrong_columns(expected: NodesById, stored: NodesById) -> Counter[str]:
    """In how many nodes that are on both sides each column differs."""
    return Counter(
        column
        for id_, node in expected.items()
        for column, one, other in zip(IndexedNode._fields, node, stored.get(id_, node), strict=True)
        if one != other
    )
