"""Stores the static model's rows in D1, so that a Worker can embed a query."""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from feeder.errors import TooLargeError
from feeder.store import Database, Row, Statement, sql
from feeder.store.rows import PARAM_BYTES, batched, json_pages

META_KEY = "lookup"
"""In `meta`; like the model, the table is every repository's."""
BATCH_STATEMENTS = 6
"""Statements of one transaction, of 1.5 MB at most: D1's engine takes those in a second."""
EXTRA_STATEMENTS = 4
"""Statements before the rows and behind them."""
SAMPLE_CHARS = 24

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
_TABLE_EXISTS = "SELECT 1 FROM sqlite_schema WHERE name = 'lookup'"
_ROW_FINGERPRINTS = f"""
SELECT slot, words, length(codes), length(buckets),
  substr(codes, 1, {SAMPLE_CHARS}) || substr(codes, -{SAMPLE_CHARS}),
  substr(buckets, 1, {SAMPLE_CHARS}) || substr(buckets, -{SAMPLE_CHARS})
FROM lookup ORDER BY slot
"""


class LookupRow(NamedTuple):
    """The words of a slot, each between two spaces; their codes in a string, and its buckets'."""

    slot: int
    words: str
    codes: str
    buckets: str

    def fingerprint(self) -> Row:
        """What a look at it tells, which is not all of it."""
        ends = [text[:SAMPLE_CHARS] + text[-SAMPLE_CHARS:] for text in (self.codes, self.buckets)]
        return (self.slot, self.words, len(self.codes), len(self.buckets), *ends)


class LookupTable(NamedTuple):
    """A model's table: what `meta` says of it, its rows and characters, and what makes them."""

    identity: str
    row_count: int
    char_count: int
    rows: Callable[[], Iterator[LookupRow]]

    @property
    def meta(self) -> dict[str, str]:
        """What `meta` has once the table is there."""
        return {META_KEY: self.identity}

    @property
    def request_count(self) -> int:
        """What it takes to write it."""
        return math.ceil(
            (EXTRA_STATEMENTS + math.ceil(self.char_count / PARAM_BYTES)) / BATCH_STATEMENTS
        )


def drop_statements() -> list[Statement]:
    """What takes a table out that no model of the index needs."""
    return [
        Statement("DROP TABLE IF EXISTS lookup"),
        Statement(sql.DELETE_META, (json.dumps([META_KEY]),)),
    ]


def invalidate_statement() -> Statement:
    """The table may be wrong: the next run makes it right."""
    return Statement(sql.DELETE_META, (json.dumps([META_KEY]),))


def write_table(
    table: LookupTable, write: Callable[[list[Statement]], object], may_continue: Callable[[], bool]
) -> bool:
    """Writes the rows that are not there, and last what `meta` says; False where it was stopped.

    Two transactions, or smaller ones where the database wants that. A row that is there costs
    nothing.
    """
    rows = [Statement(_UPSERT_ROWS, (page,)) for page in json_pages(table.rows())]
    mark = Statement(sql.SET_META, (json.dumps(table.meta),))
    begin = [
        invalidate_statement(),
        Statement(_CREATE_TABLE),
        Statement(_DELETE_EXTRA_ROWS, (table.row_count,)),
    ]
    for piece in batched([*begin, *rows, mark], BATCH_STATEMENTS):
        if not may_continue():
            return False
        _write_halving(piece, write)
    return True


def _write_halving(
    statements: Sequence[Statement], write: Callable[[list[Statement]], object]
) -> None:
    try:
        write(list(statements))
    except TooLargeError:
        if len(statements) < 2:
            raise
        half = len(statements) // 2
        _write_halving(statements[:half], write)
        _write_halving(statements[half:], write)


def find_differences(table: LookupTable, database: Database) -> Iterable[str]:
    """The rows that are not as the model has them, as far as a look tells; two requests at most."""
    [there] = database.run([Statement(_TABLE_EXISTS)])
    [found] = database.run([Statement(_ROW_FINGERPRINTS)]) if there else [[]]
    wanted = {row.slot: row.fingerprint() for row in table.rows()}
    have = {int(str(row[0])): row for row in found}
    for slot in sorted(wanted.keys() | have.keys()):
        if slot not in have:
            yield f"row {slot} is missing"
        elif slot not in wanted:
            yield f"row {slot} is none of the model's"
        elif have[slot] != wanted[slot]:
            yield f"row {slot} is not as the model has it"
