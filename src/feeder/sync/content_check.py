"""Parses every file again and compares its nodes and words with the rows of the index."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from heapq import merge
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Generic, Protocol, TypeVar

from feeder.line_ranges import encode_ranges
from feeder.parse.compressed_source import SourceBlock
from feeder.source import Entry
from feeder.store import static_vectors, stored_descriptions, stored_source
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
from feeder.sync.write import indexed_files

FILES_PER_BATCH = 32
"""Files whose nodes are in memory twice: as parsed and as rows."""


@dataclass
class Comparison:
    """Result of a content check: counts, and the differences by path."""

    has_words: bool
    """True if words were compared, which needs the database on this machine."""
    files: int = 0
    nodes: int = 0
    rows: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Differences in the rows of nodes and files, in words."""
    words: dict[str, int] = field(default_factory=dict)
    """Numbers of nodes whose indexed words differ from their text."""
    wrong_source: list[str] | None = None
    """Files whose stored source differs; None if the index stores none."""
    wrong_descriptions: list[str] | None = None
    """Files with descriptions made from another text; None if the index stores none."""
    missing_ids: set[str] = field(default_factory=set)
    """Ids that the file has and the index lacks at its path."""
    not_compared: list[str] = field(default_factory=list)
    """Files whose parser was stopped then or now: their nodes need not be equal."""
    now_parsed: set[str] = field(default_factory=set)
    """Those of them that are parsed to their end now."""

    @property
    def paths(self) -> Set[str]:
        """The files to index again."""
        return self.rows.keys() | self.words.keys()


def compare_content(
    run: SyncContext, entries: Iterable[Entry], stored_files: Mapping[str, FileRow]
) -> Comparison:
    """Compares the nodes of files that the index holds with the same blob ids; reads only.

    Compares words too where the database is on this machine. Few files are in memory at a time.
    """
    index = run.index
    hashes = read_posting_hashes(index.database)
    comparison = Comparison(
        has_words=hashes is not None,
        wrong_source=[] if index.stores_source else None,
        wrong_descriptions=[] if index.stores_descriptions else None,
    )
    expected = _expected_nodes(
        run, sorted(entries, key=attrgetter("path")), stored_files, comparison
    )
    vectors = {} if hashes is None else static_vectors.read_text_vectors(index.database)
    stored = read_indexed_nodes(index.database, index.repo, hashes or {}, vectors)
    for path, expected_here, stored_here in _pair_nodes(expected, stored):
        if expected_here is None:
            comparison.not_compared.append(path)
        else:
            _compare_nodes(comparison, path, expected_here, stored_here)
    return comparison


def _expected_nodes(
    run: SyncContext,
    entries: Sequence[Entry],
    stored_files: Mapping[str, FileRow],
    comparison: Comparison,
) -> Iterator[tuple[str, NodesById | None]]:
    """Yields each path, in order, with its nodes; None where its parser was stopped.

    The columns of the files' rows are compared here.
    """
    skipped = ((entry.path, NodesById()) for entry in entries if entry.skip)
    parsed = _parsed_nodes(
        run, [entry for entry in entries if not entry.skip], stored_files, comparison
    )
    return merge(skipped, parsed, key=itemgetter(0))


def _parsed_nodes(
    run: SyncContext,
    entries: Sequence[Entry],
    stored_files: Mapping[str, FileRow],
    comparison: Comparison,
) -> Iterator[tuple[str, NodesById | None]]:
    side_contents = _side_contents(run, comparison)
    with run.progress.step("content", len(entries)) as step:
        for batch in batched(indexed_files(run, entries), FILES_PER_BATCH):
            nodes = expected_nodes(batch, run.index.repo, with_words=comparison.has_words)
            for file in batch:
                row = stored_files[file.path]
                if not _is_comparable(file, row):
                    if not file.stopped:
                        comparison.now_parsed.add(file.path)
                    yield file.path, None
                    continue
                for content, wrong_paths in side_contents:
                    if not content.matches(file):
                        wrong_paths.append(file.path)
                if differences := _wrong_file_columns(file, row):
                    comparison.rows[file.path] += differences
                yield file.path, nodes.get(file.path, {})
            step(len(batch))


class _SideContent(Protocol):
    """The content of a side table, compared with files passed in the order of their paths."""

    def matches(self, file: IndexedFile) -> bool:
        """Returns whether it was made from this file; also if nothing is stored for the file,
        which another check reports.
        """
        ...


