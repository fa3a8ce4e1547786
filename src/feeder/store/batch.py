"""Batches of statements with named results, and typed records of rows."""

from collections.abc import Iterable
from typing import NamedTuple, TypeVar, cast

from feeder.store import Database, Row, Statement

Record = TypeVar("Record", bound=NamedTuple)


class Result:
    """The rows of a statement, after its batch has run; no rows where there is no statement."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    @property
    def number(self) -> int:
        """The number that the statement selects."""
        [[number]] = self.rows
        return cast("int", number)


class Batch:
    """Statements that run in one request; each result is read from what `add` returned for it.

    batch = Batch()
    words, names = batch.add(words_statement), batch.add_all(name_statements)
    batch.run(database)
    words.rows, row_sets(names)
    """

    def __init__(self) -> None:
        self._statements: list[Statement] = []
        self._results: list[Result] = []

    def add(self, statement: Statement | None) -> Result:
        """Adds a statement; None adds nothing, and its result stays empty."""
        result = Result()
        if statement is not None:
            self._statements.append(statement)
            self._results.append(result)
        return result

    def add_all(self, statements: Iterable[Statement]) -> list[Result]:
        """Adds several statements, and returns a result for each."""
        return [self.add(statement) for statement in statements]

    def run(self, database: Database) -> None:
        """Runs the statements, and fills in the results."""
        row_sets = database.run(self._statements)
        for result, rows in zip(self._results, row_sets, strict=True):
            result.rows = rows


def row_sets(results: Iterable[Result]) -> list[list[Row]]:
    """The rows of each result."""
    return [result.rows for result in results]


def read(database: Database, record: type[Record], statement: Statement) -> list[Record]:
    """The rows of a statement as records, whose fields are the selected columns."""
    [rows] = database.run([statement])
    return list(map(record._make, rows))


def read_texts(database: Database, statement: Statement) -> list[str]:
    """The only column of a statement's rows."""
    [rows] = database.run([statement])
    return [str(text) for (text,) in rows]


def read_number(database: Database, statement: Statement) -> int:
    """The number that a statement selects."""
    [[[number]]] = database.run([statement])
    return cast("int", number)


def table_exists(database: Database, table: str) -> bool:
    """Tells whether the database has a table; one that is made with its first row may be absent."""
    [rows] = database.run([Statement("SELECT 1 FROM sqlite_schema WHERE name = ?", (table,))])
    return bool(rows)
