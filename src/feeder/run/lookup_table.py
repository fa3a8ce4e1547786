"""Has the index the table that makes a Worker's questions vectors? It gets what it lacks."""

from collections.abc import Iterator, Mapping

from feeder.run.feed import Feed
from feeder.run.verdict import Check
from feeder.store import Statement, lookup_table
from feeder.store.forgetting import Damage
from feeder.store.lookup_table import LookupTable
from feeder.store.state import IndexState


def made_once(feed: Feed) -> dict[str, str]:
    """What `meta` says of an index that lacks no table."""
    return feed.semantics.lookup.meta if feed.semantics and feed.semantics.lookup else {}


def lacking(feed: Feed, meta: Mapping[str, str]) -> LookupTable | None:
    """The table that this run has to write; of several that share the work the first does."""
    table = feed.semantics.lookup if feed.semantics else None
    is_own = feed.shard is None or feed.shard.number == 1
    return table if table and is_own and not table.meta.items() <= meta.items() else None


def superfluous(feed: Feed, meta: Mapping[str, str]) -> list[Statement]:
    """What takes out the table of a model that is no longer the index's."""
    is_other = feed.semantics is not None and feed.semantics.lookup is None
    return lookup_table.drop_statements() if is_other and lookup_table.META_KEY in meta else []


def write_lookup(feed: Feed, meta: Mapping[str, str]) -> None:
    """Writes the table where it lacks, as far as the budget goes."""
    if not (table := lacking(feed, meta)):
        return
    with feed.talk.step("table for a Worker's questions", 1) as step:
        if lookup_table.write_table(
            table, feed.index.write_statements, lambda: feed.budget.allows(1)
        ):
            feed.report.lookup_rows = table.row_count
            step(1)


def checked(feed: Feed, state: IndexState, damage: Damage) -> Iterator[Check]:
    """Whether it is there and the model's, as far as a look at each of its rows tells."""
    table = feed.semantics.lookup if feed.semantics else None
    if not table or "model" not in state.meta:
        return
    said = [] if made_once(feed).items() <= state.meta.items() else ["meta does not name it"]
    said += lookup_table.find_differences(table, feed.index.database)
    damage.has_wrong_lookup_table = bool(said)
    yield Check("a Worker finds the parts of a question", {"rows": table.row_count}, said)
