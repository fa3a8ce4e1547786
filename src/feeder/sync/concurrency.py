"""Which of two runs goes first? The one that started last, but no older run of a workflow."""

import os
import time
from typing import NamedTuple

from feeder.errors import Superseded
from feeder.store.index_state import IndexState
from feeder.sync.context import SyncContext


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
