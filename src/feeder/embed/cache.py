"""Which texts have been embedded before?"""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

import apsw

from feeder.embed import Embedder, Vector
from feeder.errors import UserError
from feeder.nodes import text_sha
from feeder.private import make_file

# "feed": tells this file from another program's.
_APPLICATION_ID = 0x66656564
_VERSION = 1
_BUSY_MS = 30_000

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
_READ = "SELECT vector FROM vectors WHERE (model, dimensions, text_sha) = (?, ?, ?)"
_KEEP = """
INSERT INTO vectors(model, dimensions, text_sha, vector, used) VALUES (?, ?, ?, ?, ?)
ON CONFLICT DO UPDATE SET used = excluded.used WHERE used < excluded.used"""
_PRUNE = """
DELETE FROM vectors WHERE rowid IN
  (SELECT rowid FROM vectors ORDER BY used DESC, rowid DESC LIMIT -1 OFFSET ?)"""


class CachedEmbedder:
    """An `Embedder` that asks another one only for texts it has not seen, in a file of its own.

    Processes may share the file, and so may models: a vector is found again under its model's
    name, its dimensions and its text's SHA-256. What one call brings is kept in one transaction.
    `embedded` counts the texts that went to the model, `hits` those that did not need to. Above
    `max_entries`, those not asked for longest are dropped. A new file is its owner's alone. It is
    opened for the first text: `UserError` when it is not a cache or cannot be written.
    """

    def __init__(self, embedder: Embedder, path: Path, *, max_entries: int = 200_000) -> None:
        self._embedder = embedder
        self._path = path
        self._max_entries = max_entries
        self.hits = 0
        self.embedded = 0

    @cached_property
    def _connection(self) -> apsw.Connection:
        return _open(self._path)

    @cached_property
    def _opening(self) -> int:
        latest: int | None = self._connection.execute("SELECT max(used) FROM vectors").get
        return (latest or 0) + 1

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
        self._keep(found)
        self.embedded += len(new)
        self.hits += len(texts) - len(new)
        return [np.frombuffer(found[key], dtype="<f4") for key in keys]

    def missing(self, shas: Iterable[str]) -> int:
        """How many texts would go to the model, by `text_sha`; each counts once."""
        keys = set(shas)
        return len(keys) - len(self._read(list(keys)))

    def embed_query(self, text: str) -> Vector:
        """Not cached: queries seldom recur, and some models embed them unlike texts."""
        return self._embedder.embed_query(text)

    def close(self) -> None:
        if "_connection" in vars(self):
            self._connection.close()
        self._embedder.close()

    def _read(self, keys: Sequence[str]) -> dict[str, bytes]:
        with _reported(self._path):
            blobs = {
                key: self._connection.execute(_READ, (self.model, self.dimensions, key)).get
                for key in dict.fromkeys(keys)
            }
        return {key: blob for key, blob in blobs.items() if blob is not None}

    def _keep(self, blobs: dict[str, bytes]) -> None:
        """Writes what is new and marks what is not as used, once an opening."""
        with _reported(self._path), self._connection:
            of = (self.model, self.dimensions)
            rows = [(*of, key, blob, self._opening) for key, blob in blobs.items()]
            self._connection.executemany(_KEEP, rows)
            self._connection.execute(_PRUNE, (self._max_entries,))


def _open(path: Path) -> apsw.Connection:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if os.fspath(path) != ":memory:":
        make_file(path)
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(_BUSY_MS)
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
    connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", "normal")
    return connection


@contextmanager
def _reported(path: Path) -> Iterator[None]:
    """Turns what SQLite and the file system say into a `UserError`."""
    try:
        yield
    except apsw.BusyError as exc:
        raise UserError(
            f"Another process holds the embedding cache {path}. Wait for it, or name another file."
        ) from exc
    except (apsw.Error, OSError) as exc:
        raise UserError(
            f"The embedding cache {path} cannot be used ({exc}). Delete it, or name another file."
        ) from exc
