"""Which buckets do the runs of many parts fall into? `static_tokens` tells it of one part.

A part outside the vocabulary is rare in code, but not in translations: one by one they would take
most of a text's time.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from feeder.embedding.static_tokenizer import NGRAM_SIZES

if TYPE_CHECKING:
    import numpy.typing as npt

    Numbers = npt.NDArray[np.signedinteger]
    Hashes = npt.NDArray[np.uint32]
    Rows = npt.NDArray[np.float32]

_FNV_OFFSET, _FNV_PRIME = np.uint32(0x811C9DC5), np.uint32(0x01000193)


class NgramRows:
    """The runs of parts, which are given in the order of their lengths, the longest first."""

    def __init__(self, parts: Sequence[str], first_row: int, buckets: int) -> None:
        """Bucket 0 is row `base`; `rows` are those of all runs."""
        framed = [f"<{part}>" for part in parts]
        sizes = np.array([len(one) for one in framed])
        starts = np.cumsum(sizes) - sizes
        counts = np.array([np.maximum(sizes - run + 1, 0) for run in NGRAM_SIZES])
        self._counts = counts.sum(axis=0)
        self._first_ngram = np.cumsum(self._counts) - self._counts
        # for each run in order: where in all signs it begins, and its size
        each = counts.T.ravel()
        within = np.arange(each.sum()) - np.repeat(np.cumsum(each) - each, each)
        begins = np.repeat(np.repeat(starts, len(NGRAM_SIZES)), each) + within
        lengths = np.repeat(np.tile(np.array(NGRAM_SIZES), len(parts)), each)
        self.rows = first_row + (_fnv1a_slices("".join(framed), begins, lengths) % buckets).astype(
            np.int64
        )

    def mean(self, table: "Rows") -> "Rows":
        """Of each part, the mean of the rows of its runs."""
        sums = np.zeros((len(self._counts), table.shape[1]), np.float32)
        most = int(self._counts[0])
        live = np.searchsorted(-self._counts, -np.arange(most))  # parts with more runs than that
        for number, count in enumerate(live.tolist()):
            sums[:count] += table.take(self.rows[self._first_ngram[:count] + number], 0)
        found: Rows = sums / self._counts[:, None].astype(np.float32)
        return found


def _fnv1a_slices(text: str, begins: "Numbers", lengths: "Numbers") -> "Hashes":
    """FNV-1a of the stretches of a text, which are given in code points, in UTF-8."""
    raw = np.frombuffer(text.encode(), np.uint8)
    signs = np.append(np.flatnonzero((raw & 0xC0) != 0x80), len(raw))
    at, ends = signs[begins], signs[begins + lengths]
    hashes = np.full(len(at), _FNV_OFFSET)
    for step in range(int((ends - at).max())):
        live = np.flatnonzero(at + step < ends)
        hashes[live] = (hashes[live] ^ raw[at[live] + step]) * _FNV_PRIME
    return hashes
