"""Embeds new nodes, uploads their vectors, and deletes the vectors of deleted nodes (outbox)."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

from feeder.embedding.quantization import mix_vectors
from feeder.nodes import Node, embedding_input, node_ids, text_sha
from feeder.progress import ProgressStep
from feeder.source import Entry
from feeder.store import NodeVector, Value, description_vectors
from feeder.store.description_vectors import NO_DESCRIPTION, DescriptionText
from feeder.store.index_state import IndexState, VectorProgress
from feeder.store.rows import batched
from feeder.store.scope import is_test_path
from feeder.sync.budget import BATCH_VECTORS
from feeder.sync.concurrency import is_in_shard
from feeder.sync.context import ModelVectors, SyncContext
from feeder.sync.diff import Diff
from feeder.sync.write import PendingNodes, parsed_files

DELETE_BATCH = 100
"""Vectors of one deletion: the most that Vectorize accepts."""


class EmbeddingInput(NamedTuple):
    """A node to embed, with its description."""

    path: str
    id: str
    node: Node
    is_last_of_file: bool
    description: DescriptionText = NO_DESCRIPTION

    @property
    def texts(self) -> list[str]:
        """The texts to embed: the node's, and its description if it has one."""
        text = embedding_input(self.path, self.node)
        return [text, self.description.text] if self.description.text else [text]


def embed_and_upload(
    run: SyncContext, diff: Diff, pending_nodes: dict[str, PendingNodes]
) -> VectorProgress:
    """Embeds new nodes and those of pending files, and uploads their vectors.

    Returns the progress that the index does not record yet.
    """
    if not run.model_vectors:
        return VectorProgress()
    blobs = {entry.path: entry.blob for entry in diff.pending}
    waiting = {
        path: PendingNodes.from_ids(blobs[path], ids) for path, ids in run.index.node_ids(blobs)
    }
    pending_nodes = pending_nodes | waiting
    entries = [*diff.to_index, *diff.pending]
    clean = [entry.path for entry in entries if entry.path not in pending_nodes]
    entries = [entry for entry in entries if entry.path in pending_nodes]
    return _upload(run, run.model_vectors, entries, pending_nodes, VectorProgress(clean))


def refresh_stale(run: SyncContext) -> VectorProgress:
    """Embeds nodes whose vector is missing or was made with another description.

    A file that has changed since it was indexed is left to the next run. Returns the progress that
    the index does not record yet.
    """
    if not run.model_vectors:
        return VectorProgress()
    stale = description_vectors.stale_model_vectors(run.index.database, run.index.repo)
    pending = {file.path: PendingNodes.from_ids(file.blob, file.ids) for file in stale}
    entries = [entry for entry in run.tree.entries() if _is_pending(run, entry, pending)]
    pending = {entry.path: pending[entry.path] for entry in entries}
    return _upload(run, run.model_vectors, entries, pending, VectorProgress())


def _is_pending(run: SyncContext, entry: Entry, pending_nodes: Mapping[str, PendingNodes]) -> bool:
    is_as_indexed = entry.path in pending_nodes and pending_nodes[entry.path].blob == entry.blob
    return is_as_indexed and not entry.skip and is_in_shard(run, entry.path)


def _upload(
    run: SyncContext,
    model_vectors: ModelVectors,
    entries: Sequence[Entry],
    pending_nodes: Mapping[str, PendingNodes],
    progress: VectorProgress,
) -> VectorProgress:
    total = sum(nodes.size for nodes in pending_nodes.values())
    inputs = _with_descriptions(run, _embedding_inputs(run, entries, pending_nodes))
    if run.budget.is_set:
        inputs = _within_budget(run, model_vectors, inputs, total)
    with run.progress.step("vectors", total) as step:
        for number, batch in enumerate(batched(inputs, BATCH_VECTORS)):
            vectors = _embed_batch(run, model_vectors, batch, step)
            if number:
                run.index.record_vectors(progress)
                progress = VectorProgress()
            model_vectors.vectors.upsert(vectors, run.index.fencing_token)
            progress.clean_paths += [item.path for item in batch if item.is_last_of_file]
            if run.index.has_descriptions:
                progress.description_shas |= {item.id: item.description.sha for item in batch}
    return progress


