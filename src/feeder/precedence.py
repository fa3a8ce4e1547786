"""Which of two runs goes first? The one that started last, but no older event of a workflow."""

from typing import NamedTuple

from feeder.errors import Overtaken
from feeder.feed import Feed
from feeder.store.index import State


class Begun(NamedTuple):
    """A run of a workflow as `meta` remembers it."""

    number: int
    commit: str
    token: str


def refuse_outdated(feed: Feed, state: State) -> None:
    """Raises Overtaken when a later event of the run's workflow has brought another commit."""
    last = _last(feed, state)
    if feed.force or not feed.event or not last:
        return
    if last.number > feed.event.number and last.commit != feed.tree.commit:
        raise Overtaken(
            f"This is run {feed.event.number} of {feed.event.workflow}; run {last.number} has "
            f"brought the index to {last.commit[:10]} or begun to. Nothing was changed. "
            f"To go back to {feed.tree.commit[:10]} nevertheless: --force."
        )


def is_newest(feed: Feed, state: State) -> bool:
    """Whether the run's event is newer than the last one of its workflow that the index knows."""
    last = _last(feed, state)
    return bool(feed.event and (not last or last.number < feed.event.number))


def goes_on(feed: Feed, state: State) -> bool:
    """Whether a run may go on beside, or over, the one that has begun since it read the index."""
    begun = state.meta.get(feed.index.key("run"))
    if begun == feed.token:
        return True
    last = _last(feed, state)
    return bool(feed.event and last and last.token == begun and last.number < feed.event.number)


def claim(feed: Feed) -> dict[str, str]:
    """What `meta` remembers of the run's event."""
    if not feed.event:
        return {}
    begun = Begun(feed.event.number, feed.tree.commit, feed.token)
    return {_key(feed): " ".join(map(str, begun))}


def _last(feed: Feed, state: State) -> Begun | None:
    """The last run of the same workflow that has begun."""
    number, _, rest = state.meta.get(_key(feed), "").partition(" ")
    commit, _, token = rest.partition(" ")
    return Begun(int(number), commit, token) if number else None


def _key(feed: Feed) -> str:
    return feed.index.key(f"event:{feed.event.workflow if feed.event else ''}")
