"""Finds the sites of one name that refer to a definition, or may.

Start with `SiteFinder.sites`. It reads relations of nodes only; `site_text` reads lines of files.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from feeder.relation import LITERAL_KEY, MENTION, UNNAMED_MEMBER, USE, Relation, macro_of
from feeder.relations.modules import Definition
from feeder.relations.node_definitions import is_header
from feeder.relations.outcomes import Evidence, elsewhere
from feeder.relations.relation_reader import RelationReader
from feeder.relations.resolution import Resolver
from feeder.relations.sites import KIND_NAMES, OVERRIDE, LeftOut, Reference
from feeder.store.relations import RelatedNode
from feeder.text import composed
from feeder.traits import are_compatible, traits


class SiteFinder:
    """Finds sites; `left_out` are those that mean something else, by file and line."""

    def __init__(self, reader: RelationReader) -> None:
        self.reader = reader
        self.left_out: dict[tuple[str, int], LeftOut] = {}

    def sites(  # noqa: PLR0913 - the sites, and how they are spelled
        self,
        definition: Definition,
        resolver: Resolver,
        name: str,
        paths: Set[str] | None = None,
        macro_paths: Set[str] = frozenset(),
        *,
        is_spelling: bool = False,
    ) -> Iterator[Reference]:
        """The sites of a name that refer to a definition, or may, in all files or in `paths`.

        `name` is one of these:

        - the definition's own name;
        - with `is_spelling` another form of it: `TOTAL` for `Total`, `Route` for `RouteAttribute`;
        - an alias, which counts in `paths`;
        - a macro whose text has the definition's name. `macro_paths` are the files that define it.
        """
        paths = _paths_of_sites(definition, paths, macro_paths)
        is_member = bool(definition.owner) and not definition.is_type
        sites = [
            (node, relations)
            for node in self.reader.nodes(name, with_receivers=not is_member)
            if (paths is None or node.path in paths)
            and are_compatible(node.language, definition.language)
            and (relations := _relations_of_name(node, name, with_receivers=not is_member))
        ]
        # files have the imports of a name in their own Unicode form only
        is_other_form = is_spelling and composed(name) == composed(definition.name)
        all_facts = self.reader.facts(node.path for node, _ in sites)
        for node, relations in sites:
            if (
                macro_paths
                and node.path not in macro_paths
                and name in all_facts[node.path].symbols
            ):
                continue
            for relation, kind in relations:
                meant = relation
                if relation.name != name:
                    meant = Relation(name, MENTION, "", relation.lines)
                elif macro_of(relation.qualifier):
                    meant = relation._replace(qualifier="")
                if macro_paths or is_spelling:
                    meant = meant._replace(name=definition.name)
                is_own = relation.kind == USE and _is_own_block(definition, node)
                is_key = relation.qualifier == LITERAL_KEY and node.path == definition.path
                for line, resolved in resolver.resolve_lines(all_facts[node.path], node, meant):
                    if is_key and line in definition.own_lines:
                        continue
                    result = elsewhere(Evidence.OWN_BLOCK) if is_own else resolved
                    if result.is_elsewhere and not is_other_form:
                        left_out = LeftOut(node.path, line, kind, result)
                        self.left_out.setdefault((node.path, line), left_out)
                    else:
                        # `Cart` in `Cart.shared.add()` is one site, and receiver in two relations
                        receiver = relation.qualifier if relation.name == name else ""
                        own = OVERRIDE if _declares(definition, relation) else kind
                        yield Reference(
                            node.path, line, 0, own, result.is_resolved, "", node, name, receiver
                        )


def _declares(definition: Definition, relation: Relation) -> bool:
    """Tells whether a site declares the member in a class without a name or an object of its type:
    `const cart: Cart = { add() { … } }`.
    """
    qualifier = relation.qualifier
    is_key = qualifier.endswith(LITERAL_KEY) and qualifier != LITERAL_KEY
    return qualifier.endswith(UNNAMED_MEMBER) or (is_key and definition.is_function)


def _is_own_block(definition: Definition, node: RelatedNode) -> bool:
    """Tells whether a node is a block of a type in its own file: `impl Cart` below `Cart`."""
    has_blocks = bool(traits(node.language).adding_block) and node.node_type == "class"
    return has_blocks and (node.path, node.symbol) == (definition.path, definition.symbol)


def _relations_of_name(
    node: RelatedNode, name: str, *, with_receivers: bool
) -> list[tuple[Relation, str]]:
    """The relations of a name in a node, each with its kind; those whose receiver begins with it
    are mentions of it.
    """
    own = [
        (relation, KIND_NAMES[relation.kind])
        for relation in node.decode_named(name)
        if relation.kind in KIND_NAMES
    ]
    if not with_receivers:
        return own
    received = (relation for relation in node.decode_received(name) if relation.name != name)
    return [*own, *((relation, KIND_NAMES[MENTION]) for relation in received)]


def _paths_of_sites(
    definition: Definition, paths: Set[str] | None, macro_paths: Set[str]
) -> Set[str] | None:
    """The files that can refer to a definition; None for all."""
    if definition.is_local and paths is None:
        return {definition.path}  # the facts of other files are not needed
    return macro_paths if macro_paths and not any(map(is_header, macro_paths)) else paths
