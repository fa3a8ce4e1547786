"""Implements `Database` with a SQLite file on this machine."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw

from feeder.errors import (
    DISK_FULL_REMEDY,
    FeederError,
    ServiceError,
    Superseded,
    UserError,
    disk_full_problem,
)
from feeder.private_files import create_private_file
from feeder.store import (
    DUPLICATE_WRITE_ERROR,
    LOCAL,
    NOT_OWNER_ERROR,
    SUPERSEDED_MESSAGE,
    DuplicateWrite,
    Row,
    Statement,
)
from feeder.store.recorded_meta import BUSY_TIMEOUT_MS, is_unwritable, open_read_only

IN_MEMORY = Path(":memory:")
"""SQLite's name for a database without a file."""
CACHE_KB = 32_000
WAL_CHECKPOINT_PAGES = 8_000
"""Pages of the write-ahead log before a checkpoint.

With SQLite's default, a first sync spends a tenth of its database time on checkpoints.
"""
BUSY_TRIES = 300


def enable_wal(connection: apsw.Connection) -> None:
    """Turns on write-ahead logging, so that readers do not wait for writers.

    The setting is stored in the file.
    """
    for tries_left in reversed(range(BUSY_TRIES)):
        try:
            connection.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL")
        except apsw.BusyError:
            # two processes that do this at once are refused without the busy timeout
            if not tries_left:
                raise
            time.sleep(BUSY_TIMEOUT_MS / BUSY_TRIES / 1000)
        else:
            return


def _connect(path: Path) -> apsw.Connection:
    """Opens the file; read-only if nothing can be written beside it."""
    return open_read_only(path) if is_unwritable(path) else apsw.Connection(str(path))


class SQLite:
    """A `Database` in one file; several processes may use it at once.

    A new file is readable by its owner only, since it contains words of the source. Raises
    UserError for a file that is no database or cannot be opened.
    """

    access = LOCAL

    def __init__(self, path: Path) -> None:
        self.place = str(path)
        try:
            if self.place != ":memory:":
                create_private_file(path)
                if path.exists() and not path.is_file():
                    raise UserError(
                        f"{path} cannot be written: it is not a file.", "Choose another with --db."
                    )
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
                f"{path} has a name that is not UTF-8.", "Name another with --db."
            ) from exc

    def run(self, statements: Sequence[Statement]) -> list[list[Row]]:
        """One transaction; a writer's is begun as one, so that two take turns and none fails."""
        try:
            reads = all(sql.lstrip().startswith(("SELECT", "WITH")) for sql, _ in statements)
            self.connection.execute("BEGIN" if reads else "BEGIN IMMEDIATE")
            rows = [list(self.connection.execute(sql, params)) for sql, params in statements]
            self.connection.execute("COMMIT")
        except (apsw.Error, UnicodeDecodeError) as exc:
            self._roll_back()
            raise self._translate_error(exc) from exc
        except BaseException:
            self._roll_back()
            raise
        return rows

    def iterate(self, statement: Statement) -> Iterator[Row]:
        """Yields the rows of a query one by one, where all of them would not fit into memory."""
        try:
            yield from self.connection.execute(*statement)
        except (apsw.Error, UnicodeDecodeError) as exc:
            raise self._translate_error(exc) from exc

    def change_counters(self) -> tuple[int, int]:
        """Returns numbers that change with every write, by other connections and by this one."""
        try:
            other: Any = self.connection.pragma("data_version")
        except apsw.Error as exc:
            raise self._translate_error(exc) from exc
        return int(other), self.connection.total_changes()

    def cached_counts(self) -> dict[str, int]:
        """Returns a dict for callers to cache counts in; it is emptied by any write."""
        state = self.change_counters()
        if self._count_cache[0] != state:
            self._count_cache = state, {}
        return self._count_cache[1]

    def script(self, sql: str, statements: Sequence[Statement]) -> None:
        """Runs the SQL text, which may contain several statements, then the statements."""
        self.run([Statement(sql), *statements])

    def close(self) -> None:
        """Closes the connection, with a checkpoint of the write-ahead log."""
        self.connection.close()

    def _roll_back(self) -> None:
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    def _translate_error(self, exc: apsw.Error | UnicodeDecodeError) -> FeederError:
        if NOT_OWNER_ERROR in str(exc):
            return Superseded(*SUPERSEDED_MESSAGE)
        if DUPLICATE_WRITE_ERROR in str(exc):
            return DuplicateWrite(str(exc))
        if isinstance(exc, apsw.NotADBError | apsw.CorruptError | UnicodeDecodeError):
            kind = "damaged"
            remedy = "Delete it and build a new one with feeder sync, or choose another with --db."
            if isinstance(exc, apsw.NotADBError):  # it may be any file of the user's
                kind = "not an index"
                remedy = "Choose another file with --db. If it was an index, delete it."
            return UserError(f"{self.place} is {kind} ({exc}).", remedy)
        if isinstance(exc, apsw.CantOpenError | apsw.ReadOnlyError):
            return self._unusable_error(exc)
        if isinstance(exc, apsw.FullError | apsw.IOError):
            is_full = isinstance(exc, apsw.FullError)
            problem = f"{self.place} cannot be written: {exc}."
            return ServiceError(
                disk_full_problem(self.place) if is_full else problem, DISK_FULL_REMEDY
            )
        return ServiceError(f"{self.place}: {exc}")

    def _unusable_error(self, exc: apsw.Error) -> UserError:
        if isinstance(exc, apsw.ReadOnlyError):
            return UserError(f"{self.place} cannot be written: {exc}.", "Choose another with --db.")
        exists = Path(self.place).parent.is_dir()
        remedy = "Make it and its folder writable" if exists else "Create its folder"
        return UserError(
            f"{self.place} cannot be opened: {exc}.", f"{remedy}, or choose another with --db."
        )
