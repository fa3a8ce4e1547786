"""Stand-ins that fail at a chosen call, before it arrives or after its answer."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from feeder.embedding import Vector
from feeder.store import REMOTE, Database, Row, Statement
from feeder.store.sqlite import SQLite
from hash_embedder import HashedEmbedder


class Crash(Exception):
    """Ends a run without any cleanup, as a killed process does."""


Result = TypeVar("Result")


class FaultInjector:
    """Fails at the `at`-th call, before it is made or after its response."""

    def __init__(self, at: int, *, before: bool = True, fail: Callable[[], None] | None = None):
        self.calls = 0
        self._at = at
        self._before = before
        self._fail = fail or _crash

    @property
    def has_failed(self) -> bool:
        return self.calls >= self._at

    def call(self, call: Callable[[], Result]) -> Result:
        self.calls += 1
        fails_now = self.calls == self._at
        if fails_now and self._before:
            self._fail()
        result = call()
        if fails_now and not self._before:
            self._fail()
        return result


def _crash() -> None:
    raise Crash


class FailingDatabase:
    """A database whose calls may fail."""

    def __init__(self, database: Database, faults: FaultInjector) -> None:
        self.place, self.access = database.place, REMOTE
        self._database = database
        self._faults = faults

    def run(self, statements: Sequence[Statement]) -> list[list[Row]]:
        return self._faults.call(lambda: self._database.run(statements))

    def script(self, sql: str, statements: Sequence[Statement]) -> None:
        self._faults.call(lambda: self._database.script(sql, statements))

    def close(self) -> None:
        self._database.close()


class FailingSQLite(SQLite):
    """A local database whose transactions may fail."""

    def __init__(self, path: Path, faults: FaultInjector) -> None:
        super().__init__(path)
        self._faults = faults

    def run(self, statements: Sequence[Statement]) -> list[list[Row]]:
        run = super().run
        return self._faults.call(lambda: run(statements))


class FailingEmbedder(HashedEmbedder):
    """An embedder whose calls may fail."""

    def __init__(self, faults: FaultInjector, dimensions: int = 64, *, batch: int = 64) -> None:
        super().__init__(dimensions, batch=batch)
        self._faults = faults

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        embed = super().embed
        return self._faults.call(lambda: embed(texts))
