"""Finds the nearest vectors of a scope by exhaustive comparison of int8 codes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from feeder.store import Database, Neighbour, Statement, Value
from feeder.store.scope import (
    COLUMN_IN_PATHS,
    COLUMN_IN_SCOPE,
    IS_UNRESTRICTED,
    Scope,
    scope_params,
)

if TYPE_CHECKING:
    from numpy import float32, int8, intp
    from numpy.typing import NDArray

BLOCK_ROWS = 1024
"""Rows turned to float32 at a time: they stay in the core's cache, and below what BLAS gives to
threads, which wait for each other ten times as long as one computes."""
SCORE_GROUP = 128
"""Scores of which the highest is found at once."""


class Block(NamedTuple):
    """Vectors of n nodes: their keys, scales (n,) float32 and codes (n, dimensions) int8."""

    keys: Sequence[str | int]
    scales: NDArray[float32]
    codes: NDArray[int8]


class ScopeSelection(NamedTuple):
    """The keys of a scope's nodes, None for all; of each block that was met, which rows they are,
    in order, None for all of them."""

    scope: Scope
    keys: set[Value] | None
    rows: list[NDArray[intp] | None]


class VectorSearch:
    """Compares with the vectors that `read` gives; `column` of `docs` is their key, `id` or `seq`.

    They come in blocks of `ROWS_AT_ONCE`, the last of the rest, in the order of their keys. Those
    of a question's length are read once, each compared as it comes, and once more after `forget`.
    """

    def __init__(
        self, database: Database, column: str, read_blocks: Callable[[int], Iterator[Block]]
    ) -> None:
        self._database = database
        self._column = f"d.{column}"
        self._read_blocks = read_blocks
        self._blocks: Sequence[Block] | None = None
        self._selection: ScopeSelection | None = None

    def invalidate(self) -> None:
        """What has been read is no longer so."""
        self._blocks = self._selection = None

    def query(self, vector: NDArray[float32], limit: int, scope: Scope) -> list[Neighbour]:
        """The nearest by cosine, the best first; their keys as texts.

        To find which are in the scope takes up to 0.2 s of 120,000, once for questions of one scope
        in a row.
        """
        import numpy as np

        chosen = self._select(scope)
        blocks, parts = [], []
        for number, block in enumerate(self._iterate_blocks(len(vector))):
            if number == len(chosen.rows):
                chosen.rows.append(_selected_rows(block, chosen.keys))
            blocks.append(block)
            parts.append(_cosine_scores(block, chosen.rows[number], vector))
        if not parts:
            return []
        scores = np.concatenate(parts)
        ends = np.cumsum([len(part) for part in parts])
        return [
            Neighbour(str(_key_at(blocks, chosen.rows, ends, at)), float(scores[at]))
            for at in _top_positions(scores, limit).tolist()
        ]

    def _iterate_blocks(self, dimensions: int) -> Iterator[Block]:
        """The blocks, read where they are not yet."""
        if self._blocks is not None:
            yield from self._blocks
            return
        blocks = []
        for block in self._read_blocks(dimensions):
            blocks.append(block)
            yield block
        self._blocks = blocks

    def _select(self, scope: Scope) -> ScopeSelection:
        if self._selection is None or self._selection.scope != scope:
            self._selection = ScopeSelection(scope, self._keys_in_scope(scope), [])
        return self._selection

    def _keys_in_scope(self, scope: Scope) -> set[Value] | None:
        where = scope_params(scope)
        [[everywhere]] = self._database.run([Statement(IS_UNRESTRICTED, (None, *where))])
        if everywhere[0]:
            return None
        text = (COLUMN_IN_PATHS if scope.has_literal_paths_only else COLUMN_IN_SCOPE).format(
            column=self._column
        )
        [nodes] = self._database.run([Statement(text, (None, *where))])
        return {node[0] for node in nodes}


def _selected_rows(block: Block, keys: set[Value] | None) -> NDArray[intp] | None:
    """Which rows of a block have one of these keys; None for all."""
    import numpy as np

    if keys is None:
        return None
    return np.array([row for row, key in enumerate(block.keys) if key in keys], dtype=np.intp)


def _cosine_scores(
    block: Block, rows: NDArray[intp] | None, vector: NDArray[float32]
) -> NDArray[float32]:
    """Of these rows; of all where they are half, since picking takes twice the time."""
    if rows is None:
        return block.codes @ vector * block.scales
    if len(rows) * 2 > len(block.keys):
        scores: NDArray[float32] = (block.codes @ vector * block.scales)[rows]
        return scores
    return block.codes[rows] @ vector * block.scales[rows]


def _key_at(
    blocks: Sequence[Block],
    rows: Sequence[NDArray[intp] | None],
    ends: NDArray[intp],
    position: int,
) -> str | int:
    """That of the vector with this place among all scores, of which each block's end so."""
    number = int(ends.searchsorted(position, side="right"))
    row = position - int(ends[number - 1] if number else 0)
    chosen = rows[number]
    return blocks[number].keys[row if chosen is None else int(chosen[row])]


def _top_positions(scores: NDArray[float32], limit: int) -> NDArray[intp]:
    """Where the highest scores stand, at most `limit`, the first of equal ones first."""
    import numpy as np

    places = np.flatnonzero(scores >= _lowest_of_top(_top_candidates(scores, limit), limit))
    return places[np.argsort(-scores[places], kind="stable")[:limit]]


def _lowest_of_top(scores: NDArray[float32], limit: int) -> float32:
    """The lowest of the highest scores."""
    import numpy as np

    return np.partition(scores, -limit)[-limit] if limit < len(scores) else np.float32(-np.inf)


def _top_candidates(scores: NDArray[float32], limit: int) -> NDArray[float32]:
    """The scores that may be among the highest: as many parts as are wanted have one so high.

    To find the lowest of the highest among all takes ten times as long.
    """
    parts = scores[: len(scores) // SCORE_GROUP * SCORE_GROUP].reshape(-1, SCORE_GROUP).max(axis=1)
    return scores[scores >= _lowest_of_top(parts, limit)]
