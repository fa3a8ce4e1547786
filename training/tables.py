"""Reads the tables of initial word vectors that `nomic.py` and `minilm.py` write."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Rows = npt.NDArray[np.float32]


class Table(NamedTuple):
    """Words and their vectors: (words, dimensions), centred and of length 1."""

    words: list[str]
    vectors: Rows

    def of(self, requested: list[str]) -> Rows:
        row_of = {word: at for at, word in enumerate(self.words)}
        return self.vectors[[row_of[word] for word in requested]]


def word_vectors(paths: str) -> Table:
    """Reads the tables at comma-separated paths and joins their words and dimensions."""
    table, *others = map(_read, paths.split(","))
    for other in others:
        table = _join(table, other)
    return table


def _read(path: str) -> Table:
    file = np.load(path)
    vectors = file["vectors"].astype(np.float32)
    vectors -= vectors.mean(0)
    return Table([str(word) for word in file["words"]], _unit(vectors))


def _unit(rows: Rows) -> Rows:
    return np.asarray(rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-9), np.float32)


def _join(one: Table, other: Table) -> Table:
    """Joins two tables; vectors that one lacks are predicted from the words that both have."""
    words_of_one, words_of_other = set(one.words), set(other.words)
    shared = [word for word in one.words if word in words_of_other]
    only_one = [word for word in one.words if word not in words_of_other]
    only_other = [word for word in other.words if word not in words_of_one]
    left = [
        one.of(shared),
        one.of(only_one),
        _predict(other.of(shared), one.of(shared), other.of(only_other)),
    ]
    right = [
        other.of(shared),
        _predict(one.of(shared), other.of(shared), one.of(only_one)),
        other.of(only_other),
    ]
    vectors = np.hstack([np.concatenate(left), np.concatenate(right)])
    return Table([*shared, *only_one, *only_other], _unit(vectors))


def _predict(inputs: Rows, targets: Rows, new_inputs: Rows, regularization: float = 30.0) -> Rows:
    """Predicts rows for `new_inputs` by a ridge regression from `inputs` to `targets`."""
    inner = inputs.T @ inputs + regularization * np.eye(inputs.shape[1], dtype=np.float32)
    return _unit(new_inputs @ np.linalg.solve(inner, inputs.T @ targets))
