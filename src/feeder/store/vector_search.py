"""Finds the nearest vectors of a scope by exhaustive comparison of int8 codes.

simsimd multiplies the codes. A process that searches once would spend more time on importing numpy
than on the comparison.
"""

from __future__ import annotations

import math
import sys
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from feeder.errors import UserError
from feeder.store import Database, Neighbour, Statement, Value
from feeder.store.scope import Scope, scope_params
from feeder.store.scope_sql import COLUMN_IN_PATHS, COLUMN_IN_SCOPE, IS_UNRESTRICTED

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    QueryVector = Sequence[float] | NDArray[float32]

BLOCK_ROWS = 4096
"""Rows that are read and compared at a time."""
FEW_ROWS_SHARE = 8
"""If at most one in so many rows of a block is in the scope, only these are copied and compared."""
_LEVELS, _MIDDLE_LEVEL = 125, 128
"""Bytes for positive scores, as many as for negative ones, and the byte of a score of 0."""
_NO_FRACTION, _SECOND_BYTE = 2.0**52, 1 << 15
"""A float64 above the first is an integer, and its lowest bytes are the integer's. The second one
is changed by an integer that does not fit into the lowest."""
_LOWEST_BYTES = (0, 1) if sys.byteorder == "little" else (7, 6)
_DIGITS = 3
_DIGIT_STEPS = 254
"""Steps of one digit of a query's number: twice the largest code."""


class Block:
    """Vectors of n nodes: keys, n scales of type "d", and n rows of int8 codes of equal size.

    All scales are finite. A row may have other bytes before its codes.
    """

    def __init__(self, keys: Sequence[str | int], scales: array[float], rows: bytes) -> None:
        self.keys, self.scales, self.rows = keys, scales, rows
        self.row_bytes = len(rows) // len(keys)
        self.largest_scale = max(scales)


class ScopeSelection(NamedTuple):
    """The keys of a scope's nodes, None for all, and their rows in each block read so far."""

    scope: Scope
    keys: set[Value] | None
    rows: list[list[int] | None]


class _QueryCodes:
    """A query's numbers as a sum of three int8 codes with decreasing scales.

    Their products with a row's codes are exact integers. What the three leave out of a number is at
    most its scale / 254² / 2, less than the rounding of float32.
    """

    def __init__(self, vector: QueryVector, row_bytes: int) -> None:
        """`row_bytes` is the size of a row in a block, whose last bytes are the codes."""
        rest = array("d", vector)
        step = self._step = max(map(abs, rest), default=0.0) / 127 or 1.0
        self._row_bytes = row_bytes
        self._codes, rest_lengths = b"", []
        for _ in range(_DIGITS):
            digit = list(map(round, [value / step for value in rest]))  # at most ±127
            rest = array(
                "d", (value - code * step for value, code in zip(rest, digit, strict=True))
            )
            rest_lengths.append(math.hypot(*rest))
            self._codes += bytes(row_bytes - len(digit)) + array("b", digit).tobytes()
            step /= _DIGIT_STEPS
        self._first_length = math.hypot(*vector) + rest_lengths[0]
        self._first_rest = rest_lengths[0]
        self._dimensions = len(rest)

    def largest_error(self, largest_scale: float) -> float:
        """Returns how far a score by `first_scores` may be from the exact one.

        By Cauchy and Schwarz that is the length of the first code's rest times that of the row: a
        unit vector, of which each number was rounded by at most half of a scale.
        """
        return self._first_rest * (1 + math.sqrt(self._dimensions) * largest_scale / 2)

    def score_sizes(self, largest_scale: float) -> tuple[float, float]:
        """Returns what no score by `first_scores` of a unit vector exceeds, and none of any row.

        By Cauchy and Schwarz that is the product of the lengths.
        """
        row_length = largest_scale * 128 * math.sqrt(self._dimensions)
        return self._first_length, self._first_length * row_length

    def first_scores(self, block: Block) -> array[float]:
        """Returns the approximate cosine similarity of each row, by the query's first code."""
        return _scaled(self._products(block, 1)[0], block.scales, self._step)

    def scores(self, block: Block) -> array[float]:
        """Returns the cosine similarity of each row, with an error below 1e-6."""
        first, *lower = self._products(block, _DIGITS)
        for power, digit in enumerate(lower, 1):
            sum_ = load_simsimd().wsum(first, digit, alpha=1.0, beta=_DIGIT_STEPS**-power)
            first = memoryview(sum_)
        return _scaled(first, block.scales, self._step)

    def _products(self, block: Block, digits: int) -> list[memoryview[float]]:
        """Returns for each of the query's first codes the products with all rows, float64."""
        count = len(block.keys)
        codes = memoryview(self._codes)[: digits * self._row_bytes]
        products = load_simsimd().cdist(
            codes.cast("b", (digits, self._row_bytes)),
            memoryview(block.rows).cast("b", (count, self._row_bytes)),
            "dot",
            threads=1,
        )
        values = memoryview(products).cast("B").cast("d")
        return [values[at * count : (at + 1) * count] for at in range(digits)]


def _scaled(products: memoryview[float], scales: array[float], step: float) -> array[float]:
    """Returns products · scales · step."""
    scaled = load_simsimd().fma(products, scales, products, alpha=step, beta=0.0)
    return array("d", memoryview(scaled).cast("B").tobytes())


