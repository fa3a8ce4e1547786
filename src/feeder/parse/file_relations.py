"""`FileRelations`: the relations of a file by its lines, of which each node takes its part."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from feeder.parse.relation_names import CapturedRelation, Site
from feeder.relation import LITERAL_KEY, PARAMETER, RETURNS, VISIBILITY

_SIGNATURE_KINDS = frozenset({PARAMETER, RETURNS, VISIBILITY})


class FileRelations:
    """The relations of a file with their lines, for the encoding of a node's part of them."""

    def __init__(self, sites: Sequence[Site], lines: Sequence[int]) -> None:
        self._starts, self._relations = map(list, zip(*sites, strict=True))
        self._lines = lines
        self._of_signatures = [
            index
            for index, relation in enumerate(self._relations)
            if relation[0] in _SIGNATURE_KINDS
        ]

    def within(
        self, ranges: Iterable[tuple[int, int]], body: int | None, name_end: int
    ) -> tuple[list[CapturedRelation], list[int]]:
        """The relations of a declaration in ranges of byte offsets, and their lines.

        Parameters and the like belong to the declaration only where they precede its `body`. The
        key of an object that is the declaration's own name is left out: `add: () => 1`.
        """
        starts, of_signatures = self._starts, self._of_signatures
        own_key = self._own_key(name_end)
        relations: list[CapturedRelation] = []
        lines: list[int] = []
        for start, end in ranges:
            first, last = bisect_left(starts, start), bisect_left(starts, end)
            in_body = first if body is None else bisect_left(starts, body, first, last)
            left_out = of_signatures[
                bisect_left(of_signatures, in_body) : bisect_left(of_signatures, last)
            ]
            if own_key in range(first, last):
                left_out = sorted([*left_out, own_key])
            for index in [*left_out, last]:
                relations += self._relations[first:index]
                lines += self._lines[first:index]
                first = index + 1
        return relations, lines

    def _own_key(self, end: int) -> int:
        """The index of the key of an object that ends at an offset; -1 if there is none."""
        index = bisect_left(self._starts, end) - 1
        if index < 0 or self._relations[index].qualifier != LITERAL_KEY:
            return -1
        size = len(self._relations[index].name.encode())
        return index if self._starts[index] + size == end else -1
