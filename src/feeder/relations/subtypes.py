"""Finds the types below a type, and the members there that override a member of it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator

from feeder.relation import CALL, IMPLEMENTS, IMPORT, INHERITS, Relation
from feeder.relations.file_facts import FileFacts, kinds_of_local_bases
from feeder.relations.go_members import GoMembers
from feeder.relations.modules import Definition
from feeder.relations.node_definitions import CONSTRUCTORS
from feeder.relations.outcomes import Resolution, surest
from feeder.relations.relation_reader import RelationReader
from feeder.relations.resolution import Resolver
from feeder.relations.sites import KIND_NAMES, OVERRIDE, Implementation, Reference
from feeder.store.hits import Hit
from feeder.store.relations import RelatedNode, line_numbers
from feeder.traits import are_compatible, traits

MAX_DEPTH = 20
"""Levels of types below a type that are followed."""

MAX_TYPES = 300
"""Types below a type that are followed."""


class SubtypeFinder:
    """Finds the types below types, those of each type once."""

    def __init__(self, reader: RelationReader, go: GoMembers) -> None:
        self._reader = reader
        self._go = go
        self._below: dict[Definition, list[tuple[Implementation, tuple[str, str]]]] = {}

    def types_below(self, owner: Definition) -> list[tuple[Implementation, tuple[str, str]]]:
        """The types that name a type as a base, level by level, each with its parent; each once."""
        if owner not in self._below:
            self._below[owner] = list(self._find_types_below(owner))
        return self._below[owner]

    def _find_types_below(
        self, owner: Definition
    ) -> Iterator[tuple[Implementation, tuple[str, str]]]:
        seen = {(owner.path, owner.symbol)}
        level = [(owner, True)]
        for depth in range(1, MAX_DEPTH + 1):
            below: list[tuple[Definition, bool]] = []
            for parent, is_sure in level:
                for node, resolved in self._direct_subtypes(parent):
                    symbol = node.symbol or ""
                    if (node.path, symbol) in seen or len(seen) > MAX_TYPES:
                        self._reader.is_cut |= len(seen) > MAX_TYPES
                        continue
                    seen.add((node.path, symbol))
                    sure = is_sure and resolved
                    matches = Implementation(
                        node.path, node.first_line, node.last_line, symbol, sure, depth
                    )
                    yield matches, (parent.path, parent.symbol)
                    facts = self._reader.facts([node.path])[node.path]
                    below.append((type_definition(facts, node.language or "", symbol), sure))
            if not below:
                return
            level = below

    def _direct_subtypes(self, parent: Definition) -> Iterator[tuple[RelatedNode, bool]]:
        for node in self._reader.facts([parent.path])[parent.path].nodes:
            if is_variant(node, parent):
                yield node, True
        for node, results in self.sites_of_base(parent, is_local=False):
            if not (result := surest([result for _, result in results])).is_elsewhere:
                yield node, result.is_resolved

    def sites_of_base(
        self, parent: Definition, *, is_local: bool
    ) -> Iterator[tuple[RelatedNode, list[tuple[int, Resolution]]]]:
        """Yields the nodes that name a type as a base, with the lines where they do.

        They are classes with it as their own base, or nodes with anonymous and local classes.
        """
        named = self._reader.inheriting_nodes(parent.name, is_local=is_local)
        exported = self._reader.exports.of(parent).other_names(parent.name)
        names = {parent.name, *_aliases(named, parent.name), *exported}
        for alias in sorted(names - {parent.name}):
            named = [*named, *self._reader.inheriting_nodes(alias, is_local=is_local)]
        distinct = {
            node.id: node
            for node in named
            if are_compatible(node.language, parent.language)
            and any(node.has_named(name, _kinds_of_bases(node, is_local)) for name in names)
        }
        nodes = list(distinct.values())
        others = [
            other for other, _ in self._reader.named_definitions(parent.name) if other.is_type
        ]
        resolver = Resolver(parent, others or [parent], None, self._reader.exports)
        all_facts = self._reader.facts(node.path for node in nodes)
        for node in nodes:
            yield (
                node,
                [
                    (line, resolver.resolve(all_facts[node.path], node, relation, line))
                    for relation in node.decode(_kinds_of_bases(node, is_local))
                    if relation.name in names
                    for line in line_numbers(node, relation)
                ],
            )

    def implementations(self, owner: Definition) -> list[Implementation]:
        """The types below a type, then those that implement it by their methods in Go."""
        below = [type_ for type_, _ in self.types_below(owner)]
        existing = {(type_.path, type_.symbol) for type_ in below}
        by_methods = (
            self._go.implementing(owner) if traits(owner.language).structural_interfaces else ()
        )
        return [
            *below,
            *(method for method in by_methods if (method.path, method.symbol) not in existing),
        ]

    def constructor_calls(self, owner: Definition) -> Iterator[Reference]:
        """Yields the calls of a type's constructor by constructors below it: `super().__init__()`.

        A type below without a constructor passes the call on. One with several bases may call
        another one's.
        """
        own = traits(owner.language)
        receivers = {"super()", "super", own.base_receiver, ""}
        passing = {(owner.path, owner.symbol)}
        for type_, parent in self.types_below(owner) if own.base_constructors else ():
            if parent not in passing:
                continue
            facts = self._reader.facts([type_.path])[type_.path]
            inner = type_.symbol.rpartition(".")[2]
            constructors = {f"{type_.symbol}.{name}" for name in (*CONSTRUCTORS, inner)}
            members = [node for node in facts.nodes if facts.is_of_type(node, type_.symbol)]
            bases = [base for node in members for base in node.decode(INHERITS)]
            for node in members:
                for relation in node.decode(CALL):
                    if relation.name in own.base_constructors and relation.qualifier in receivers:
                        resolved = type_.resolved and len(bases) <= 1
                        for line in line_numbers(node, relation):
                            yield _base_call(node, relation, line, resolved=resolved)
            if constructors.isdisjoint(facts.symbols):
                passing.add((type_.path, type_.symbol))

    def members_below(self, definition: Definition) -> Iterator[tuple[Hit, Implementation]]:
        """Yields the members that override a member, each with the type around it."""
        members = {
            _place(other): hit
            for other, hit in self._reader.named_definitions(definition.name)
            if not other.is_type and _place(other) != _place(definition)
        }
        owner = self._reader.type_around(definition) if members else None
        if not owner:
            return
        for member, _ in self.types_below(owner):
            if hit := members.pop(_place_in(member, definition.language), None):
                yield hit, member
        if not definition.is_abstract:
            return
        named = [other for other, _ in self._reader.named_definitions(definition.name)]
        for member in self._go.implementing_members(definition, owner, named):
            if hit := members.get(_place_in(member, "go")):
                yield hit, member

    def fields_below(self, definition: Definition) -> Iterator[tuple[Definition, Implementation]]:
        """Yields the fields that declare a member again, each with the type around it."""
        if not traits(definition.language).redeclared_fields:
            return
        fields = {
            _place(other): other
            for other in self._reader.member_definitions(definition.name)
            if _place(other) != _place(definition)
        }
        owner = self._reader.type_around(definition) if fields else None
        for member, _ in self.types_below(owner) if owner else ():
            if field := fields.pop(_place_in(member, definition.language), None):
                yield field, member

    def redeclared(self, definition: Definition) -> list[Definition]:
        """The members that declare a field again: fields, accessors and methods."""
        by_id = {hit.id: one for one, hit in self._reader.named_definitions(definition.name)}
        nodes = [by_id[hit.id] for hit, _ in self.members_below(definition)]
        return [*nodes, *(field for field, _ in self.fields_below(definition))]

    def implementing_fields(self, definition: Definition) -> Iterator[Implementation]:
        """Yields the lines of the fields that declare a member again."""
        for field, type_ in self.fields_below(definition):
            for line in sorted(field.own_lines):
                yield type_._replace(start_line=line, end_line=line, symbol=field.symbol)

    def overriding(self, definition: Definition) -> list[Reference]:
        """The members of a member's name in the types below its own, as references to it.

        The line is the first one of the node until `with_text` finds the declaration.
        """
        if not definition.owner or definition.is_type:
            return []
        places = [
            (hit.start_line, _related(hit), member)
            for hit, member in self.members_below(definition)
        ]
        for field, member in self.fields_below(definition):
            nodes = self._reader.facts([field.path])[field.path].nodes
            places += [
                (line, node, member)
                for node in nodes
                if node.symbol == field.owner and node.node_type == "class"
                for line in sorted(field.own_lines)
                if node.first_line <= line <= node.last_line
            ]
        return [
            Reference(node.path, line, 0, OVERRIDE, member.resolved, "", node, definition.name, "")
            for line, node, member in places
        ]


def type_definition(facts: FileFacts, language: str, symbol: str) -> Definition:
    """The definition of a type in a file."""
    outer, _, name = symbol.rpartition(".")
    owner = outer if outer in facts.classes else ""
    return Definition(facts.path, language, symbol, name, owner, is_type=True)


def is_variant(node: RelatedNode, enum: Definition) -> bool:
    """Tells whether a class is a constant with a body of its own, of an enum in the same file."""
    is_inside = (node.symbol or "").rpartition(".")[0] == enum.symbol
    return is_inside and node.has_qualified(INHERITS, enum.name)


def _kinds_of_bases(node: RelatedNode, is_local: bool) -> str:
    """The kinds of a class' own bases, or of the bases of anonymous and local classes in a node."""
    if is_local:
        return kinds_of_local_bases(node)
    return INHERITS + IMPLEMENTS if node.node_type == "class" else ""


