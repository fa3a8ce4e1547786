"""Implements `Vectors` with a table of int8 vectors in the SQLite file."""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from feeder.store import Database, FencingToken, Neighbour, NodeVector, Row, Statement
from feeder.store.batch import table_exists
from feeder.store.scope import Scope
from feeder.store.vector_search import BLOCK_ROWS, Block, VectorSearch

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

_CREATE_TABLE = """
CREATE TABLE IF NOT EXISTS vectors (
  id TEXT PRIMARY KEY NOT NULL, scale REAL NOT NULL, code BLOB NOT NULL
) WITHOUT ROWID
"""
# only for nodes that are still as they were embedded
_UPSERT = """
INSERT INTO vectors (id, scale, code)
SELECT d.id, j.value->>2, unhex(j.value->>3)
FROM json_each(?) j CROSS JOIN docs d ON d.id = j.value->>0 AND d.text_sha = j.value->>1
WHERE true
ON CONFLICT (id) DO UPDATE SET scale = excluded.scale, code = excluded.code
"""
# a node that another run has added again meanwhile keeps its vector
_DELETE = """
DELETE FROM vectors WHERE id IN (SELECT value FROM json_each(?) EXCEPT SELECT id FROM docs)
"""
# a damaged row counts as missing: a scale that is text or no float32, or a code that is text
_VALID_VECTORS = "FROM vectors WHERE scale BETWEEN -3.4e38 AND 3.4e38 AND typeof(code) = 'blob'"
_IDS = f"SELECT id {_VALID_VECTORS} ORDER BY id"
_NEXT_BLOCK = f"""
SELECT id, scale, code {_VALID_VECTORS} AND length(code) = ?1 AND id > ?2 ORDER BY id LIMIT ?3 + 0
"""


def vectors_table_statement() -> Statement:
    """Returns the statement that creates the table of vectors, if it is missing."""
    return Statement(_CREATE_TABLE)


class SQLiteVectors:
    """`Vectors` in a table of the database's file, created with the first vector.

    A query compares with every vector of its scope. The guard of a fencing token is part of each
    transaction, so a superseded run writes nothing.
    """

    index_name = ""
    has_late_writes = False

    def __init__(self, database: Database) -> None:
        self._database = database
        self._search = VectorSearch(database, "id", self._read_blocks)

    def upsert(
        self, vectors: Sequence[NodeVector], fencing_token: FencingToken | None = None
    ) -> None:
        """Stores the vectors whose nodes still exist with the same text."""
        rows = json.dumps([_quantized_row(vector) for vector in vectors])
        self._write(
            *_guard_statements(fencing_token),
            vectors_table_statement(),
            Statement(_UPSERT, (rows,)),
        )

    def delete(self, ids: Sequence[str], fencing_token: FencingToken | None = None) -> None:
        """Deletes the vectors whose nodes are gone."""
        if self._table_exists():
            self._write(
                *_guard_statements(fencing_token), Statement(_DELETE, (json.dumps(list(ids)),))
            )

    def identity(self) -> str:
        """Returns an empty text: the vectors are in the database."""
        return ""

    def count(self) -> int:
        """Returns the number of vectors."""
        return sum(1 for _ in self.ids())

    def check_dimensions(self, dimensions: int) -> str:
        """Accepts any number of dimensions."""
        return ""

    def check_can_clear(self) -> None:
        """Does nothing: clearing is always possible."""

    def clear(self, guard: Statement) -> None:
        """Deletes all vectors if the guard holds."""
        if self._table_exists():
            self._write(guard, Statement("DELETE FROM vectors"))

    def ids(self) -> Iterator[str]:
        """Yields the ids in order."""
        rows = self._read(Statement(_IDS))
        return (str(row[0]) for row in rows)

    def vector(self, id_: str) -> NDArray[float32] | None:
        """Returns the vector of a node, dequantized; None if it has none."""
        import numpy as np

        rows = self._read(Statement(f"SELECT scale, code {_VALID_VECTORS} AND id = ?", (id_,)))
        codes = [
            np.frombuffer(cast("bytes", code), np.int8) * np.float32(scale) for scale, code in rows
        ]
        return codes[0] if codes else None

    def query(self, vector: NDArray[float32], limit: int, scope: Scope) -> list[Neighbour]:
        """Returns the nearest by cosine similarity; 10 ms for 100,000 vectors of 384 dimensions."""
        return self._search.query(vector, limit, scope)

    def wait_until_visible(self, timeout_s: float) -> bool:
        """Returns True: writes are visible at once."""
        return True

    def close(self) -> None:
        """Does nothing: the database is closed by its owner."""

    def _table_exists(self) -> bool:
        return table_exists(self._database, "vectors")

    def _read(self, statement: Statement) -> list[Row]:
        return self._database.run([statement])[0] if self._table_exists() else []

    def _write(self, *statements: Statement) -> None:
        self._search.invalidate()
        self._database.run(statements)

    def _read_blocks(self, dimensions: int) -> Iterator[Block]:
        after = ""
        while rows := self._read(Statement(_NEXT_BLOCK, (dimensions, after, BLOCK_ROWS))):
            keys = [str(row[0]) for row in rows]
            after = keys[-1]
            codes = b"".join(cast("bytes", row[2]) for row in rows)
            yield Block(keys, array("d", (cast("float", row[1]) for row in rows)), codes)


def _guard_statements(fencing_token: FencingToken | None) -> list[Statement]:
    if fencing_token is None:
        return []
    fencing_token.verify()
    return [fencing_token.guard]


def _quantized_row(vector: NodeVector) -> list[str | float]:
    """Quantizes the vector to int8 with one scale."""
    import numpy as np

    scale = float(np.abs(vector.values).max()) / 127 or 1.0
    code = np.rint(vector.values / scale).astype(np.int8)
    return [vector.id, vector.text_sha, scale, code.tobytes().hex()]
