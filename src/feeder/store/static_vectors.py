"""Stores static vectors beside the nodes, written in the same transaction; only in a local
database.

A trigger deletes a vector with its node. Where a description is blended into a vector, the vector
of the text alone is stored too (`plain_meanings`).
"""

from __future__ import annotations

import json
import math
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, cast

from feeder.store import Database, Neighbour, Row, Statement, Value
from feeder.store.batch import table_exists
from feeder.store.rows import IndexedFile, batched
from feeder.store.scope import Scope
from feeder.store.vector_search import BLOCK_ROWS, Block, VectorSearch

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from feeder.store.vector_search import QueryVector

SCALE_BYTES = 4
"""A code is a little-endian float32 scale, followed by one byte a dimension."""
BATCH_VECTORS = 2_000
"""Vectors that one statement writes."""
CODE_TOLERANCE = 1
"""Largest difference of a code's byte when it is recomputed."""
SCALE_TOLERANCE = 1e-3
"""Largest relative difference of its scale."""

_CREATE_TABLES = (
    "CREATE TABLE IF NOT EXISTS meanings (seq INTEGER PRIMARY KEY, code BLOB NOT NULL)",
    """
CREATE TRIGGER IF NOT EXISTS meanings_go AFTER DELETE ON docs
BEGIN DELETE FROM meanings WHERE seq = old.seq; END
""",
    """
CREATE TABLE IF NOT EXISTS plain_meanings (
  seq INTEGER PRIMARY KEY, line_sha TEXT NOT NULL, code BLOB NOT NULL
)
""",
    """
CREATE TRIGGER IF NOT EXISTS plain_meanings_go AFTER DELETE ON docs
BEGIN DELETE FROM plain_meanings WHERE seq = old.seq; END
""",
    # removes a description from the vector when its node no longer has it
    """
CREATE TRIGGER IF NOT EXISTS plain_meanings_back AFTER UPDATE OF describes ON docs
WHEN new.describes <> old.describes
BEGIN
  UPDATE meanings SET code = p.code FROM plain_meanings p
  WHERE p.seq = new.seq AND meanings.seq = new.seq;
  DELETE FROM plain_meanings WHERE seq = new.seq;
END
""",
)
# looks up the node of each vector: a run by words usually finds no vectors, but many nodes
_DELETE_REPO = (
    "DELETE FROM meanings AS m WHERE (SELECT repo FROM docs WHERE seq = m.seq) = ?",
    "DELETE FROM plain_meanings AS m WHERE (SELECT repo FROM docs WHERE seq = m.seq) = ?",
    # no file has vectors of the static model that follows the parser
    "UPDATE files SET parser = substr(parser, 1, instr(parser, ' ') - 1) "
    "WHERE repo = ? AND instr(parser, ' ') > 0",
)
# vectors of another text, or with other rounding: the description is blended in again
_DELETE_CHANGED_TEXT_VECTORS = """
DELETE FROM plain_meanings WHERE seq IN (
  SELECT p.seq FROM json_each(?1) j CROSS JOIN docs d ON d.id = j.value
  CROSS JOIN plain_meanings p ON p.seq = d.seq AND p.code <> substr(?2, j.key * ?3 + 1, ?3)
)
"""
# CROSS JOIN fixes the join order; ?2 the concatenated codes, ?3 bytes of each
_UPSERT = """
INSERT INTO meanings (seq, code)
SELECT d.seq, substr(?2, j.key * ?3 + 1, ?3)
FROM json_each(?1) j CROSS JOIN docs d ON d.id = j.value
WHERE NOT EXISTS (SELECT 1 FROM plain_meanings p WHERE p.seq = d.seq)
ON CONFLICT (seq) DO UPDATE SET code = excluded.code WHERE code <> excluded.code
"""
_ALL_VECTORS = "SELECT seq, code FROM meanings WHERE typeof(code) = 'blob'"
_TEXT_VECTORS = """
SELECT m.seq, coalesce(p.code, m.code) FROM meanings m LEFT JOIN plain_meanings p ON p.seq = m.seq
WHERE typeof(m.code) = 'blob'
"""
# many codes as one value take a third of the time of as many rows
_NEXT_BLOCK = """
SELECT json_group_array(seq), CAST(group_concat(code, '') AS BLOB) FROM (
  SELECT seq, code FROM meanings
  WHERE seq > ?1 AND typeof(code) = 'blob' AND length(code) = ?2 ORDER BY seq LIMIT ?3 + 0
)
"""
_HAS_VECTORS = "SELECT 1 FROM meanings m JOIN docs d ON d.seq = m.seq WHERE d.repo = ? LIMIT 1"
_VECTOR_BY_ID = """
SELECT m.code FROM docs d JOIN meanings m ON m.seq = d.seq
WHERE d.id = ? AND typeof(m.code) = 'blob'
"""
_IDS_BY_SEQ = "SELECT d.seq, d.id FROM json_each(?) j CROSS JOIN docs d ON d.seq = j.value"


