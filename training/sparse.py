"""Converts texts to sparse term-count matrices over the model's rows."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from feeder.embedding.static_tokenizer import fnv1a, ngrams

Ints = npt.NDArray[np.int64]


class Vocabulary(NamedTuple):
    """The words with their own row, and the number of hash buckets that other words share."""

    words: list[str]
    buckets: int

    @property
    def rows(self) -> int:
        return len(self.words) + self.buckets

    def spread(self, parts: Sequence[str]) -> sp.csr_matrix:
        """Maps each part to its rows, with weights that sum to 1: (parts, rows)."""
        of = {word: at for at, word in enumerate(self.words)}
        columns, weights, starts = list[int](), list[float](), [0]
        for part in parts:
            if (row := of.get(part)) is not None:
                columns.append(row)
                weights.append(1.0)
            else:
                runs = [len(self.words) + fnv1a(run) % self.buckets for run in ngrams(part)]
                columns += runs
                weights += [1 / len(runs)] * len(runs)
            starts.append(len(columns))
        shape = (len(parts), self.rows)
        return sp.csr_matrix((np.array(weights, np.float32), columns, starts), shape=shape)


def counts(flat: npt.NDArray[np.int32], starts: Ints, spread: sp.csr_matrix) -> sp.csr_matrix:
    """Counts the rows of each text (a slice of `flat`): (texts, rows).

    A part that occurs n times weighs 1 + ln n.
    """
    ones = np.ones(len(flat), np.float32)
    texts = sp.csr_matrix((ones, flat, starts), shape=(len(starts) - 1, spread.shape[0]))
    texts.sum_duplicates()
    texts.data = 1 + np.log(texts.data)
    return sp.csr_matrix(texts @ spread, dtype=np.float32)


def stack(texts: Sequence[Sequence[int]]) -> tuple[npt.NDArray[np.int32], Ints]:
    """Concatenates lists of numbers; returns the flat array and the offsets."""
    flat = np.array([number for text in texts for number in text], np.int32)
    return flat, np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
