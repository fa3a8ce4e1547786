"""`LocalNames`: the local variables of a file, which no mention of another definition can be."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, KeysView, Sequence
from itertools import accumulate

from feeder.parse.grammars import Capture


class LocalNames:
    """The declarations of local variables, and the scopes in which they are valid."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._starts: defaultdict[bytes, list[int]] = defaultdict(list)
        self._ranges: defaultdict[bytes, list[tuple[int, int]]] = defaultdict(list)
        self._bounded: set[int] = set()
        self._scopes: list[tuple[int, int]] = []

    @property
    def names(self) -> KeysView[bytes]:
        """The names of the variables."""
        return self._starts.keys()

    def add(self, nodes: Sequence[Capture], scope: Sequence[Capture] | None) -> None:
        """Adds variables; without a scope they are valid in the innermost one around them."""
        for node in nodes:
            start = node.start_byte
            name = self._content[start : node.end_byte]
            self._starts[name].append(start)
            if scope:
                self._ranges[name].append(byte_range(scope[0]))
                self._bounded.add(start)

    def add_scope(self, node: Capture) -> None:
        """Adds a scope, such as a function."""
        self._scopes.append(byte_range(node))

    def remove_from(
        self, mentions: dict[bytes, list[int]], names: Iterable[bytes], declared: set[int]
    ) -> None:
        """Removes the mentions of some names that are local variables; these are offsets.

        A variable whose function is a node, as `ping := func() { … }`, keeps its mentions: its
        offset is one of the `declared`.
        """
        unbounded = {
            start: name
            for name in names
            for start in self._starts.get(name, ())
            if start not in self._bounded
        }
        for start, end in _with_scope_ends(unbounded, self._scopes):
            self._ranges[unbounded[start]].append((start, end))
        for name in names:
            starts = set(self._starts.get(name, ()))
            if not starts.issubset(declared):
                ranges = sorted(self._ranges.get(name, ()))
                firsts = [first for first, _ in ranges]
                ends = list(accumulate((end for _, end in ranges), max))
                mentions[name] = [
                    start
                    for start in mentions[name]
                    if start not in starts
                    and (not (index := bisect_right(firsts, start)) or ends[index - 1] <= start)
                ]


def byte_range(node: Capture) -> tuple[int, int]:
    """The first byte of a capture, and the one after its last."""
    return node.start_byte, node.end_byte


def _with_scope_ends(
    starts: Iterable[int], scopes: Iterable[tuple[int, int]]
) -> Iterator[tuple[int, int]]:
    """Yields each offset that is in a scope, with the end of the innermost one around it."""
    following = sorted(scopes, reverse=True)
    ends: list[int] = []
    for start in sorted(starts):
        while following and following[-1][0] <= start:
            ends.append(following.pop()[1])
        while ends and ends[-1] <= start:
            ends.pop()
        if ends:
            yield start, ends[-1]
