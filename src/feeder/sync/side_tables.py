"""`SideTable`: the interface of what the index keeps beside its nodes (stored source,
descriptions), and the status of such a table in `meta`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple, Protocol

from feeder.store import Statement
from feeder.store.index_state import IndexState
from feeder.store.integrity import Damage, ParityReport
from feeder.sync.context import SyncContext
from feeder.sync.diff import Diff
from feeder.sync.report import Check

OFF, ON, FILLING, CLEARING = "", "on", "filling", "leaving"
"""Status of a table in `meta`: absent, complete, being filled, being removed.

A run that ends early leaves one of the last two, and the next run continues.
"""


class TableWrite(NamedTuple):
    """Result of `SideTable.write`: what the run's last write adds to `meta`.

    A shard whose table is not complete does not record its part as done.
    """

    meta: Mapping[str, str] = {}
    is_complete: bool = True


class SideTable(Protocol):
    """Data that is stored beside the nodes and synced with them.

    A run makes one instance per reading of `meta`; it keeps its plan between the calls. Only
    `clear`, `write` and `finish` write, and only through `run.index`, whose fencing token guards
    each write. Methods with a body are optional.
    """

    def is_wanted(self) -> bool:
        """Returns whether the index has the table after this run: by option, else as recorded."""
        ...

    def is_up_to_date(self, *, whole: bool = True) -> bool:
        """Returns whether the run has nothing to do for the table.

        `whole` is False for a run over a part of the tree. Raises UserError for a shard that would
        have to change what all shards share.
        """
        ...

    def is_stored(self) -> bool:
        """Returns whether `meta` says that the table is there, so that its content is compared."""
        ...

    def check(self, state: IndexState, parity: ParityReport, damage: Damage) -> Iterator[Check]:
        """Yields the checks of a validation and adds what is wrong to `damage`; reads only."""
        ...

    def estimate(self, state: IndexState, diff: Diff, *, whole: bool) -> None:
        """Counts into the run's report what a run would write; reads only."""
        ...

    def configure(self, *, is_stored: bool) -> None:
        """Tells `run.index` whether the writes of files include this table."""

    def add_notes(self) -> None:
        """Adds to the report what the user should know about the table; may be called twice."""

    def expected_meta(self) -> Mapping[str, str]:
        """Returns what `meta` has in an index that is up to date. Called before it is read."""
        return {}

    def shard_identity(self) -> Mapping[str, str]:
        """Returns what must be equal in all shards of one sync. Called before `meta` is read."""
        return {}

    def plan(self, state: IndexState, diff: Diff, *, whole: bool) -> None:
        """Decides what `clear` and `write` will do; may print a message. Reads only."""

    def start_meta(self) -> Mapping[str, str]:
        """Returns what the run's first write puts into `meta`."""
        return {}

    def opening_statements(self) -> Iterable[Statement]:
        """Returns statements of the run's first write."""
        return ()

    def clear(self) -> None:
        """Removes what has to go before nodes are written, as far as the budget allows."""

    def write(self, state: IndexState) -> TableWrite:
        """Writes what is missing, after the nodes and before the vectors, within the budget."""
        return TableWrite()

    def finish(self, *, completes_vectors: bool) -> None:
        """Does what needs an index that is up to date, after the write that ends the sync.

        With `completes_vectors` the run has made all model vectors. Raises StoppedEarly where a
        budget ends it.
        """

    def repair_meta(self, damage: Damage) -> Mapping[str, str]:
        """Returns what `meta` says of the table while `damage` is being repaired."""
        return {}

    def remaining_notes(self, state: IndexState, parity: ParityReport) -> Iterator[str]:
        """Yields notes of a validation about work that is left to the next run."""
        yield from ()


SideTableFactory = Callable[[SyncContext, Mapping[str, str]], SideTable]


def table_status(run: SyncContext, meta: Mapping[str, str], key: str) -> str:
    """Returns the status that `meta` records for a table of the run's repository."""
    return meta.get(run.index.meta_key(key), OFF)


def merged(parts: Iterable[Mapping[str, str]]) -> dict[str, str]:
    """Returns the union of what several tables contribute to `meta`."""
    return {key: value for part in parts for key, value in part.items()}
