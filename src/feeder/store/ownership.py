"""Who may write to a repository's part of an index, and has a write been done already?

The run that started last may. Each of its writes is numbered and carries a guard, so that one of a
run that was overtaken, or one that arrives twice, changes nothing.
"""

import json
import os
import time
from collections.abc import Callable

from feeder.errors import Overtaken, ServiceError, TooLargeError
from feeder.store import Database, Repeated, Row, Statement, sql

TRUST_S = 5.0
"""After a guarded write, by the clock on the wall: it goes on while a machine sleeps."""


class Moved(Overtaken):
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
        self._opening: list[Statement] = []
        self._writer = os.urandom(4).hex()
        self._writes = 0
        self._written_at = float("-inf")

    def open(self, token: str, seen: str | None, statements: list[Statement]) -> None:
        """Names the run: its first write makes the index its own, with these statements.

        That write raises Moved when another run has begun since `seen` was read as the owner.
        """
        self.token = token
        self._opening = [Statement(sql.GUARD, (self._key("run"), seen)), *statements]

    def write(self, statements: list[Statement]) -> list[list[Row]] | None:
        """Runs them behind the run's opening or its guard, as one transaction.

        The rows of each; None when they were run, but the answer that said so was lost.
        """
        self._writes += 1
        mark = Statement(sql.MARK, (self._mark, str(self._writes)))
        first = self._opening or [self.guard()]
        rows = None
        try:
            rows = self._database().run([mark, *first, *statements])[1 + len(first) :]
        except Repeated:
            pass
        except TooLargeError:
            # it may have been done, only too slowly to be told
            if not self._is_marked():
                raise
        except Overtaken as exc:
            if not self._is_owned:
                raise Moved(str(exc)) from exc
            raise
        self._opening = []
        self._is_owned = True
        self._written_at = self._clock()
        return rows

    def ask(self, statements: list[Statement]) -> list[list[Row]]:
        """Reads what a write has done of which no answer came.

        Raises ServiceError where that is too much to tell, and never TooLargeError: the write would
        be taken for undone, and in smaller parts it would then find nothing to change.
        """
        try:
            return self._database().run(statements)
        except TooLargeError as exc:
            raise ServiceError(str(exc), status=exc.status, code=exc.code, ray=exc.ray) from exc

    def confirm(self) -> None:
        """Asks whether the run may still write, where its last write is not just over.

        What has no guard of its own comes behind it. Raises Overtaken.
        """
        if self._opening:
            self.write([])
        elif self._clock() - self._written_at > TRUST_S:
            self._database().run([self.guard()])
            self._written_at = self._clock()

    def unmark(self) -> Statement:
        """What belongs into the last write: nobody will ask for its number."""
        return Statement(sql.DROP_META, (json.dumps([self._mark]),))

    def guard(self) -> Statement:
        """What fails when another run has begun."""
        return Statement(sql.GUARD, (self._key("run"), self.token))

    @property
    def _mark(self) -> str:
        """Where this writer counts its writes: it may share its run's token with others."""
        return self._key(f"write:{self.token}:{self._writer}")

    def _is_marked(self) -> bool:
        [found] = self.ask([Statement(sql.MARKED, (self._mark,))])
        return found == [(str(self._writes),)]
