"""Which vectors of a table are nearest? All of a scope, as eight-bit numbers, are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from feeder.store import Database, Neighbour, Statement
from feeder.store.scope import EVERYWHERE, INSIDE, INSIDE_PLACES, Scope, params

if TYPE_CHECKING:
    from numpy import float32, int8, intp
    from numpy.typing import NDArray

ROWS_AT_ONCE = 1024
"""Rows turned to float32 at a time: they stay in the core's cache, and below what BLAS gives to
threads, which wait for each other ten times as long as one computes."""
PART = 128
"""Scores of which the highest is found at once."""


class Matrix(NamedTuple):
    """Vectors of n nodes: their keys, scales (n,) float32 and codes (n, dimensions) int8."""

    keys: Sequence[str | int]
    scales: NDArray[float32]
    codes: NDArray[int8]


class Nearest:
    """Compares with the vectors that `read` gives; `column` of `docs` is their key, `id` or `seq`.

    Those of a question's length are read once, and once more after `forget`.
    """

    def __init__(self, database: Database, column: str, read: Callable[[int], Matrix]) -> None:
        self._database = database
        self._column = f"d.{column}"
        self._read = read
        self._matrix: Matrix | None = None
        self._chosen: tuple[Scope, NDArray[intp]] | None = None

    def forget(self) -> None:
        """What has been read is no longer so."""
        self._matrix = self._chosen = None

    def query(self, vector: NDArray[float32], limit: int, scope: Scope) -> list[Neighbour]:
        """The nearest by cosine, the best first; their keys as texts.

        To find which are in the scope takes up to 0.2 s of 120,000, once for questions of one scope
        in a row.
        """
        import numpy as np

        self._matrix = self._matrix or self._read(len(vector))
        keys, scales, codes = self._matrix
        places = self._places(keys, scope)
        if not len(places):
            return []
        parts = [codes[rows] @ vector * scales[rows] for rows in _rows(len(keys), places)]
        scores = np.concatenate(parts)
        if len(scores) > len(places):
            scores = scores[places]
        best = _highest(scores, limit)
        return [Neighbour(str(keys[places[at]]), float(scores[at])) for at in best]

    def _places(self, keys: Sequence[str | int], scope: Scope) -> NDArray[intp]:
        """The rows of the nodes in the scope, in order."""
        if self._chosen is None or self._chosen[0] != scope:
            self._chosen = scope, self._found(keys, scope)
        return self._chosen[1]

    def _found(self, keys: Sequence[str | int], scope: Scope) -> NDArray[intp]:
        import numpy as np

        where = params(scope)
        [[everywhere]] = self._database.run([Statement(EVERYWHERE, (None, *where))])
        if everywhere[0]:
            return np.arange(len(keys), dtype=np.intp)
        text = (INSIDE_PLACES if scope.is_listed else INSIDE).format(column=self._column)
        [nodes] = self._database.run([Statement(text, (None, *where))])
        inside = {node[0] for node in nodes}
        return np.array([row for row, key in enumerate(keys) if key in inside], dtype=np.intp)


def _rows(count: int, places: NDArray[intp]) -> Iterator[slice | NDArray[intp]]:
    """These rows in parts; all of so many where they are half: picking takes twice the time."""
    are_many = len(places) * 2 > count
    for at in range(0, count if are_many else len(places), ROWS_AT_ONCE):
        part = slice(at, at + ROWS_AT_ONCE)
        yield part if are_many else places[part]


def _highest(scores: NDArray[float32], limit: int) -> NDArray[intp]:
    """Where the highest scores stand, at most `limit`, the first of equal ones first."""
    import numpy as np

    places = np.flatnonzero(scores >= _least(_least_of_many(scores, limit), limit))
    return places[np.argsort(-scores[places], kind="stable")[:limit]]


def _least(scores: NDArray[float32], limit: int) -> float32:
    """The lowest of the highest scores."""
    import numpy as np

    return np.partition(scores, -limit)[-limit] if limit < len(scores) else np.float32(-np.inf)


def _least_of_many(scores: NDArray[float32], limit: int) -> NDArray[float32]:
    """The scores that may be among the highest: as many parts as are wanted have one so high.

    To find the lowest of the highest among all takes ten times as long.
    """
    parts = scores[: len(scores) // PART * PART].reshape(-1, PART).max(axis=1)
    return scores[scores >= _least(parts, limit)]
