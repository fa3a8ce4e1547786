"""Finds the sites of a member through other types: `pump.flow()` for `Steel.flow`.

Start with `with_sites_through_types`. Which method runs is known only when the program does; such a
site says through which member it may reach the definition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from feeder.relation import IMPLEMENTS, INHERITS, LITERAL_KEY
from feeder.relations.families import FamilyFinder
from feeder.relations.modules import Definition
from feeder.relations.receiver_types import Family
from feeder.relations.relation_reader import RelationReader
from feeder.relations.resolution import Resolver
from feeder.relations.site_finder import SiteFinder
from feeder.relations.sites import Reference
from feeder.relations.subtypes import SubtypeFinder, is_variant
from feeder.text import last_name
from feeder.traits import traits

MAX_BASES = 30
"""Types above a type that are followed."""

MAX_MEMBERS = 30
"""Members below a field that are followed."""

DISPATCHED_KINDS = frozenset({"call", "mention"})
"""The kinds of sites that may reach a member of another type."""


def with_sites_through_types(
    finder: SiteFinder,
    families: FamilyFinder,
    subtypes: SubtypeFinder,
    definition: Definition,
    sites: Sequence[Reference],
) -> list[Reference]:
    """The sites of a member, and those that name a member of another type which it may be.

    For a method these are members of the types above its own. A field may be declared again in the
    types below, too: `basket.total` for `total` of an interface that `Basket` implements. A site
    that was only possible is replaced. Go is left out: its interfaces have rules of their own.
    """
    own = traits(definition.language)
    may_dispatch = definition.is_function or own.redeclared_fields
    owner = finder.reader.type_around(definition) if may_dispatch else None
    if not owner or own.structural_interfaces:
        return list(sites)
    resolved = {(site.path, site.line) for site in sites if site.resolved}
    through: dict[tuple[str, int], Reference] = {}
    found = [_sites_of_base(finder, base, definition) for base in types_above(finder.reader, owner)]
    if not definition.is_function:
        below = subtypes.redeclared(definition)[:MAX_MEMBERS]
        found += [_sites_of_member(finder, families.resolver(one), one) for one in below]
    for site in (site for group in found for site in group):
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


def _sites_of_base(
    finder: SiteFinder, base: Definition, definition: Definition
) -> Iterable[Reference]:
    """The sites of the member that a type above a definition's type has of its name."""
    name = definition.name
    symbol = f"{base.symbol}.{name}"
    member = Definition(
        base.path,
        base.language,
        symbol,
        name,
        base.symbol,
        is_type=False,
        is_function=definition.is_function,
    )
    others = [other for other, _ in finder.reader.named_definitions(name)]
    if not definition.is_function:
        others += finder.reader.member_definitions(name)
    others = [other for other in others if other.symbol != symbol]
    own = frozenset({(base.path, base.symbol)})
    family = Family(own, frozenset({base.name}), frozenset())
    resolver = Resolver(member, [member, *others], base, finder.reader.exports, family)
    sites = _sites_of_member(finder, resolver, member)
    # `{ total: 0 }` as a literal of the base makes no object of the type below
    return (site for site in sites if not site.receiver.endswith(LITERAL_KEY))


def _sites_of_member(
    finder: SiteFinder, resolver: Resolver, member: Definition
) -> Iterable[Reference]:
    """Yields the sites that name a member on a value of its type, or on the object in its methods.

    They say that they go through the member.
    """
    owner, by_path = last_name(member.owner), traits(member.language).methods_by_path
    for site in finder.sites(member, resolver, member.name):
        names_type = last_name(site.receiver) == owner and not by_path
        if site.resolved and site.kind in DISPATCHED_KINDS and not names_type:
            yield site._replace(through=member.symbol)
