"""What does a Worker look up to make a question's vector? Rows of a model, in a table beside it.

`meta` names what the table holds once all of it is there, so a table that is half written is none:
a Worker then answers by words. `docs/explanation/models.md` tells the rows.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from feeder.errors import TooLargeError
from feeder.store import Database, Row, Statement, sql
from feeder.store.rows import PARAM_BYTES, pages, pieces

KEY = "lookup"
"""In `meta`; like the model, the table is every repository's."""
PIECE = 6
"""Statements of one transaction, of 1.5 MB at most: D1's engine takes those in a second."""
AROUND = 4
"""Statements before the rows and behind them."""
END_CHARS = 24

_TABLE = """
CREATE TABLE IF NOT EXISTS lookup (
  slot INTEGER PRIMARY KEY, words TEXT NOT NULL, codes TEXT NOT NULL, buckets TEXT NOT NULL
)
"""
_PUT = """
INSERT INTO lookup (slot, words, codes, buckets)
SELECT value->>0, value->>1, value->>2, value->>3 FROM json_each(?) WHERE true
ON CONFLICT (slot) DO UPDATE
SET words = excluded.words, codes = excluded.codes, buckets = excluded.buckets
WHERE (words, codes, buckets) IS NOT (excluded.words, excluded.codes, excluded.buckets)
"""
_CUT = "DELETE FROM lookup WHERE slot < 0 OR slot >= ?"
_EXISTS = "SELECT 1 FROM sqlite_schema WHERE name = 'lookup'"
_SEEN = f"""
SELECT slot, words, length(codes), length(buckets),
  substr(codes, 1, {END_CHARS}) || substr(codes, -{END_CHARS}),
  substr(buckets, 1, {END_CHARS}) || substr(buckets, -{END_CHARS})
FROM lookup ORDER BY slot
"""


class LookupRow(NamedTuple):
    """The words of a slot, each between two spaces; their codes in a string, and its buckets'."""

    slot: int
    words: str
    codes: str
    buckets: str

    def seen(self) -> Row:
        """What a look at it tells, which is not all of it."""
        ends = [text[:END_CHARS] + text[-END_CHARS:] for text in (self.codes, self.buckets)]
        return (self.slot, self.words, len(self.codes), len(self.buckets), *ends)


class Lookup(NamedTuple):
    """A model's table: what `meta` says of it, its rows and characters, and what makes them."""

    about: str
    size: int
    chars: int
    rows: Callable[[], Iterator[LookupRow]]

    @property
    def mark(self) -> dict[str, str]:
        """What `meta` has once the table is there."""
        return {KEY: self.about}

    @property
    def requests(self) -> int:
        """What it takes to write it."""
        return math.ceil((AROUND + math.ceil(self.chars / PARAM_BYTES)) / PIECE)


def dropping() -> list[Statement]:
    """What takes a table out that no model of the index needs."""
    return [
        Statement("DROP TABLE IF EXISTS lookup"),
        Statement(sql.DROP_META, (json.dumps([KEY]),)),
    ]


def unmarking() -> Statement:
    """The table may be wrong: the next run makes it right."""
    return Statement(sql.DROP_META, (json.dumps([KEY]),))


def put(
    lookup: Lookup, write: Callable[[list[Statement]], object], may_go_on: Callable[[], bool]
) -> bool:
    """Writes the rows that are not there, and last what `meta` says; False where it was stopped.

    Two transactions, or smaller ones where the database wants that. A row that is there costs
    nothing.
    """
    rows = [Statement(_PUT, (page,)) for page in pages(lookup.rows())]
    mark = Statement(sql.SET_META, (json.dumps(lookup.mark),))
    begin = [unmarking(), Statement(_TABLE), Statement(_CUT, (lookup.size,))]
    for piece in pieces([*begin, *rows, mark], PIECE):
        if not may_go_on():
            return False
        _halved(piece, write)
    return True


def _halved(statements: Sequence[Statement], write: Callable[[list[Statement]], object]) -> None:
    try:
        write(list(statements))
    except TooLargeError:
        if len(statements) < 2:
            raise
        half = len(statements) // 2
        _halved(statements[:half], write)
        _halved(statements[half:], write)


def differences(lookup: Lookup, database: Database) -> Iterable[str]:
    """The rows that are not as the model has them, as far as a look tells; two requests at most."""
    [there] = database.run([Statement(_EXISTS)])
    [found] = database.run([Statement(_SEEN)]) if there else [[]]
    wanted = {row.slot: row.seen() for row in lookup.rows()}
    have = {int(str(row[0])): row for row in found}
    for slot in sorted(wanted.keys() | have.keys()):
        if slot not in have:
            yield f"row {slot} is missing"
        elif slot not in wanted:
            yield f"row {slot} is none of the model's"
        elif have[slot] != wanted[slot]:
            yield f"row {slot} is not as the model has it"
