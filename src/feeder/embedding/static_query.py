"""Embeds queries with the shipped static model, without numpy: a query has few tokens, and a
process that answers one would spend more time on importing numpy than on everything else.
"""

import math
import struct
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path

from feeder.embedding import STATIC_MODEL_CRC32
from feeder.embedding.static_model import (
    MAX_TOKENS,
    MODEL_FILE,
    ModelLayout,
    damaged_model_error,
    map_file,
)
from feeder.embedding.static_tokenizer import fnv1a, ngrams, split_tokens, split_words_utf8

_MAX_CACHED_TOKENS = 4096
_FLOAT = struct.Struct("<f")


class StaticQueryEmbedder:
    """Computes the query vectors of `StaticEmbedder`, equal except for rounding."""

    def __init__(self, path: Path = MODEL_FILE, crc32: int = STATIC_MODEL_CRC32) -> None:
        """Maps the file; raises UserError when its CRC-32 is not `crc32`."""
        self._content = content = map_file(path)
        if zlib.crc32(content) != crc32:
            raise damaged_model_error(path)
        self._layout = layout = ModelLayout.of(content)
        words = content[layout.words_at : layout.words_at + layout.words_bytes]
        self._words = b"\n%b\n" % words
        self._row_of = lru_cache(_MAX_CACHED_TOKENS)(self._find_row)

    def embed_query(self, text: str) -> Sequence[float]:
        """Returns the unit vector of a query; zeros if no word of it is in the vocabulary."""
        sums = [0.0] * self._layout.dimensions
        counts = Counter(islice(self._tokens(text), MAX_TOKENS))
        if all(self._row_of(token) is None for token in counts):
            return sums
        for token, count in counts.items():
            rows = self._rows(token)
            weight = sum(self._number(row, self._layout.query_weights_at) for row in rows)
            share = (1 + math.log(count)) * weight / len(rows) ** 2
            for row in rows:
                factor = share * self._number(row, self._layout.scales_at)
                sums = [total + factor * code for total, code in zip(sums, self._codes(row))]  # noqa: B905 - a third of the time
        length = math.hypot(*sums) or 1.0
        return [total / length for total in sums]

    def _tokens(self, text: str) -> Iterable[bytes]:
        """Yields the tokens of a text; a word of the vocabulary is a single one."""
        for word in split_words_utf8(text):
            if self._row_of(word) is None:
                yield from (token.encode() for token in split_tokens(word.decode()))
            else:
                yield word

    def _find_row(self, token: bytes) -> int | None:
        """Returns the row of a word of the vocabulary; None for another."""
        at = self._words.find(b"\n%b\n" % token)
        return None if at < 0 else self._words.count(b"\n", 0, at)

    def _rows(self, token: bytes) -> list[int]:
        """Returns the row of a word, or those of the n-grams of a token outside the vocabulary."""
        row = self._row_of(token)
        if row is not None:
            return [row]
        first, buckets = self._layout.words, self._layout.buckets
        return [first + fnv1a(ngram) % buckets for ngram in ngrams(token.decode())]

    def _number(self, row: int, start: int) -> float:
        """Returns a row's number in the column of float32 numbers at an offset of the file."""
        number: float = _FLOAT.unpack_from(self._content, start + row * _FLOAT.size)[0]
        return number

    def _codes(self, row: int) -> memoryview:
        size = self._layout.dimensions
        start = self._layout.rows_at + row * size
        return memoryview(self._content)[start : start + size].cast("b")


@cache
def load_query_model() -> StaticQueryEmbedder:
    """Loads the shipped model for queries, once per process."""
    return StaticQueryEmbedder()