def _aliases(nodes: Iterable[RelatedNode], name: str) -> Iterator[str]:
    """Yields the other names by which files import a name."""
    for node in nodes:
        for relation in node.decode(IMPORT) if node.has_named(name, IMPORT) else ():
            if relation.name == name and relation.alias:
                yield relation.alias


def _base_call(node: RelatedNode, relation: Relation, line: int, *, resolved: bool) -> Reference:
    """A call of a base's constructor."""
    kind, receiver = KIND_NAMES[CALL], relation.qualifier
    return Reference(node.path, line, 0, kind, resolved, "", node, relation.name, receiver)


def _related(hit: Hit) -> RelatedNode:
    """The node of a hit, without its relations."""
    return RelatedNode(
        hit.id,
        hit.path,
        hit.language,
        hit.node_type,
        hit.symbol,
        hit.start_line,
        hit.end_line,
        "",
        hit.start_line,
        hit.end_line,
    )


def _place(member: Definition) -> tuple[str, str]:
    return _folder(member.path, member.language), member.owner


def _place_in(type_: Implementation, language: str) -> tuple[str, str]:
    """The place of the members of a type."""
    return _folder(type_.path, language), type_.symbol


def _folder(path: str, language: str) -> str:
    """The place of the members of a type: its file, in Go its folder, empty for one in parts."""
    if traits(language).split_types:
        return ""
    return posixpath.dirname(path) if traits(language).package_scope == "folder" else path
