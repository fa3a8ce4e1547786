"""Finds the calls of a method through the types above its own: `pump.flow()` for `Steel.flow`.

Start with `with_sites_through_bases`. Which method runs is known only when the program does; such a
site says through which member it may reach the definition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from feeder.relation import IMPLEMENTS, INHERITS
from feeder.relations.modules import Definition
from feeder.relations.receiver_types import Family
from feeder.relations.relation_reader import RelationReader
from feeder.relations.resolution import Resolver
from feeder.relations.site_finder import SiteFinder
from feeder.relations.sites import Reference
from feeder.relations.subtypes import is_variant
from feeder.text import last_name
from feeder.traits import traits

MAX_BASES = 30
"""Types above a type that are followed."""

DISPATCHED_KINDS = frozenset({"call", "mention"})
"""The kinds of sites that may reach a method of a type below."""


def with_sites_through_bases(
    finder: SiteFinder, definition: Definition, sites: Sequence[Reference]
) -> list[Reference]:
    """The sites of a method, and those that name a member of a type above the method's own.

    A site that was only possible is replaced. Go is left out: its interfaces have rules of their
    own.
    """
    owner = finder.reader.type_around(definition) if definition.is_function else None
    if not owner or traits(owner.language).structural_interfaces:
        return list(sites)
    resolved = {(site.path, site.line) for site in sites if site.resolved}
    through: dict[tuple[str, int], Reference] = {}
    for base in types_above(finder.reader, owner):
        for site in _sites_of_member(finder, base, definition.name):
            if (site.path, site.line) not in resolved:
                through.setdefault((site.path, site.line), site)
    rest = [site for site in sites if (site.path, site.line) not in through]
    return [*rest, *through.values()]


def types_above(reader: RelationReader, owner: Definition) -> Iterator[Definition]:
    """Yields the types of the index that a type inherits or implements, the nearest first."""
    seen = {(owner.path, owner.symbol)}
    level = [owner]
    while level:
        above: list[Definition] = []
        for type_ in level:
            for base in _direct_bases(reader, type_):
                if (base.path, base.symbol) in seen or len(seen) > MAX_BASES:
                    continue
                seen.add((base.path, base.symbol))
                above.append(base)
                yield base
        level = above


def _direct_bases(reader: RelationReader, type_: Definition) -> Iterator[Definition]:
    """Yields the definitions that a type surely names as its bases, in its own file or a part."""
    all_facts = reader.facts(_paths_of_parts(reader, type_)).values()
    nodes = [(facts, node) for facts in all_facts for node in facts.nodes]
    for facts, node in nodes:
        if node.symbol != type_.symbol or node.node_type != "class":
            continue
        enum = reader.type_around(type_)
        if enum and is_variant(node, enum):
            yield enum
        for relation in node.decode(INHERITS + IMPLEMENTS):
            if not relation.name:
                continue
            named = [other for other, _ in reader.named_definitions(relation.name) if other.is_type]
            for other in named:
                resolver = Resolver(other, named, None, reader.exports)
                result = resolver.resolve(facts, node, relation, node.start_line)
                if result.is_resolved:
                    yield other


def _paths_of_parts(reader: RelationReader, type_: Definition) -> list[str]:
    """The files that declare a type, its own first: several for a `partial class` of C#."""
    named = reader.named_definitions(type_.name) if traits(type_.language).split_types else ()
    parts = [
        other.path
        for other, _ in named
        if other.is_type and (other.symbol, other.language) == (type_.symbol, type_.language)
    ]
    return [*dict.fromkeys([type_.path, *parts])]


def _sites_of_member(finder: SiteFinder, base: Definition, name: str) -> Iterable[Reference]:
    """Yields the sites that call a member on a value of a type, or on the object in its methods."""
    symbol = f"{base.symbol}.{name}"
    member = Definition(
        base.path, base.language, symbol, name, base.symbol, is_type=False, is_function=True
    )
    others = [other for other, _ in finder.reader.named_definitions(name) if other.symbol != symbol]
    own = frozenset({(base.path, base.symbol)})
    family = Family(own, frozenset({base.name}), frozenset())
    resolver = Resolver(member, [member, *others], base, finder.reader.exports, family)
    by_path = traits(base.language).methods_by_path
    for site in finder.sites(member, resolver, name):
        names_type = last_name(site.receiver) == base.name and not by_path
        if site.resolved and site.kind in DISPATCHED_KINDS and not names_type:
            yield site._replace(through=symbol)
