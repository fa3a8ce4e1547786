"""`LocalNames`: the local variables of a file, which no mention of another definition can be."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from feeder.parse.grammars import Capture

_INITIALIZER = re.compile(rb"[^=\n,;{})]{0,60}(?<![!<>])(?::=|=(?![=>]))[^=\n,;{})\]]{0,120}")
"""What stands between a variable and a name in its initial value: `val x: Int = 2 * x`."""

MAX_INITIAL_BYTES = 180
"""Bytes between a variable and a name in its initial value that are compared."""


ByteRange = tuple[int, int]
"""The first byte of a node, and the one behind its last."""


class LocalNames:
    """The declarations of local variables, and the scopes in which they are valid."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._starts: defaultdict[bytes, list[int]] = defaultdict(list)
        self._ranges: defaultdict[bytes, list[ByteRange]] = defaultdict(list)
        self._bounded: set[int] = set()
        self.scopes: list[ByteRange] = []
        self.unscoped: set[bytes] = set()
        """The names of variables outside of any scope, after `remove_from`."""

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
        self.scopes.append(byte_range(node))

    def remove_from(
        self, mentions: dict[bytes, list[int]], names: Iterable[bytes], declared: set[int]
    ) -> None:
        """Removes the mentions of some names that are local variables; these are offsets.

        A variable whose function is a node, as `ping := func() { … }`, keeps its mentions: its
        offset is one of the `declared`. In its initial value, a name of its own means what is
        outside: `val total = total`, `if let cart = cart`.
        """
        unbounded = {
            start: name
            for name in names
            for start in self._starts.get(name, ())
            if start not in self._bounded
        }
        for start, (_, end) in with_scopes(unbounded, self.scopes):
            self._ranges[unbounded.pop(start)].append((start, end))
        self.unscoped.update(unbounded.values())
        for name in names:
            starts = set(self._starts.get(name, ()))
            if not starts.issubset(declared):
                ranges = sorted(self._ranges.get(name, ()))
                firsts = [first for first, _ in ranges]
                ends = list(accumulate((end for _, end in ranges), max))
                others = sorted(start for start in mentions[name] if start not in starts)
                initial = self._in_initial_values(len(name), starts - self._bounded, others)
                mentions[name] = [
                    start
                    for start in others
                    if not (index := _count_before(firsts, start, initial.get(start)))
                    or ends[index - 1] <= start
                ]

    def _in_initial_values(
        self, size: int, starts: Iterable[int], mentions: Sequence[int]
    ) -> dict[int, int]:
        """The mentions in the initial value of a variable of the same name, each with the
        variable's own offset.
        """
        initial = {}
        for start in starts:
            for mention in mentions[bisect_left(mentions, start) :]:
                if mention - start > MAX_INITIAL_BYTES or not _INITIALIZER.fullmatch(
                    self._content, start + size, mention
                ):
                    break
                initial[mention] = start
        return initial


def _count_before(firsts: Sequence[int], start: int, variable: int | None) -> int:
    """The number of ranges that begin before a mention, or before the variable of its value."""
    return bisect_right(firsts, start) if variable is None else bisect_left(firsts, variable)


def byte_range(node: Capture) -> ByteRange:
    """The first byte of a capture, and the one after its last."""
    return node.start_byte, node.end_byte


def with_scopes(
    starts: Iterable[int], scopes: Iterable[ByteRange]
) -> Iterator[tuple[int, ByteRange]]:
    """Yields each offset that is in a scope, with the innermost one around it."""
    # of scopes that begin at one offset, the innermost comes last
    following = sorted(scopes, key=lambda scope: (-scope[0], scope[1]))
    around: list[ByteRange] = []
    for start in sorted(starts):  # a copy: the caller may remove what it was given
        while following and following[-1][0] <= start:
            around.append(following.pop())
        while around and around[-1][1] <= start:
            around.pop()
        if around:
            yield start, around[-1]
