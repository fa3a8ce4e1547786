"""Writes changed files to the database in batches and reads files into nodes for all other
parts of a run.
"""

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import NamedTuple, Self, cast

from feeder.errors import TooLargeError
from feeder.line_ranges import encode_ranges
from feeder.parse import NodeEncoder, ParsedFile
from feeder.source import Entry
from feeder.store.index_state import IndexState, NodeChanges
from feeder.store.rows import NO_ROWS, IndexedFile, NodeRows, batched, node_keys
from feeder.sync.budget import BATCH_CHARS, BATCH_NODES
from feeder.sync.context import SyncContext
from feeder.sync.diff import Diff
from feeder.sync.parser_identity import ParserIdentity
from feeder.sync.report import Report
from feeder.sync.row_encoder import RowEncoder

FIRST_BATCH_SHARE = 16
"""The first transaction of a local run is that much smaller, and the next ones grow: a run that is
stopped after a second, as those of a server may be, has saved something. At D1 each transaction is
a request."""
BATCH_DELETED_FILES = 2000
"""Files that one transaction deletes."""
STATIC_VECTORS_STEP = "static vectors"
"""Name of the step that only adds static vectors: the words are complete by then."""


class PendingNodes(NamedTuple):
    """Ids of the nodes of a file that have to be embedded, and the blob id that they are from.

    The ids are one string, which takes a third of a set's memory: a first sync holds those of all
    nodes of the repository.
    """

    blob: str
    size: int
    joined_ids: str

    @classmethod
    def from_ids(cls, blob: str, ids: Collection[str]) -> Self:
        return cls(blob, len(ids), " ".join(ids))

    @property
    def ids(self) -> set[str]:
        return set(self.joined_ids.split(" "))


def write_nodes(
    run: SyncContext, state: IndexState, diff: Diff
) -> tuple[dict[str, PendingNodes], set[str]]:
    """Writes rows and postings of changed files, deletes those of deleted files, and adds the
    static vectors that other files lack.

    Returns the nodes to embed by path, and the ids of deleted nodes. Without an embedding model
    nodes to embed are only counted. Where the budget ends it, `diff` is reduced to what is done.
    """
    writer = _NodeWriter(run, diff, pending=bool(run.model_vectors) or "model" in state.meta)
    written: set[str] = set()
    groups = _growing_batches(run, diff.to_index)
    with run.progress.step("words", len(diff.to_index)) as step:
        for files, paths in zip_longest(
            groups, batched(diff.deleted, BATCH_DELETED_FILES), fillvalue=()
        ):
            if not run.budget.allows(1):
                _drop_unwritten(diff, written)
                break
            written.update(file.path for file in files)
            writer.write(files, paths)
            step(len(files))
    if diff.without_static_vectors and not run.budget.stop_reason:
        _write_static_vectors(run, diff, writer)
    run.report.nodes_deleted = len(writer.deleted_ids)
    return writer.to_embed, writer.deleted_ids


class _NodeWriter:
    """Writes files and collects what follows from it: nodes to embed, ids of deleted nodes."""

    def __init__(self, run: SyncContext, diff: Diff, *, pending: bool) -> None:
        self.to_embed: dict[str, PendingNodes] = {}
        self.deleted_ids: set[str] = set()
        self._run = run
        self._diff = diff
        self._pending = pending

    def write(self, files: Sequence[IndexedFile], deleted: Sequence[str]) -> None:
        run = self._run
        changes = _write_batch(run, files, deleted, pending=self._pending)
        self.deleted_ids |= changes.removed
        for file in files:
            count_file(run.report, file, changes.added)
            is_unembedded = file.path in self._diff.without_vectors
            ids = set(file.ids) if is_unembedded else changes.added.intersection(file.ids)
            if ids and run.model_vectors:
                self.to_embed[file.path] = PendingNodes.from_ids(file.blob, ids)
            elif self._pending:
                run.report.texts_waiting += len(ids)


def _write_static_vectors(run: SyncContext, diff: Diff, writer: _NodeWriter) -> None:
    """Adds the static vectors of files whose nodes are in the index, as far as the budget allows.

    A file whose nodes differ nevertheless, because its parser was stopped or it was just edited, is
    written as a changed one.
    """
    entries = {entry.path: entry for entry in diff.without_static_vectors}
    with run.progress.step(STATIC_VECTORS_STEP, len(entries)) as step:
        for files in _growing_batches(run, diff.without_static_vectors):
            if not run.budget.allows(1):
                return
            stored = run.index.node_keys(file.path for file in files)
            same = [file for file in files if _has_same_nodes(file, entries[file.path], stored)]
            run.index.write_static_vectors(same)
            run.report.files_vectors_only += len(same)
            done = {file.path for file in same}
            if changed := [file for file in files if file.path not in done]:
                for file in changed:
                    _mark_as_changed(diff, entries[file.path])
                writer.write(changed, ())
            step(len(files))


