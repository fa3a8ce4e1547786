"""Which texts have been embedded before?"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from feeder.embedding import NO_USAGE, Embedder, Vector
from feeder.embedding.cachefile import MAX_BYTES, CacheFile
from feeder.errors import UserError
from feeder.nodes import text_sha

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
