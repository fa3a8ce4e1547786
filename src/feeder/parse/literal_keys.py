"""`LiteralKeys`: the names before `:` or `=` in literals and arguments, which may be fields.

`unnamed_members` are the members of classes without a name.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from feeder.parse.grammars import Capture, Captures
from feeder.parse.relation_names import (
    CACHE_SIZE,
    MODULE_LIMIT,
    CapturedRelation,
    declared_names,
    relation_of,
)
from feeder.relation import LITERAL_KEY, MENTION, UNNAMED_MEMBER


class LiteralKeys:
    """The fields that the literals of a file name: `size` in `Cart(size = 3)`.

    `relations` has them by their offsets. `keys` are the offsets of those that mean nothing else:
    in `{ total }`, the name is that of a variable too.
    """

    def __init__(self, content: bytes) -> None:
        self._content = content
        self.relations: dict[int, CapturedRelation] = {}
        self.keys: set[int] = set()

    def add(self, names: Sequence[Capture], *, is_shorthand: bool = False) -> None:
        """Adds the keys of a literal whose type is not written there."""
        for node in names:
            start = node.start_byte
            if not is_shorthand:
                self.keys.add(start)
            if start not in self.relations and (name := self._last_name(node)):
                self.relations[start] = _field_of(name, "")

    def add_fields(self, captures: Captures) -> None:
        """Adds the fields of a type, which `bound` names, if it is written there."""
        bound = captures.get("bound")
        type_name = self._last_name(bound[-1]) if bound else ""
        for node in captures["fields"]:
            start = node.start_byte
            if (type_name or start not in self.relations) and (name := self._last_name(node)):
                self.relations[start] = _field_of(name, type_name)

    def _last_name(self, node: Capture) -> str:
        """The name of a field or a type: `Vec` of `std::Vec<Item>`; empty for a long one."""
        return _last_name(self._content, node)


def unnamed_members(content: bytes, captures: Captures) -> Iterator[tuple[int, CapturedRelation]]:
    """Yields the members that a class without a name declares, with their offsets: `heard` in
    `new Listener() { void heard() {} }`. `bound` names its base.
    """
    base = _last_name(content, captures["bound"][-1])
    for node in captures["overrides"]:
        name = _last_name(content, node)
        if base and name:
            yield node.start_byte, relation_of(MENTION, name, base + UNNAMED_MEMBER)


def _last_name(content: bytes, node: Capture) -> str:
    start, end = node.start_byte, node.end_byte
    return declared_names[content[start:end]] if end - start <= MODULE_LIMIT else ""


@lru_cache(CACHE_SIZE)
def _field_of(name: str, type_name: str) -> CapturedRelation:
    return relation_of(MENTION, name, type_name + LITERAL_KEY)
