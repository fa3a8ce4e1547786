"""Which of two runs goes first? The one that started last, but no older run of a workflow."""

import os
import time
from typing import NamedTuple

from feeder.errors import Superseded
from feeder.run.feed import Feed
from feeder.store.state import IndexState


class Begun(NamedTuple):
    """A run of a workflow as `meta` remembers it; `order` grows with the runs."""

    order: int
    commit: str
    token: str


_BY_HAND = "by-hand-"


def token_by_hand() -> str:
    """Who a run is that answers to no workflow; those that start later come later in order."""
    return f"{_BY_HAND}{time.time_ns():020}-{os.urandom(4).hex()}"


def refuse_outdated(feed: Feed, state: IndexState) -> None:
    """Raises Overtaken when a later run of a workflow has brought another commit."""
    last = _last(feed, state)
    if feed.force or not feed.event or not last:
        return
    if last.order > feed.event.order and last.commit != feed.tree.commit:
        raise Superseded(
            f"This is run {feed.event.number} of {feed.event.workflow}, and a later run of a "
            f"workflow has brought the index to {last.commit[:10]} or begun to. Nothing was "
            f"changed. To go to {feed.tree.commit[:10]} nevertheless: --force."
        )


def is_newest(feed: Feed, state: IndexState) -> bool:
    """Whether the run is a later one than the last of a workflow that the index knows."""
    last = _last(feed, state)
    return bool(feed.event and (not last or last.order < feed.event.order))


def goes_on(feed: Feed, state: IndexState) -> bool:
    """Whether a run may go on beside, or over, the one that has begun since it read the index."""
    begun = state.meta.get(feed.index.meta_key("run"), "")
    if begun == feed.token:
        return True
    if begun.startswith(_BY_HAND) and feed.token.startswith(_BY_HAND):
        return begun < feed.token
    last = _last(feed, state)
    return bool(feed.event and last and last.token == begun and last.order < feed.event.order)


def claim(feed: Feed) -> dict[str, str]:
    """What `meta` remembers of the run."""
    if not feed.event:
        return {}
    begun = Begun(feed.event.order, feed.tree.commit, feed.token)
    return {feed.index.meta_key("event"): " ".join(map(str, begun))}


def _last(feed: Feed, state: IndexState) -> Begun | None:
    """The last run of a workflow that has begun; None too for what no run has noted so."""
    order, _, rest = state.meta.get(feed.index.meta_key("event"), "").partition(" ")
    commit, _, token = rest.partition(" ")
    return Begun(int(order), commit, token) if order.isdecimal() else None
