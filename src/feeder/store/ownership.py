"""Decides which run may write: a fencing token in the database, and file locks between
processes of this machine. The run that started last owns the index. Each write is numbered and
guarded, so that a superseded or repeated write changes nothing. The file locks only keep
servers from starting work that is under way.
"""

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from feeder.errors import ServiceError, Superseded, TooLargeError
from feeder.store import Database, DuplicateWrite, Row, Statement, sql

RECHECK_AFTER_S = 5.0
"""After a guarded write, by the clock on the wall: it goes on while a machine sleeps."""


class SupersededAtStart(Superseded):
    """Another run has begun between this one's reading and its first write, and wins."""


class Ownership:
    """A run's right to write; `run` is the key of `meta` that says whose it is."""

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
        """Names the run: its first write makes the index its own, with these statements.

        That write raises Moved when another run has begun since `seen` was read as the owner.
        """
        self.token = token
        self._start_statements = [Statement(sql.CHECK_OWNER, (self._key("run"), seen)), *statements]

    def write(self, statements: list[Statement]) -> list[list[Row]] | None:
        """Runs them behind the run's opening or its guard, as one transaction.

        The rows of each; None when they were run, but the answer that said so was lost.
        """
        self._write_count += 1
        mark = Statement(sql.RECORD_WRITE_NUMBER, (self._write_number_key, str(self._write_count)))
        first = self._start_statements or [self.guard_statement()]
        rows = None
        try:
            rows = self._database().run([mark, *first, *statements])[1 + len(first) :]
        except DuplicateWrite:
            pass
        except TooLargeError:
            # it may have been done, only too slowly to be told
            if not self._is_write_done():
                raise
        except Superseded as exc:
            if not self._is_owned:
                raise SupersededAtStart(str(exc)) from exc
            raise
        self._start_statements = []
        self._is_owned = True
        self._last_write_s = self._clock()
        return rows

    def read(self, statements: list[Statement]) -> list[list[Row]]:
        """Reads what a write has done of which no answer came.

        Raises ServiceError where that is too much to tell, and never TooLargeError: the write would
        be taken for undone, and in smaller parts it would then find nothing to change.
        """
        try:
            return self._database().run(statements)
        except TooLargeError as exc:
            raise ServiceError(str(exc), status=exc.status, code=exc.code, ray=exc.ray) from exc

    def verify(self) -> None:
        """Asks whether the run may still write, where its last write is not just over.

        What has no guard of its own comes behind it. Raises Overtaken.
        """
        if self._start_statements:
            self.write([])
        elif self._clock() - self._last_write_s > RECHECK_AFTER_S:
            self._database().run([self.guard_statement()])
            self._last_write_s = self._clock()

    def delete_write_number_statement(self) -> Statement:
        """What belongs into the last write: nobody will ask for its number."""
        return Statement(sql.DELETE_META, (json.dumps([self._write_number_key]),))

    def guard_statement(self) -> Statement:
        """What fails when another run has begun."""
        return Statement(sql.CHECK_OWNER, (self._key("run"), self.token))

    @property
    def _write_number_key(self) -> str:
        """Where this writer counts its writes: it may share its run's token with others."""
        return self._key(f"write:{self.token}:{self._writer_id}")

    def _is_write_done(self) -> bool:
        [found] = self.read([Statement(sql.READ_WRITE_NUMBER, (self._write_number_key,))])
        return found == [(str(self._write_count),)]


try:
    import fcntl
except ImportError:  # there, all take their turn at once, as without servers
    fcntl = None  # type: ignore[assignment]


SERVER_LOCK, SERVER_VECTORS_LOCK = "server", "vectors"
"""Turns of servers: to bring the words on, and then the vectors, which may take long."""

_COMMAND_LOCK = "hand"


@contextmanager
def try_lock(index: Path, name: str) -> Iterator[bool]:
    """Whether it is this process's turn, which lasts as long as the block; nobody waits."""
    with _file_lock(index, name, shared=False) as is_mine:
        yield is_mine


@contextmanager
def command_lock(index: Path | None) -> Iterator[None]:
    """While the block lasts, no server begins to bring the index on; None is one elsewhere."""
    if index is None:
        yield
        return
    with _file_lock(index, _COMMAND_LOCK, shared=True):
        yield


def is_locked_by_command(index: Path) -> bool:
    """Whether a command is updating the index."""
    with _file_lock(index, _COMMAND_LOCK, shared=False) as is_free:
        return not is_free


@contextmanager
def _file_lock(index: Path, name: str, *, shared: bool) -> Iterator[bool]:
    """Where no file can be made, nobody is kept out."""
    file = index.with_name(f"{index.name}-{name}")
    try:
        handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        yield True
        return
    try:
        yield _acquire(handle, shared=shared)
    finally:
        with suppress(OSError):
            os.close(handle)


def _acquire(handle: int, *, shared: bool) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True
