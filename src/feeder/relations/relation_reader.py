"""Reads definitions, nodes with relations and facts of files from the index, each once."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Set

from feeder.corpus.corpus import Corpus
from feeder.errors import UserError
from feeder.relation import IMPLEMENTS, IMPORT, INHERITS, UNNAMED
from feeder.relations.exports import ExportFinder
from feeder.relations.file_facts import FileFacts
from feeder.relations.modules import Definition
from feeder.relations.node_definitions import definition_of, is_open_enum, is_tag
from feeder.relations.repeated_definitions import file_stem, is_named_by_argument
from feeder.relations.targets import (
    Target,
    check_relations,
    members_named,
    target_node,
)
from feeder.store.go_relations import go_package_of_folder
from feeder.store.hits import Hit, hits_named
from feeder.store.relations import (
    MAX_PATHS,
    RelatedNode,
    nodes_of_files,
    nodes_with_kinds,
    nodes_with_name,
    types_of_files,
)
from feeder.store.rows import decode_members
from feeder.text import composed, normalize_symbol, symbol_ends_with, unicode_forms
from feeder.traits import are_compatible, traits


class RelationReader:
    """Reads what relations need, once for each name and file.

    `is_cut` becomes True when a list was too long to be read to its end.
    """

    def __init__(self, corpus: Corpus) -> None:
        self.database, self.repo = corpus.database, corpus.repo
        self._corpus = corpus
        self._facts: dict[str, FileFacts] = {}
        self._types_of_files: dict[str, Set[str]] = {}
        self._definitions: dict[str, list[tuple[Definition, Hit]]] = {}
        self._named: dict[str, tuple[list[Hit], bool]] = {}
        self._nodes: dict[tuple[str, bool], list[RelatedNode]] = {}
        self.exports = ExportFinder(self.database, self.repo, self._defining_paths)
        self.is_cut = False
        check_relations(corpus)

    def definition(self, target: Target, text: str) -> Definition:
        """The definition that a target names: a node's symbol, or a member of a node."""
        hit = target_node(self._corpus, target) if target.lines else _first_named(target)
        name = normalize_symbol(text.rpartition("#")[2]).rpartition(".")[2]
        members = {member.name for member in decode_members(hit.members)}
        own_name = (hit.symbol or "").rpartition(".")[2]
        if not target.lines and name in members and name != own_name:
            return self.member_definition(hit, name)
        if not hit.symbol or is_named_by_argument(hit):
            raise UserError(
                f"{_place(target, hit)} declares no class, method or function.",
                "Use the name of a symbol, or a line inside a class, method or function.",
            )
        return self._definition_of(hit)

    def is_constructor(self, target: Target, definition: Definition) -> bool:
        """Tells whether a target names a constructor, whose definition is its type."""
        hit = target_node(self._corpus, target) if target.lines else _first_named(target)
        return definition.is_type and hit.node_type == "method"

    def in_answer(self, definition: Definition, *, has_sites: bool = False) -> Definition:
        """A definition with what an answer says of its language.

        A user's grammar file may add relations to one that has none. Then there are sites, or
        relations of the definition's file.
        """
        if traits(definition.language).has_relations:
            return definition
        nodes = self.facts([definition.path])[definition.path].nodes
        has_relations = has_sites or any(node.relations for node in nodes)
        return definition._replace(has_relations=has_relations)

    def _definition_of(self, hit: Hit) -> Definition:
        types = self._types([hit.path])[hit.path]
        definition = definition_of(
            hit, types, lambda symbol: bool(self._type_nodes(symbol, hit.language))
        )
        is_constructor = definition.is_type and hit.node_type == "method"
        if is_constructor and definition.symbol not in types:  # Cart::Cart() outside of its header
            declared = self._type_nodes(definition.symbol, hit.language)
            beside = [node for node in declared if file_stem(node.path) == file_stem(hit.path)]
            return self._definition_of((beside or declared)[0])
        return definition

    def _type_nodes(self, symbol: str, language: str | None) -> list[Hit]:
        """The nodes that declare a type, in files of a language or of one that shares its names."""
        named, _ = self.hits(symbol.rpartition(".")[2])
        return [
            hit
            for hit in named
            if hit.symbol == symbol
            and hit.node_type == "class"
            and are_compatible(language, hit.language or "")
        ]

    def member_definition(self, hit: Hit, name: str) -> Definition:
        """The definition of a member of a class, or of a file, as a constant in a chunk."""
        owner = hit.symbol or "" if hit.node_type == "class" else ""
        symbol = f"{owner}.{name}" if owner else name
        is_type = is_tag(hit, name)
        if is_type or is_open_enum(hit):
            owner = ""
        lines = frozenset(one.line for one in decode_members(hit.members) if one.name == name)
        one = Definition(
            hit.path, hit.language or "", symbol, name, owner, is_type, own_lines=lines
        )
        scope = traits(hit.language).package_scope
        if owner or not scope:
            return one
        package = self.facts([hit.path])[hit.path].package
        if scope == "package":
            return one._replace(package_name=package)
        package = package.partition(".")[0]
        if not package:  # a file of constants alone
            folder = posixpath.dirname(hit.path)
            package = go_package_of_folder(self.database, self.repo, folder)
        return one._replace(package_name=package)

    def member_definitions(self, name: str) -> list[Definition]:
        """The members of a name, which have no node: fields of types, and constants of files."""
        members, _ = members_named(self._corpus, name)
        return [self.member_definition(hit, member.name) for hit, member in members]

    def named_definitions(self, name: str) -> list[tuple[Definition, Hit]]:
        """All definitions of a name, or of a qualified one, in the index."""
        if name not in self._definitions:
            self._definitions[name] = self._read_definitions(normalize_symbol(name))
        return self._definitions[name]

    def hits(self, name: str) -> tuple[list[Hit], bool]:
        """The declarations whose symbols end with a name, and whether there are more."""
        if name not in self._named:
            hits, is_cut = hits_named(self.database, self.repo, name)
            self._named[name] = [hit for hit in hits if not is_named_by_argument(hit)], is_cut
        return self._named[name]

    def _defining_paths(self, name: str) -> set[str]:
        """The files that define a name outside of any type."""
        return {hit.path for hit in self.hits(name)[0] if hit.symbol == name}

    def is_name_cut(self, name: str) -> bool:
        """Tells whether more nodes define a name than are read."""
        return self.hits(normalize_symbol(name).rpartition(".")[2])[1]

    def _read_definitions(self, requested: str) -> list[tuple[Definition, Hit]]:
        matches: dict[tuple[str, str], Hit] = {}
        for form in unicode_forms(requested):
            hits, is_cut = self.hits(form.rpartition(".")[2])
            self.is_cut |= is_cut
            for hit in hits:
                symbol = hit.symbol or ""
                if symbol_ends_with(composed(symbol), composed(requested)):
                    matches.setdefault((hit.path, symbol), hit)
        self._types(hit.path for hit in matches.values())
        pairs = [(self._definition_of(hit), hit) for hit in matches.values()]
        own = {definition for definition, hit in pairs if definition.path == hit.path}
        return [pair for pair in pairs if pair[0].path == pair[1].path or pair[0] not in own]

    def type_around(self, definition: Definition) -> Definition | None:
        """The definition of the type around a member; one in the member's own file comes first."""
        named = self.named_definitions(definition.owner.rpartition(".")[2])
        same = [other for other, _ in named if other.symbol == definition.owner and other.is_type]
        near = [other for other in same if other.path == definition.path]
        return next(iter(near or same), None)

    def facts(self, paths: Iterable[str]) -> dict[str, FileFacts]:
        """The facts of files, read together."""
        requested = list(dict.fromkeys(paths))
        missing = [path for path in requested if path not in self._facts]
        for first in range(0, len(missing), MAX_PATHS):
            batch = missing[first : first + MAX_PATHS]
            nodes = nodes_of_files(self.database, self.repo, batch)
            self._facts |= {path: FileFacts(path, nodes.get(path, ())) for path in batch}
        return {path: self._facts[path] for path in requested}

    def _types(self, paths: Iterable[str]) -> dict[str, Set[str]]:
        """The symbols of the types in files, read together, and without their facts."""
        requested = list(dict.fromkeys(paths))
        existing = {path: self._facts[path].classes for path in requested if path in self._facts}
        missing = [path for path in requested if path not in {*existing, *self._types_of_files}]
        for first in range(0, len(missing), MAX_PATHS):
            batch = missing[first : first + MAX_PATHS]
            types = types_of_files(self.database, self.repo, batch)
            self._types_of_files |= {path: types.get(path, set()) for path in batch}
        return {
            path: existing[path] if path in existing else self._types_of_files[path]
            for path in requested
        }

    def nodes(self, name: str, *, with_receivers: bool = True) -> list[RelatedNode]:
        """The nodes whose relations have a name; those with it as a receiver can be left out."""
        key = name, with_receivers
        if key not in self._nodes:
            nodes, is_cut = nodes_with_name(
                self.database, self.repo, name, with_receivers=with_receivers
            )
            self.is_cut |= is_cut
            self._nodes[key] = nodes
        return self._nodes[key]

    def inheriting_nodes(self, name: str, *, is_local: bool) -> list[RelatedNode]:
        """The nodes that inherit, implement or import a name; also by anonymous classes."""
        nodes: list[RelatedNode] = []
        for kinds in (INHERITS + IMPLEMENTS + IMPORT, *([UNNAMED * 3] if is_local else ())):
            found, is_cut = nodes_with_kinds(self.database, self.repo, name, kinds)
            self.is_cut |= is_cut
            nodes += found
        return nodes


def _place(target: Target, hit: Hit) -> str:
    """The line that the user named; if none was named, the first line of the node."""
    if target.lines:
        return f"Line {target.lines[0]} of {target.path}"
    return f"{hit.path}:{hit.start_line}"


def _first_named(target: Target) -> Hit:
    if target.is_file:
        raise UserError(
            f"{target.path} is a file.",
            f"Name a symbol or a line in it: {target.path}#SYMBOL or {target.path}:LINE",
        )
    return target.hits[0]
