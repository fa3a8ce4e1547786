"""What would a run write and embed? As it would do it, but only reading."""

from collections.abc import Collection, Iterator

from feeder.nodes import embedding_input, text_sha
from feeder.store import description_vectors
from feeder.store.index_state import IndexState
from feeder.store.rows import IndexedFile, node_keys
from feeder.sync.context import Diff, SyncContext, count_file, indexed_files


def estimate_run(run: SyncContext, state: IndexState, diff: Diff) -> None:
    """Counts into the report what `write_words` and `send_vectors` would do; only reads."""
    known = run.index.node_keys([*(entry.path for entry in diff.to_index), *diff.deleted])
    to_embed: list[tuple[str, int]] = []
    gone = set(known)
    for file in indexed_files(run, diff.to_index):
        new = {id_ for id_, key in node_keys(file) if known.get(id_) != key}
        to_embed += _input_sizes(file, file.ids if file.path in diff.without_vectors else new)
        gone.difference_update(file.ids)
        count_file(run.report, file, new)
    run.report.nodes_deleted = len(gone)
    if not run.model_vectors:
        run.report.texts_waiting = len(to_embed) if "model" in state.meta else 0
        return
    for file in indexed_files(run, diff.pending):
        to_embed += _input_sizes(file, file.ids)
    if run.index.has_descriptions:
        to_embed += _stale_vector_inputs(run, diff)
    run.report.texts_embedded = run.model_vectors.embedder.estimate_misses(dict(to_embed))
    run.report.texts_cached = len(to_embed) - run.report.texts_embedded


def _stale_vector_inputs(run: SyncContext, diff: Diff) -> Iterator[tuple[str, int]]:
    """The same of vectors that are of another line than their node's; of texts and of lines.

    What has no line yet is not among them.
    """
    database = run.index.database
    due = {
        file.path: set(file.ids)
        for file in description_vectors.stale_model_vectors(database, run.index.repo)
    }
    entries = [entry for entry in diff.unchanged if entry.path in due]
    for file in indexed_files(run, entries):
        yield from _input_sizes(file, due[file.path])
        lines = description_vectors.descriptions_of(database, due[file.path])
        yield from ((text_sha(line.text), len(line.text.encode())) for line in lines.values())


def _input_sizes(file: IndexedFile, node_ids: Collection[str]) -> Iterator[tuple[str, int]]:
    """The `text_sha` and the bytes of what is to be embedded of a file."""
    for id_, sha, node in zip(file.ids, file.text_shas, file.nodes, strict=True):
        if id_ in node_ids:
            yield sha, len(embedding_input(file.path, node).encode(errors="replace"))
