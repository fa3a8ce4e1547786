"""Vectors beside the nodes: int8 in the same file, compared all at once."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from feeder.store import Database, Neighbour, NodeVector, Permit, Row, Statement
from feeder.store.nearest import ROWS_AT_ONCE, Block, Nearest
from feeder.store.scope import Scope

if TYPE_CHECKING:
    from numpy import float32
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
_NEXT = f"""
SELECT id, scale, code {_NUMBERS} AND length(code) = ?1 AND id > ?2 ORDER BY id LIMIT ?3 + 0
"""


class LocalVectors:
    """`Vectors` in a table of the database's file, made with the first vector.

    A query compares with every vector of its scope. A write's permit is part of its transaction:
    that of a run which was overtaken does nothing.
    """

    index = ""
    late_writes = False

    def __init__(self, database: Database) -> None:
        self._database = database
        self._nearest = Nearest(database, "id", self._read_blocks)

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

    def vector(self, id_: str) -> NDArray[float32] | None:
        """The vector of a node as it was before its numbers were shortened, nearly."""
        import numpy as np

        rows = self._read(Statement(f"SELECT scale, code {_NUMBERS} AND id = ?", (id_,)))
        codes = [
            np.frombuffer(cast("bytes", code), np.int8) * np.float32(scale) for scale, code in rows
        ]
        return codes[0] if codes else None

    def query(self, vector: NDArray[float32], limit: int, scope: Scope) -> list[Neighbour]:
        """The nearest by cosine: all in the scope are compared, 10 ms for 100,000 of 384."""
        return self._nearest.query(vector, limit, scope)

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
        self._nearest.forget()
        self._database.run(statements)

    def _read_blocks(self, dimensions: int) -> Iterator[Block]:
        import numpy as np

        after = ""
        while rows := self._read(Statement(_NEXT, (dimensions, after, ROWS_AT_ONCE))):
            keys = [str(row[0]) for row in rows]
            after = keys[-1]
            codes = np.frombuffer(b"".join(cast("bytes", row[2]) for row in rows), dtype=np.int8)
            scales = np.array([row[1] for row in rows], dtype=np.float32)
            yield Block(keys, scales, codes.reshape(len(rows), dimensions))


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
