"""Side table of static-model rows with which a Worker turns a query into a vector."""

from collections.abc import Iterator, Mapping

from feeder.store import Statement, lookup_table
from feeder.store.index_state import IndexState
from feeder.store.integrity import Damage, ParityReport
from feeder.store.lookup_table import LookupTable
from feeder.sync.context import SyncContext
from feeder.sync.diff import Diff
from feeder.sync.report import Check
from feeder.sync.side_tables import SideTable, TableWrite


class WorkerLookup(SideTable):
    """The lookup table; only the embedding models that a Worker cannot call need it.

    All repositories of a database share it. Of several shards the first writes it.
    """

    check_order = 0

    def __init__(self, run: SyncContext, meta: Mapping[str, str]) -> None:
        self._run = run
        self._meta = meta
        self._table = run.model_vectors.lookup if run.model_vectors else None

    def is_wanted(self) -> bool:
        return self._table is not None

    def is_up_to_date(self, *, whole: bool = True) -> bool:
        return self._missing_table() is None

    def is_stored(self) -> bool:
        return lookup_table.META_KEY in self._meta

    def expected_meta(self) -> Mapping[str, str]:
        return self._table.meta if self._table else {}

    def opening_statements(self) -> list[Statement]:
        """Drops the table of a model that the index no longer uses."""
        is_obsolete = self._run.model_vectors is not None and not self.is_wanted()
        return lookup_table.drop_statements() if is_obsolete and self.is_stored() else []

    def write(self, state: IndexState) -> TableWrite:
        """The table's last write records it in `meta`, so nothing is left to the run's."""
        if table := self._missing_table():
            run = self._run
            with run.progress.step("lookup table", 1) as step:
                if lookup_table.write_table(
                    table, run.index.write_statements, lambda: run.budget.allows(1)
                ):
                    run.report.lookup_rows = table.row_count
                    step(1)
        return TableWrite()

    def estimate(self, state: IndexState, diff: Diff, *, whole: bool) -> None:
        if table := self._missing_table():
            self._run.report.lookup_rows = table.row_count

    def check(self, state: IndexState, parity: ParityReport, damage: Damage) -> Iterator[Check]:
        """Compares the length and the ends of each row with the model's."""
        if not self._table or "model" not in self._meta:
            return
        is_recorded = self.expected_meta().items() <= self._meta.items()
        differences = [] if is_recorded else ["meta does not name the lookup table"]
        differences += lookup_table.find_differences(self._table, self._run.index.database)
        damage.has_wrong_lookup_table = bool(differences)
        yield Check(
            "the Worker's lookup table matches the model",
            {"rows": self._table.row_count},
            differences,
        )

    def _missing_table(self) -> LookupTable | None:
        """The table that this run has to write."""
        is_own = self._run.shard is None or self._run.shard.number == 1
        is_recorded = self.expected_meta().items() <= self._meta.items()
        return self._table if is_own and not is_recorded else None
