"""Stores nodes and vectors: declares the `Database` and `Vectors` protocols and what passes
through them. Start with `index.Index`, which a run writes through, and `word_search`, which a
search reads through. This package never reads source files.
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
"""How SQLite answers, here and in D1, when a run writes that no longer owns the index."""
SUPERSEDED_MESSAGE = "A run that started later has taken over this index; it goes on there."
DUPLICATE_WRITE_ERROR = "NOT NULL constraint failed: meta.key"
"""How it answers when a write arrives that has been done: its first answer was lost."""


class DuplicateWrite(ServiceError):
    """A marked write was sent again although it had been done; nothing was written twice."""


class Statement(NamedTuple):
    """One SQL statement with its parameters; bulk travels as one JSON parameter.

    Bytes are only for a database on this machine.
    """

    sql: str
    params: tuple[Value | bytes, ...] = ()


class Database(Protocol):
    """A SQLite, wherever it runs."""

    place: str
    """How messages name it."""

    def run(self, statements: Sequence[Statement]) -> list[list[Row]]:
        """Runs the statements as one transaction; the rows of each.

        They may be sent twice, where an answer can be lost. Raises Overtaken when the guard among
        them fails and Repeated when their mark does, ServiceError or UserError otherwise; then
        nothing was written.
        """

    def script(self, sql: str, statements: Sequence[Statement]) -> None:
        """Runs a migration's text and the statements as one transaction."""

    def close(self) -> None:
        """Ends the connection."""


class NodeVector(NamedTuple):
    """A node's embedding, with what a search wants to know without asking the database."""

    id: str
    text_sha: str
    values: NDArray[float32]
    metadata: dict[str, Value]


class Neighbour(NamedTuple):
    """A node near a query; `score` is the cosine, 1 for the same direction."""

    id: str
    score: float


class FencingToken(NamedTuple):
    """A run's right to write, which a later run ends.

    `ask` raises that end, before each try of a write; `guard` does so within a write to the index's
    own database, as its first statement.
    """

    verify: Callable[[], None]
    guard: Statement


class Vectors(Protocol):
    """Embeddings by node id; each write may be told whom to ask whether it is still wanted."""

    index_name: str
    """The name of what keeps them, where that is not the database itself."""
    has_late_writes: bool
    """Whether a write of a run that was overtaken can still arrive: its deletes are sent twice."""

    def upsert(
        self, vectors: Sequence[NodeVector], fencing_token: FencingToken | None = None
    ) -> None:
        """Keeps the vectors, over those with the same ids."""

    def delete(self, ids: Sequence[str], fencing_token: FencingToken | None = None) -> None:
        """Removes vectors; ids without one are fine."""

    def check_dimensions(self, dimensions: int) -> None:
        """Raises UserError where vectors of these dimensions cannot be kept."""

    def check_can_clear(self) -> None:
        """Raises UserError where `clear` cannot do it; asked before anything is written."""

    def clear(self, guard: Statement) -> None:
        """Removes all vectors: another model takes their place.

        None where the guard fails, which is run with it: raises Overtaken.
        """

    def ids(self) -> Iterator[str]:
        """The ids of all vectors."""

    def vector(self, id_: str) -> NDArray[float32] | None:
        """The vector of a node; None where it has none."""

    def query(self, vector: NDArray[float32], limit: int, scope: Scope) -> Iterable[Neighbour]:
        """The nearest vectors of the scope, the best first.

        Where a store cannot say all of the scope, others may be among them: they count into the
        limit, and whoever asks has to leave them out.
        """

    def wait_until_visible(self, timeout_s: float) -> bool:
        """Waits until all that was written is seen by readers; False when it takes longer."""

    def close(self) -> None:
        """Ends the connection."""
