"""Implements `Database` with a SQLite file on this machine."""

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw

from feeder.errors import FeederError, ServiceError, Superseded, UserError
from feeder.private_files import create_private_file
from feeder.store import (
    DUPLICATE_WRITE_ERROR,
    NOT_OWNER_ERROR,
    SUPERSEDED_MESSAGE,
    Database,
    DuplicateWrite,
    Row,
    Statement,
)

IN_MEMORY = Path(":memory:")
"""SQLite's name for a database that leaves nothing behind."""
CACHE_KB = 32_000
WAL_CHECKPOINT_PAGES = 8_000
"""Of the write-ahead log before it is folded in: with SQLite's defaults, a first feed moves pages
to and fro for a tenth of its time in the database."""
BUSY_TIMEOUT_MS = 30_000
BUSY_TRIES = 300


def enable_wal(connection: apsw.Connection) -> None:
    """Readers do not wait for writers then; the file stays so once it has been said."""
    for tries_left in reversed(range(BUSY_TRIES)):
        try:
            connection.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL")
        except apsw.BusyError:
            # two that say it at once are refused without the timeout's wait
            if not tries_left:
                raise
            time.sleep(BUSY_TIMEOUT_MS / BUSY_TRIES / 1000)
        else:
            return


def _connect(path: Path) -> apsw.Connection:
    """Where nothing can be written beside the file, it is read as it is."""
    if os.access(path.parent, os.W_OK) or not path.is_file() or Path(f"{path}-wal").exists():
        return apsw.Connection(str(path))
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    return apsw.Connection(f"{path.absolute().as_uri()}?immutable=1", flags=flags)


def is_local(database: Database) -> bool:
    """Whether it is a file on this machine, which may be asked often; else each time is a trip."""
    return isinstance(database, SQLite)


class SQLite:
    """A `Database` in one file; several processes may use it at once.

    A new file is its owner's alone, since it holds the words of the source. Raises UserError for a
    file that is no database or cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.place = str(path)
        try:
            if self.place != ":memory:":
                create_private_file(path)
                if path.exists() and not path.is_file():
                    raise UserError(f"{path} cannot be written: no file. Name another with --db.")
            self.connection = _connect(path)
            self.connection.set_busy_timeout(BUSY_TIMEOUT_MS)
            enable_wal(self.connection)
            self.connection.execute(
                f"PRAGMA cache_size = -{CACHE_KB}; PRAGMA wal_autocheckpoint = "
                f"{WAL_CHECKPOINT_PAGES}"
            )
            self._count_cache: tuple[tuple[int, int], dict[str, int]] = self.change_counters(), {}
        except apsw.Error as exc:
            raise self._translate_error(exc) from exc
        except UnicodeEncodeError as exc:
            raise UserError(
                f"{path} has a name that is not UTF-8. Name another with --db."
            ) from exc

    def run(self, statements: Sequence[Statement]) -> list[list[Row]]:
        """One transaction; a writer's is begun as one, so that two take turns and none fails."""
        try:
            reads = all(sql.lstrip().startswith(("SELECT", "WITH")) for sql, _ in statements)
            self.connection.execute("BEGIN" if reads else "BEGIN IMMEDIATE")
            rows = [list(self.connection.execute(sql, params)) for sql, params in statements]
            self.connection.execute("COMMIT")
        except apsw.Error as exc:
            self._roll_back()
            raise self._translate_error(exc) from exc
        except BaseException:
            self._roll_back()
            raise
        return rows

    def iterate(self, statement: Statement) -> Iterator[Row]:
        """The rows of a question one by one, where all of them would not fit into memory."""
        try:
            yield from self.connection.execute(*statement)
        except apsw.Error as exc:
            raise self._translate_error(exc) from exc

    def change_counters(self) -> tuple[int, int]:
        """What every write changes, another process's or this one's; of this connection alone."""
        try:
            other: Any = self.connection.pragma("data_version")
        except apsw.Error as exc:
            raise self._translate_error(exc) from exc
        return int(other), self.connection.total_changes()

    def cached_counts(self) -> dict[str, int]:
        """What its askers keep there; another one once something was written."""
        state = self.change_counters()
        if self._count_cache[0] != state:
            self._count_cache = state, {}
        return self._count_cache[1]

    def script(self, sql: str, statements: Sequence[Statement]) -> None:
        """A text of several statements is one for SQLite as well."""
        self.run([Statement(sql), *statements])

    def close(self) -> None:
        """Folds the write-ahead log into the file."""
        self.connection.close()

    def _roll_back(self) -> None:
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    def _translate_error(self, exc: apsw.Error) -> FeederError:
        if NOT_OWNER_ERROR in str(exc):
            return Superseded(SUPERSEDED_MESSAGE)
        if DUPLICATE_WRITE_ERROR in str(exc):
            return DuplicateWrite(str(exc))
        if isinstance(exc, apsw.NotADBError | apsw.CorruptError):
            return UserError(
                f"{self.place} is no index: {exc}. Delete it, or name another with --db."
            )
        if isinstance(exc, apsw.CantOpenError | apsw.ReadOnlyError):
            return UserError(f"{self.place} cannot be written: {exc}. Name another with --db.")
        if isinstance(exc, apsw.FullError | apsw.IOError):
            return ServiceError(f"{self.place} cannot be written: {exc}. Make room on the disk.")
        return ServiceError(f"{self.place}: {exc}")