def _within_budget(
    run: SyncContext, model_vectors: ModelVectors, inputs: Iterable[EmbeddingInput], total: int
) -> Iterator[EmbeddingInput]:
    """Yields the inputs of whole files while the budget allows; counts the rest as waiting."""
    seen: set[str] = set()
    new = model_vectors.embedder.misses
    for _, group in groupby(inputs, key=lambda item: item.path):
        file = list(group)
        shas = {text_sha(text) for item in file for text in item.texts} - seen
        new += model_vectors.embedder.count_missing(shas)
        unsent = new - model_vectors.embedder.misses
        # besides the embeddings: an upsert, and the record of it
        if not run.budget.allows(2, unsent, new):
            break
        seen |= shas
        total -= len(file)
        yield from file
    if run.budget.stop_reason:
        run.report.texts_waiting += total


def _with_descriptions(
    run: SyncContext, inputs: Iterable[EmbeddingInput]
) -> Iterator[EmbeddingInput]:
    """Adds to each input its current description; one request per 1,000."""
    if not run.index.has_descriptions:
        yield from inputs
        return
    for batch in batched(inputs, BATCH_VECTORS):
        ids = [item.id for item in batch]
        texts = description_vectors.descriptions_of(run.index.database, ids)
        yield from (item._replace(description=texts.get(item.id, NO_DESCRIPTION)) for item in batch)


def _embedding_inputs(
    run: SyncContext, entries: Sequence[Entry], pending_nodes: Mapping[str, PendingNodes]
) -> Iterator[EmbeddingInput]:
    """Parses each file again and yields its pending nodes.

    A file that lacks one of them is left to the next run, which parses it again: it has changed
    since, or its parser was stopped.
    """
    for entry, parsed in parsed_files(run, entries):
        pending_ids = pending_nodes[entry.path].ids
        ids = node_ids(run.index.repo, entry.path, parsed.nodes)
        nodes = [pair for pair in zip(ids, parsed.nodes, strict=True) if pair[0] in pending_ids]
        if entry.blob != pending_nodes[entry.path].blob or len(nodes) < len(pending_ids):
            run.report.texts_waiting += len(pending_ids)
            run.index.invalidate_files([entry.path])
            continue
        for position, (id_, node) in enumerate(nodes, start=1):
            yield EmbeddingInput(entry.path, id_, node, is_last_of_file=position == len(nodes))


def _embed_batch(
    run: SyncContext,
    model_vectors: ModelVectors,
    inputs: Sequence[EmbeddingInput],
    step: ProgressStep,
) -> list[NodeVector]:
    vectors: list[NodeVector] = []
    for part in batched(inputs, model_vectors.embedder.batch):
        texts = [item.texts for item in part]
        values = iter(model_vectors.embedder.embed([text for pair in texts for text in pair]))
        for item, (text, *description) in zip(part, texts, strict=True):
            value = next(values)
            value = mix_vectors(value, next(values)) if description else value
            vectors.append(NodeVector(item.id, text_sha(text), value, _metadata(run, item)))
        run.report.texts_embedded = model_vectors.embedder.misses
        run.report.texts_cached = model_vectors.embedder.hits
        step(len(part))
    return vectors


def clear_outbox(
    run: SyncContext,
    state: IndexState,
    pending_nodes: dict[str, PendingNodes],
    deleted_ids: Collection[str],
) -> list[str]:
    """Deletes the vectors of deleted nodes; returns the ids that may leave the outbox."""
    ids = {*state.outbox, *deleted_ids}
    for nodes in pending_nodes.values() if ids else ():
        ids -= nodes.ids  # nodes that exist again
    if not run.model_vectors or not ids:
        return []
    deleted = _delete_vectors(run, run.model_vectors, sorted(ids))
    # a write of the superseded run may still arrive: the next run deletes once more
    late = run.model_vectors.vectors.has_late_writes and run.index.has_superseded(state, run.token)
    return [] if late else deleted


def _delete_vectors(run: SyncContext, model_vectors: ModelVectors, ids: list[str]) -> list[str]:
    """Deletes vectors as far as the budget allows; returns their ids."""
    deleted: list[str] = []
    for batch in batched(ids, DELETE_BATCH):
        if not run.budget.allows(1):
            break
        model_vectors.vectors.delete(batch, run.index.fencing_token)
        deleted += batch
    return deleted


def _metadata(run: SyncContext, item: EmbeddingInput) -> dict[str, Value]:
    """Returns the node's columns, for clients that query the vectors without the database, and
    whether its file is a test, which Vectorize filters by.
    """
    columns = {
        "repo": run.index.repo,
        "branch": run.index.branch,
        "sha_head": run.tree.commit,
        "path": item.path,
        "tests": "yes" if is_test_path(item.path) else "no",
        **item.node._asdict(),
    }
    omitted = {"text", "members", "relations"}
    return {
        name: value for name, value in columns.items() if name not in omitted and value is not None
    }
