"""Decides which run may write: a fencing token in the database, and file locks on this machine.

The run that started last owns the index. Each write is numbered and guarded, so that a superseded
or repeated write changes nothing. The file locks only keep servers from starting work that is under
way.
"""

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from feeder.errors import ServiceError, Superseded, TooLargeError
from feeder.file_locks import lock_file
from feeder.store import Database, DuplicateWrite, Row, Statement, sql
from feeder.store.batch import Batch, row_sets

SERVER_LOCK, SERVER_VECTORS_LOCK = "server", "vectors"
"""Names of the locks of servers: to update the words, and then the vectors, which may take long."""
_COMMAND_LOCK = "hand"
RECHECK_AFTER_S = 5.0
"""Age of the last guarded write after which `verify` asks the database again.

By the wall clock, which continues while a machine sleeps.
"""


class SupersededAtStart(Superseded):
    """Another run has begun between this run's first read and its first write, and wins."""


class Ownership:
    """A run's right to write; the key `run` of `meta` names the run that has it."""

    def __init__(
        self,
        database: Callable[[], Database],
        key: Callable[[str], str],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.token = ""
        self._database = database
        self._key = key
        self._clock = clock
        self._is_owned = False
        self._start_statements: list[Statement] = []
        self._writer_id = os.urandom(4).hex()
        self._write_count = 0
        self._last_write_s = float("-inf")

    def begin(self, token: str, seen: str | None, statements: list[Statement]) -> None:
        """Prepares the first write, which takes ownership and includes the statements.

        It raises SupersededAtStart if another run has begun since `seen` was read as the owner.
        """
        self.token = token
        self._start_statements = [Statement(sql.CHECK_OWNER, (self._key("run"), seen)), *statements]

    def write(self, statements: list[Statement]) -> list[list[Row]] | None:
        """Runs the statements as one transaction, after the start statements or the guard.

        Returns the rows of each; None if they were run but the response was lost.
        """
        self._write_count += 1
        record_number = Statement(
            sql.RECORD_WRITE_NUMBER, (self._write_number_key, str(self._write_count))
        )
        batch = Batch()
        batch.add_all([record_number, *(self._start_statements or [self.guard_statement()])])
        results = batch.add_all(statements)
        rows = None
        try:
            batch.run(self._database())
            rows = row_sets(results)
        except DuplicateWrite:
            pass
        except TooLargeError:
            # it may have been done, but too slowly for a response
            if not self._is_write_done():
                raise
        except Superseded as exc:
            if not self._is_owned:
                raise SupersededAtStart(exc.problem, exc.remedy) from exc
            raise
        self._start_statements = []
        self._is_owned = True
        self._last_write_s = self._clock()
        return rows

    def read(self, statements: list[Statement]) -> list[list[Row]]:
        """Reads what a write did whose response was lost.

        Raises ServiceError instead of TooLargeError: callers take the latter for a write that was
        not done, and would repeat it in smaller parts, which find nothing to change.
        """
        try:
            return self._database().run(statements)
        except TooLargeError as exc:
            raise ServiceError(
                exc.problem, exc.remedy, status=exc.status, code=exc.code, ray=exc.ray
            ) from exc

    def verify(self) -> None:
        """Raises Superseded if the run may no longer write; free just after a guarded write.

        Called before writes to services that have no guard of their own.
        """
        if self._start_statements:
            self.write([])
        elif self._clock() - self._last_write_s > RECHECK_AFTER_S:
            self._database().run([self.guard_statement()])
            self._last_write_s = self._clock()

    def delete_write_number_statement(self) -> Statement:
        """Returns the statement for the last write, after which no write number is needed."""
        return Statement(sql.DELETE_META, (json.dumps([self._write_number_key]),))

    def guard_statement(self) -> Statement:
        """Returns the statement that fails if another run has begun."""
        return Statement(sql.CHECK_OWNER, (self._key("run"), self.token))

    @property
    def _write_number_key(self) -> str:
        """Key of this writer's count of writes; shards of one run share its token."""
        return self._key(f"write:{self.token}:{self._writer_id}")

    def _is_write_done(self) -> bool:
        [rows] = self.read([Statement(sql.READ_WRITE_NUMBER, (self._write_number_key,))])
        return rows == [(str(self._write_count),)]


@contextmanager
def try_lock(index: Path, name: str) -> Iterator[bool]:
    """Yields whether this process got the lock, which is held within the block; never waits."""
    with _file_lock(index, name, shared=False) as is_mine:
        yield is_mine


@contextmanager
def command_lock(index: Path | None) -> Iterator[None]:
    """Keeps servers from updating the index within the block; None is a remote index."""
    if index is None:
        yield
        return
    with _file_lock(index, _COMMAND_LOCK, shared=True):
        yield


def is_locked_by_command(index: Path) -> bool:
    """Tells whether a command is updating the index now."""
    with _file_lock(index, _COMMAND_LOCK, shared=False) as is_free:
        return not is_free


@contextmanager
def _file_lock(index: Path, name: str, *, shared: bool) -> Iterator[bool]:
    """Yields whether the lock was acquired; True if no lock file can be created."""
    file = index.with_name(f"{index.name}-{name}")
    try:
        handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        yield True
        return
    try:
        yield lock_file(handle, shared=shared, waits=shared)
    finally:
        with suppress(OSError):
            os.close(handle)
