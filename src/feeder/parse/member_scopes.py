"""`MemberScopes`: the uses of a type's own members without a receiver, in the body of the type.

In Python, `BLUE = RED` and `def paint(self, color=RED)` in a class use its attribute `RED`. Code of
a method or of a class inside does not see it.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from feeder.parse.grammars import Capture
from feeder.parse.local_names import ByteRange, byte_range, with_scopes

_SIGNS = re.compile(
    rb"\"\"\"[\s\S]*?\"\"\"|'''[\s\S]*?'''|\"(?:[^\"\\\n]|\\[\s\S])*\"|'(?:[^'\\\n]|\\[\s\S])*'"
    rb"|#[^\n]*|\\\r?\n|[()\[\]{}\n;=]"
)
"""Strings, comments, and what ends a statement or assigns."""

VALUE_LIMIT = 50_000
"""Bytes after a name in which the end of its value is looked for."""


class MemberScopes:
    """The bodies of types whose members are used there without a receiver."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._scopes: set[ByteRange] = set()
        self._members: dict[int, bytes] = {}
        self._with_value: set[int] = set()

    def add_scope(self, node: Capture) -> None:
        """Adds the body of a type."""
        self._scopes.add(byte_range(node))

    def declare(self, name: Capture, *, has_value: bool) -> None:
        """Adds a member; `has_value` if it has one without `=`, as a function."""
        start = name.start_byte
        self._members[start] = self._content[start : name.end_byte]
        if has_value:
            self._with_value.add(start)

    def own_uses(
        self, found: Iterable[Mapping[bytes, Sequence[int]]], inner: Iterable[ByteRange]
    ) -> Iterator[tuple[int, bytes]]:
        """Yields the offset and name of each use of a member that a statement above it in the same
        body declares.

        `found` are the offsets of possible uses, by name; `inner` are other scopes, as functions.
        """
        if not self._scopes:
            return
        all_scopes = [*self._scopes, *inner]
        members: defaultdict[tuple[bytes, ByteRange], list[int]] = defaultdict(list)
        for start, scope in with_scopes(self._members, all_scopes):
            if scope in self._scopes:
                members[self._members[start], scope].append(start)
        names = {name for name, _ in members}
        uses = {
            start: name for by_name in found for name in names for start in by_name.get(name, ())
        }
        ends: dict[int, int] = {}
        for start, scope in with_scopes(uses, all_scopes):
            for declared in members.get((uses[start], scope), ()):
                if declared >= start:
                    break
                if declared not in ends:
                    ends[declared] = self._value_end(declared)
                if 0 <= ends[declared] <= start:
                    yield start, uses[start]
                    break

    def _value_end(self, start: int) -> int:
        """The end of the statement that declares a name; -1 for one without a value, `x: int`."""
        depth, has_value = 0, start in self._with_value
        for match in _SIGNS.finditer(self._content, start, start + VALUE_LIMIT):
            sign = match[0]
            if sign in (b"(", b"[", b"{"):
                depth += 1
            elif sign in (b")", b"]", b"}"):
                depth -= 1
            elif depth <= 0 and sign in (b"\n", b";"):
                return match.end() if has_value else -1
            else:
                has_value |= depth <= 0 and sign == b"="
        return -1
