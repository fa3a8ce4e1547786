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
from feeder.sync.concurrency import is_in_shard
from feeder.sync.context import ModelVectors, SyncContext
from feeder.sync.diff import Diff
from feeder.sync.write import PendingNodes, parsed_files

BATCH_VECTORS = 1000
"""Vectors after which their files are clean: what a run that dies embeds again, cache aside."""
DELETE_BATCH = 100
"""Vectors that are removed before a run asks whether it may go on: what Vectorize takes at once."""


class EmbeddingInput(NamedTuple):
    """A node on its way to its vector, with the line on it."""

    path: str
    id: str
    node: Node
    is_last_of_file: bool
    description: DescriptionText = NO_DESCRIPTION

    @property
    def texts(self) -> list[str]:
        """What is embedded of it: its text, and its line where it has one."""
        text = embedding_input(self.path, self.node)
        return [text, self.description.text] if self.description.text else [text]


def embed_and_upload(
    run: SyncContext, diff: Diff, pending_nodes: dict[str, PendingNodes]
) -> VectorProgress:
    """Makes and keeps the vectors of these texts and of the files that waited.

    What is settled by that, and the index does not say yet.
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
    """The same of what lacks a vector by now, or has one of another line than its own.

    A file that has changed since it was indexed is another run's.
    """
    if not run.model_vectors:
        return VectorProgress()
    found = description_vectors.stale_model_vectors(run.index.database, run.index.repo)
    wanted = {file.path: PendingNodes.from_ids(file.blob, file.ids) for file in found}
    entries = [entry for entry in run.tree.entries() if _is_pending(run, entry, wanted)]
    wanted = {entry.path: wanted[entry.path] for entry in entries}
    return _upload(run, run.model_vectors, entries, wanted, VectorProgress())


def _is_pending(run: SyncContext, entry: Entry, pending_nodes: Mapping[str, PendingNodes]) -> bool:
    is_there = entry.path in pending_nodes and pending_nodes[entry.path].blob == entry.blob
    return is_there and not entry.skip and is_in_shard(run, entry.path)


def _upload(
    run: SyncContext,
    semantics: ModelVectors,
    entries: Sequence[Entry],
    pending_nodes: Mapping[str, PendingNodes],
    settled: VectorProgress,
) -> VectorProgress:
    total = sum(texts.size for texts in pending_nodes.values())
    texts = _with_descriptions(run, _embedding_inputs(run, entries, pending_nodes))
    if run.budget.is_set:
        texts = _within_budget(run, semantics, texts, total)
    with run.progress.step("vectors", total) as step:
        for number, batch in enumerate(batched(texts, BATCH_VECTORS)):
            vectors = _embed_batch(run, semantics, batch, step)
            if number:
                run.index.record_vectors(settled)
                settled = VectorProgress()
            semantics.vectors.upsert(vectors, run.index.fencing_token)
            settled.clean_paths += [text.path for text in batch if text.is_last_of_file]
            if run.index.has_descriptions:
                settled.description_shas |= {text.id: text.description.sha for text in batch}
    return settled


def _within_budget(
    run: SyncContext, semantics: ModelVectors, inputs: Iterable[EmbeddingInput], total: int
) -> Iterator[EmbeddingInput]:
    """Of these `total` texts those of one file after the other, as the budget allows whole files.

    The rest is counted as waiting.
    """
    seen: set[str] = set()
    new = semantics.embedder.misses
    for _, group in groupby(inputs, key=lambda text: text.path):
        file = list(group)
        shas = {text_sha(body) for text in file for body in text.texts} - seen
        new += semantics.embedder.count_missing(shas)
        unsent = new - semantics.embedder.misses
        # besides the embeddings: an upsert, and the note of it
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
    """The same, each with its line of now; a request for every 1,000."""
    if not run.index.has_descriptions:
        yield from inputs
        return
    for some in batched(inputs, BATCH_VECTORS):
        lines = description_vectors.descriptions_of(run.index.database, [text.id for text in some])
        yield from (text._replace(description=lines.get(text.id, NO_DESCRIPTION)) for text in some)


def _embedding_inputs(
    run: SyncContext, entries: Sequence[Entry], pending_nodes: Mapping[str, PendingNodes]
) -> Iterator[EmbeddingInput]:
    """The wanted nodes of each file, which is parsed once more.

    A file of which not all are there is parsed anew by the next run: it has changed meanwhile, or
    one of the two times its parser was stopped.
    """
    for entry, parsed in parsed_files(run, entries):
        due = pending_nodes[entry.path].ids
        ids = node_ids(run.index.repo, entry.path, parsed.nodes)
        found = [(id_, node) for id_, node in zip(ids, parsed.nodes, strict=True) if id_ in due]
        if entry.blob != pending_nodes[entry.path].blob or len(found) < len(due):
            run.report.texts_waiting += len(due)
            run.index.invalidate_files([entry.path])
            continue
        for position, (id_, node) in enumerate(found, start=1):
            yield EmbeddingInput(entry.path, id_, node, is_last_of_file=position == len(found))


def _embed_batch(
    run: SyncContext, semantics: ModelVectors, inputs: Sequence[EmbeddingInput], step: ProgressStep
) -> list[NodeVector]:
    vectors: list[NodeVector] = []
    for part in batched(inputs, semantics.embedder.batch):
        bodies = [text.texts for text in part]
        values = iter(semantics.embedder.embed([body for some in bodies for body in some]))
        for text, (body, *lines) in zip(part, bodies, strict=True):
            value = next(values)
            value = mix_vectors(value, next(values)) if lines else value
            vectors.append(NodeVector(text.id, text_sha(body), value, _metadata(run, text)))
        run.report.texts_embedded = semantics.embedder.misses
        run.report.texts_cached = semantics.embedder.hits
        step(len(part))
    return vectors


def clear_outbox(
    run: SyncContext,
    state: IndexState,
    pending_nodes: dict[str, PendingNodes],
    deleted_ids: Collection[str],
) -> list[str]:
    """Removes the vectors of nodes that are gone; the ids that may leave the outbox."""
    leaving = {*state.outbox, *deleted_ids}
    for texts in pending_nodes.values() if leaving else ():
        leaving -= texts.ids  # they have come back
    if not run.model_vectors or not leaving:
        return []
    removed = _delete_vectors(run, run.model_vectors, sorted(leaving))
    # a write of the run that this one overtook may still arrive: the next run deletes once more
    late = run.model_vectors.vectors.has_late_writes and run.index.has_superseded(state, run.token)
    return [] if late else removed


def _delete_vectors(run: SyncContext, semantics: ModelVectors, ids: list[str]) -> list[str]:
    """Those of the vectors that the budget allowed to remove."""
    removed: list[str] = []
    for piece in batched(ids, DELETE_BATCH):
        if not run.budget.allows(1):
            break
        semantics.vectors.delete(piece, run.index.fencing_token)
        removed += piece
    return removed


def _metadata(run: SyncContext, item: EmbeddingInput) -> dict[str, Value]:
    """What a search of the vectors alone wants to know of a node."""
    facts = {
        "repo": run.index.repo,
        "branch": run.index.branch,
        "sha_head": run.tree.commit,
        "path": item.path,
        **item.node._asdict(),
    }
    left_out = {"text", "members"}
    return {
        name: value for name, value in facts.items() if name not in left_out and value is not None
    }