def setup_statements(repo: str, *, enabled: bool) -> list[Statement]:
    """Returns the first statements of a run: they create the tables.

    Unless `enabled`, they also delete the repository's vectors.
    """
    tables = [Statement(text) for text in _CREATE_TABLES]
    return tables if enabled else [*tables, *(Statement(text, (repo,)) for text in _DELETE_REPO)]


def has_vectors(database: Database, repo: str) -> bool:
    """Tells whether the repository has any static vector."""
    return bool(_run_if_table_exists(database, _HAS_VECTORS, repo))


def add_vector_statements(files: Iterable[IndexedFile]) -> Iterator[Statement]:
    """Yields the statements that store the vectors of the files' nodes, after their rows."""
    rows = (
        (id_, code)
        for file in files
        for id_, code in zip(file.ids, file.static_vectors, strict=False)
    )
    for size, same_size in groupby(rows, key=lambda row: len(row[1])):
        for batch in batched(same_size, BATCH_VECTORS):
            ids, codes = zip(*batch, strict=True)
            params = (json.dumps(ids), b"".join(codes), size)
            yield Statement(_DELETE_CHANGED_TEXT_VECTORS, params)
            yield Statement(_UPSERT, params)


class VectorCode(bytes):
    """A stored vector; two are equal if they differ by rounding only.

    The order of additions differs between processes and machines.
    """

    def __eq__(self, other: object) -> bool:
        import numpy as np

        if not isinstance(other, VectorCode) or len(self) != len(other):
            return False
        if len(self) < SCALE_BYTES:
            return bytes(self) == bytes(other)
        scale, other_scale = (np.frombuffer(code, "<f4", 1)[0] for code in (self, other))
        if not abs(scale - other_scale) <= SCALE_TOLERANCE * abs(scale):  # true for NaN too
            return False
        one, two = (np.frombuffer(code, np.int8, offset=SCALE_BYTES) for code in (self, other))
        return bool((np.abs(one.astype(np.int16) - two) <= CODE_TOLERANCE).all())

    def __ne__(self, other: object) -> bool:  # bytes.__ne__ compares exactly
        return not self == other

    __hash__ = None  # type: ignore[assignment]  # approximate equality has no hash


def read_text_vectors(database: Database) -> dict[int, VectorCode]:
    """Returns the vectors of the nodes' texts alone, by row."""
    rows = _run_if_table_exists(
        database, _TEXT_VECTORS if table_exists(database, "plain_meanings") else _ALL_VECTORS
    )
    return {cast("int", seq): VectorCode(cast("bytes", code)) for seq, code in rows}


def _run_if_table_exists(database: Database, sql: str, *params: Value) -> Sequence[Row]:
    """Returns the rows; none if there is no table, since no vector was ever stored."""
    return database.run([Statement(sql, params)])[0] if table_exists(database, "meanings") else []


class StaticVectors:
    """Searches the static vectors."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._search = VectorSearch(database, "seq", self._read_blocks)

    def vector(self, id_: str) -> NDArray[float32] | None:
        """Returns the vector of a node; None if it has none."""
        import numpy as np

        rows = _run_if_table_exists(self._database, _VECTOR_BY_ID, id_)
        code = cast("bytes", rows[0][0]) if rows else b""
        if len(code) <= SCALE_BYTES:
            return None
        scale = np.frombuffer(code, "<f4", 1)[0]
        return np.frombuffer(code, np.int8, offset=SCALE_BYTES) * np.float32(scale)

    def query(self, vector: QueryVector, limit: int, scope: Scope) -> list[Neighbour]:
        """Returns the nearest nodes of the scope by cosine similarity, the best first."""
        nearest = self._search.query(vector, limit, scope)
        seqs = f"[{','.join(neighbour.id for neighbour in nearest)}]"
        [rows] = self._database.run([Statement(_IDS_BY_SEQ, (seqs,))])
        ids = {str(seq): str(id_) for seq, id_ in rows}
        return [
            Neighbour(ids[neighbour.id], neighbour.score)
            for neighbour in nearest
            if neighbour.id in ids
        ]

    def _read_blocks(self, dimensions: int) -> Iterator[Block]:
        size = SCALE_BYTES + dimensions
        after = -1
        if not table_exists(self._database, "meanings"):
            return
        while True:
            block = Statement(_NEXT_BLOCK, (after, size, BLOCK_ROWS))
            [[[seqs, codes]]] = self._database.run([block])
            if codes is None:
                return
            keys = json.loads(str(seqs))
            after = keys[-1]
            rows = cast("bytes", codes)
            yield Block(keys, _read_scales(rows, size), rows)


def _read_scales(rows: bytes, size: int) -> array[float]:
    """Returns the scale of each row of `size` bytes; 0 in place of a damaged one."""
    raw = bytearray(len(rows) // size * SCALE_BYTES)
    for at in range(SCALE_BYTES):
        raw[at::SCALE_BYTES] = rows[at::size]
    scales = array("f", raw)
    if sys.byteorder == "big":
        scales.byteswap()
    if math.isfinite(sum(scales)):
        return array("d", scales)
    return array("d", (scale if math.isfinite(scale) else 0.0 for scale in scales))
