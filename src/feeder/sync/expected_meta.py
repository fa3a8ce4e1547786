"""What `meta` says of an index that equals the source tree."""

from collections.abc import Mapping

from feeder.store.index_state import MODEL_VECTORS_KEY
from feeder.sync.context import SyncContext


def target_meta(run: SyncContext) -> dict[str, str]:
    """Values in `meta` of an index that equals the tree and was made by this program and model."""
    # first: `limits_digest` becomes empty if a rule file is found missing when the rules are read
    rules = {run.index.meta_key("rules"): run.tree.rules_digest}
    return expected_meta(run) | rules


def expected_meta(run: SyncContext) -> dict[str, str]:
    """Values in `meta` that are enough to know that an index is up to date, without a slow read.

    `limits` takes the place of `rules` in a local index, where it is not empty: for `rules` git
    would have to list all files of the tree.
    """
    key = run.index.meta_key
    is_billed = run.index.database.access.bills_rows  # one more row in each run
    limits = "" if is_billed else run.tree.limits_digest
    meta = {
        key("tree"): run.tree.root_tree_id,
        key("parser"): run.parser.fingerprint,
        key("branch"): run.index.branch,
        key("below"): run.tree.subfolder,
    }
    if not is_billed:
        meta[key("limits")] = limits
    if not limits:
        meta[key("rules")] = run.tree.rules_digest
    if run.tree.working_tree_id:  # and the commit below it, which may have moved
        meta |= {key("working"): run.tree.working_tree_id, key("head"): run.tree.commit}
    if run.model_vectors:
        meta |= {**run.model_vectors.model_identity(), key(MODEL_VECTORS_KEY): "complete"}
    return meta


def without_tree(run: SyncContext, meta: Mapping[str, str]) -> dict[str, str]:
    """Returns the values that do not depend on the tree."""
    of_tree = {run.index.meta_key(name) for name in ("tree", "rules", "working", "head")}
    return {key: value for key, value in meta.items() if key not in of_tree}


def without_model(run: SyncContext, meta: Mapping[str, str]) -> dict[str, str]:
    """Returns the values that do not depend on the model.

    Without `--model` it is that of the index, which the request for these values tells.
    """
    of_model = run.model_vectors.model_identity() if run.model_vectors else {}
    return {key: value for key, value in meta.items() if key not in of_model}
