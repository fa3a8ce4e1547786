"""Cache of vectors by model, dimensions and text hash: an `Embedder` that reuses vectors from a
SQLite file on this machine.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import apsw

from feeder.embedding import NO_USAGE, Embedder, Vector
from feeder.embedding.vector_check import are_unit_vectors, checked_vectors
from feeder.errors import UserError
from feeder.nodes import text_sha
from feeder.private_files import create_private_file
from feeder.store.sqlite import enable_wal

Result = TypeVar("Result")

MAX_BYTES = 500_000_000
"""About 100,000 vectors of 1,024 dimensions, or 250,000 of 384."""

_PRUNE_TO_SHARE = 0.9
"""Share of the limit that remains after pruning, so that not every write has to prune."""

"""Path below the user's cache folder."""

_OWN_PLACES = {("feeder", "embeddings.db"), ("feeder-embeddings", "embeddings.db")}
"""Folder and file of the default cache, and of the one that the Action keeps between runs."""

# "feed" in ASCII
_APPLICATION_ID = 0x66656564

_VERSION = 1

_BUSY_TIMEOUT_MS = 30_000


# float32 instead of int8, so that an index has the same bits with a cache and without one
_SCHEMA = f"""
CREATE TABLE vectors(
  model TEXT NOT NULL,
  dimensions INTEGER NOT NULL,
  text_sha TEXT NOT NULL,
  vector BLOB NOT NULL CHECK (length(vector) = 4 * dimensions),
  used INTEGER NOT NULL, -- number of the last session that read it
  PRIMARY KEY (model, dimensions, text_sha)
);
CREATE INDEX vectors_used ON vectors(used);
PRAGMA application_id = {_APPLICATION_ID};
PRAGMA user_version = {_VERSION};
"""

# not in the schema, because earlier versions of the program write to the same file; of their rows
# it is NULL
_ADD_CHECKSUM = "ALTER TABLE vectors ADD COLUMN checksum BLOB"

_READ_SQL = "SELECT vector, checksum FROM vectors WHERE (model, dimensions, text_sha) = (?, ?, ?)"

_UPSERT_SQL = """
INSERT INTO vectors(model, dimensions, text_sha, vector, used, checksum) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE
SET vector = excluded.vector, used = excluded.used, checksum = excluded.checksum
WHERE used < excluded.used OR checksum IS NOT excluded.checksum"""

_PRUNE_SQL = """
DELETE FROM vectors WHERE rowid IN (
  SELECT rowid FROM vectors ORDER BY used DESC, rowid DESC
  LIMIT -1 OFFSET (SELECT cast(count(*) * ? AS INTEGER) FROM vectors)
)"""

_MODELS_SQL = (
    "SELECT model, dimensions, count(*) FROM vectors GROUP BY model, dimensions ORDER BY 3 DESC"
)


class CachedModel(NamedTuple):
    """Number of cached texts of one model."""

    model: str
    dimensions: int
    texts: int


