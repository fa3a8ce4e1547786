"""Decides between runs at the same time: which run owns the index, which one is superseded, and
which files belong to a shard.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable
from typing import NamedTuple

from feeder.errors import Superseded, UserError
from feeder.shards import all_shards
from feeder.store import SUPERSEDED_MESSAGE
from feeder.store.index_state import UNSHARDED, IndexState, Sharding
from feeder.store.ownership import SupersededAtStart
from feeder.sync.context import SyncContext
from feeder.sync.diff import refuse_other_folder


class RecordedRun(NamedTuple):
    """A run of a workflow as recorded in `meta`; later runs have a higher `order`."""

    order: int
    commit: str
    token: str


_MANUAL_PREFIX = "by-hand-"


def manual_run_token() -> str:
    """Returns a token for a run outside of workflows; tokens sort by their start."""
    return f"{_MANUAL_PREFIX}{time.time_ns():020}-{os.urandom(4).hex()}"


def refuse_superseded(run: SyncContext, state: IndexState) -> None:
    """Raises Superseded when a later run of a workflow has synced another commit, or when the run
    goes forward only and the index has a later commit.
    """
    if run.force:
        return
    last, commit = _last_workflow_run(run, state), run.tree.commit
    for indexed in (state.meta.get(run.index.meta_key("head")), last and last.commit):
        if indexed and indexed != commit and run.is_older_than(indexed):
            raise Superseded(
                f"Commit {commit[:10]} is checked out, and the index has the later commit "
                f"{indexed[:10]}.",
                "Nothing was changed. Check out the newest commit of the branch; or to go back to "
                f"{commit[:10]}, set the input force.",
            )
    if run.event and last and last.order > run.event.order_of(commit) and last.commit != commit:
        raise Superseded(
            f"This is run {run.event.number} of {run.event.workflow}.",
            f"A later run of a workflow has synced commit {last.commit[:10]}, or is doing so. "
            f"Nothing was changed. To sync {run.tree.commit[:10]} anyway, add --force.",
        )


def is_newest_event(run: SyncContext, state: IndexState) -> bool:
    """Returns whether the run's event is later than the last one that the index records."""
    last = _last_workflow_run(run, state)
    return bool(run.event and (not last or last.order < run.event.order_of(run.tree.commit)))


def may_continue(run: SyncContext, state: IndexState) -> bool:
    """Returns whether a run may go on although another one has begun since it read the index.

    It may beside a shard of the same sync, and over a run that started earlier by hand or answers
    to an older event.
    """
    recorded = state.meta.get(run.index.meta_key("run"), "")
    if recorded == run.token:
        return True
    if recorded.startswith(_MANUAL_PREFIX) and run.token.startswith(_MANUAL_PREFIX):
        return recorded < run.token
    last = _last_workflow_run(run, state)
    return bool(
        run.event
        and last
        and last.token == recorded
        and last.order < run.event.order_of(run.tree.commit)
    )


def refuse_superseded_since(run: SyncContext, seen: IndexState, state: IndexState) -> None:
    """Raises SupersededAtStart if a run that wins has begun between the reads `seen` and `state`.

    The first write would not notice: it expects the owner in `state`.
    """
    owner = run.index.meta_key("run")
    if state.meta.get(owner) != seen.meta.get(owner) and not may_continue(run, state):
        raise SupersededAtStart(*SUPERSEDED_MESSAGE)


def event_meta(run: SyncContext) -> dict[str, str]:
    """Returns what the run records of its event in `meta`."""
    if not run.event:
        return {}
    recorded = RecordedRun(run.event.order_of(run.tree.commit), run.tree.commit, run.token)
    return {run.index.meta_key("event"): " ".join(map(str, recorded))}


def _last_workflow_run(run: SyncContext, state: IndexState) -> RecordedRun | None:
    """The last run of a workflow that has begun; None also if the recorded value is malformed."""
    order, _, rest = state.meta.get(run.index.meta_key("event"), "").partition(" ")
    commit, _, token = rest.partition(" ")
    return RecordedRun(int(order), commit, token) if order.isdecimal() else None


def is_in_shard(run: SyncContext, path: str) -> bool:
    """Returns whether this run indexes the file; without shards it indexes all."""
    return run.shard is None or run.shard.contains(path)


def shard_state(run: SyncContext, state: IndexState) -> IndexState:
    """Returns the state reduced to this run's files; the count of unchanged files stays of all."""
    files = state.files
    if files is not None:
        files = {path: row for path, row in files.items() if is_in_shard(run, path)}
    outbox = {id_: path for id_, path in state.outbox.items() if is_in_shard(run, path)}
    reasons = {path: row for path, row in state.unchanged.reasons.items() if is_in_shard(run, path)}
    return state._replace(
        files=files, outbox=outbox, unchanged=state.unchanged._replace(reasons=reasons)
    )


def shard_share(run: SyncContext, target_meta: dict[str, str]) -> Sharding:
    """Returns what the shards of this sync record when they end: a hash of their target."""
    if not run.shard:
        return UNSHARDED
    work = hashlib.sha1(json.dumps(target_meta, sort_keys=True).encode()).hexdigest()
    keys = [run.index.meta_key(f"shard:{shard}") for shard in all_shards(run.shard.total)]
    return Sharding(keys[run.shard.number - 1], dict.fromkeys(keys, work))


def refuse_shard_for_new_model(run: SyncContext) -> None:
    """Raises UserError for a shard that would replace the vectors of all shards."""
    if run.shard:
        raise UserError(
            "The index has vectors of another model, and one shard cannot replace the vectors of "
            "all shards.",
            "First run: feeder sync --max-embeddings 1",
        )


def refuse_shard_for_lost_vectors(run: SyncContext) -> None:
    """Raises UserError for a shard that would mark the vectors of all shards as lost."""
    if run.shard:
        raise UserError(
            "The Vectorize index was deleted and created again, and one shard cannot start over "
            "for all shards.",
            "First run: feeder sync --max-embeddings 1",
        )


def take_ownership(
    run: SyncContext, read_state: Callable[[], IndexState], last_read: IndexState
) -> IndexState:
    """Ends an unfinished run's right to write, and returns the state as it is after that.

    Raises Superseded for an older event, UserError for another folder's index.
    """
    refuse_superseded(run, last_read)
    refuse_other_folder(run, last_read)
    if run.index.has_unfinished_run(last_read, run.token):
        run.index.take_over(run.token, last_read, event_meta(run))
        return read_state()
    return last_read
