"""Cache of vectors by model, dimensions and text hash: an `Embedder` that reuses vectors from a
SQLite file on this machine.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import apsw

from feeder.embedding import NO_USAGE, Embedder, Vector
from feeder.errors import UserError
from feeder.nodes import text_sha
from feeder.private_files import create_private_file
from feeder.store.sqlite import enable_wal

MAX_BYTES = 500_000_000
"""Some 100,000 vectors of 1,024 numbers, or 250,000 of 384."""

_PRUNE_TO_SHARE = 0.9
"""Of the limit, when it is passed: not every write has to make room."""

# "feed": tells this file from another program's.
_APPLICATION_ID = 0x66656564

_VERSION = 1

_BUSY_TIMEOUT_MS = 30_000


# float32 and not int8: an index comes out the same, bit by bit, with a cache and without one.
_SCHEMA = f"""
CREATE TABLE vectors(
  model TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  text_sha TEXT NOT NULL,
  vector BLOB NOT NULL CHECK (length(vector) = 4 * dimensions),
  used INTEGER NOT NULL, -- the latest opening of the file in which it was asked for
  PRIMARY KEY (model, dimensions, text_sha)
);
CREATE INDEX vectors_used ON vectors(used);
PRAGMA application_id = {_APPLICATION_ID};
PRAGMA user_version = {_VERSION};
"""

_READ_SQL = "SELECT vector FROM vectors WHERE (model, dimensions, text_sha) = (?, ?, ?)"

_UPSERT_SQL = """
INSERT INTO vectors(model, dimensions, text_sha, vector, used) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET used = excluded.used WHERE used < excluded.used"""

_PRUNE_SQL = """
DELETE FROM vectors WHERE rowid IN (
  SELECT rowid FROM vectors ORDER BY used DESC, rowid DESC
  LIMIT -1 OFFSET (SELECT cast(count(*) * ? AS INTEGER) FROM vectors)
)"""

_MODELS_SQL = (
    "SELECT model, dimensions, count(*) FROM vectors GROUP BY model, dimensions ORDER BY 3 DESC"
)


class CachedModel(NamedTuple):
    """How many texts are remembered of a model."""

    model: str
    dimensions: int
    texts: int


class CacheFile:
    """A file of its own, that processes share, and models.

    Above `max_bytes`, what was not asked for longest is dropped. A new file is its owner's alone.
    It is opened when it is first used; whatever is wrong then or later is a `UserError`.
    """

    def __init__(self, path: Path, max_bytes: int = MAX_BYTES) -> None:
        self._path = path
        self._max_bytes = max_bytes

    @cached_property
    def _connection(self) -> apsw.Connection:
        return _open_database(self._path)

    @cached_property
    def _session_number(self) -> int:
        latest: int | None = self._connection.execute("SELECT max(used) FROM vectors").get
        return (latest or 0) + 1

    def read(self, model: str, dimensions: int, keys: Sequence[str]) -> dict[str, bytes]:
        """The vectors of these texts, as float32, that are remembered."""
        with _translate_errors(self._path):
            blobs = {
                key: self._connection.execute(_READ_SQL, (model, dimensions, key)).get
                for key in keys
            }
        return {key: blob for key, blob in blobs.items() if blob is not None}

    def store(self, model: str, dimensions: int, blobs: Mapping[str, bytes]) -> None:
        """Writes what is new and marks what is not as used, once an opening; one transaction."""
        rows = [(model, dimensions, key, blob) for key, blob in blobs.items()]
        with _translate_errors(self._path), self._connection:
            self._connection.executemany(
                _UPSERT_SQL, [(*row, self._session_number) for row in rows]
            )
            self._prune()

    def models(self) -> list[CachedModel]:
        """What is remembered, most texts first."""
        with _translate_errors(self._path):
            return [CachedModel(*row) for row in self._connection.execute(_MODELS_SQL)]

    def clear(self) -> None:
        """Forgets all, and gives the disk its room back; processes that use the file go on."""
        with _translate_errors(self._path):
            self._connection.execute("DELETE FROM vectors")
            self._connection.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Ends the connection, if there is one."""
        if "_connection" in vars(self):
            self._connection.close()

    def _prune(self) -> None:
        pages = self._pragma("page_count") - self._pragma("freelist_count")
        if (used := pages * self._pragma("page_size")) > self._max_bytes:
            self._connection.execute(_PRUNE_SQL, (_PRUNE_TO_SHARE * self._max_bytes / used,))

    def _pragma(self, name: str) -> int:
        value: Any = self._connection.pragma(name)
        return int(value)


def file_bytes(path: Path) -> int:
    """What the file takes of the disk, with what SQLite writes beside it."""
    files = (Path(f"{path}{end}") for end in ("", "-wal", "-shm"))
    return sum(file.stat().st_size for file in files if file.exists())


