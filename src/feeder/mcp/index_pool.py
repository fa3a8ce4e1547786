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
from feeder.progress import RecordingReporter
from feeder.search.open_index import SearchIndex
from feeder.search.result_cache import ResultCache
from feeder.session.session import open_session
from feeder.session.workspace import current_workspace
from feeder.store.scope import Scope
from feeder.store.sqlite import SQLite

_OPENING_META_KEYS = ("model", "dimensions")
"""What `meta` says of how an index has to be opened."""


class _IndexConnection:
    """An index opened once, for one call at a time; `Kept` answers are renewed with it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._stack = ExitStack()
        found = open_session(current_workspace(settings), settings, writes=False, create=False)
        self._store = self._stack.enter_context(found)
        database = self._store.index.database
        self._result_cache = ResultCache(database) if isinstance(database, SQLite) else None
        self._file_id = _file_identity(database)
        self._state: object = None
        self._meta: Mapping[str, str] = {}
        self._index: SearchIndex | None = None

    def close(self) -> None:
        self._stack.close()

    def current(self) -> SearchIndex | None:
        """The index as it is now; None where it has to be opened anew."""
        database = self._store.index.database
        state = database.change_counters() if isinstance(database, SQLite) else None
        if _file_identity(database) != self._file_id:
            return None
        if self._index is None or state is None or state != self._state:
            index = SearchIndex.from_session(self._store, self._settings)
            before, self._meta = self._meta, index.corpus.meta
            if before and any(before.get(key) != self._meta.get(key) for key in _OPENING_META_KEYS):
                return None
            self._state, self._index = state, self._with_models(index)
        return self._index

    def _with_models(self, index: SearchIndex) -> SearchIndex:
        store = self._store
        before, recorder = store.progress, RecordingReporter()
        store.progress = recorder
        index = index.with_models(recorder.message)
        store.progress = before
        return index._replace(cache=self._result_cache, missing_notes=recorder.lines)


class IndexPool:
    """The index of a directory; nothing is opened before it is asked for."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._idle_connections: list[_IndexConnection] = []
        self._lock = Lock()

    @contextmanager
    def borrow(self) -> Iterator[SearchIndex]:
        """The index for one call; raises UserError where there is none."""
        copy, found = self._acquire()
        try:
            yield found
        finally:
            with self._lock:
                self._idle_connections.append(copy)

    def warm_up(self) -> None:
        """Makes the next answer quick; what hinders that is said by the next answer."""
        try:
            with self.borrow() as found:
                for side in found.models:
                    side.nearest("warm", 1, Scope((found.corpus.repo,)))
        except FeederError:
            return

    def close(self) -> None:
        """Closes the copies that nobody has."""
        while copy := self._pop_idle():
            copy.close()

    def _acquire(self) -> tuple[_IndexConnection, SearchIndex]:
        while copy := self._pop_idle():
            if found := copy.current():
                return copy, found
            copy.close()
        with self._lock:
            settings, self._settings = self._settings, replace(self._settings, quiet=True)
        copy = _IndexConnection(settings)
        found = copy.current()
        assert found
        return copy, found

    def _pop_idle(self) -> _IndexConnection | None:
        """The one that was used last, whose pages are in memory."""
        with self._lock:
            return self._idle_connections.pop() if self._idle_connections else None


def _file_identity(database: object) -> object:
    """Which file it is, None where it has gone: an index may be deleted and made anew."""
    if not isinstance(database, SQLite):
        return ""
    try:
        found = Path(database.place).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
