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
"""Rows that are converted to float32 at a time.

They fit into the core's cache, and are too few for BLAS to use threads, whose synchronization takes
ten times as long as the computation on one core.
"""
SCORE_GROUP = 128
"""Scores of a group, of which the maximum is computed first."""


class Block(NamedTuple):
    """Vectors of n nodes: keys, scales (n,) float32 and codes (n, dimensions) int8."""

    keys: Sequence[str | int]
    scales: NDArray[float32]
    codes: NDArray[int8]


class ScopeSelection(NamedTuple):
    """The keys of a scope's nodes, None for all, and their rows in each block read so far."""

    scope: Scope
    keys: set[Value] | None
    rows: list[NDArray[intp] | None]


class VectorSearch:
    """Compares a query with all vectors of a scope.

    `read_blocks` yields the vectors of a number of dimensions in blocks of `BLOCK_ROWS`, in the
    order of their keys, which are in `column` of `docs`: `id` or `seq`. Blocks are read once,
    compared as they arrive, and read again after `invalidate`.
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
        """Discards all blocks: vectors have changed."""
        self._blocks = self._selection = None

    def query(self, vector: NDArray[float32], limit: int, scope: Scope) -> list[Neighbour]:
        """Returns the nearest by cosine similarity, the best first, with their keys as strings.

        Finding a scope's nodes takes up to 0.2 s for 120,000 nodes; consecutive queries of one
        scope share it.
        """
        import numpy as np

        selection = self._select(scope)
        blocks, score_parts = [], []
        for number, block in enumerate(self._iterate_blocks(len(vector))):
            if number == len(selection.rows):
                selection.rows.append(_selected_rows(block, selection.keys))
            blocks.append(block)
            score_parts.append(_cosine_scores(block, selection.rows[number], vector))
        if not score_parts:
            return []
        scores = np.concatenate(score_parts)
        ends = np.cumsum([len(part) for part in score_parts])
        return [
            Neighbour(str(_key_at(blocks, selection.rows, ends, at)), float(scores[at]))
            for at in _top_positions(scores, limit).tolist()
        ]

    def _iterate_blocks(self, dimensions: int) -> Iterator[Block]:
        """Yields the blocks, reading them if needed."""
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
        params = (None, *scope_params(scope))
        [[(is_unrestricted,)]] = self._database.run([Statement(IS_UNRESTRICTED, params)])
        if is_unrestricted:
            return None
        sql = (COLUMN_IN_PATHS if scope.has_literal_paths_only else COLUMN_IN_SCOPE).format(
            column=self._column
        )
        [rows] = self._database.run([Statement(sql, params)])
        return {row[0] for row in rows}


def _selected_rows(block: Block, keys: set[Value] | None) -> NDArray[intp] | None:
    """Returns the rows of a block with one of these keys; None for all."""
    import numpy as np

    if keys is None:
        return None
    return np.array([row for row, key in enumerate(block.keys) if key in keys], dtype=np.intp)


def _cosine_scores(
    block: Block, rows: NDArray[intp] | None, vector: NDArray[float32]
) -> NDArray[float32]:
    """Computes the scores of these rows; of all, then selected, if they are more than half.

    Selecting first takes twice as long a row.
    """
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
    """Returns the key of the vector at a position in the concatenated scores.

    `ends` are the positions at which the blocks end.
    """
    number = int(ends.searchsorted(position, side="right"))
    row = position - int(ends[number - 1] if number else 0)
    selected = rows[number]
    return blocks[number].keys[row if selected is None else int(selected[row])]


def _top_positions(scores: NDArray[float32], limit: int) -> NDArray[intp]:
    """Returns the positions of the highest scores, at most `limit`; ties in their order."""
    import numpy as np

    positions = np.flatnonzero(scores >= _lowest_of_top(_top_candidates(scores, limit), limit))
    return positions[np.argsort(-scores[positions], kind="stable")[:limit]]


def _lowest_of_top(scores: NDArray[float32], limit: int) -> float32:
    """Returns the `limit`-th highest score."""
    import numpy as np

    return np.partition(scores, -limit)[-limit] if limit < len(scores) else np.float32(-np.inf)


def _top_candidates(scores: NDArray[float32], limit: int) -> NDArray[float32]:
    """Returns the scores that may be among the highest `limit`.

    As many group maxima reach the bound. Finding the bound among all scores takes ten times as
    long.
    """
    whole_groups = scores[: len(scores) // SCORE_GROUP * SCORE_GROUP]
    maxima = whole_groups.reshape(-1, SCORE_GROUP).max(axis=1)
    return scores[scores >= _lowest_of_top(maxima, limit)]
