"""Side table of static-model rows with which a Worker turns a query into a vector."""

from collections.abc import Iterator, Mapping

from feeder.store import Statement, lookup_table
from feeder.store.index_state import IndexState
from feeder.store.integrity import Damage
from feeder.store.lookup_table import LookupTable
from feeder.sync.context import SyncContext
from feeder.sync.report import Check


def expected_meta(run: SyncContext) -> dict[str, str]:
    """What `meta` says of an index that lacks no table."""
    return run.model_vectors.lookup.meta if run.model_vectors and run.model_vectors.lookup else {}


def missing_table(run: SyncContext, meta: Mapping[str, str]) -> LookupTable | None:
    """The table that this run has to write; of several that share the work the first does."""
    table = run.model_vectors.lookup if run.model_vectors else None
    is_own = run.shard is None or run.shard.number == 1
    return table if table and is_own and not table.meta.items() <= meta.items() else None


def opening_statements(run: SyncContext, meta: Mapping[str, str]) -> list[Statement]:
    """What takes out the table of a model that is no longer the index's."""
    is_other = run.model_vectors is not None and run.model_vectors.lookup is None
    return lookup_table.drop_statements() if is_other and lookup_table.META_KEY in meta else []


def write_missing(run: SyncContext, meta: Mapping[str, str]) -> None:
    """Writes the table where it lacks, as far as the budget goes."""
    if not (table := missing_table(run, meta)):
        return
    with run.progress.step("table for a Worker's questions", 1) as step:
        if lookup_table.write_table(
            table, run.index.write_statements, lambda: run.budget.allows(1)
        ):
            run.report.lookup_rows = table.row_count
            step(1)


def check(run: SyncContext, state: IndexState, damage: Damage) -> Iterator[Check]:
    """Whether it is there and the model's, as far as a look at each of its rows tells."""
    table = run.model_vectors.lookup if run.model_vectors else None
    if not table or "model" not in state.meta:
        return
    said = [] if expected_meta(run).items() <= state.meta.items() else ["meta does not name it"]
    said += lookup_table.find_differences(table, run.index.database)
    damage.has_wrong_lookup_table = bool(said)
    yield Check("a Worker finds the parts of a question", {"rows": table.row_count}, said)
