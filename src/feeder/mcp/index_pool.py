"""A pool of open read-only indexes, one per concurrent call.

Opens lazily, and reopens when the index file was replaced or its models changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Lock

from feeder.config import Settings
from feeder.errors import FeederError
from feeder.notes import Note
from feeder.search.open_index import SearchIndex
from feeder.search.query_models import query_models
from feeder.search.result_cache import ResultCache
from feeder.session.opening import open_session
from feeder.session.workspace import current_workspace
from feeder.store.scope import Scope
from feeder.store.sqlite import SQLite

_OPENING_META_KEYS = ("model", "dimensions")
"""Keys of `meta` that decide how an index has to be opened."""


class _IndexConnection:
    """One open session of the index, for one call at a time, with its own result cache."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._stack = ExitStack()
        session = open_session(current_workspace(settings), settings, writes=False, create=False)
        self._store = self._stack.enter_context(session)
        database = self._store.index.database
        self._result_cache = ResultCache(database) if isinstance(database, SQLite) else None
        self._file_id = _file_identity(database)
        self._state: object = None
        self._meta: Mapping[str, str] = {}
        self._index: SearchIndex | None = None

    def close(self) -> None:
        self._stack.close()

    def current(self) -> SearchIndex | None:
        """The index in its present state; None if it has to be opened again."""
        database = self._store.index.database
        state = database.change_counters() if isinstance(database, SQLite) else None
        if _file_identity(database) != self._file_id:
            return None
        if self._index is None or state is None or state != self._state:
            index = SearchIndex.from_session(self._store, self._settings)
            before, self._meta = self._meta, index.corpus.meta
            if before and self._is_opened_otherwise(before):
                return None
            self._state, self._index = state, self._with_models(index)
        return self._index

    def _is_opened_otherwise(self, before: Mapping[str, str]) -> bool:
        """True if the models have changed, or the repository's name."""
        run = self._store.index.meta_key("run")
        is_renamed = run in before and run not in self._meta
        return is_renamed or any(
            before.get(key) != self._meta.get(key) for key in _OPENING_META_KEYS
        )

    def _with_models(self, index: SearchIndex) -> SearchIndex:
        notes: list[Note] = []
        models = query_models(self._store, index.corpus.meta, notes.append)
        return index._replace(models=models, cache=self._result_cache, missing_notes=notes)


class IndexPool:
    """Open sessions of the index of a directory; opened on demand."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._idle_connections: list[_IndexConnection] = []
        self._lock = Lock()

    @contextmanager
    def borrow(self) -> Iterator[SearchIndex]:
        """The index for one call; raises UserError if there is no index."""
        connection, index = self._acquire()
        try:
            yield index
        finally:
            with self._lock:
                self._idle_connections.append(connection)

    def warm_up(self) -> None:
        """Opens the index and loads its models; an error is left to the next call to report."""
        try:
            with self.borrow() as index:
                for model in index.models:
                    model.nearest("warm", 1, Scope((index.corpus.repo,)))
        except FeederError:
            return

    def close(self) -> None:
        """Closes the sessions that are not in use."""
        while connection := self._pop_idle():
            connection.close()

    def _acquire(self) -> tuple[_IndexConnection, SearchIndex]:
        while connection := self._pop_idle():
            if index := connection.current():
                return connection, index
            connection.close()
        with self._lock:  # only the first session reports on stderr
            settings, self._settings = self._settings, replace(self._settings, quiet=True)
        connection = _IndexConnection(settings)
        index = connection.current()
        assert index
        return connection, index

    def _pop_idle(self) -> _IndexConnection | None:
        # the one used last, whose pages are in memory
        with self._lock:
            return self._idle_connections.pop() if self._idle_connections else None


def _file_identity(database: object) -> object:
    """Device and inode of a local index, None if the file is gone; it may be deleted and remade."""
    if not isinstance(database, SQLite):
        return ""
    try:
        status = Path(database.place).stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino
