"""Stores the static model's rows in D1, so that a Worker can embed a query."""

import json
import math
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from feeder.store import Database, Row, Statement, sql
from feeder.store.batch import table_exists
from feeder.store.rows import (
    PARAM_BYTES,
    WriteTransaction,
    batched,
    json_pages,
    write_halving,
)

META_KEY = "lookup"
"""Key in `meta`; all repositories share the table, as they share the model."""
BATCH_STATEMENTS = 6
"""Statements of one transaction, of 1.5 MB each at most; D1 runs them in a second."""
EXTRA_STATEMENTS = 4
"""Statements before and after the rows."""
SAMPLE_CHARS = 24
"""Characters at both ends of a long column that a fingerprint contains."""

_CREATE_TABLE = """
CREATE TABLE IF NOT EXISTS lookup (
  slot INTEGER PRIMARY KEY, words TEXT NOT NULL, codes TEXT NOT NULL, buckets TEXT NOT NULL
)
"""
_UPSERT_ROWS = """
INSERT INTO lookup (slot, words, codes, buckets)
SELECT value->>0, value->>1, value->>2, value->>3 FROM json_each(?) WHERE true
ON CONFLICT (slot) DO UPDATE
SET words = excluded.words, codes = excluded.codes, buckets = excluded.buckets
WHERE (words, codes, buckets) IS NOT (excluded.words, excluded.codes, excluded.buckets)
"""
_DELETE_EXTRA_ROWS = "DELETE FROM lookup WHERE slot < 0 OR slot >= ?"
_ROW_FINGERPRINTS = f"""
SELECT slot, words, length(codes), length(buckets),
  substr(codes, 1, {SAMPLE_CHARS}) || substr(codes, -{SAMPLE_CHARS}),
  substr(buckets, 1, {SAMPLE_CHARS}) || substr(buckets, -{SAMPLE_CHARS})
FROM lookup ORDER BY slot
"""


class LookupRow(NamedTuple):
    """Words of a slot, each between two spaces; their codes as a string, and its buckets' codes."""

    slot: int
    words: str
    codes: str
    buckets: str

    def fingerprint(self) -> Row:
        """Returns the columns that `find_differences` compares: a sample of the row."""
        ends = [text[:SAMPLE_CHARS] + text[-SAMPLE_CHARS:] for text in (self.codes, self.buckets)]
        return (self.slot, self.words, len(self.codes), len(self.buckets), *ends)


class LookupTable(NamedTuple):
    """A model's table: identity, numbers of rows and characters, and a function yielding rows."""

    identity: str
    row_count: int
    char_count: int
    rows: Callable[[], Iterator[LookupRow]]

    @property
    def meta(self) -> dict[str, str]:
        """The entry of `meta` once the table is complete."""
        return {META_KEY: self.identity}

    @property
    def request_count(self) -> int:
        """Requests that writing the table takes."""
        return math.ceil(
            (EXTRA_STATEMENTS + math.ceil(self.char_count / PARAM_BYTES)) / BATCH_STATEMENTS
        )


def drop_statements() -> list[Statement]:
    """Returns the statements that drop a table that the index's model does not need."""
    return [
        Statement("DROP TABLE IF EXISTS lookup"),
        Statement(sql.DELETE_META, (json.dumps([META_KEY]),)),
    ]


def invalidate_statement() -> Statement:
    """Returns the statement that makes the next run check the table."""
    return Statement(sql.DELETE_META, (json.dumps([META_KEY]),))


def write_table(
    table: LookupTable, write: WriteTransaction, may_continue: Callable[[], bool]
) -> bool:
    """Writes missing and changed rows, and last the entry of `meta`.

    Returns False if `may_continue` stopped it between transactions. Unchanged rows cost nothing.
    """
    rows = [Statement(_UPSERT_ROWS, (page,)) for page in json_pages(table.rows())]
    statements = [
        invalidate_statement(),
        Statement(_CREATE_TABLE),
        Statement(_DELETE_EXTRA_ROWS, (table.row_count,)),
        *rows,
        Statement(sql.SET_META, (json.dumps(table.meta),)),
    ]
    for batch in batched(statements, BATCH_STATEMENTS):
        if not may_continue():
            return False
        write_halving(batch, list, write)
    return True


def find_differences(table: LookupTable, database: Database) -> Iterable[str]:
    """Yields the rows that differ from the model's, as far as a sample shows; two requests."""
    exists = table_exists(database, "lookup")
    [rows] = database.run([Statement(_ROW_FINGERPRINTS)]) if exists else [[]]
    expected = {row.slot: row.fingerprint() for row in table.rows()}
    stored = {int(str(row[0])): row for row in rows}
    for slot in sorted(expected.keys() | stored.keys()):
        if slot not in stored:
            yield f"row {slot} is missing"
        elif slot not in expected:
            yield f"row {slot} does not belong to the model"
        elif stored[slot] != expected[slot]:
            yield f"row {slot} differs from the model's"
