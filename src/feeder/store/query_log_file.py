"""Stores the queries that users ran and how they were answered.

A SQLite file on this machine (`queries.db`).
"""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from feeder.errors import ServiceError, UserError
from feeder.private_files import create_private_file

FILE_NAME = "queries.db"
MAX_ROWS, MAX_BYTES = 10_000, 5_000_000
WRITE_TIMEOUT_MS, READ_TIMEOUT_MS = 50, 5_000
"""The time to wait for another process; logging a query is not worth more."""
_DELETE_FRACTION = 10
"""Share of the queries that are deleted, the oldest, when the file has reached its limit: 1/10."""
# "feeq": distinguishes the file from those of other programs
_APPLICATION_ID = 0x66656571
_VERSION = 1
_SCHEMA = f"""
CREATE TABLE questions(
  id INTEGER PRIMARY KEY,
  asked_s REAL NOT NULL, -- since 1970, UTC
  repo TEXT NOT NULL,
  text TEXT NOT NULL,
  filters TEXT NOT NULL, -- filters beside the text, as a JSON object
  hits INTEGER NOT NULL,
  took_ms REAL NOT NULL,
  answered_by TEXT NOT NULL,
  models TEXT NOT NULL, -- a JSON array
  equals TEXT NOT NULL -- the commit that the index equalled
);
PRAGMA application_id = {_APPLICATION_ID};
PRAGMA user_version = {_VERSION};
"""


class LoggedQuery(NamedTuple):
    """A query and its answer; `equals` is the commit that the index equalled."""

    asked_s: float
    """Time of the query, in seconds since 1970."""
    repo: str
    text: str
    filters: str
    """Filters given beside the text, as a JSON object."""
    hits: int
    """Number of all hits."""
    took_ms: float
    """Time until the answer could be shown, in milliseconds."""
    answered_by: str
    """`words`, `filters`, or `meaning` if only vectors found something; empty for no hit."""
    models: str
    """Models that were queried, as a JSON array."""
    equals: str


_COLUMNS = ", ".join(LoggedQuery._fields)
_INSERT = (
    f"INSERT INTO questions({_COLUMNS}) VALUES ({', '.join('?' for _ in LoggedQuery._fields)})"
)
_DELETE_EXCESS = "DELETE FROM questions WHERE id <= (SELECT max(id) FROM questions) - ?"
_DELETE_OLDEST = """
DELETE FROM questions WHERE id <= (SELECT min(id) + (max(id) - min(id)) / ? FROM questions)"""


class LogBusy(ServiceError):
    """Another process is writing."""


class QueryLog:
    """A file that processes share; beyond `max_rows` or `max_bytes`, the oldest queries are
    deleted.

    Raises UserError for a file of another program or a damaged one, ServiceError if the disk fails.
    """

    def __init__(self, path: Path, *, max_rows: int = MAX_ROWS, max_bytes: int = MAX_BYTES) -> None:
        self.path = path
        self._max_rows = max_rows
        self._max_bytes = max_bytes

    def add(self, query: LoggedQuery) -> bool:
        """Adds a query; returns False if the folder is read-only or another process is writing."""
        if not os.access(self.path.parent, os.W_OK):
            return False
        create_private_file(self.path)
        try:
            with (
                self._connect(apsw.SQLITE_OPEN_READWRITE, WRITE_TIMEOUT_MS) as connection,
                connection,
            ):
                _create_schema(connection)
                connection.execute(_INSERT, query)
                connection.execute(_DELETE_EXCESS, (self._max_rows,))
                if _bytes_used(connection) > self._max_bytes:
                    connection.execute(_DELETE_OLDEST, (_DELETE_FRACTION,))
        except LogBusy:
            return False
        return True

    def queries(self) -> list[LoggedQuery]:
        """Returns all queries, the oldest first; none if there is no file."""
        if not self._has_rows():
            return []
        with self._connect(apsw.SQLITE_OPEN_READONLY, READ_TIMEOUT_MS) as connection:
            _check_version(connection)
            rows = connection.execute(f"SELECT {_COLUMNS} FROM questions ORDER BY id")
            return [LoggedQuery(*row) for row in rows]

    def rename(self, earlier: str, name: str) -> None:
        """Gives the queries of a repository its new name; keeps a log that is in use as it is."""
        if not self._has_rows() or not os.access(self.path, os.W_OK):
            return
        with (
            suppress(LogBusy),
            self._connect(apsw.SQLITE_OPEN_READWRITE, WRITE_TIMEOUT_MS) as connection,
        ):
            _check_version(connection)
            connection.execute("UPDATE questions SET repo = ? WHERE repo = ?", (name, earlier))

    def clear(self) -> None:
        """Deletes all queries, without a trace on the disk."""
        if not self._has_rows():
            return
        with self._connect(apsw.SQLITE_OPEN_READWRITE, READ_TIMEOUT_MS) as connection:
            _check_version(connection)
            connection.execute("DELETE FROM questions")
            connection.execute("VACUUM")

    def size_bytes(self) -> int:
        """Returns the size of the file."""
        return self.path.stat().st_size if self._has_rows() else 0

    def _has_rows(self) -> bool:
        """Tells whether there is a file with a schema; it is empty if its first query was not
        added.
        """
        return self.path.exists() and (not self.path.is_file() or self.path.stat().st_size > 0)

    @contextmanager
    def _connect(self, mode: int, timeout_ms: int) -> Iterator[apsw.Connection]:
        """Opens the file and closes it at the end; does not follow a symbolic link."""
        path = self.path.parent.resolve() / self.path.name
        try:
            connection = apsw.Connection(str(path), flags=mode | apsw.SQLITE_OPEN_NOFOLLOW)
            with closing(connection):
                connection.set_busy_timeout(timeout_ms)
                connection.transaction_mode = "IMMEDIATE"
                # a power failure may lose a few queries
                connection.execute("PRAGMA synchronous=OFF")
                yield connection
        except apsw.BusyError as exc:
            raise LogBusy(f"Another process is writing {self.path}. Try again.") from exc
        except (apsw.FullError, apsw.IOError) as exc:
            raise ServiceError(f"{self.path} cannot be used: {exc}.", "Check the disk.") from exc
        except (apsw.Error, _ForeignFile, UnicodeEncodeError) as exc:
            raise UserError(f"{self.path} is not a query log ({exc}).", "Delete it.") from exc


class _ForeignFile(Exception):
    """The file belongs to another program or version."""


def _create_schema(connection: apsw.Connection) -> None:
    if connection.execute("SELECT count(*) FROM sqlite_schema").get == 0:
        connection.execute(_SCHEMA)
    _check_version(connection)


def _check_version(connection: apsw.Connection) -> None:
    identity = (connection.pragma("application_id"), connection.pragma("user_version"))
    if identity != (_APPLICATION_ID, _VERSION):
        raise _ForeignFile("made by another program or version")


def _bytes_used(connection: apsw.Connection) -> int:
    pages = _int_pragma(connection, "page_count") - _int_pragma(connection, "freelist_count")
    return pages * _int_pragma(connection, "page_size")


def _int_pragma(connection: apsw.Connection, name: str) -> int:
    value: Any = connection.pragma(name)
    return int(value)
