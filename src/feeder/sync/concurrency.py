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
from feeder.store.index_state import UNSHARDED, IndexState, Sharding
from feeder.sync.context import SyncContext
from feeder.sync.diff import refuse_other_folder


class RecordedRun(NamedTuple):
    """A run of a workflow as `meta` remembers it; `order` grows with the runs."""

    order: int
    commit: str
    token: str


_MANUAL_PREFIX = "by-hand-"


def manual_run_token() -> str:
    """Who a run is that answers to no workflow; those that start later come later in order."""
    return f"{_MANUAL_PREFIX}{time.time_ns():020}-{os.urandom(4).hex()}"


def refuse_superseded(run: SyncContext, state: IndexState) -> None:
    """Raises Overtaken when a later run of a workflow has brought another commit."""
    last = _last_workflow_run(run, state)
    if run.force or not run.event or not last:
        return
    if last.order > run.event.order and last.commit != run.tree.commit:
        raise Superseded(
            f"This is run {run.event.number} of {run.event.workflow}, and a later run of a "
            f"workflow has brought the index to {last.commit[:10]} or begun to. Nothing was "
            f"changed. To go to {run.tree.commit[:10]} nevertheless: --force."
        )


def is_newest_event(run: SyncContext, state: IndexState) -> bool:
    """Whether the run is a later one than the last of a workflow that the index knows."""
    last = _last_workflow_run(run, state)
    return bool(run.event and (not last or last.order < run.event.order))


def may_continue(run: SyncContext, state: IndexState) -> bool:
    """Whether a run may go on beside, or over, the one that has begun since it read the index."""
    begun = state.meta.get(run.index.meta_key("run"), "")
    if begun == run.token:
        return True
    if begun.startswith(_MANUAL_PREFIX) and run.token.startswith(_MANUAL_PREFIX):
        return begun < run.token
    last = _last_workflow_run(run, state)
    return bool(run.event and last and last.token == begun and last.order < run.event.order)


def event_meta(run: SyncContext) -> dict[str, str]:
    """What `meta` remembers of the run."""
    if not run.event:
        return {}
    begun = RecordedRun(run.event.order, run.tree.commit, run.token)
    return {run.index.meta_key("event"): " ".join(map(str, begun))}


def _last_workflow_run(run: SyncContext, state: IndexState) -> RecordedRun | None:
    """The last run of a workflow that has begun; None too for what no run has noted so."""
    order, _, rest = state.meta.get(run.index.meta_key("event"), "").partition(" ")
    commit, _, token = rest.partition(" ")
    return RecordedRun(int(order), commit, token) if order.isdecimal() else None


def is_in_shard(run: SyncContext, path: str) -> bool:
    """Whether a file falls to this run: all do, where nobody shares the work."""
    return run.shard is None or run.shard.contains(path)


def shard_state(run: SyncContext, state: IndexState) -> IndexState:
    """What the index holds of this run's files; how many are as expected, it cannot tell."""
    files = state.files
    if files is not None:
        files = {path: row for path, row in files.items() if is_in_shard(run, path)}
    outbox = {id_: path for id_, path in state.outbox.items() if is_in_shard(run, path)}
    reasons = {path: row for path, row in state.unchanged.reasons.items() if is_in_shard(run, path)}
    return state._replace(
        files=files, outbox=outbox, unchanged=state.unchanged._replace(reasons=reasons)
    )


def shard_share(run: SyncContext, target_meta: dict[str, str]) -> Sharding:
    """What the shards of this very work write down as they end."""
    if not run.shard:
        return UNSHARDED
    work = hashlib.sha1(json.dumps(target_meta, sort_keys=True).encode()).hexdigest()
    keys = [run.index.meta_key(f"shard:{shard}") for shard in all_shards(run.shard.total)]
    return Sharding(keys[run.shard.number - 1], dict.fromkeys(keys, work))


def refuse_shard_for_new_model(run: SyncContext) -> None:
    """Raises UserError for a shard that would replace the vectors of all."""
    if run.shard:
        raise UserError(
            "The index has vectors of another model, and shards cannot replace them: others would "
            "lose theirs. Begin with: feeder sync --max-embeddings 1"
        )


def take_ownership(
    run: SyncContext, read_state: Callable[[], IndexState], last_read: IndexState
) -> IndexState:
    """What the index holds once no other run writes any more; raises where this one must not."""
    refuse_superseded(run, last_read)
    refuse_other_folder(run, last_read)
    if run.index.has_unfinished_run(last_read, run.token):
        run.index.take_over(run.token, last_read, event_meta(run))
        return read_state()
    return last_read