def _has_same_nodes(file: IndexedFile, entry: Entry, stored_keys: Mapping[str, str]) -> bool:
    keys = dict(node_keys(file))
    is_as_listed = file.blob == entry.blob and not file.skipped and not file.stopped
    return is_as_listed and all(stored_keys.get(id_) == key for id_, key in keys.items())


def _mark_as_changed(diff: Diff, entry: Entry) -> None:
    for others in (diff.unchanged, diff.pending):
        if entry in others:
            others.remove(entry)
    diff.to_index.append(entry)


def _drop_unwritten(diff: Diff, written: Collection[str]) -> None:
    diff.to_index[:] = [entry for entry in diff.to_index if entry.path in written]
    diff.pending.clear()


def _write_batch(
    run: SyncContext, files: Sequence[IndexedFile], deleted: Sequence[str], *, pending: bool
) -> NodeChanges:
    """One transaction, or halves of it where the database refuses its size."""
    try:
        return run.index.write(files, deleted, run.tree.commit, pending=pending)
    except TooLargeError:
        if len(files) + len(deleted) < 2:
            raise
    half, deleted_half = len(files) // 2, (len(deleted) + 1) // 2
    first = _write_batch(run, files[:half], deleted[:deleted_half], pending=pending)
    second = _write_batch(run, files[half:], deleted[deleted_half:], pending=pending)
    return NodeChanges(first.added | second.added, first.removed | second.removed)


def count_file(report: Report, file: IndexedFile, new_ids: Collection[str]) -> None:
    """Adds a file and its new nodes to the report."""
    report.files_processed += not file.skipped
    count_stored_source(report, file)
    if file.reason:
        reasons = report.skipped if file.skipped else report.as_plain_text
        reasons[file.path] = file.reason
    if file.unparsed:
        report.unparsed[file.path] = encode_ranges(file.unparsed)
    if file.masked:
        report.secrets_masked[file.path] = file.masked
    types = [
        node_type
        for id_, node_type in zip(file.ids, file.rows.types, strict=True)
        if id_ in new_ids
    ]
    report.nodes_by_type.update(types)
    report.nodes_new += len(types)


def count_stored_source(report: Report, file: IndexedFile) -> None:
    """Adds a file's stored source to the report."""
    report.text_rows += len(file.source_parts)
    report.text_bytes += sum(len(part.compressed) for part in file.source_parts)


def indexed_files(run: SyncContext, entries: Sequence[Entry]) -> Iterator[IndexedFile]:
    """Yields the files as the index shall hold them; skipped ones first, which need no reading."""
    to_read = [entry for entry in entries if not entry.skip]
    made_by = ParserIdentity.from_fingerprint(run.parser.fingerprint)
    for entry in entries:
        if entry.skip:
            yield IndexedFile(entry.path, entry.blob, skipped=True, reason=entry.skip)
    encode = RowEncoder(run.index.repo, run.index.stores_descriptions)
    parsed_entries = parsed_files(run, to_read, with_source=run.index.stores_source, encode=encode)
    for entry, parsed in parsed_entries:
        skip = entry.skip or parsed.skip
        yield IndexedFile(
            entry.path,
            entry.blob,
            cast("NodeRows", parsed.encoded) or NO_ROWS,
            skipped=skip is not None,
            reason=skip or parsed.reason,
            stopped=parsed.stopped,
            masked=parsed.masked_count,
            static_vectors=parsed.static_vectors,
            source_parts=parsed.source_blocks,
            parser=made_by.of_file(entry.path, has_nodes=skip is None),
            unparsed=() if skip else parsed.unparsed,
        )


def parsed_files(
    run: SyncContext,
    entries: Iterable[Entry],
    *,
    with_source: bool = False,
    encode: NodeEncoder | None = None,
) -> Iterator[tuple[Entry, ParsedFile]]:
    """Parses files and yields each with its nodes; as many are in memory as the parser works on."""
    in_progress: deque[Entry] = deque()

    def contents() -> Iterator[tuple[str, bytes]]:
        for entry, content in run.tree.read(entries):
            in_progress.append(entry)
            yield entry.path, content

    for parsed in run.parser.parse(contents(), keep_source=with_source, encode=encode):
        yield in_progress.popleft(), parsed


def _growing_batches(run: SyncContext, entries: Sequence[Entry]) -> Iterator[list[IndexedFile]]:
    first_share = 1 if run.budget.requests_per_write else FIRST_BATCH_SHARE
    return batch_files(indexed_files(run, entries), first_share)


def batch_files(files: Iterable[IndexedFile], first_share: int = 1) -> Iterator[list[IndexedFile]]:
    """Groups files into transactions; the first is of 1/`first_share` of the full size, and each is
    at most twice as large as the one before.
    """
    batch: list[IndexedFile] = []
    nodes = chars = 0
    for file in files:
        batch.append(file)
        nodes += len(file.ids) + 1
        chars += file.rows.chars
        if nodes * first_share >= BATCH_NODES or chars * first_share >= BATCH_CHARS:
            yield batch
            batch, nodes, chars = [], 0, 0
            first_share = max(1, first_share // 2)
    if batch:
        yield batch
