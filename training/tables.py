"""Reads the tables of initial word vectors that `nomic.py` and `minilm.py` write."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.float32]


class Table(NamedTuple):
    """Words and their vectors: (words, dimensions), centred and of length 1."""

    words: list[str]
    vectors: Rows

    def of(self, wanted: list[str]) -> Rows:
        places = {word: at for at, word in enumerate(self.words)}
        return self.vectors[[places[word] for word in wanted]]


def word_vectors(paths: str) -> Table:
    """Reads the tables at comma-separated paths and joins their words and dimensions."""
    table, *others = map(_read, paths.split(","))
    for other in others:
        table = _joined(table, other)
    return table


def _read(path: str) -> Table:
    file = np.load(path)
    given = file["vectors"].astype(np.float32)
    given -= given.mean(0)
    return Table([str(word) for word in file["words"]], _unit(given))


def _unit(rows: Rows) -> Rows:
    return np.asarray(rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9), np.float32)


def _joined(one: Table, other: Table) -> Table:
    """Joins two tables; vectors that one lacks are predicted from the words that both have."""
    known, told = set(one.words), set(other.words)
    both = [word for word in one.words if word in told]
    alone = [word for word in one.words if word not in told]
    new = [word for word in other.words if word not in known]
    left = [one.of(both), one.of(alone), _guessed(other.of(both), one.of(both), other.of(new))]
    right = [other.of(both), _guessed(one.of(both), other.of(both), one.of(alone)), other.of(new)]
    vectors = np.hstack([np.concatenate(left), np.concatenate(right)])
    return Table([*both, *alone, *new], _unit(vectors))


def _guessed(given: Rows, wanted: Rows, of: Rows, firm: float = 30.0) -> Rows:
    """Predicts rows for `of` by a ridge regression from `given` to `wanted`."""
    inner = given.T @ given + firm * np.eye(given.shape[1], dtype=np.float32)
    return _unit(of @ np.linalg.solve(inner, given.T @ wanted))
