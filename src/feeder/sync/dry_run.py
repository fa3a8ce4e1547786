"""Estimates what a run would write and embed without writing, and records in `meta` what each
kind of run took.
"""

import json
import time
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from feeder.nodes import embedding_input, text_sha
from feeder.store import description_vectors
from feeder.store.index_state import IndexState
from feeder.store.rows import IndexedFile, node_keys
from feeder.sync.context import SyncContext
from feeder.sync.diff import Diff
from feeder.sync.write import count_file, indexed_files


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


COST_KEY = "cost:"
"""What the keys of `meta` begin with, before the kind."""

_REPORT_FIELDS = (
    "files_processed",
    "files_deleted",
    "nodes_new",
    "nodes_deleted",
    "texts_embedded",
    "texts_cached",
)


def run_cost_meta(run: SyncContext) -> dict[str, str]:
    """What `meta` says of a run that ends with its next write, which is one of its requests."""
    report, budget = run.report, run.budget
    facts = {name: getattr(report, name) for name in _REPORT_FIELDS}
    facts["requests"] = budget.requests_sent() + budget.requests_per_write
    facts |= {"seconds": report.elapsed_s, "ended_s": round(time.time())}
    return {run.index.meta_key(COST_KEY + run_kind(run)): json.dumps(facts)}


def last_run_costs(meta: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """By kind what the `meta` of one repository, without its name in the keys, has of that."""
    kept = {
        key.removeprefix(COST_KEY): value for key, value in meta.items() if key.startswith(COST_KEY)
    }
    return {kind: json.loads(value) for kind, value in kept.items()}


def run_kind(run: SyncContext) -> str:
    """Whether it was about a commit, the working tree, some files, or vectors alone."""
    report = run.report
    has_vectors = bool(report.texts_embedded + report.texts_cached)
    if has_vectors and not (report.files_processed or report.files_deleted):
        return "vectors"
    if not run.tree.root_tree_id:
        return "files"
    return "working" if run.tree.working_tree_id else "sync"
