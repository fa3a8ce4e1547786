"""Collects what resolving a member needs: the types below its own, and the fields of such types.

Start with `FamilyFinder.resolver`.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from feeder.relation import (
    BINDING,
    CALL,
    IMPLEMENTS,
    INHERITS,
    LITERAL_KEY,
    MENTION,
    PARAMETER,
    Relation,
)
from feeder.relations.file_facts import declarations
from feeder.relations.go_interfaces import Implements
from feeder.relations.go_members import GoMembers
from feeder.relations.modules import Definition
from feeder.relations.node_definitions import is_added_to, is_header
from feeder.relations.receiver_types import NO_FAMILY, Family
from feeder.relations.relation_reader import RelationReader
from feeder.relations.resolution import Resolver
from feeder.relations.subtypes import SubtypeFinder
from feeder.store.relations import RelatedNode
from feeder.text import last_name
from feeder.traits import are_compatible, traits

OPEN_TYPE_PATTERN = re.compile(r"\b(?:trait|protocol|module|extension|implicit|helper)\b")
"""A type that may be added to any other, also to a built-in one."""

STATIC_TYPE_PATTERN = re.compile(r"\bstatic\b[^(]*\bclass\b")
"""A class of C# that may have members of other types, unless it is nested in a type."""

PART_PATTERN = re.compile(r"\b(?:partial|extension)\b")
"""A declaration that is one of several parts of a type."""

COMPANION_END = ".Companion"
"""The end of the symbol of an object of Kotlin that has no name of its own."""

CHAINED_PATTERN = re.compile(r"[^.]+\.[^.]")
"""A receiver that may be a field."""

MAX_HELD_TYPES = 10
"""Types of Go, beside the target's own, whose fields are followed."""


