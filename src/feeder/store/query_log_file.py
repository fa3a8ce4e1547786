"""Stores the queries that users ran and how they were answered, in a SQLite file on this
machine (`queries.db`).
"""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from feeder.errors import ServiceError, UserError
from feeder.private_files import create_private_file

FILE_NAME = "queries.db"
MAX_ROWS, MAX_BYTES = 10_000, 5_000_000
WRITE_TIMEOUT_MS, READ_TIMEOUT_MS = 50, 5_000
"""For another process: to keep a question is not worth a longer wait, to read them all is."""
_DELETE_FRACTION = 10
"""One in so many of the questions goes, the oldest, where the file has grown to its limit."""
# "feeq": tells this file from another program's.
_APPLICATION_ID = 0x66656571
_VERSION = 1
_SCHEMA = f"""
CREATE TABLE questions(
  id INTEGER PRIMARY KEY,
  asked_s REAL NOT NULL, -- since 1970, UTC
  repo TEXT NOT NULL,
  text TEXT NOT NULL,
  filters TEXT NOT NULL, -- a JSON object of what was said beside the text
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
    """A question, and how the index answered it that then equalled the commit `equals`."""

    asked_s: float
    """When, in seconds since 1970."""
    repo: str
    text: str
    filters: str
    """What was said beside the text, as a JSON object."""
    hits: int
    """All that were found."""
    took_ms: float
    """Until it could be shown, in milliseconds."""
    answered_by: str
    """`words`, `filters`, or `meaning` where models alone found something; empty for nothing."""
    models: str
    """Those that were asked, as a JSON array."""
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
    """A file that processes share; of more than `max_rows` questions or `max_bytes` the oldest go.

    Raises UserError for a file that is another's or damaged, ServiceError where the disk fails.
    """

    def __init__(self, path: Path, *, max_rows: int = MAX_ROWS, max_bytes: int = MAX_BYTES) -> None:
        self.path = path
        self._max_rows = max_rows
        self._max_bytes = max_bytes

    def add(self, query: LoggedQuery) -> bool:
        """Adds it; False where that is nobody's fault: the folder can only be read, or another
        process has been writing for 50 ms."""
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
        """All that are kept, the oldest first; none where there is no file."""
        if not self._has_rows():
            return []
        with self._connect(apsw.SQLITE_OPEN_READONLY, READ_TIMEOUT_MS) as connection:
            _check_version(connection)
            rows = connection.execute(f"SELECT {_COLUMNS} FROM questions ORDER BY id")
            return [LoggedQuery(*row) for row in rows]

    def clear(self) -> None:
        """Forgets all, and leaves nothing of them on the disk."""
        if not self._has_rows():
            return
        with self._connect(apsw.SQLITE_OPEN_READWRITE, READ_TIMEOUT_MS) as connection:
            _check_version(connection)
            connection.execute("DELETE FROM questions")
            connection.execute("VACUUM")

    def size_bytes(self) -> int:
        """What the file takes of the disk."""
        return self.path.stat().st_size if self._has_rows() else 0

    def _has_rows(self) -> bool:
        """An empty file is one whose first question was not kept."""
        return self.path.exists() and (not self.path.is_file() or self.path.stat().st_size > 0)

    @contextmanager
    def _connect(self, mode: int, timeout_ms: int) -> Iterator[apsw.Connection]:
        """A connection, closed at the end; a link in the file's place is not followed."""
        path = self.path.parent.resolve() / self.path.name
        try:
            connection = apsw.Connection(str(path), flags=mode | apsw.SQLITE_OPEN_NOFOLLOW)
            with closing(connection):
                connection.set_busy_timeout(timeout_ms)
                connection.transaction_mode = "IMMEDIATE"
                # what a failing power supply takes is a few questions
                connection.execute("PRAGMA synchronous=OFF")
                yield connection
        except apsw.BusyError as exc:
            raise LogBusy(f"Another process writes {self.path}. Try again.") from exc
        except (apsw.FullError, apsw.IOError) as exc:
            raise ServiceError(f"{self.path} cannot be used: {exc}. Look at the disk.") from exc
        except (apsw.Error, _ForeignFile, UnicodeEncodeError) as exc:
            raise UserError(f"{self.path} is no log of questions ({exc}). Delete it.") from exc


class _ForeignFile(Exception):
    """It is another program's, or another version's."""


def _create_schema(connection: apsw.Connection) -> None:
    if connection.execute("SELECT count(*) FROM sqlite_schema").get == 0:
        connection.execute(_SCHEMA)
    _check_version(connection)


def _check_version(connection: apsw.Connection) -> None:
    made_by = (connection.pragma("application_id"), connection.pragma("user_version"))
    if made_by != (_APPLICATION_ID, _VERSION):
        raise _ForeignFile("another program or version has made it")


def _bytes_used(connection: apsw.Connection) -> int:
    pages = _int_pragma(connection, "page_count") - _int_pragma(connection, "freelist_count")
    return pages * _int_pragma(connection, "page_size")


def _int_pragma(connection: apsw.Connection, name: str) -> int:
    value: Any = connection.pragma(name)
    return int(value)
