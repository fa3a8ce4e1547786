"""Vectors beside the nodes: int8 in the same file, compared all at once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, cast

from feeder.store import Database, Neighbour, NodeVector, Permit, Row, Statement
from feeder.store.scope import EVERYWHERE, IN_SCOPE, Scope, end_of, params

if TYPE_CHECKING:
    from numpy import float32, int8, intp
    from numpy.typing import NDArray

_TABLE = """
CREATE TABLE IF NOT EXISTS vectors (
  id TEXT PRIMARY KEY NOT NULL, scale REAL NOT NULL, code BLOB NOT NULL
) WITHOUT ROWID
"""
# only for a node that is still as it was embedded: a run that was overtaken writes nothing
_UPSERT = """
INSERT INTO vectors (id, scale, code)
SELECT d.id, j.value->>2, unhex(j.value->>3)
FROM json_each(?) j CROSS JOIN docs d ON d.id = j.value->>0 AND d.text_sha = j.value->>1
WHERE true
ON CONFLICT (id) DO UPDATE SET scale = excluded.scale, code = excluded.code
"""
# likewise: a node that another run has brought back meanwhile keeps its vector
_DELETE = """
DELETE FROM vectors WHERE id IN (SELECT value FROM json_each(?) EXCEPT SELECT id FROM docs)
"""
_EXISTS = "SELECT 1 FROM sqlite_schema WHERE name = 'vectors'"
# what is no number, by whoever's hand, is as good as missing
_NUMBERS = "FROM vectors WHERE typeof(scale) = 'real' AND typeof(code) = 'blob'"
_IDS = f"SELECT id {_NUMBERS} ORDER BY id"
_ALL = f"SELECT id, scale, code {_NUMBERS} AND length(code) = ? ORDER BY id"
# by the table: many rows in the order of an index take three times as long
_INSIDE = f"SELECT d.id FROM docs d NOT INDEXED WHERE {IN_SCOPE}"
# what begins so is found by the index, ?1 to ?8; an empty BLOB comes after every text
_INSIDE_FOLDER = f"""
SELECT d.id FROM docs d WHERE {IN_SCOPE} AND d.path >= ?1 AND d.path < coalesce(?8, x'')
"""
ROWS_AT_ONCE = 1024
"""Rows turned to float32 at a time: they stay in the core's cache, and below what BLAS gives to
threads, which wait for each other ten times as long as one computes."""


class Matrix(NamedTuple):
    """All vectors: their n ids in order, scales (n,) float32 and codes (n, dimensions) int8."""

    ids: list[str]
    scales: NDArray[float32]
    codes: NDArray[int8]


class LocalVectors:
    """`Vectors` in a table of the database's file, made with the first vector.

    A query compares with every vector of its scope. A write's permit is part of its transaction:
    that of a run which was overtaken does nothing.
    """

    index = ""
    late_writes = False

    def __init__(self, database: Database) -> None:
        self._database = database
        self._matrix: Matrix | None = None
        self._chosen: tuple[Scope, NDArray[intp]] | None = None

    def upsert(self, vectors: Sequence[NodeVector], permit: Permit | None = None) -> None:
        """Keeps those whose node is still there with the same text."""
        rows = json.dumps([_row(vector) for vector in vectors])
        self._write(*_guards(permit), Statement(_TABLE), Statement(_UPSERT, (rows,)))

    def delete(self, ids: Sequence[str], permit: Permit | None = None) -> None:
        """Removes vectors by id, if their nodes are gone."""
        if self._exists():
            self._write(*_guards(permit), Statement(_DELETE, (json.dumps(list(ids)),)))

    def check_fits(self, dimensions: int) -> None:
        """Always possible."""

    def check_clear(self) -> None:
        """Always possible."""

    def clear(self, guard: Statement) -> None:
        """Removes all vectors, if the guard holds."""
        if self._exists():
            self._write(guard, Statement("DELETE FROM vectors"))

    def ids(self) -> Iterator[str]:
        """The ids, in order."""
        rows = self._read(Statement(_IDS))
        return (str(row[0]) for row in rows)

    def query(self, vector: NDArray[float32], limit: int, scope: Scope) -> list[Neighbour]:
        """The nearest by cosine: all in the scope are compared, 10 ms for 100,000 of 384 numbers.

        To find which those are takes up to 0.2 s of them, once for questions of one scope in a row.
        """
        import numpy as np

        ids, scales, codes = self._loaded(len(vector))
        places = self._places(ids, scope)
        if not len(places):
            return []
        parts = [codes[rows] @ vector * scales[rows] for rows in _rows(len(ids), places)]
        scores = np.concatenate(parts)
        if len(scores) > len(places):
            scores = scores[places]
        best = _highest(scores, limit)
        return [Neighbour(ids[places[at]], float(scores[at])) for at in best]

    def settled(self, timeout_s: float) -> bool:
        """At once."""
        return True

    def close(self) -> None:
        """Nothing to end: the database is closed by its owner."""

    def _exists(self) -> bool:
        [found] = self._database.run([Statement(_EXISTS)])
        return bool(found)

    def _read(self, statement: Statement) -> list[Row]:
        return self._database.run([statement])[0] if self._exists() else []

    def _write(self, *statements: Statement) -> None:
        self._matrix = self._chosen = None
        self._database.run(statements)

    def _places(self, ids: Sequence[str], scope: Scope) -> NDArray[intp]:
        """The rows of the nodes in the scope, in order."""
        if self._chosen is None or self._chosen[0] != scope:
            self._chosen = scope, self._found(ids, scope)
        return self._chosen[1]

    def _found(self, ids: Sequence[str], scope: Scope) -> NDArray[intp]:
        import numpy as np

        where = params(scope)
        [[everywhere]] = self._database.run([Statement(EVERYWHERE, (None, *where))])
        if everywhere[0]:
            return np.arange(len(ids), dtype=np.intp)
        statement = Statement(_INSIDE, (None, *where))
        if start := scope.beginning:
            statement = Statement(_INSIDE_FOLDER, (start, *where, end_of(start)))
        [nodes] = self._database.run([statement])
        inside = {node[0] for node in nodes}
        return np.array([row for row, id_ in enumerate(ids) if id_ in inside], dtype=np.intp)

    def _loaded(self, dimensions: int) -> Matrix:
        """All that are so long, read once."""
        if self._matrix is None:
            import numpy as np

            rows = self._read(Statement(_ALL, (dimensions,)))
            scales = np.array([row[1] for row in rows], dtype=np.float32)
            codes = np.frombuffer(b"".join(cast("bytes", row[2]) for row in rows), dtype=np.int8)
            self._matrix = Matrix(
                [str(row[0]) for row in rows],
                scales,
                codes.reshape(len(rows), dimensions),
            )
        return self._matrix


def _rows(count: int, places: NDArray[intp]) -> Iterator[slice | NDArray[intp]]:
    """These rows in parts; all of so many where they are half: picking takes twice the time."""
    are_many = len(places) * 2 > count
    for at in range(0, count if are_many else len(places), ROWS_AT_ONCE):
        part = slice(at, at + ROWS_AT_ONCE)
        yield part if are_many else places[part]


def _highest(scores: NDArray[float32], limit: int) -> NDArray[intp]:
    """Where the highest scores stand, at most `limit`, the first of equal ones first."""
    import numpy as np

    least = np.partition(scores, -limit)[-limit] if limit < len(scores) else -np.inf
    places = np.flatnonzero(scores >= least)
    return places[np.argsort(-scores[places], kind="stable")[:limit]]


def _guards(permit: Permit | None) -> list[Statement]:
    if permit is None:
        return []
    permit.ask()
    return [permit.guard]


def _row(vector: NodeVector) -> list[str | float]:
    """The vector as eight bits a number and what to multiply them with."""
    import numpy as np

    scale = float(np.abs(vector.values).max()) / 127 or 1.0
    code = np.rint(vector.values / scale).astype(np.int8)
    return [vector.id, vector.text_sha, scale, code.tobytes().hex()]
