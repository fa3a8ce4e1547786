"""An `Embedder` for tests that need vectors without meaning."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from feeder.embedding import NO_USAGE, ServiceUsage, Vector


class HashedEmbedder:
    """Hashes words and pairs of words into a few dimensions.

    Deterministic and fast; texts that share words are near one another. `calls` and `texts` count
    the calls of `embed` and their texts.
    """

    def __init__(self, dimensions: int = 64, *, model: str = "hashed", batch: int = 64) -> None:
        self.model = model
        self.dimensions = dimensions
        self.batch = batch
        self.calls = 0
        self.texts = 0
        self.closed = False

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.calls += 1
        self.texts += len(texts)
        return [self._vector(text) for text in texts]

    def embed_query(self, text: str) -> Vector:
        return self._vector(text)

    usage = NO_USAGE

    def estimate(self, sizes: Sequence[int]) -> ServiceUsage:
        return NO_USAGE

    def close(self) -> None:
        self.closed = True

    def _vector(self, text: str) -> Vector:
        vector = np.zeros(self.dimensions, dtype=np.float32)
        for gram in _grams(text):
            digest = hashlib.blake2b(gram.encode("utf-8", "surrogatepass"), digest_size=8).digest()
            vector[int.from_bytes(digest, "big") % self.dimensions] += 1
        length = np.linalg.norm(vector)
        return vector / length


class HashedStaticEmbedder(NamedTuple):
    """A `StaticEmbedder` of the same vectors, quantized to int8."""

    model: str = "feeder-static-hashed"
    dimensions: int = 32

    def __call__(self, texts: Sequence[str]) -> list[bytes]:
        vectors = np.stack(HashedEmbedder(self.dimensions).embed(texts))
        scales = (np.abs(vectors).max(axis=1) / 127).astype("<f4")
        codes = np.rint(vectors / scales[:, None]).astype(np.int8)
        return [scale.tobytes() + code.tobytes() for scale, code in zip(scales, codes, strict=True)]


def _grams(text: str) -> Iterator[str]:
    """Yields the text, its words and pairs of neighbouring words."""
    words = re.findall(r"\w+", text.lower())
    yield text
    yield from words
    yield from map(" ".join, pairwise(words))
