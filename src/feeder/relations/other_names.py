"""Finds the sites that refer to a definition by another name: an alias, a macro, another spelling.

Start with `OtherNames.sites`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from feeder.relation import CALL, IMPORT, MENTION, USE, alias_of, macro_of
from feeder.relations.exports import DEFAULT
from feeder.relations.families import FamilyFinder
from feeder.relations.modules import Definition
from feeder.relations.resolution import Resolver
from feeder.relations.site_finder import SiteFinder
from feeder.relations.sites import KIND_NAMES, Reference
from feeder.store.relations import line_numbers, related_nodes_with_word
from feeder.text import unicode_forms
from feeder.traits import are_compatible, traits

MAX_ALIAS_NODES = 300
"""Nodes with an alias up to which all are read. A more frequent one is looked for only in the files
that import or export the definition by it."""

MAX_MACROS = 20
"""Macros of C that are followed from a definition: their uses are references to it."""


class OtherNames:
    """Finds sites by the names that files give to a definition, or that macros around it have."""

    def __init__(self, finder: SiteFinder, families: FamilyFinder) -> None:
        self._finder = finder
        self._reader = finder.reader
        self._families = families

    def sites(
        self, definition: Definition, resolver: Resolver, own: Sequence[Reference]
    ) -> list[Reference]:
        """The sites by other names; `own` are those by the definition's own name."""
        language = traits(definition.language)
        if language.reexports:
            matches = list(self._exported_sites(definition, resolver))
        else:
            matches = list(self._aliased_sites(definition, resolver, own))
        if language.family == "c":
            matches += self._macro_sites(definition, resolver, [*own, *matches])
        if language.case_insensitive:
            for spelling in self._spellings(definition.name):
                matches += self._finder.sites(definition, resolver, spelling, is_spelling=True)
        for form in unicode_forms(definition.name)[1:]:
            matches += self._finder.sites(definition, resolver, form, is_spelling=True)
        short = definition.name.removesuffix(language.attribute_ending)
        if definition.is_type and short not in {"", definition.name}:
            matches += self._attribute_sites(definition, resolver, short)
        setter = definition.name.removesuffix(language.setter_ending)
        if definition.is_function and setter not in {"", definition.name}:
            matches += self._setter_sites(definition, resolver, setter)
        if language.method_aliases:
            matches += self._method_alias_sites(definition, [*own, *matches])
        return matches

    def _attribute_sites(
        self, definition: Definition, resolver: Resolver, short: str
    ) -> list[Reference]:
        """The attributes of C# without the end of their type's name, unless another type has it.

        An attribute with arguments looks like a call, and may be a call of a method.
        """
        named = [
            other
            for other, _ in self._reader.named_definitions(short)
            if are_compatible(other.language, definition.language)
        ]
        if any(other.is_type for other in named):
            return []
        kinds = {KIND_NAMES[kind] for kind in (USE, *(() if named else (CALL,)))}
        sites = self._finder.sites(definition, resolver, short, is_spelling=True)
        return [site for site in sites if site.kind in kinds and not site.receiver]

    def _setter_sites(
        self, definition: Definition, resolver: Resolver, name: str
    ) -> Iterator[Reference]:
        """The sites of a setter of Ruby: `cart.total = 3` calls `total=`.

        They are possible, because `cart.total` may be read there.
        """
        for site in self._finder.sites(definition, resolver, name, is_spelling=True):
            if site.receiver and site.kind in {KIND_NAMES[CALL], KIND_NAMES[MENTION]}:
                yield site._replace(resolved=False)

    def _aliased_sites(
        self, definition: Definition, resolver: Resolver, sites: Iterable[Reference]
    ) -> Iterator[Reference]:
        """The sites of the other names by which files import a definition."""
        aliases = {
            (site.path, alias)
            for site in sites
            if site.kind == "import" and (alias := alias_of(site.receiver))
        }
        for alias in sorted({alias for _, alias in aliases} - {definition.name}):
            paths = {path for path, name in aliases if name == alias}
            yield from self._finder.sites(definition, resolver, alias, paths)

    def _exported_sites(self, definition: Definition, resolver: Resolver) -> Iterator[Reference]:
        """The sites of the other names by which files import or export a definition."""
        exports = self._reader.exports.of(definition)
        self._reader.is_cut |= exports.is_cut
        for name in exports.other_names(definition.name):
            is_rare = len(self._reader.nodes(name)) <= MAX_ALIAS_NODES and not definition.is_local
            paths = {path for path, names in exports.names.items() if name in names}
            yield from self._finder.sites(definition, resolver, name, None if is_rare else paths)
        for node, relation in exports.default_imports:
            bound = relation.alias or DEFAULT
            for line in line_numbers(node, relation):
                yield Reference(node.path, line, 0, KIND_NAMES[IMPORT], True, "", node, bound, "")

    def _spellings(self, name: str) -> list[str]:
        """The other spellings of a name in a language in which `Total` and `TOTAL` are equal."""
        nodes = related_nodes_with_word(self._reader.database, self._reader.repo, name)
        spelled = {relation.name for node in nodes for relation in node.decode()}
        return sorted(spelling for spelling in spelled - {name} if spelling.lower() == name.lower())

    def _macro_sites(
        self, definition: Definition, resolver: Resolver, sites: Sequence[Reference]
    ) -> list[Reference]:
        """The sites of the macros whose text has a definition's name, and of macros around these.

        A macro of a source file is used in this file, one of a header in all files but those with
        a macro of their own that has its name.
        """
        matches: list[Reference] = []
        followed = {definition.name}
        while paths_of := _macros_around(sites, followed):
            macros = sorted(paths_of)[: MAX_MACROS + 1 - len(followed)]
            self._reader.is_cut |= len(macros) < len(paths_of)
            followed.update(macros)
            sites = [
                site
                for macro in macros
                for site in self._finder.sites(
                    definition, resolver, macro, macro_paths=paths_of[macro]
                )
            ]
            matches += sites
        return matches

    def _method_alias_sites(
        self, definition: Definition, sites: Iterable[Reference]
    ) -> list[Reference]:
        """The sites of a method's aliases, and of aliases of these, in the type around each."""
        matches: list[Reference] = []
        followed = {definition.symbol}
        while aliases := [
            alias
            for alias in self._method_aliases(definition.language, sites)
            if alias.symbol not in followed
        ]:
            self._reader.is_cut |= len(followed) + len(aliases) > MAX_MACROS
            aliases = aliases[: max(MAX_MACROS - len(followed), 0)]
            followed.update(alias.symbol for alias in aliases)
            sites = [
                site
                for alias in aliases
                for site in self._finder.sites(alias, self._families.resolver(alias), alias.name)
            ]
            matches += sites
        return matches

    def _method_aliases(self, language: str, sites: Iterable[Reference]) -> list[Definition]:
        """The methods that resolved sites declare as aliases, sorted by symbol."""
        aliases: dict[str, Definition] = {}
        for site in sites:
            if site.resolved and (name := macro_of(site.receiver)):
                owner = self._reader.facts([site.path])[site.path].enclosing_class(site.node.symbol)
                symbol = f"{owner}.{name}" if owner else name
                alias = Definition(site.path, language, symbol, name, owner, is_type=False)
                aliases.setdefault(symbol, alias)
        return [alias for _, alias in sorted(aliases.items())]


def _macros_around(sites: Iterable[Reference], followed: Collection[str]) -> Mapping[str, set[str]]:
    """The macros in whose text sites are, other than `followed`, each with its files."""
    paths_of: defaultdict[str, set[str]] = defaultdict(set)
    for site in sites:
        macro = macro_of(site.receiver)
        if macro and macro not in followed:
            paths_of[macro].add(site.path)
    return paths_of
