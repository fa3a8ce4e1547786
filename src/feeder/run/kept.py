"""What does `meta` say of what an index keeps beside its nodes: texts, descriptions?"""

from collections.abc import Mapping

from feeder.run.feed import Feed

OFF, ON, FILLING, LEAVING = "", "on", "filling", "leaving"
"""There is none, where nothing is said; none lacks; and what a run that ended early leaves to the
next."""


def standing(feed: Feed, meta: Mapping[str, str], key: str) -> str:
    """Which of these it is for the repository of a run."""
    return meta.get(feed.index.meta_key(key), OFF)
