"""What has a run taken? The index keeps it of the last run of each kind, for whoever asks later."""

import json
import time
from collections.abc import Mapping
from typing import Any

from feeder.sync.context import SyncContext

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
