"""Detects a vector index that was deleted and created again: it lacks the vectors that `meta` says
were sent.
"""

from feeder.errors import TransientError
from feeder.store import Statement, sql
from feeder.store.batch import read_number
from feeder.store.index_state import IndexState
from feeder.sync.context import SyncContext

IDENTITY_KEY = "index_created_on"
"""Key of `meta`; all repositories of a database share the vector index."""

VISIBLE_WAIT_S = 180.0
"""Vectorize shows the vectors of the last run after half a minute, seldom after two minutes."""


def read_is_replaced(run: SyncContext, state: IndexState) -> bool:
    """Reads the index's identity, and tells whether it has lost vectors that were sent to it.

    An index made by an earlier version, which recorded no identity, is taken over if it has a
    vector for each node; that takes two more requests, once. False while Vectorize is down: words
    are written all the same, and a later run compares. Raises UserError without an index.
    """
    if not run.model_vectors or not run.model_vectors.vectors.index_name:
        return False
    try:
        identity = run.model_vectors.vectors.identity()
        recorded = state.meta.get(IDENTITY_KEY, "")
        is_known = bool(recorded) or not identity
        is_replaced = bool(identity) and identity != recorded if is_known else _lacks_vectors(run)
    except TransientError:
        return False
    run.vector_index = identity
    return is_replaced


def _lacks_vectors(run: SyncContext) -> bool:
    assert run.model_vectors
    vectors = run.model_vectors.vectors
    expected = read_number(run.index.database, Statement(sql.COUNT_NODES_WITH_VECTORS))
    if vectors.count() >= expected:
        return False
    # the last run may have ended a moment ago
    return not vectors.wait_until_visible(VISIBLE_WAIT_S) or vectors.count() < expected


def identity_meta(run: SyncContext, state: IndexState) -> dict[str, str]:
    """Returns what `meta` has to record, if this run has read the identity: a row is billed."""
    if not run.vector_index or state.meta.get(IDENTITY_KEY) == run.vector_index:
        return {}
    return {IDENTITY_KEY: run.vector_index}
