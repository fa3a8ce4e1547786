"""A definition among all those that have its name, and what a name means if it is not this one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from feeder.relations.file_facts import FileFacts
from feeder.relations.modules import Definition
from feeder.relations.outcomes import Evidence, Resolution, elsewhere
from feeder.text import last_name


class Namesakes:
    """A definition, and `others`: all definitions of its name, the definition itself among them.

    `is_unique` tells whether no other file can see another one.
    """

    def __init__(self, definition: Definition, others: Sequence[Definition]) -> None:
        self.definition = definition
        self.others = others
        shared = [other for other in others if not other.is_local]
        nested = [other for other in shared if other.is_type and other.owner]
        self.is_unique = _is_one(shared)
        self._is_unique_outside = _is_one(
            [other for other in shared if other not in nested or other == definition]
        )
        self._owners_of_nested = {other.owner for other in nested}

    @cached_property
    def owners(self) -> set[tuple[str, str]]:
        """The path and owner of each definition of this name; no owner for one outside of types."""
        return {(other.path, other.owner) for other in self.others}

    @cached_property
    def types_with_member(self) -> set[str]:
        """The types that define a member of this name."""
        return {other.owner.rpartition(".")[2] for other in self.others}

    def another(self, matches: Callable[[Definition], bool]) -> Resolution:
        """The first other definition that matches, as what a site refers to instead."""
        others = (other for other in self.others if other is not self.definition and matches(other))
        return elsewhere(Evidence.ANOTHER_DEFINITION, next(others, None))

    def another_in(self, path: str, owner: str) -> Resolution:
        """The definition of a type in a file; without an owner, the file's own one."""
        return self.another(lambda one: (one.path, one.owner) == (path, owner))

    def another_of_type(self, type_name: str) -> Resolution:
        """The member of another type, by the type's last name."""
        return self.another(lambda one: last_name(one.owner) == last_name(type_name))

    def is_only_one_in(self, facts: FileFacts) -> bool:
        """Tells whether a name alone can mean no other definition in a file.

        `Iterator` is `SkipList.Iterator` only inside of `SkipList` and of types that extend it.
        """
        return self.is_unique or (
            self._is_unique_outside and not any(map(facts.sees_inside, self._owners_of_nested))
        )


def _is_one(definitions: Iterable[Definition]) -> bool:
    return len({(one.path, one.symbol) for one in definitions}) <= 1
