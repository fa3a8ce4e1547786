"""Finds the members of Go that stand for each other: a type's methods and those of its interfaces.

A type of Go does not name its interfaces; `go_interfaces` compares their methods.
"""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from feeder.relation import RETURNS
from feeder.relations.go_interfaces import (
    MAX_EMBEDDED,
    MAX_GO_TYPES,
    GoTypes,
    Implements,
    TypePlace,
)
from feeder.relations.modules import Definition
from feeder.relations.relation_reader import RelationReader
from feeder.relations.sites import Implementation

MAX_NAMES = 3
"""Methods of an interface whose types are read, until one is not too frequent."""


class GoMembers:
    """Compares types of Go with interfaces, each pair once."""

    def __init__(self, reader: RelationReader) -> None:
        self._reader = reader
        self._types = GoTypes(reader.database, reader.repo)

    def implementing(self, interface: Definition) -> Iterator[Implementation]:
        """Yields the types that have all methods of an interface of Go, in the order of paths."""
        types, place = self._types, _go_place(interface.path, interface.symbol)
        types.load([interface.symbol])
        if not types.is_interface(place):
            return
        owners = self._types_with_any(types.method_set(place).methods)
        symbols = [*owners, *types.symbols_embedding(owners)]
        self._reader.is_cut |= len(owners) > MAX_EMBEDDED or len(symbols) > MAX_GO_TYPES
        types.load(symbols)
        self._reader.is_cut |= types.is_cut
        for other in sorted(place for symbol in set(symbols) for place in types.places(symbol)):
            node, implements = types.node(other), types.implements(other, place)
            if node and implements is not Implements.NO and types.has_names(other, place):
                path, symbol = node.related.path, other.symbol
                first, last = node.related.first_line, node.related.last_line
                is_sure = implements is Implements.YES
                yield Implementation(path, first, last, symbol, is_sure, 1)

    def _types_with_any(self, keys: Iterable[str]) -> list[str]:
        """The symbols of types of Go with the method of these that has the longest name.

        A name that is too frequent to be read to its end is skipped for the next one.
        """
        owners: list[str] = []
        is_cut = False
        names = {key.rpartition("/")[2] for key in keys}
        for name in sorted(names, key=lambda one: (-len(one), one))[:MAX_NAMES]:
            hits, is_cut = self._reader.hits(name)
            methods = [hit for hit in hits if hit.language == "go" and hit.node_type == "method"]
            owners = list(
                dict.fromkeys((method.symbol or "").rpartition(".")[0] for method in methods)
            )
            if not is_cut:
                break
        self._reader.is_cut |= is_cut
        return owners

    def dispatch(
        self, definition: Definition, others: Iterable[Definition]
    ) -> Mapping[str, list[tuple[Definition, Implements]]]:
        """The types of Go whose member of a name may stand for a definition, by their last names.

        For a type's method these are the interfaces, for an interface's method the types; with each
        whether the one implements the other.
        """
        types, own = self._types, _go_place(definition.path, definition.owner)
        dispatch: defaultdict[str, list[tuple[Definition, Implements]]] = defaultdict(list)
        for place, member in self._members(definition, others).items():
            pair = (place, own) if definition.is_abstract else (own, place)
            name = member.owner.rpartition(".")[2]
            type_ = Definition(member.path, "go", member.owner, name, "", is_type=True)
            dispatch[name].append((type_, types.implements(*pair)))
        return dispatch

    def _members(
        self, definition: Definition, others: Iterable[Definition]
    ) -> Mapping[TypePlace, Definition]:
        """Reads the types of Go that a member's type is compared with; returns their members."""
        members = {
            _go_place(other.path, other.owner): other
            for other in others
            if other.language == definition.language and other.owner and not other.is_type
            if other.is_abstract != definition.is_abstract
        }
        if members:
            owners = (member.owner for member in members.values())
            self._types.load([definition.owner, *owners])
        return members

    def makers(self, owner: Definition) -> tuple[Definition, ...]:
        """The functions of a type's package in Go that return it."""
        folder = posixpath.dirname(owner.path)
        return tuple(
            Definition(node.path, "go", symbol, symbol.rpartition(".")[2], "", is_type=False)
            for node in self._reader.nodes(owner.name)
            if (symbol := node.symbol or "").count(".") == 1
            and posixpath.dirname(node.path) == folder
            and node.has_named(owner.name, RETURNS)
        )

    def implementing_members(
        self, definition: Definition, owner: Definition, named: Iterable[Definition]
    ) -> Iterator[Implementation]:
        """Yields the types whose members of a name implement a method of an interface."""
        place = _go_place(owner.path, owner.symbol)
        for other, member in self._members(definition, named).items():
            implements = self._types.implements(other, place)
            if implements is not Implements.NO and self._types.has_names(other, place):
                is_sure = implements is Implements.YES
                yield Implementation(member.path, 0, 0, other.symbol, is_sure, 1)


def _go_place(path: str, symbol: str) -> TypePlace:
    return TypePlace(posixpath.dirname(path), symbol)
