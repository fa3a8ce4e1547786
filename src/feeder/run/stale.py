"""What of an index would this program make in another way? It is said before it is made anew."""

from collections.abc import Set
from enum import StrEnum

from feeder.run.feed import Feed, Work
from feeder.store.state import State


class Stale(StrEnum):
    """Why an index is made anew, in part or whole, although its files are the tree's."""

    PARSER = (
        "The index was made by another parser or built-in model: every file is read again, and "
        "texts are embedded where they have changed."
    )
    RULES = "The rules of what is kept out have changed: what was kept out is looked at again."
    VECTORS = "The index has no vectors of this model: every text is embedded."


def stale_parts(feed: Feed, state: State) -> set[Stale]:
    """What of an index this program would make in another way."""
    meta, key = state.meta, feed.index.key
    stale = set()
    if meta.get(key("parser"), feed.parser.fingerprint) != feed.parser.fingerprint:
        stale.add(Stale.PARSER)
    if feed.tree.root and meta.get(key("rules"), feed.tree.rules) != feed.tree.rules:
        stale.add(Stale.RULES)
    if feed.semantics and not feed.semantics.identity().items() <= meta.items():
        stale.add(Stale.VECTORS)
    return stale


def announce(feed: Feed, state: State, stale: Set[Stale], work: Work) -> None:
    """Says so before the first write, with the files that it is about; an empty index has none."""
    if not state.files or not stale:
        return
    for why in sorted(stale):
        feed.talk.say(why)
    feed.talk.say(
        f"Files to read: {len(work.process)}; for their vectors alone: {len(work.waiting)}."
    )
