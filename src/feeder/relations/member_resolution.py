"""Resolves a member of a type by its receiver: the object itself, a base, or a value of a type.

Start with `MemberResolver.resolve`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from feeder.relation import CALL, LITERAL, MENTION, Relation
from feeder.relations.exports import ALL
from feeder.relations.file_facts import (
    SELF_NAMES,
    FileFacts,
    kinds_of_local_bases,
    packages_of_types,
)
from feeder.relations.modules import Definition, in_same_package
from feeder.relations.name_resolution import NameResolver
from feeder.relations.outcomes import (
    RESOLVED,
    Evidence,
    Outcome,
    Reason,
    Resolution,
    elsewhere,
    possible,
    resolved_if,
)
from feeder.relations.receiver_types import Family, ReceiverTypes, is_built_in
from feeder.store.relations import RelatedNode, line_numbers
from feeder.text import last_name
from feeder.traits import traits

COMPOUND_PATTERN = re.compile(r"[a-z\d][A-Z]|\w_\w")
"""A name of several words, which a library is unlikely to define too."""


def is_compound(name: str) -> bool:
    """Tells whether a name has several words, as in `parseFile` and `parse_file`."""
    return bool(COMPOUND_PATTERN.search(name))


class MemberResolver:
    """Resolves sites of a member of a type; `owner` is the definition of that type."""

    def __init__(self, names: NameResolver, owner: Definition, family: Family) -> None:
        self._names = names
        self._definition = names.definition
        self._owner = owner
        self._family = family
        self._types = ReceiverTypes(names, owner, family)

    def resolve(  # noqa: PLR0911, PLR0912 - one for each rule
        self, facts: FileFacts, node: RelatedNode, relation: Relation, line: int
    ) -> Resolution:
        """Resolves a site of the member by its receiver. The first rule that applies decides."""
        receiver, own = relation.qualifier, traits(node.language)
        place = self._place(facts, node)
        if not receiver:
            may_import = own.implicit_receiver or own.imports == "crates"
            if relation.kind not in {CALL, MENTION} or not may_import:
                return elsewhere(Evidence.NO_MEMBER)
            if self._is_imported_member(facts, place, relation.name):
                return RESOLVED
            if not own.implicit_receiver:
                return elsewhere(Evidence.NO_MEMBER)
            if not place[1] and own.lends_receivers:
                lent = self._by_lent_receiver(facts, node, relation.name)
                return self._or_of_local_type(node, lent)
            if self._may_be_lent(node, line):
                return possible(Reason.RECEIVER)
            return self._or_of_local_type(node, self._in_class(place, is_implicit=True))
        if receiver in {"super()", "super", own.base_receiver}:
            if place == (self._owner.path, self._owner.symbol):
                return elsewhere(Evidence.BASE_MEMBER)
            return resolved_if(place in self._family.all_below, Reason.BASE)
        if receiver in SELF_NAMES:
            extended = "" if place[1] else _extended_type(facts, node)
            if extended:
                return self._types.resolve(facts, node, extended)
            return self._or_of_local_type(node, self._in_class(place))
        if receiver == LITERAL:
            is_closed = self._family.is_closed
            return elsewhere(Evidence.BUILT_IN) if is_closed else possible(Reason.RECEIVER)
        last = receiver.rpartition(".")[2]
        if last.endswith("()"):
            if self._family.makers and self._is_chained(facts, node, receiver):
                return RESOLVED
            return self._types.resolve(facts, node, last.removesuffix("()"))
        types = facts.types_of(node.symbol, receiver, line)
        if not types and self._is_field(facts, node, receiver, line):
            return RESOLVED
        if not types and (other := self._names.of_other_module(facts, receiver)):
            is_type = any(import_.name for import_ in facts.imported(receiver)) or "." in receiver
            return possible(Reason.RECEIVER) if is_type and not self._family.is_closed else other
        is_field = own.imports == "folders" and facts.has_type(
            node.symbol, receiver.rpartition(".")[0], line
        )
        if not types and not is_field and self._may_be_type(facts, last):
            is_path = own.imports != "folders" and receiver.partition(".")[0] not in SELF_NAMES
            types = [receiver if is_path else last]
        if types:
            return self._is_of_types(facts, node, types)
        if _is_type_name(receiver) and self._is_built_in(facts, receiver):
            return elsewhere(Evidence.BUILT_IN)
        is_other_type = own.variable_sigil and receiver[:1].isalpha() and "(" not in receiver
        is_other_type = is_other_type or self._is_built_in(facts, receiver.partition(".")[0])
        is_call = relation.kind == CALL and not is_other_type
        is_only = self._names.is_unique and is_call and is_compound(relation.name)
        return resolved_if(is_only, Reason.RECEIVER)

    def resolve_label(self, facts: FileFacts, node: RelatedNode, type_name: str) -> Resolution:
        """A label of a call that constructs a value: `Cart(total=3)`."""
        result = self._types.resolve(facts, node, type_name)
        if result.is_resolved:
            names = {last_name(type_name), *(one.name for one in facts.imported(type_name))}
            return resolved_if(names.isdisjoint(self._family.with_constructor), Reason.RECEIVER)
        is_known = bool(facts.imported(type_name)) or facts.declares_type(type_name)
        if is_known and self._names.type_refers(facts, type_name, self._owner).is_elsewhere:
            return elsewhere(Evidence.ANOTHER_TYPE)
        return result

    def _in_class(self, place: tuple[str, str], *, is_implicit: bool = False) -> Resolution:
        """A member of the type around the site, of a path and symbol.

        Outside of a type, `this` is a value of any one.
        """
        path, symbol = place
        while symbol:
            if (path, symbol) in self._family.own:
                return RESOLVED
            if (path, symbol) in self._names.owners:
                return self._names.another_in(path, symbol)
            symbol = symbol.rpartition(".")[0] if is_implicit else ""
        if is_implicit and not place[1]:
            return elsewhere(Evidence.NO_MEMBER)
        return possible(Reason.BASE if place[1] else Reason.RECEIVER)

    def _or_of_local_type(self, node: RelatedNode, result: Resolution) -> Resolution:
        """A member of the type around a site, or of an anonymous or local class inside the node:
        `refresh()` in `new Listener() { … }`. Where its body ends is not known.
        """
        kinds = kinds_of_local_bases(node)
        local = node.decode(kinds) if node.has_kind(kinds) else ()
        bases = {last_name(base.name) for base in local}
        others = self._names.types_with_member - self._family.names
        changing = others if result.is_resolved else self._family.names
        return result if bases.isdisjoint(changing) else possible(Reason.RECEIVER)

    def _by_lent_receiver(self, facts: FileFacts, node: RelatedNode, name: str) -> Resolution:
        """A name outside of a type, which may be a member of a value: `with(cart) { add(item) }`.

        In an extension of Kotlin, the value is one of the extended type. A function of this name
        comes first.
        """
        if facts.imported(name):
            return elsewhere(Evidence.ANOTHER_MODULE)
        is_global = traits(node.language).global_scope
        function = self._names.another(
            lambda one: (
                not one.owner
                and (
                    is_global
                    or one.path == facts.path
                    or in_same_package(facts.path, facts.package, one)
                )
            )
        )
        if function.definition:
            return function
        extended = _extended_type(facts, node)
        return self._types.resolve(facts, node, extended) if extended else possible(Reason.RECEIVER)

    def _may_be_lent(self, node: RelatedNode, line: int) -> bool:
        """Tells whether a name in a method may be a member of a value: `with(cart) { add(item) }`.

        False if no other type has a member of this name. Where the block ends is not known.
        """
        calls = traits(node.language).lending_calls
        return (
            bool(calls)
            and any(
                other.owner and (other.path, other.owner) not in self._family.all_below
                for other in self._names.others
            )
            and any(
                relation.name.lower() in calls and min(line_numbers(node, relation)) <= line
                for relation in node.decode(CALL)
            )
        )

    def is_owner(self, facts: FileFacts, module: str) -> bool:
        """Tells whether an imported module is the type around the definition, as in `import
        static shop.Cart.open`, or its name within the file's package.

        A type of Rust is imported by the path of its module: `use crate::color::Color::*`.
        """
        owner = self._definition.owner
        is_path = traits(self._definition.language).imports == "crates"
        return owner in {module, f"{facts.package}.{module}"} or (
            is_path and f".{module}".endswith(f".{owner}")
        )

    def is_around_owner(self, facts: FileFacts, module: str) -> bool:
        """Tells whether an imported module is around the type, and has no such member itself.

        `import ops.shout` of Scala may name a member of `extension (text: String)` in `ops`.
        """
        outer = self._definition.owner.rpartition(".")[0]
        modules = {module, f"{facts.package}.{module}"}
        is_other = any(owner in modules for _, owner in self._names.owners)
        return bool(outer) and outer in modules and not is_other

    def _is_imported_member(self, facts: FileFacts, place: tuple[str, str], name: str) -> bool:
        """Tells whether a file imports the member under a name, which means no other one there.

        A member of the type around the site comes first, unless the name is an alias.
        """
        own = self._definition.name
        is_alias = name != own
        if not is_alias and place in self._names.owners:
            return False
        wildcards = () if is_alias else facts.imported(ALL)
        return any(
            import_.name in {own, ALL} and self.is_owner(facts, import_.module)
            for import_ in (*facts.imported(name), *wildcards)
        )

    def _place(self, facts: FileFacts, node: RelatedNode) -> tuple[str, str]:
        """The path and symbol of the type around a node; in C++ also one of a header."""
        own_class = facts.enclosing_class(node.symbol)
        outer = (node.symbol or "").rpartition(".")[0]
        if own_class or not outer or traits(node.language).family != "c":
            return facts.path, own_class
        definition, owners = self._definition, self._names.owners
        below = [place for place in self._family.all_below if _ends_with(place[1], outer)]
        others = {place for place in owners - {*below} if _ends_with(place[1], outer)}
        others.discard((definition.path, definition.owner))
        near = [
            place for place in others if place[0] == facts.path and place[1] != definition.owner
        ]
        is_alone = facts.path == definition.path or not others
        if near:
            return min(near)
        if below and (is_alone or self._names.imports_module_of(facts, self._owner)):
            return min(below)
        if not below and len(others) == 1:
            return others.pop()
        return facts.path, outer if others else ""

    def _may_be_type(self, facts: FileFacts, name: str) -> bool:
        """Tells whether a receiver that no declaration binds is a type, as in `Cart.create()`."""
        is_known = name in self._names.types_with_member or bool(facts.imported(name))
        return name in self._family.names or (is_known and name[:1].isupper())

    def _is_field(self, facts: FileFacts, node: RelatedNode, receiver: str, line: int) -> bool:
        """Tells whether a receiver is a field of the owner's type, in a type of another file."""
        outer, _, field = receiver.rpartition(".")
        if not outer or not any(field == name for _, name in self._family.holders):
            return False
        types = facts.types_of(node.symbol, outer, line)
        return any(
            traits(holder.language).imports != "folders"
            or self._names.is_seen(facts, type_, holder)
            for type_ in types[:1]
            for holder in self._family.holders.get((last_name(type_), field), ())
        )

    def _is_of_types(self, facts: FileFacts, node: RelatedNode, types: Sequence[str]) -> Resolution:
        """A receiver of the first of these types that has such a member, as far as is known."""
        result = possible(Reason.RECEIVER)
        for type_name in types:
            if type_name.endswith("()"):
                is_made = self._is_made(facts, type_name.removesuffix("()"))
                result = resolved_if(is_made, Reason.RECEIVER)
            else:
                result = self._types.resolve(facts, node, type_name)
            if result.outcome is not Outcome.POSSIBLE:
                return result
            if last_name(type_name) in self._names.types_with_member:
                return result
        return result

    def _is_built_in(self, facts: FileFacts, type_name: str) -> bool:
        return is_built_in(facts, type_name, self._definition, self._family)

    def _is_chained(self, facts: FileFacts, node: RelatedNode, receiver: str) -> bool:
        """Tells whether a call as a receiver in Go, such as `NewCart()`, returns the owner.

        False if the node calls functions of several packages by this name.
        """
        name = receiver.removesuffix("()")
        packages = set(packages_of_types(node).get(name, {}).values())
        if "." in name or len(packages) != 1:
            return False
        package = packages.pop()
        return self._is_made(facts, f"{package}.{name}" if package else name)

    def _is_made(self, facts: FileFacts, function: str) -> bool:
        """Tells whether a function that a file calls returns the owner."""
        module, _, name = function.rpartition(".")
        return any(
            self._names.has_package(facts, module, maker)
            if module
            else in_same_package(facts.path, facts.package, maker)
            for maker in self._family.makers
            if maker.name == name
        )


def _extended_type(facts: FileFacts, node: RelatedNode) -> str:
    """The type that an extension of Kotlin outside of a type extends; empty for other nodes."""
    outer = (node.symbol or "").rpartition(".")[0]
    is_extension = traits(node.language).extension_receivers and outer != facts.package
    return last_name(outer) if is_extension and node.node_type == "method" else ""


def _ends_with(symbol: str, outer: str) -> bool:
    """Tells whether a symbol ends with a type's name as its file writes it: `shop.Cart`, `Cart`."""
    return f".{symbol}".endswith(f".{outer}")


def _is_type_name(receiver: str) -> bool:
    """Tells whether a receiver is no variable: `Time` and `u32`; `str` may be one."""
    return receiver[:1].isupper() or receiver[-1:].isdigit()