class _ScopedBlock(NamedTuple):
    """The rows of a block that are in the scope, None for all.

    `start` is the position of their first score in the list of all blocks' scores.
    """

    start: int
    block: Block
    rows: list[int] | None

    def first_scores(self, codes: _QueryCodes) -> array[float]:
        """Computes approximate scores of these rows; of all, then selected, unless they are few."""
        if self.rows is None:
            return codes.first_scores(self.block)
        if not self.rows:
            return array("d")
        if len(self.rows) * FEW_ROWS_SHARE > len(self.block.keys):
            return array("d", map(codes.first_scores(self.block).__getitem__, self.rows))
        return codes.first_scores(_gather_rows([_ScopedBlock(0, self.block, None)], self.rows))


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
        self._dimensions = 0
        self._selection: ScopeSelection | None = None

    def invalidate(self) -> None:
        """Discards all blocks: vectors have changed."""
        self._blocks = self._selection = None

    def query(self, vector: QueryVector, limit: int, scope: Scope) -> list[Neighbour]:
        """Returns the nearest by cosine similarity, the best first, with their keys as strings.

        Finding a scope's nodes takes up to 0.2 s for 120,000 nodes; consecutive queries of one
        scope share it.
        """
        if not math.isfinite(math.hypot(*vector)):
            return []
        if len(vector) != self._dimensions:
            self.invalidate()
            self._dimensions = len(vector)
        selection = self._select(scope)
        codes = None
        largest_scale = 0.0
        scores = array("d")
        blocks: list[_ScopedBlock] = []
        for number, block in enumerate(self._iterate_blocks(len(vector))):
            if number == len(selection.rows):
                selection.rows.append(_selected_rows(block, selection.keys))
            blocks.append(_ScopedBlock(len(scores), block, selection.rows[number]))
            codes = codes or _QueryCodes(vector, block.row_bytes)
            largest_scale = max(largest_scale, block.largest_scale)
            scores += blocks[-1].first_scores(codes)
        if codes is None or not scores:
            return []
        candidates = _candidates(
            scores,
            limit,
            tolerance=2 * codes.largest_error(largest_scale),
            sizes=codes.score_sizes(largest_scale),
        )
        nearest = _gather_rows(blocks, candidates)
        exact = codes.scores(nearest)
        order = sorted(range(len(exact)), key=exact.__getitem__, reverse=True)[:limit]
        return [Neighbour(str(nearest.keys[at]), exact[at]) for at in order]

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


def load_simsimd() -> Any:
    """Imports the library, which is compiled; raises UserError where it does not load."""
    try:
        import simsimd
    except ImportError as exc:
        raise UserError(
            f"Vectors cannot be compared: the package simsimd cannot be loaded ({exc}).",
            "Install feeder again, or use --no-vectors.",
        ) from exc
    return simsimd


def _selected_rows(block: Block, keys: set[Value] | None) -> list[int] | None:
    """Returns the rows of a block with one of these keys; None for all."""
    if keys is None:
        return None
    return [row for row, key in enumerate(block.keys) if key in keys]


def _candidates(
    scores: array[float], limit: int, *, tolerance: float, sizes: Sequence[float]
) -> list[int]:
    """Returns in order the positions of scores at most `tolerance` below the `limit`-th highest.

    `sizes` are bounds for the size of a score, the usual one first. To make an object of each score
    takes longer than everything else, so all are compared by one byte, and the highest as numbers.
    """
    levels, steps = _levels(scores, sizes)

    def has_too_few(level: int) -> bool:
        return len(levels.translate(None, delete=bytes(range(level)))) < limit

    level = bisect_left(range(1, 256), True, key=has_too_few)
    near = _positions(levels, max(0, math.floor(level - tolerance * steps) - 1))
    near_scores = [scores[at] for at in near]
    bound = sorted(near_scores)[-min(limit, len(near))] - tolerance
    return [at for at, score in zip(near, near_scores, strict=True) if score >= bound]


def _levels(scores: array[float], sizes: Sequence[float]) -> tuple[bytes, float]:
    """Returns for each score the integer nearest to 128 + score · steps, as a byte, and the steps.

    The steps are those of the first size for which all integers have one byte. That of a score a
    hundred times the usual size, of a damaged row, may be wrong.
    """
    levels, steps = b"", 0.0
    middle = array("d", [_NO_FRACTION + _SECOND_BYTE + _MIDDLE_LEVEL]) * len(scores)
    for size in sizes:
        steps = _LEVELS / size if size else 0.0
        sums = load_simsimd().wsum(scores, middle, alpha=steps, beta=1.0)
        raw = memoryview(sums).cast("B").tobytes()
        levels, upper = (raw[at::8] for at in _LOWEST_BYTES)
        if upper == bytes([_SECOND_BYTE >> 8]) * len(scores):
            break
    return levels, steps


def _positions(levels: bytes, lowest: int) -> list[int]:
    """Returns the positions of the levels from `lowest` on."""
    marked = levels.translate(bytes(lowest) + b"\1" * (256 - lowest))
    positions: list[int] = []
    at = marked.find(1)
    while at >= 0:
        positions.append(at)
        at = marked.find(1, at + 1)
    return positions


def _gather_rows(blocks: Sequence[_ScopedBlock], positions: Sequence[int]) -> Block:
    """Copies the rows at these ascending positions of the scores, at least one, into one block."""
    keys: list[str | int] = []
    scales, codes = array("d"), []
    ends = [bisect_left(positions, block.start) for block in blocks[1:]]
    for scoped, (first, end) in zip(blocks, pairwise([0, *ends, len(positions)]), strict=True):
        block, selected = scoped.block, scoped.rows
        rows = [position - scoped.start for position in positions[first:end]]
        if selected is not None:
            rows = [selected[row] for row in rows]
        keys += [block.keys[row] for row in rows]
        scales.extend([block.scales[row] for row in rows])
        size = block.row_bytes
        codes += [block.rows[row * size : (row + 1) * size] for row in rows]
    return Block(keys, scales, b"".join(codes))
