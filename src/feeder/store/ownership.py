"""Who may write to a repository's part of an index, and has a write been done already?

The run that started last may. Each of its writes is numbered and carries a guard, so that one of a
run that was overtaken, or one that arrives twice, changes nothing.
"""

import json
import os
import time
from collections.abc import Callable

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
