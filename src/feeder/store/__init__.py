"""Stores nodes and vectors: declares the `Database` and `Vectors` protocols and their types.

Start with `index.Index`, which a run writes through, and `word_search`, which a search reads
through. This package never reads source files and never opens the network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from feeder.errors import ServiceError

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from feeder.store.scope import Scope

Value = str | int | float | None
Row = tuple[Value, ...]

NOT_OWNER_ERROR = "NOT NULL constraint failed: meta.value"
"""SQLite's error, here and in D1, when a run that no longer owns the index writes."""
SUPERSEDED_MESSAGE = (
    "A run that started later has taken over this index.",
    "This run has stopped; the later one continues.",
)
DUPLICATE_WRITE_ERROR = "NOT NULL constraint failed: meta.key"
"""SQLite's error when a write arrives again whose first response was lost."""


class DuplicateWrite(ServiceError):
    """A numbered write was sent again although it had been done; nothing was written twice."""


class Statement(NamedTuple):
    """One SQL statement with its parameters; bulk data is one JSON parameter.

    Bytes are allowed for a local database only.
    """

    sql: str
    params: tuple[Value | bytes, ...] = ()


class Access(NamedTuple):
    """What decides how a database is read and written: code asks for this, not for the class."""

    on_this_machine: bool
    """It can follow the working tree, and the files that it describes are here."""
    round_trips: bool
    """A request takes longer than a statement: all that may be needed goes in one batch."""
    bills_rows: bool
    """Each row that a statement reads, sorts or writes is billed, and a response has a limit."""


LOCAL = Access(on_this_machine=True, round_trips=False, bills_rows=False)
REMOTE = Access(on_this_machine=False, round_trips=True, bills_rows=True)


class Database(Protocol):
    """A SQLite database, local or D1."""

    place: str
    """Its name in messages."""
    access: Access

    def run(self, statements: Sequence[Statement]) -> list[list[Row]]:
        """Runs the statements as one transaction and returns the rows of each.

        They may be sent twice if a response is lost. Raises Superseded if the ownership check among
        them fails, DuplicateWrite if the write number is not new, else ServiceError or UserError;
        nothing is written then.
        """

    def script(self, sql: str, statements: Sequence[Statement]) -> None:
        """Runs the SQL text of a migration, then the statements, as one transaction."""

    def close(self) -> None:
        """Closes the connection."""


class NodeVector(NamedTuple):
    """A node's embedding, with metadata that a vector search needs without the database."""

    id: str
    text_sha: str
    values: NDArray[float32]
    metadata: dict[str, Value]


class Neighbour(NamedTuple):
    """A node near a query; `score` is the cosine similarity."""

    id: str
    score: float


class FencingToken(NamedTuple):
    """A run's right to write, which a later run ends.

    `verify` raises Superseded if it has ended, and is called before each try of a write. `guard`
    checks the same as the first statement of a transaction.
    """

    verify: Callable[[], None]
    guard: Statement


class Vectors(Protocol):
    """Embeddings by node id; a write with a fencing token stops when a later run owns the index."""

    index_name: str
    """Name of the vector index; empty if the vectors are in the database itself."""
    has_late_writes: bool
    """True if writes of a superseded run can still arrive; deletes are then sent twice."""

    def upsert(
        self, vectors: Sequence[NodeVector], fencing_token: FencingToken | None = None
    ) -> None:
        """Stores vectors and replaces those with the same ids."""

    def delete(self, ids: Sequence[str], fencing_token: FencingToken | None = None) -> None:
        """Deletes vectors; ids without one are ignored."""

    def identity(self) -> str:
        """Identifies the vector index: another one of its name has lost the vectors.

        Empty where the vectors cannot be lost without the rows.
        """

    def count(self) -> int:
        """Returns the number of vectors that readers see."""

    def check_dimensions(self, dimensions: int) -> str:
        """Returns the identity; raises UserError if vectors of these dimensions do not fit."""

    def check_can_clear(self) -> None:
        """Raises UserError if `clear` would fail; called before anything is written."""

    def clear(self, guard: Statement) -> None:
        """Deletes all vectors, before those of another model are written.

        Raises Superseded and deletes nothing if the guard fails.
        """

    def ids(self) -> Iterator[str]:
        """Yields the ids of all vectors."""

    def vector(self, id_: str) -> NDArray[float32] | None:
        """Returns the vector of a node; None if it has none."""

    def query(self, vector: NDArray[float32], limit: int, scope: Scope) -> Iterable[Neighbour]:
        """Returns the nearest vectors of the scope, the best first.

        A store that cannot express all of the scope may return others too; they count towards the
        limit, and the caller removes them.
        """

    def wait_until_visible(self, timeout_s: float) -> bool:
        """Waits until readers see all writes; returns False after the timeout, in seconds."""

    def close(self) -> None:
        """Closes the connection."""
