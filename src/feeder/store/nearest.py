"""Which vectors of a table are nearest? All of a scope, as eight-bit numbers, are compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from feeder.store import Database, Neighbour, Statement, Value
from feeder.store.scope import EVERYWHERE, INSIDE, INSIDE_PLACES, Scope, params

if TYPE_CHECKING:
    from numpy import float32, int8, intp
    from numpy.typing import NDArray

ROWS_AT_ONCE = 1024
"""Rows turned to float32 at a time: they stay in the core's cache, and below what BLAS gives to
threads, which wait for each other ten times as long as one computes."""
PART = 128
"""Scores of which the highest is found at once."""


class Block(NamedTuple):
    """Vectors of n nodes: their keys, scales (n,) float32 and codes (n, dimensions) int8."""

    keys: Sequence[str | int]
    scales: NDArray[float32]
    codes: NDArray[int8]


class Chosen(NamedTuple):
    """The keys of a scope's nodes, None for all; of each block that was met, which rows they are,
    in order, None for all of them."""

    scope: Scope
    keys: set[Value] | None
    rows: list[NDArray[intp] | None]


class Nearest:
    """Compares with the vectors that `read` gives; `column` of `docs` is their key, `id` or `seq`.

    They come in blocks of `ROWS_AT_ONCE`, the last of the rest, in the order of their keys. Those
    of a question's length are read once, each compared as it comes, and once more after `forget`.
    """

    def __init__(
        self, database: Database, column: str, read: Callable[[int], Iterator[Block]]
    ) -> None:
        self._database = database
        self._column = f"d.{column}"
        self._read = read
        self._blocks: Sequence[Block] | None = None
        self._chosen: Chosen | None = None

    def forget(self) -> None:
        """What has been read is no longer so."""
        self._blocks = self._chosen = None

    def query(self, vector: NDArray[float32], limit: int, scope: Scope) -> list[Neighbour]:
        """The nearest by cosine, the best first; their keys as texts.

        To find which are in the scope takes up to 0.2 s of 120,000, once for questions of one scope
        in a row.
        """
        import numpy as np

        chosen = self._choose(scope)
        blocks, parts = [], []
        for number, block in enumerate(self._met(len(vector))):
            if number == len(chosen.rows):
                chosen.rows.append(_rows(block, chosen.keys))
            blocks.append(block)
            parts.append(_scores(block, chosen.rows[number], vector))
        if not parts:
            return []
        scores = np.concatenate(parts)
        ends = np.cumsum([len(part) for part in parts])
        return [
            Neighbour(str(_key(blocks, chosen.rows, ends, at)), float(scores[at]))
            for at in _highest(scores, limit).tolist()
        ]

    def _met(self, dimensions: int) -> Iterator[Block]:
        """The blocks, read where they are not yet."""
        if self._blocks is not None:
            yield from self._blocks
            return
        blocks = []
        for block in self._read(dimensions):
            blocks.append(block)
            yield block
        self._blocks = blocks

    def _choose(self, scope: Scope) -> Chosen:
        if self._chosen is None or self._chosen.scope != scope:
            self._chosen = Chosen(scope, self._inside(scope), [])
        return self._chosen

    def _inside(self, scope: Scope) -> set[Value] | None:
        where = params(scope)
        [[everywhere]] = self._database.run([Statement(EVERYWHERE, (None, *where))])
        if everywhere[0]:
            return None
        text = (INSIDE_PLACES if scope.is_listed else INSIDE).format(column=self._column)
        [nodes] = self._database.run([Statement(text, (None, *where))])
        return {node[0] for node in nodes}


def _rows(block: Block, keys: set[Value] | None) -> NDArray[intp] | None:
    """Which rows of a block have one of these keys; None for all."""
    import numpy as np

    if keys is None:
        return None
    return np.array([row for row, key in enumerate(block.keys) if key in keys], dtype=np.intp)


def _scores(block: Block, rows: NDArray[intp] | None, vector: NDArray[float32]) -> NDArray[float32]:
    """Of these rows; of all where they are half, since picking takes twice the time."""
    if rows is None:
        return block.codes @ vector * block.scales
    if len(rows) * 2 > len(block.keys):
        scores: NDArray[float32] = (block.codes @ vector * block.scales)[rows]
        return scores
    return block.codes[rows] @ vector * block.scales[rows]


def _key(
    blocks: Sequence[Block],
    rows: Sequence[NDArray[intp] | None],
    ends: NDArray[intp],
    at: int,
) -> str | int:
    """That of the vector with this place among all scores, of which each block's end so."""
    number = int(ends.searchsorted(at, side="right"))
    row = at - int(ends[number - 1] if number else 0)
    chosen = rows[number]
    return blocks[number].keys[row if chosen is None else int(chosen[row])]


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
