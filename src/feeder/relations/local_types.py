"""Finds the anonymous and local classes below a type, which have no node of their own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from feeder.relations.modules import Definition
from feeder.relations.relation_reader import RelationReader
from feeder.relations.sites import Implementation
from feeder.relations.subtypes import SubtypeFinder, type_definition
from feeder.store.relations import MAX_CODE_NODES, related_nodes_with_word


class LocalTypeFinder:
    """Finds classes without a node by the lines that name their bases."""

    def __init__(self, reader: RelationReader, subtypes: SubtypeFinder) -> None:
        self._reader = reader
        self._subtypes = subtypes

    def types_below(self, owner: Definition) -> Iterator[Implementation]:
        """Yields the anonymous and local classes below a type and below its named subtypes.

        One whose base may be the type, and is one of its subtypes, is only below the subtype.
        """
        found: dict[tuple[str, int], Implementation] = {}
        parents = [(owner, True, 1)]
        for type_, _ in self._subtypes.types_below(owner):
            facts = self._reader.facts([type_.path])[type_.path]
            child = type_definition(facts, owner.language, type_.symbol)
            parents.append((child, type_.resolved, type_.depth + 1))
        for parent, is_sure, depth in parents:
            sites = [
                (node.path, line, node.symbol or "", is_sure and result.is_resolved)
                for node, results in self._subtypes.sites_of_base(parent, is_local=True)
                for line, result in results
                if not result.is_elsewhere
            ]
            for path, line, symbol, sure in sorted(sites):
                known = found.get((path, line))
                if not known or (sure and not known.resolved):
                    found[path, line] = Implementation(
                        path, line, line, symbol, sure, depth, is_local=True
                    )
        yield from found.values()

    def possible_overrides(
        self,
        definition: Definition,
        existing: Iterable[Implementation],
        unnamed: Sequence[Implementation],
    ) -> Iterator[Implementation]:
        """Yields the types below a member's type whose members are no nodes, if they have its name.

        They are objects, anonymous and local classes. `existing` members are known to override it,
        those that are `unnamed` in one of these types.
        """
        owner = self._reader.type_around(definition)
        if not owner or not definition.is_function:
            return
        named = (type_ for type_, _ in self._subtypes.types_below(owner))
        below = [*named, *self.types_below(owner)]
        if not below:
            return
        database, repo = self._reader.database, self._reader.repo
        with_name = related_nodes_with_word(database, repo, definition.name)
        self._reader.is_cut |= len(with_name) == MAX_CODE_NODES
        owners = {(member.path, member.symbol.rpartition(".")[0]) for member in existing}
        places = {(node.path, node.symbol or "") for node in with_name} - owners
        known = set(_types_around(below, unnamed))
        for type_ in below:
            if (type_.path, type_.symbol) in places and type_ not in known:
                yield type_._replace(resolved=False)


def _types_around(
    types: Sequence[Implementation], members: Iterable[Implementation]
) -> Iterator[Implementation]:
    """Yields for each member of a type without a node the last one of its node that begins before
    it.
    """
    for member in members:
        before = [
            type_
            for type_ in types
            if (type_.path, type_.symbol) == (member.path, member.symbol)
            and type_.start_line <= member.start_line
        ]
        if before:
            yield max(before, key=lambda type_: type_.start_line)