class CacheFile:
    """The SQLite file with the vectors, shared by processes and models.

    Above `max_bytes`, the least recently used vectors are deleted. Only the owner can read a new
    file. It is opened at the first use. A damaged vector is never returned, and storing its text
    again replaces it; a damaged file that the program has made is replaced by an empty one.
    `on_damage` is called with what was damaged. Every other failure of the file raises UserError.
    """

    def __init__(
        self,
        path: Path,
        max_bytes: int = MAX_BYTES,
        on_damage: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.path = path
        self._max_bytes = max_bytes
        self._on_damage = on_damage
        self._damaged: set[str] = set()

    @cached_property
    def _connection(self) -> apsw.Connection:
        return _open_database(self.path)

    @cached_property
    def _session_number(self) -> int:
        latest: int | None = self._connection.execute("SELECT max(used) FROM vectors").get
        return (latest or 0) + 1

    def read(self, model: str, dimensions: int, keys: Sequence[str]) -> dict[str, bytes]:
        """Returns the cached vectors of these text hashes as little-endian float32."""
        rows = self._use(
            lambda: {
                key: row
                for key in keys
                for row in self._connection.execute(_READ_SQL, (model, dimensions, key))
            }
        )
        intact = {
            key: vector
            for key, (vector, checksum) in rows.items()
            if isinstance(vector, bytes)
            and len(vector) == 4 * dimensions
            and checksum in {None, _checksum(model, dimensions, key, vector)}
        }
        sound = are_unit_vectors(list(intact.values()), dimensions)
        blobs = {
            key: blob
            for (key, blob), is_sound in zip(intact.items(), sound, strict=True)
            if is_sound
        }
        if damaged := rows.keys() - blobs.keys() - self._damaged:
            self._damaged |= damaged
            vectors = "A vector" if len(damaged) == 1 else f"{len(damaged):,} vectors"
            self._on_damage(
                f"{vectors} in the embedding cache {self.path} failed the check and will be "
                "computed again."
            )
        return blobs

    def store(self, model: str, dimensions: int, blobs: Mapping[str, bytes]) -> None:
        """Writes new vectors and marks the others as used, in one transaction."""

        def write() -> None:
            number = self._session_number
            rows = [
                (model, dimensions, key, blob, number, _checksum(model, dimensions, key, blob))
                for key, blob in blobs.items()
            ]
            with self._connection:
                self._connection.executemany(_UPSERT_SQL, rows)
                self._prune()

        self._use(write)

    def models(self) -> list[CachedModel]:
        """Returns the models in the cache, the one with most texts first."""
        return self._use(
            lambda: [CachedModel(*row) for row in self._connection.execute(_MODELS_SQL)]
        )

    def clear(self) -> None:
        """Deletes all vectors and frees the disk space; other processes can keep using the file."""

        def delete() -> None:
            self._connection.execute("DELETE FROM vectors")
            self._connection.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")

        self._use(delete)

    def _use(self, work: Callable[[], Result]) -> Result:
        """Does the work; if the file turns out to be damaged, once more with a new one."""
        with _translate_errors(self.path):
            try:
                return work()
            except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError, _NoCacheError) as exc:
                if not _is_own(self.path):
                    raise
                self._on_damage(
                    f"The embedding cache {self.path} is damaged ({exc}). It starts again, empty."
                )
            self.close()
            for name in ("_connection", "_session_number"):
                vars(self).pop(name, None)
            for file in _files(self.path):
                file.unlink(missing_ok=True)
            return work()

    def close(self) -> None:
        """Closes the file if it is open."""
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
    """Returns the size on disk, including SQLite's WAL files."""
    return sum(file.stat().st_size for file in _files(path) if file.exists())


def _files(path: Path) -> list[Path]:
    return [Path(f"{path}{end}") for end in ("", "-wal", "-shm")]


def _checksum(model: str, dimensions: int, key: str, vector: bytes) -> bytes:
    """Returns 8 bytes that differ if the vector, or the text that it is of, is another one."""
    digest = hashlib.blake2b(f"{model} {dimensions} {key} ".encode(), digest_size=8)
    digest.update(vector)
    return digest.digest()


class _NoCacheError(Exception):
    """The file is a database without the cache's tables."""


def _is_own(path: Path) -> bool:
    """True for a file that the program has made, by its header or its place.

    Anything else at `--cache` may be a file of the user's.
    """
    if (path.parent.name, path.name) in _OWN_PLACES:
        return True
    with suppress(OSError), path.open("rb") as file:
        header = file.read(100)
        return header[68:72] == _APPLICATION_ID.to_bytes(4, "big")
    return False


