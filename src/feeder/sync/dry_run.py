"""Estimates what a run would write and embed without writing, and records in `meta` what each
kind of run took.
"""

import json
import time
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from feeder.nodes import text_sha
from feeder.store import description_vectors
from feeder.store.index_state import IndexState
from feeder.store.rows import IndexedFile, node_keys, text_shas
from feeder.sync.context import SyncContext
from feeder.sync.diff import Diff
from feeder.sync.write import count_file, indexed_files


def estimate_run(run: SyncContext, state: IndexState, diff: Diff) -> None:
    """Counts into the report what `write_nodes` and `embed_and_upload` would do; only reads."""
    stored_keys = run.index.node_keys([*(entry.path for entry in diff.to_index), *diff.deleted])
    to_embed: list[tuple[str, int]] = []
    deleted_ids = set(stored_keys)
    for file in indexed_files(run, diff.to_index):
        new = {id_ for id_, key in node_keys(file) if stored_keys.get(id_) != key}
        to_embed += _input_sizes(file, file.ids if file.path in diff.without_vectors else new)
        deleted_ids.difference_update(file.ids)
        count_file(run.report, file, new)
    run.report.nodes_deleted = len(deleted_ids)
    run.report.files_vectors_only = len(diff.without_static_vectors)
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
    """Sizes of nodes whose vector was made with another description, and of the descriptions.

    Nodes without a description yet are not among them.
    """
    database = run.index.database
    stale_ids = {
        file.path: set(file.ids)
        for file in description_vectors.stale_model_vectors(database, run.index.repo)
    }
    entries = [entry for entry in diff.unchanged if entry.path in stale_ids]
    for file in indexed_files(run, entries):
        yield from _input_sizes(file, stale_ids[file.path])
        texts = description_vectors.descriptions_of(database, stale_ids[file.path]).values()
        yield from ((text_sha(line.text), len(line.text.encode())) for line in texts)


def _input_sizes(file: IndexedFile, node_ids: Collection[str]) -> Iterator[tuple[str, int]]:
    """Yields the hash and the size in bytes of each embedding input of a file."""
    for id_, sha, size in zip(file.ids, text_shas(file), file.rows.input_bytes, strict=True):
        if id_ in node_ids:
            yield sha, size


COST_KEY = "cost:"
"""Prefix of the keys of `meta`; the kind of run follows."""

_REPORT_FIELDS = (
    "files_processed",
    "files_deleted",
    "nodes_new",
    "nodes_deleted",
    "texts_embedded",
    "texts_cached",
)


def run_cost_meta(run: SyncContext) -> dict[str, str]:
    """Returns what a run took, for its last write, which is counted as one of its requests."""
    report, budget = run.report, run.budget
    facts = {name: getattr(report, name) for name in _REPORT_FIELDS}
    facts["requests"] = budget.requests_sent() + budget.requests_per_write
    facts |= {"seconds": report.elapsed_s, "ended_s": round(time.time())}
    return {run.index.meta_key(COST_KEY + run_kind(run)): json.dumps(facts)}


def last_run_costs(meta: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Returns what the last run of each kind took; the keys of `meta` are without repository."""
    values = {
        key.removeprefix(COST_KEY): value for key, value in meta.items() if key.startswith(COST_KEY)
    }
    return {kind: json.loads(value) for kind, value in values.items()}


def run_kind(run: SyncContext) -> str:
    """Returns `sync` (a commit), `working` (a working tree), `files` or `vectors` (only these)."""
    report = run.report
    has_vectors = bool(report.texts_embedded + report.texts_cached)
    if has_vectors and not (report.files_processed or report.files_deleted):
        return "vectors"
    if not run.tree.root_tree_id:
        return "files"
    return "working" if run.tree.working_tree_id else "sync"