def _side_contents(
    run: SyncContext, comparison: Comparison
) -> list[tuple[_SideContent, list[str]]]:
    """The contents to compare, each with the list of paths that differ."""
    contents: list[tuple[_SideContent, list[str]]] = []
    if comparison.wrong_source is not None:
        contents.append((_StoredSourceContent(run), comparison.wrong_source))
    if comparison.wrong_descriptions is not None:
        contents.append((_DescriptionContent(run), comparison.wrong_descriptions))
    return contents


T = TypeVar("T")


class _PathReader(Generic[T]):
    """Looks up values by path in a stream of pairs; both are in the order of paths."""

    def __init__(self, pairs: Iterator[tuple[str, T]]) -> None:
        self._pairs = pairs
        self._current: tuple[str, T | None] | None = ("", None)

    def read(self, path: str) -> T | None:
        while self._current and self._current[0] < path:
            self._current = next(self._pairs, None)
        return self._current[1] if self._current and self._current[0] == path else None


class _StoredSourceContent:
    def __init__(self, run: SyncContext) -> None:
        self._stored = _PathReader(stored_source.stored_files(run.index.database, run.index.repo))

    def matches(self, file: IndexedFile) -> bool:
        """Line by line, since another zlib may compress the same lines differently."""
        stored = self._stored.read(file.path)
        return (
            stored is None
            or stored == list(file.source_parts)
            or _numbered_lines(stored) == _numbered_lines(file.source_parts)
        )


def _numbered_lines(parts: Iterable[SourceBlock]) -> list[tuple[int, str]] | None:
    """None if a part is damaged."""
    try:
        return [line for part in parts for line in part.lines()]
    except ValueError:
        return None


class _DescriptionContent:
    def __init__(self, run: SyncContext) -> None:
        self._links = _PathReader(
            stored_descriptions.stored_links(run.index.database, run.index.repo)
        )

    def matches(self, file: IndexedFile) -> bool:
        """By the hash of the described text, for each node that has one recorded."""
        links = self._links.read(file.path) or {}
        keys = dict(zip(file.ids, file.rows.description_keys, strict=False))
        return all(keys.get(id_) == sha for id_, sha in links.items())


def _is_comparable(file: IndexedFile, row: FileRow) -> bool:
    return file.reason == row.reason or not (file.stopped or row.stopped)


def _wrong_file_columns(file: IndexedFile, row: FileRow) -> list[str]:
    states = {"skipped"} if file.skipped else {"clean", "pending"}
    facts = {
        "state": row.state in states,
        "reason": row.reason == file.reason,
        "unparsed lines": (row.unparsed or "") == encode_ranges(file.unparsed),
    }
    return [f"different {name}" for name, is_right in facts.items() if not is_right]


def _pair_nodes(
    expected: Iterable[tuple[str, NodesById | None]], stored: Iterable[tuple[str, NodesById]]
) -> Iterator[tuple[str, NodesById | None, NodesById]]:
    """Yields each expected path with its expected and stored nodes; both come in order."""
    left = ((path, True, nodes) for path, nodes in expected)
    right = ((path, False, nodes) for path, nodes in stored)
    for path, sides in groupby(merge(left, right, key=itemgetter(0)), key=itemgetter(0)):
        nodes = {is_expected: nodes for _, is_expected, nodes in sides}
        if True in nodes:
            yield path, nodes[True], nodes.get(False) or {}


def _compare_nodes(
    comparison: Comparison, path: str, expected: NodesById, stored: NodesById
) -> None:
    comparison.files += 1
    comparison.nodes += len(expected)
    if expected == stored:
        return
    wrong = _wrong_columns(expected, stored)
    if words := wrong.pop("words", 0):
        comparison.words[path] = words
    counts = {
        "missing nodes": len(expected.keys() - stored.keys()),
        "extra nodes": len(stored.keys() - expected.keys()),
        **{f"different {column}": count for column, count in wrong.items()},
    }
    if differences := [f"{name}: {count}" for name, count in counts.items() if count]:
        comparison.rows[path] += differences
    comparison.missing_ids |= expected.keys() - stored.keys()


def _wrong_columns(expected: NodesById, stored: NodesById) -> Counter[str]:
    """Counts, by column, the nodes that exist on both sides and differ."""
    return Counter(
        column
        for id_, node in expected.items()
        for column, one, other in zip(IndexedNode._fields, node, stored.get(id_, node), strict=True)
        if one != other
    )
