"""`LiteralKeys`: the names before `:` or `=` in literals and arguments, which may be fields."""

from collections.abc import Sequence
from functools import lru_cache

from feeder.parse.grammars import Capture, Captures
from feeder.parse.relation_names import (
    CACHE_SIZE,
    MODULE_LIMIT,
    CapturedRelation,
    declared_names,
    relation_of,
)
from feeder.relation import LITERAL_KEY, MENTION


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
        start, end = node.start_byte, node.end_byte
        return declared_names[self._content[start:end]] if end - start <= MODULE_LIMIT else ""


@lru_cache(CACHE_SIZE)
def _field_of(name: str, type_name: str) -> CapturedRelation:
    return relation_of(MENTION, name, type_name + LITERAL_KEY)