class FamilyFinder:
    """Makes the resolver of a definition."""

    def __init__(self, reader: RelationReader, subtypes: SubtypeFinder, go: GoMembers) -> None:
        self._reader = reader
        self._subtypes = subtypes
        self._go = go

    def resolver(self, definition: Definition) -> Resolver:
        """The resolver of a definition, with the types below its owner."""
        others = self._other_definitions(definition)
        owner, family = None, NO_FAMILY
        if definition.owner and not definition.is_type:
            owners = self._reader.named_definitions(definition.owner.rpartition(".")[2])
            same = [type_ for type_, _ in owners if type_.symbol == definition.owner]
            near = [type_ for type_ in same if type_.path == definition.path] or same
            owner = near[0] if near else None
            if owner:
                family = self.family(owner, {(other.path, other.owner) for other in others})
                family = family._replace(own=family.own | self._parts(owner))
                family = family._replace(is_closed=self._is_closed(owner))
                if self._has_labels(definition):
                    constructed = self._types_with_constructor(owner)
                    family = family._replace(with_constructor=constructed)
                if traits(owner.language).structural_interfaces:
                    dispatch = self._go.dispatch(definition, others)
                    family = family._replace(makers=self._go.makers(owner), dispatch=dispatch)
                is_only = sum(type_.is_type for type_, _ in owners) == 1
                holding = [*([owner] if is_only else []), *_implementing_types(family)]
                if holding and self._has_chained_sites(definition.name):
                    family = family._replace(holders=self._holders(holding))
        elif definition.is_extension:
            extended = definition.symbol.rpartition(".")[0].rpartition(".")[2]
            types = [
                type_ for type_, _ in self._reader.named_definitions(extended) if type_.is_type
            ]
            if types:
                family = self.family(types[0], set())._replace(is_closed=self._is_closed(types[0]))
        return Resolver(definition, others, owner, self._reader.exports, family)

    def _is_closed(self, owner: Definition) -> bool:
        """Tells whether no type of a library can be above a type, or below it.

        Below it may be one to which a trait, protocol or module is added.
        """
        same = [hit for type_, hit in self._reader.named_definitions(owner.name) if type_ == owner]
        if any(OPEN_TYPE_PATTERN.search(hit.signature or "") for hit in same):
            return False
        if not owner.owner and any(STATIC_TYPE_PATTERN.search(hit.signature or "") for hit in same):
            return False
        if owner.name in traits(owner.language).builtin_types:
            return False
        nodes = self._reader.facts([owner.path])[owner.path].nodes
        own = (node for node in nodes if node.symbol == owner.symbol and node.node_type == "class")
        return not any(node.has_kind(INHERITS + IMPLEMENTS) for node in own)

    def _parts(self, owner: Definition) -> set[tuple[str, str]]:
        """The parts of a type of C# or Swift that are marked as such."""
        if not traits(owner.language).split_types:
            return set()
        return {
            (type_.path, type_.symbol)
            for type_, hit in self._reader.named_definitions(owner.name)
            if type_.symbol == owner.symbol and PART_PATTERN.search(hit.signature or "")
        }

    def _has_labels(self, definition: Definition) -> bool:
        """Tells whether a call has a definition's name as a label: `Cart(total=3)`."""
        return bool(traits(definition.language).constructor) and any(
            relation.qualifier.endswith(LITERAL_KEY)
            for node in self._reader.nodes(definition.name, with_receivers=False)
            for relation in node.decode_named(definition.name)
        )

    def _types_with_constructor(self, owner: Definition) -> frozenset[str]:
        """The last names of a type, and of the types below it, whose method gets the labels of a
        call of it: `__init__`, their own or one that they inherit from such a type.
        """
        constructor = traits(owner.language).constructor
        below = self._subtypes.types_below(owner)
        pairs = [((type_.path, type_.symbol), parent) for type_, parent in below]
        pairs.insert(0, ((owner.path, owner.symbol), ("", "")))
        all_facts = self._reader.facts(path for (path, _), _ in pairs)
        matches: set[tuple[str, str]] = set()
        for (path, symbol), parent in pairs:  # a parent comes before the types below it
            if parent in matches or f"{symbol}.{constructor}" in all_facts[path].symbols:
                matches.add((path, symbol))
        return frozenset(last_name(symbol) for _, symbol in matches)

    def _has_chained_sites(self, name: str) -> bool:
        """Tells whether a receiver of a name may be a field, as in `crawler.signals.connect`."""
        return any(
            relation.kind in {CALL, MENTION} and CHAINED_PATTERN.match(relation.qualifier)
            for node in self._reader.nodes(name, with_receivers=False)
            for relation in node.decode_named(name)
        )

    def _holders(self, types: Iterable[Definition]) -> Mapping[tuple[str, str], list[Definition]]:
        """The types with fields of some types, by their last names and the name of the field."""
        holders: defaultdict[tuple[str, str], list[Definition]] = defaultdict(list)
        for type_ in types:
            for node in self._reader.nodes(type_.name):
                if not node.has_qualified(BINDING + PARAMETER, type_.name):
                    continue
                symbol = _type_around(node)
                name = symbol.rpartition(".")[2]
                holder = Definition(node.path, node.language or "", symbol, name, "", is_type=True)
                for relation in node.decode(BINDING + PARAMETER):
                    if relation.qualifier == type_.name and _may_hold(node, relation, type_):
                        holders[name, relation.name].append(holder)
        return holders

    def _other_definitions(self, definition: Definition) -> list[Definition]:
        """All definitions of a definition's name, with itself: nodes, fields and constants.

        Blocks that add to a type, as `impl Cart` in Rust, are none.

        In C and C++ the prototypes of a function are the same definition, unless they are static,
        and so are the declarations of a type, as in `typedef struct cart cart`.
        """
        named = self._reader.named_definitions(definition.name)
        matches = [
            (other, hit) for other, hit in named if other != definition and not is_added_to(hit)
        ]
        if traits(definition.language).family == "c" and not definition.is_local:
            declarations = [
                hit
                for other, hit in named
                if other.symbol == definition.symbol
                and traits(other.language).family == "c"
                and other.is_type == definition.is_type
                and not other.is_local
            ]
            bodies = {hit.path for hit in declarations if hit.end_line > hit.start_line + 1}
            ids = {hit.id for hit in declarations}
            if sum(definition.is_type or not is_header(path) for path in bodies) <= 1:
                matches = [(other, hit) for other, hit in matches if hit.id not in ids]
        others = [definition, *(other for other, _ in matches)]
        existing = {(other.path, other.symbol) for other in others}
        members = [
            member
            for member in self._reader.member_definitions(definition.name)
            if are_compatible(member.language, definition.language)
            and (member.path, member.symbol) not in existing
        ]
        is_source = definition.is_variable and not is_header(definition.path)
        return [
            *others,
            *(member for member in members if not _is_c_variable(member)),
            *(  # `static int total;` is another one, `extern int total;` is not
                member._replace(is_local=True)
                for member in members
                if _is_c_variable(member) and is_source and not is_header(member.path)
            ),
        ]

    def family(self, owner: Definition, overriding: set[tuple[str, str]]) -> Family:
        """The types below a type; those in `overriding` have members of their own."""
        own, below = {(owner.path, owner.symbol)}, {(owner.path, owner.symbol)}
        parents = {(owner.path, owner.symbol): True}
        for type_, parent in self._subtypes.types_below(owner):
            key = type_.path, type_.symbol
            below.add(key)
            inherits = parents.get(parent, False) and (key not in overriding)
            parents[key] = inherits
            if inherits:
                own.add(key)
        if owner.symbol.endswith(COMPANION_END):  # Kotlin: a class has its companion's members
            outer = owner.path, owner.symbol.removesuffix(COMPANION_END)
            own |= {outer} - overriding
        names = {symbol.rpartition(".")[2] for _, symbol in own}
        return Family(frozenset(own), frozenset(names), frozenset(below))


def _is_c_variable(member: Definition) -> bool:
    """Tells whether a member is a variable of a file of C or C++, which several may declare."""
    return not member.owner and traits(member.language).family == "c"


def _implementing_types(family: Family) -> list[Definition]:
    """The types of Go whose fields are followed: those that are known to stand for the owner."""
    pairs = (pair for same in family.dispatch.values() for pair in same)
    return [type_ for type_, implements in pairs if implements is Implements.YES][:MAX_HELD_TYPES]


def _may_hold(node: RelatedNode, field: Relation, owner: Definition) -> bool:
    """Tells whether a field may have a type; in Go a type of the own package has no other one."""
    is_own = posixpath.dirname(node.path) == posixpath.dirname(owner.path)
    return traits(owner.language).imports != "folders" or any(
        ("." not in declared.type_name) == is_own for declared in declarations(node, field)
    )


def _type_around(node: RelatedNode) -> str:
    """The symbol of a type, or of the type around its member; empty without one."""
    symbol = node.symbol or ""
    return symbol if node.node_type == "class" else symbol.rpartition(".")[0]