def _open_database(path: Path) -> apsw.Connection:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if os.fspath(path) != ":memory:":
        create_private_file(path)
    connection = apsw.Connection(str(path))
    try:
        connection.set_busy_timeout(_BUSY_TIMEOUT_MS)
        connection.transaction_mode = "IMMEDIATE"
        with connection:
            if connection.execute("SELECT count(*) FROM sqlite_schema").get == 0:
                connection.execute(_SCHEMA)
            _check_schema(connection, path)
        enable_wal(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def _check_schema(connection: apsw.Connection, path: Path) -> None:
    """Adds the checksums to a file of an earlier version; raises an error for another file."""
    made_by = (connection.pragma("application_id"), connection.pragma("user_version"))
    if made_by[0] != _APPLICATION_ID:
        raise _NoCacheError("it is not an embedding cache")
    if made_by[1] != _VERSION:
        raise UserError(
            f"{path} is not an embedding cache of this version.",
            "Delete it, or choose another file with --cache.",
        )
    columns = {str(row[1]) for row in connection.execute("PRAGMA table_info(vectors)")}
    if "checksum" not in columns:
        connection.execute(_ADD_CHECKSUM)


@contextmanager
def _translate_errors(path: Path) -> Iterator[None]:
    """Turns errors of SQLite and the file system into UserError."""
    try:
        yield
    except apsw.BusyError as exc:
        raise UserError(
            f"The embedding cache {path} is locked by another process.",
            "Wait for it, or choose another file with --cache.",
        ) from exc
    except (apsw.Error, OSError, UnicodeEncodeError, _NoCacheError) as exc:
        raise UserError(
            f"The embedding cache {path} cannot be used ({exc}).",
            "Delete it, or choose another file with --cache.",
        ) from exc


class CachedEmbedder:
    """An `Embedder` that passes only uncached texts to another one and caches the results.

    The cache key is model name, dimensions and the text's SHA-256. Each call stores its vectors in
    one transaction. `misses` counts the texts passed to the model, `hits` the others. With `path`
    None nothing is cached. When the file cannot be used, `on_warning` gets the reason and the run
    continues without a cache; without `on_warning` UserError is raised.
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
        self._file = CacheFile(path, max_bytes, on_warning or (lambda _: None)) if path else None
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
        blobs = self._read(keys)
        new = {key: text for key, text in zip(keys, texts, strict=True) if key not in blobs}
        if new:
            vectors = checked_vectors(self._embedder, self._embedder.embed(list(new.values())))
            blobs |= {
                key: vector.astype("<f4").tobytes()
                for key, vector in zip(new, vectors, strict=True)
            }
        self._with_file(lambda file: file.store(self.model, self.dimensions, blobs), None)
        self.misses += len(new)
        self.hits += len(texts) - len(new)
        return [np.frombuffer(blobs[key], dtype="<f4") for key in keys]

    def estimate_misses(self, sizes: Mapping[str, int]) -> int:
        """Counts the uncached texts, given each text's size in bytes by `text_sha`.

        Sets `estimated_usage` to what embedding them would cost.
        """
        cached = self._read(list(sizes))
        new = [size for key, size in sizes.items() if key not in cached]
        self.estimated_usage = self._embedder.estimate(new)
        return len(new)

    def count_missing(self, shas: Iterable[str]) -> int:
        """Counts the distinct `text_sha` that are not cached."""
        keys = set(shas)
        return len(keys) - len(self._read(list(keys)))

    def embed_query(self, text: str) -> Vector:
        """Embeds a query; it is not cached, because queries seldom recur."""
        vector = self._embedder.embed_query(text)
        if not vector.any():
            from feeder.embedding.static_model import StaticEmbedder

            if isinstance(self._embedder, StaticEmbedder):
                return vector  # it knows none of the words
        return checked_vectors(self._embedder, [vector])[0]

    def close(self) -> None:
        if self._file:
            self._file.close()
        self._embedder.close()

    def _read(self, keys: Sequence[str]) -> dict[str, bytes]:
        keys = list(dict.fromkeys(keys))
        return self._with_file(lambda file: file.read(self.model, self.dimensions, keys), {})

    def _with_file(self, use: Callable[[CacheFile], Result], default: Result) -> Result:
        """Calls `use` with the file; stops using a file that fails, if a warning can be given."""
        if self._file is None:
            return default
        try:
            return use(self._file)
        except UserError as exc:
            if self._on_warning is None:
                raise
            self._on_warning(f"{exc} This run continues without a cache.")
            self._file.close()
            self._file = None
            return default
