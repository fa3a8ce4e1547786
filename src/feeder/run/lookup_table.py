"""Has the index the table that makes a Worker's questions vectors? It gets what it lacks."""

from collections.abc import Iterator, Mapping

from feeder.run.feed import Feed
from feeder.run.verdict import Check
from feeder.store import Statement, lookup_table
from feeder.store.forgetting import Damage
from feeder.store.lookup_table import Lookup
from feeder.store.state import State


def made_once(feed: Feed) -> dict[str, str]:
    """What `meta` says of an index that lacks no table."""
    return feed.semantics.lookup.mark if feed.semantics and feed.semantics.lookup else {}


def lacking(feed: Feed, meta: Mapping[str, str]) -> Lookup | None:
    """The table that this run has to write; of several that share the work the first does."""
    table = feed.semantics.lookup if feed.semantics else None
    is_own = feed.shard is None or feed.shard.number == 1
    return table if table and is_own and not table.mark.items() <= meta.items() else None


def superfluous(feed: Feed, meta: Mapping[str, str]) -> list[Statement]:
    """What takes out the table of a model that is no longer the index's."""
    is_other = feed.semantics is not None and feed.semantics.lookup is None
    return lookup_table.dropping() if is_other and lookup_table.KEY in meta else []


def write_lookup(feed: Feed, meta: Mapping[str, str]) -> None:
    """Writes the table where it lacks, as far as the budget goes."""
    if not (table := lacking(feed, meta)):
        return
    with feed.talk.step("table for a Worker's questions", 1) as step:
        if lookup_table.put(table, feed.index.bring_in, lambda: feed.budget.allows(1)):
            feed.report.lookup_rows = table.size
            step(1)


def checked(feed: Feed, state: State, damage: Damage) -> Iterator[Check]:
    """Whether it is there and the model's, as far as a look at each of its rows tells."""
    table = feed.semantics.lookup if feed.semantics else None
    if not table or "model" not in state.meta:
        return
    said = [] if made_once(feed).items() <= state.meta.items() else ["meta does not name it"]
    said += lookup_table.differences(table, feed.index.database)
    damage.lookup = bool(said)
    yield Check("a Worker finds the parts of a question", {"rows": table.size}, said)