def _open_database(path: Path) -> apsw.Connection:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if os.fspath(path) != ":memory:":
        create_private_file(path)
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(_BUSY_TIMEOUT_MS)
    connection.transaction_mode = "IMMEDIATE"
    with connection:
        if connection.execute("SELECT count(*) FROM sqlite_schema").get == 0:
            connection.execute(_SCHEMA)
        made_by = (connection.pragma("application_id"), connection.pragma("user_version"))
    if made_by != (_APPLICATION_ID, _VERSION):
        connection.close()
        raise UserError(
            f"{path} is not an embedding cache of this version. Delete it, or name another file."
        )
    enable_wal(connection)
    return connection


@contextmanager
def _translate_errors(path: Path) -> Iterator[None]:
    """Turns what SQLite and the file system say into a `UserError`."""
    try:
        yield
    except apsw.BusyError as exc:
        raise UserError(
            f"Another process holds the embedding cache {path}. Wait for it, or name another file."
        ) from exc
    except (apsw.Error, OSError, UnicodeEncodeError) as exc:
        raise UserError(
            f"The embedding cache {path} cannot be used ({exc}). Delete it, or name another file."
        ) from exc


Result = TypeVar("Result")


class CachedEmbedder:
    """An `Embedder` that asks another one only for texts it has not seen, in a file of its own.

    A vector is found again under its model's name, its dimensions and its text's SHA-256. What one
    call brings is kept in one transaction. `embedded` counts the texts that went to the model,
    `hits` those that did not need to. Without a file nothing is remembered. A file that is no
    cache, or cannot be read or written, is a `UserError`; with `tell`, it is told that and why, and
    the run goes on without a file.
    """

    def __init__(
        self,
        embedder: Embedder,
        path: Path | None,
        *,
        max_bytes: int = MAX_BYTES,
        on_warning: Callable[[str], None] | None = None,
    ) -> None:
        self._embedder = embedder
        self._file = CacheFile(path, max_bytes) if path else None
        self._on_warning = on_warning
        self.estimated_usage = NO_USAGE
        self.hits = 0
        self.misses = 0

    @property
    def model(self) -> str:
        return self._embedder.model

    @property
    def dimensions(self) -> int:
        return self._embedder.dimensions

    @property
    def batch(self) -> int:
        return self._embedder.batch

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        import numpy as np

        keys = [text_sha(text) for text in texts]
        found = self._read(keys)
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if new:
            vectors = self._embedder.embed(list(new.values()))
            found |= {
                key: vector.astype("<f4").tobytes()
                for key, vector in zip(new, vectors, strict=True)
            }
        self._with_file(lambda file: file.store(self.model, self.dimensions, found), None)
        self.misses += len(new)
        self.hits += len(texts) - len(new)
        return [np.frombuffer(found[key], dtype="<f4") for key in keys]

    def estimate_misses(self, sizes: Mapping[str, int]) -> int:
        """How many texts would go to the model, given the bytes of each by `text_sha`.

        What they would take is in `planned`.
        """
        known = self._read(list(sizes))
        new = [size for key, size in sizes.items() if key not in known]
        self.estimated_usage = self._embedder.estimate(new)
        return len(new)

    def count_missing(self, shas: Iterable[str]) -> int:
        """How many texts would go to the model, by `text_sha`; each counts once."""
        keys = set(shas)
        return len(keys) - len(self._read(list(keys)))

    def embed_query(self, text: str) -> Vector:
        """Not cached: queries seldom recur, and some models embed them unlike texts."""
        return self._embedder.embed_query(text)

    def close(self) -> None:
        if self._file:
            self._file.close()
        self._embedder.close()

    def _read(self, keys: Sequence[str]) -> dict[str, bytes]:
        keys = list(dict.fromkeys(keys))
        return self._with_file(lambda file: file.read(self.model, self.dimensions, keys), {})

    def _with_file(self, ask: Callable[[CacheFile], Result], default: Result) -> Result:
        """The file's answer; it is given up where it has none, if there is someone to tell."""
        if self._file is None:
            return default
        try:
            return ask(self._file)
        except UserError as exc:
            if self._on_warning is None:
                raise
            self._on_warning(f"{exc} This run goes on without it.")
            self._file.close()
            self._file = None
            return default


_CACHE_FILE = "feeder/embeddings.db"


def default_cache_file() -> Path | None:
    """One for all that a user indexes on this machine; None where there is no home to have it."""
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if named.is_absolute():  # else it is to be ignored, says the XDG specification
        return named / _CACHE_FILE
    try:
        home = Path.home()
        is_there = home.is_absolute() and home.is_dir()
    except (RuntimeError, OSError):  # nobody of that number, or a home that is closed
        return None
    caches = "Library/Caches" if sys.platform == "darwin" else ".cache"
    return home / caches / _CACHE_FILE if is_there else None
