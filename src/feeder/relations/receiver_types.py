"""Tells whether the declared type of a receiver is one whose members are a definition's.

Start with `ReceiverTypes.resolve`. `Family` is what is known of the types around a member.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from feeder.relation import USE, Relation
from feeder.relations.file_facts import UNKNOWN_PACKAGE, FileFacts
from feeder.relations.go_interfaces import Implements
from feeder.relations.modules import Definition, nearest_symbol, type_of
from feeder.relations.name_resolution import NameResolver
from feeder.relations.outcomes import (
    RESOLVED,
    Evidence,
    Reason,
    Resolution,
    elsewhere,
    possible,
    resolved_if,
    surest,
)
from feeder.store.relations import RelatedNode
from feeder.text import last_name
from feeder.traits import traits


class Family(NamedTuple):
    """The types whose members of a name are the definition's.

    - `own`: the owner, and the types below it that do not define the name again, as pairs of path
      and symbol.
    - `names`: the last names of `own`.
    - `all_below`: `own`, with the types below that define the name again.
    - `makers`: the functions of the owner's package that return it, in Go.
    - `holders`: the types with a field of the owner's type, by their last name and the field's.
    - `dispatch`: the types of Go whose member may stand for the definition, by their last names:
      for a type's method the interfaces, for an interface's method the types. Each has whether the
      one implements the other.
    - `with_constructor`: the types with a method that gets the labels of `Cart(total=3)`, by their
      last names.
    - `is_closed`: no type of a library can be above the owner, and each type below it names it.
    """

    own: frozenset[tuple[str, str]]
    names: frozenset[str]
    all_below: frozenset[tuple[str, str]]
    makers: tuple[Definition, ...] = ()
    holders: Mapping[tuple[str, str], Sequence[Definition]] = {}
    dispatch: Mapping[str, Sequence[tuple[Definition, Implements]]] = {}
    is_closed: bool = False
    with_constructor: frozenset[str] = frozenset()


NO_FAMILY = Family(frozenset(), frozenset(), frozenset())


class ReceiverTypes:
    """Compares types, as a file writes them, with the types of a member's family.

    `owner` is the definition of the member's own type.
    """

    def __init__(self, names: NameResolver, owner: Definition, family: Family) -> None:
        self._names = names
        self._definition = names.definition
        self._owner = owner
        self._family = family
        self._known: dict[tuple[str, str], Resolution] = {}

    def resolve(self, facts: FileFacts, node: RelatedNode, type_name: str) -> Resolution:
        """A receiver of a declared type: another type with such a member is another definition.

        A type may have its outer type, namespace or module before it: `List.Cursor`.
        """
        if other := self._of_inner_scope(facts, node, type_name):
            return other
        key = facts.path, type_name
        if key not in self._known:
            self._known[key] = self._compare(facts, node, type_name)
        return self._known[key]

    def _compare(  # noqa: PLR0911 - one for each rule
        self, facts: FileFacts, node: RelatedNode, type_name: str
    ) -> Resolution:
        qualifier, _, name = type_name.rpartition(".")
        if qualifier == UNKNOWN_PACKAGE and self._is_in_folders:
            return possible(Reason.RECEIVER)
        is_own = name == last_name(self._definition.owner)
        if qualifier and not self._is_in_folders:
            if is_own or name in self._family.names:
                return self._by_qualifier(facts, node, qualifier, name)
            type_name = name
        may_be_own = is_own or bool(facts.imported(type_name))
        if may_be_own and self._names.is_seen(facts, type_name, self._owner):
            return RESOLVED
        if implementing := self._implementing(facts, type_name):
            return _common_resolution(implementing)
        if is_own:
            return self._is_of_module(facts, type_name, self._owner)
        imported = facts.imported(type_name)
        if name in self._family.names or any(
            import_.name in self._family.names for import_ in imported
        ):
            return RESOLVED
        if name in self._names.types_with_member and not self._is_dynamic(name):
            return self._names.another_of_type(name)
        if is_built_in(facts, type_name, self._definition, self._family):
            return elsewhere(Evidence.BUILT_IN)
        other = self._names.of_other_module(facts, type_name) if self._family.is_closed else None
        return other or possible(Reason.RECEIVER)

    @property
    def _is_in_folders(self) -> bool:
        """Tells whether the language is Go, where each type of another package has it before."""
        return traits(self._owner.language).imports == "folders"

    def _of_inner_scope(
        self, facts: FileFacts, node: RelatedNode, type_name: str
    ) -> Resolution | None:
        """Another type that has such a member, if a type's name means that one in a node.

        `Cursor` in a function of `List` is `List.Cursor`, and `List.Cursor` is no other `Cursor`.
        An imported type comes first.
        """
        name = last_name(type_name)
        others = self._others_by_name.get(name)
        if not others or self._is_in_folders or facts.imported(type_name.partition(".")[0]):
            return None
        own, scopes = self._own_symbols, traits(node.language)
        is_shared = scopes.global_scope or scopes.package_scope == "package"
        visible = {symbol for path, symbol in others if is_shared or path == facts.path}
        nearest = nearest_symbol(node.symbol or "", type_name, visible | own)
        named = {symbol for symbol in visible | own if last_name(symbol) == name} - {nearest}
        outer = {last_name(symbol.rpartition(".")[0]) for symbol in named} - {""}
        if type_name == name and any(map(facts.extends, outer)):  # one of them is inherited
            return possible(Reason.COMPETING)
        if nearest in own or nearest not in visible:
            return None
        return self._names.another(lambda one: one.owner == nearest)

    @cached_property
    def _own_symbols(self) -> set[str]:
        return {self._owner.symbol, *(symbol for _, symbol in self._family.own)}

    @cached_property
    def _others_by_name(self) -> Mapping[str, set[tuple[str, str]]]:
        """The other types with such a member, by the last names that they share with own ones."""
        shared = {last_name(symbol) for symbol in self._own_symbols}
        others: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
        for path, symbol in self._names.owners:
            if last_name(symbol) in shared and symbol not in self._own_symbols:
                others[last_name(symbol)].add((path, symbol))
        return others

    def _by_qualifier(
        self, facts: FileFacts, node: RelatedNode, qualifier: str, name: str
    ) -> Resolution:
        """A receiver of a type behind a module, namespace or outer type: the owner, or one below
        it that has the owner's member.
        """
        if UNKNOWN_PACKAGE in qualifier:  # also a template: `List<T>::Cursor`
            return possible(Reason.RECEIVER)
        written = Relation(name, USE, qualifier, "")
        below = (
            type_of(path, symbol, self._owner.language)
            for path, symbol in sorted(self._family.own)
            if last_name(symbol) == name and symbol != self._owner.symbol
        )
        own = [self._owner] if name == last_name(self._owner.symbol) else []
        return surest(
            self._names.resolver_of_type(type_).resolve_qualified(facts, node, written)
            for type_ in (*own, *below)
        )

    def _is_of_module(self, facts: FileFacts, type_name: str, owner: Definition) -> Resolution:
        """A receiver of a type with the owner's name, which the file does not declare or import."""
        if facts.imported(type_name):
            is_other = self._names.type_refers(facts, type_name, owner).is_elsewhere
            return elsewhere(Evidence.ANOTHER_TYPE) if is_other else possible(Reason.RECEIVER)
        if facts.declares_type(type_name):
            return elsewhere(Evidence.ANOTHER_TYPE)
        package = type_name.rpartition(".")[0]  # as in `shop.Cart()`
        is_in_folder = traits(owner.language).imports == "folders"
        if package and is_in_folder:
            return self._names.go_package_refers(facts, package, owner)
        if package or not self._names.imports_module_of(facts, owner):
            return elsewhere(Evidence.ANOTHER_TYPE) if is_in_folder else possible(Reason.RECEIVER)
        same = {
            (other.path, other.owner) for other in self._names.others if other.owner == owner.symbol
        }
        return resolved_if(len(same) == 1, Reason.COMPETING)

    def _implementing(self, facts: FileFacts, type_name: str) -> list[Implements]:
        """Tells for each type of Go that a name may mean whether it stands for the owner."""
        same = self._family.dispatch.get(last_name(type_name), ())
        seen = [
            implements for type_, implements in same if self._names.is_seen(facts, type_name, type_)
        ]
        if seen or "." in type_name:
            return seen
        return [
            implements for type_, implements in same if self._names.imports_module_of(facts, type_)
        ]

    def _is_dynamic(self, type_name: str) -> bool:
        """Tells whether the definition or a type's member of its name is an interface's in Go."""
        return self._definition.is_abstract or type_name in self._interfaces_with_member

    @cached_property
    def _interfaces_with_member(self) -> set[str]:
        """The last names of the interfaces of Go that define a member of this name."""
        return {last_name(other.owner) for other in self._names.others if other.is_abstract}


def is_built_in(facts: FileFacts, type_name: str, definition: Definition, family: Family) -> bool:
    """Tells whether a type is one of the language, which cannot have the definition."""
    return (
        family.is_closed
        and type_name in traits(definition.language).builtin_types
        and not facts.imported(type_name)
        and not facts.declares_type(type_name)
    )


def _common_resolution(implementing: Iterable[Implements]) -> Resolution:
    """The resolution of a member of one of some types, which is only possible if they differ."""
    answers = set(implementing)
    if answers == {Implements.YES}:
        return RESOLVED
    is_none = answers == {Implements.NO}
    return elsewhere(Evidence.ANOTHER_TYPE) if is_none else possible(Reason.INTERFACE)
