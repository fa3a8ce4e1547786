"""Finds the sites that refer to a definition, and the types below a type.

Start with `find_references` and `find_implementations`. Sites come from the
relations of nodes in the index; only the text and columns of a page's lines are read from files.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

from feeder.corpus.file_contents import indexed_lines, snapshot_repositories
from feeder.corpus.index_status import Corpus
from feeder.errors import UserError
from feeder.relation import (
    BINDING,
    CALL,
    IMPLEMENTS,
    IMPORT,
    INHERITS,
    MENTION,
    PARAMETER,
    RETURNS,
    USE,
    Relation,
    alias_of,
    macro_of,
)
from feeder.relations.bases import with_sites_through_bases
from feeder.relations.exports import DEFAULT, ExportFinder
from feeder.relations.file_facts import FileFacts, declarations
from feeder.relations.go_interfaces import (
    MAX_EMBEDDED,
    MAX_GO_TYPES,
    GoTypes,
    Implements,
    TypePlace,
)
from feeder.relations.modules import MODULE_EXPORTS, Definition
from feeder.relations.name_lines import NO_LINES, NameLines, lines_with_name
from feeder.relations.outcomes import Resolution, surest
from feeder.relations.resolution import (
    NO_FAMILY,
    Family,
    Resolver,
    are_compatible,
)
from feeder.relations.targets import Target, is_named_by_argument, target_node
from feeder.store.hits import Hit, hits_named
from feeder.store.relations import (
    MAX_PATHS,
    RelatedNode,
    file_blobs,
    go_package_of_folder,
    has_relations,
    line_numbers,
    nodes_of_files,
    nodes_with_kinds,
    nodes_with_name,
    related_nodes_with_word,
    types_of_files,
)
from feeder.store.rows import decode_members
from feeder.store.scope import is_test_path
from feeder.text import normalize_symbol
from feeder.traits import traits

KIND_NAMES = {
    CALL: "call",
    USE: "type",
    IMPORT: "import",
    INHERITS: "inherit",
    IMPLEMENTS: "implement",
    MENTION: "mention",
}
"""The kinds of references by the kinds of relations."""

OVERRIDE = "override"
"""The kind of a member that has the definition's name, in a type below its type."""

DECLARATION_LINES = 40
"""Lines at the beginning of a node in which its declaration is looked for, below comments."""

COMMENT_PATTERN = re.compile(r"\s*(?:#|//|/?\*|--|<!--)")
"""The beginning of a line of comment, which is no declaration."""

MAX_MODIFIERS = 4
"""Words of a declaration that may be its modifiers: `public extension Cart`."""

PRIVATE_PATTERN = re.compile(r"(?:@[\w.]+(?:\([^)]*\))? |\w+ )*?(?:file)?private ")
"""The beginning of a declaration that only its own file sees."""

FUNCTION_PATTERN = re.compile(r"\bfun\b")
"""A declaration of Kotlin that is no property."""

OPEN_TYPE_PATTERN = re.compile(r"\b(?:trait|protocol|module)\b")
"""A type that may be added to any other, also to a built-in one."""

CONSTRUCTORS = frozenset({"__init__", "constructor", "__construct", "initialize", "init"})

MAX_DEPTH = 20
"""Levels of types below a type that are followed."""

MAX_TYPES = 300
"""Types below a type that are followed."""

MAX_NAMES = 3
"""Methods of an interface whose types are read, until one is not too frequent."""

CHAINED_PATTERN = re.compile(r"[^.]+\.[^.]")
"""A receiver that may be a field."""

MAX_HELD_TYPES = 10
"""Types of Go, beside the target's own, whose fields are followed."""

MAX_ALIAS_NODES = 300
"""Nodes with another name of a definition that are all read; of more, those in its own files."""

MAX_MACROS = 20
"""Macros of C that are followed from a definition: their uses are references to it."""


class Reference(NamedTuple):
    """A site that refers to a definition, or may, or a member that overrides it; lines are as
    indexed.

    `column` counts characters from 1 and is 0 with an empty `text` if the line cannot be read.
    `through` is the member of a base that the site names, and that the definition overrides.
    """

    path: str
    line: int
    column: int
    kind: str
    resolved: bool
    text: str
    node: RelatedNode
    name: str
    receiver: str
    through: str = ""

    @property
    def detail(self) -> str:
        """The kind, with the member of a base that the site names: `call through Pump.flow`."""
        return f"{self.kind} through {self.through}" if self.through else self.kind

    def as_json(self) -> dict[str, Any]:
        """The reference for `--json`."""
        return {
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "kind": self.kind,
            "resolved": self.resolved,
            "text": self.text,
            "enclosing": {
                "id": self.node.id,
                "symbol": self.node.symbol,
                "node_type": self.node.node_type,
                "start_line": self.node.first_line,
                "end_line": self.node.last_line,
            },
            "is_test": is_test_path(self.path),
            **({"through": self.through} if self.through else {}),
        }


class LeftOut(NamedTuple):
    """A site of a definition's name that means something else, with the evidence for it."""

    path: str
    line: int
    kind: str
    resolution: Resolution

    def as_json(self) -> dict[str, Any]:
        """The site for `--json`; `definition` is what it means, where the index has that."""
        other = self.resolution.definition
        return {
            "path": self.path,
            "line": self.line,
            "kind": self.kind,
            "means": self.resolution.because,
            "definition": f"{other.path}#{other.symbol}" if other else None,
        }


class ReferencePage(NamedTuple):
    """References from an offset on out of `total`, or more than `total` where `at_least`.

    `left_out` are lines with the name that mean something else. `name_lines` are the lines of code
    with the name, read only if there is no reference. `excluded` counts the references that the
    filters leave out.
    """

    target: Definition
    references: list[Reference]
    total: int
    resolved: int
    at_least: bool
    offset: int
    left_out: Sequence[LeftOut] = ()
    name_lines: NameLines = NO_LINES
    excluded: int = 0

    def as_json(self) -> dict[str, Any]:
        """The page for `--json`."""
        return {
            "target": target_json(self.target),
            "references": [one.as_json() for one in self.references],
            "total": self.total,
            "resolved": self.resolved,
            "at_least": self.at_least,
            "left_out": len(self.left_out),
            "excluded": self.excluded,
            "lines_with_name": [one._asdict() for one in self.name_lines.lines],
        }


class Implementation(NamedTuple):
    """A type below a type, or a member that overrides a member; `depth` counts levels from 1."""

    path: str
    start_line: int
    end_line: int
    symbol: str
    resolved: bool
    depth: int


def target_json(target: Definition) -> dict[str, Any]:
    """The target for `--json`."""
    return {"path": target.path, "symbol": target.symbol, "language": target.language}


class ReferenceFinder:
    """Reads relations, those of each file and of each name once."""

    def __init__(self, corpus: Corpus) -> None:
        self._corpus = corpus
        self._facts: dict[str, FileFacts] = {}
        self._types_of_files: dict[str, Set[str]] = {}
        self._definitions: dict[str, list[tuple[Definition, Hit]]] = {}
        self._named: dict[str, tuple[list[Hit], bool]] = {}
        self._nodes: dict[tuple[str, bool], list[RelatedNode]] = {}
        self._below: dict[Definition, list[tuple[Implementation, tuple[str, str]]]] = {}
        self._go_types = GoTypes(corpus.database, corpus.repo)
        self.exports = ExportFinder(corpus.database, corpus.repo, self._defining_paths)
        self.is_cut = False
        self.left_out: dict[tuple[str, int], LeftOut] = {}
        if not has_relations(corpus.database, corpus.repo):
            raise UserError(
                f"The index of {corpus.repo} has no relations: it was made by an earlier version, "
                "or its languages have none.",
                "Bring it up to date: feeder sync",
            )

    def definition(self, target: Target, text: str) -> Definition:
        """The definition that a target names: a node's symbol, or a member of a node."""
        hit = target_node(self._corpus, target) if target.lines else _first_named(target)
        name = normalize_symbol(text.rpartition("#")[2]).rpartition(".")[2]
        members = {one.name for one in decode_members(hit.members)}
        own_name = (hit.symbol or "").rpartition(".")[2]
        if not target.lines and name in members and name != own_name:
            return self.member_definition(hit, name)
        if not hit.symbol or is_named_by_argument(hit):
            raise UserError(
                f"{hit.path}:{hit.start_line} is no declaration.",
                "Give the symbol of a class, method or function, or a line of one.",
            )
        return self._definition(hit)

    def member_definition(self, hit: Hit, name: str) -> Definition:
        """The definition of a member of a class, or of a file, as a constant in a chunk."""
        owner = hit.symbol or "" if hit.node_type == "class" else ""
        symbol = f"{owner}.{name}" if owner else name
        one = Definition(hit.path, hit.language or "", symbol, name, owner, is_type=False)
        scope = traits(hit.language).package_scope
        if owner or not scope:
            return one
        package = self.facts([hit.path])[hit.path].package
        if scope == "package":
            return one._replace(package_name=package)
        package = package.partition(".")[0]
        if not package:  # a file of constants alone
            folder = posixpath.dirname(hit.path)
            package = go_package_of_folder(self._corpus.database, self._corpus.repo, folder)
        return one._replace(package_name=package)

    def _definition(self, hit: Hit) -> Definition:
        symbol = hit.symbol or ""
        outer, _, name = symbol.rpartition(".")
        types = self._types([hit.path])[hit.path]
        is_type = hit.node_type == "class"
        if hit.language == "kotlin" and re.search(
            rf"\.{re.escape(name)}[(:= ]", hit.signature or ""
        ):
            return Definition(
                hit.path,
                "kotlin",
                symbol,
                name,
                "",
                is_type,
                is_local=_is_private(hit),
                is_extension=True,
                is_function=not is_type,
            )
        owner = outer if outer in types else ""
        if not owner and outer and hit.node_type == "method":
            owner = self._type_of_member(hit, outer)
        if owner and (name in CONSTRUCTORS or name == owner.rpartition(".")[2]):
            return Definition(
                hit.path,
                hit.language or "",
                owner,
                owner.rpartition(".")[2],
                owner.rpartition(".")[0] if owner.rpartition(".")[0] in types else "",
                is_type=True,
            )
        family = traits(hit.language).family
        is_static = family == "c" and (hit.signature or "").startswith("static ")
        is_local = is_static and not is_type and not _is_header(hit.path)
        is_local |= family == "scripts" and symbol == MODULE_EXPORTS
        is_local |= _is_private(hit)
        is_abstract = hit.language == "go" and bool(owner) and not is_type and _is_bodyless(hit)
        return Definition(
            hit.path,
            hit.language or "",
            symbol,
            name,
            owner,
            is_type,
            is_local,
            is_abstract=is_abstract,
            is_function=hit.node_type == "method" and not _is_property(hit),
        )

    def _type_of_member(self, hit: Hit, outer: str) -> str:
        """The type of a member that is declared in another file, as in Go, C++ or Swift."""
        named, _ = self._hits(outer.rpartition(".")[2])
        return (
            outer if any(one.symbol == outer and one.node_type == "class" for one in named) else ""
        )

    def named_definitions(self, name: str) -> list[tuple[Definition, Hit]]:
        """All definitions of a name, or of a qualified one, in the index."""
        if name not in self._definitions:
            self._definitions[name] = self._read_definitions(normalize_symbol(name))
        return self._definitions[name]

    def _hits(self, name: str) -> tuple[list[Hit], bool]:
        """The declarations whose symbols end with a name, and whether there are more."""
        if name not in self._named:
            hits, is_cut = hits_named(self._corpus.database, self._corpus.repo, name)
            self._named[name] = [hit for hit in hits if not is_named_by_argument(hit)], is_cut
        return self._named[name]

    def _defining_paths(self, name: str) -> set[str]:
        """The files that define a name outside of any type."""
        return {hit.path for hit in self._hits(name)[0] if hit.symbol == name}

    def is_name_cut(self, name: str) -> bool:
        """Tells whether more nodes define a name than are read."""
        return self._hits(normalize_symbol(name).rpartition(".")[2])[1]

    def _read_definitions(self, requested: str) -> list[tuple[Definition, Hit]]:
        hits, is_cut = self._hits(requested.rpartition(".")[2])
        self.is_cut |= is_cut
        matches: dict[tuple[str, str], Hit] = {}
        for hit in hits:
            symbol = hit.symbol or ""
            if symbol == requested or symbol.endswith(f".{requested}"):
                matches.setdefault((hit.path, symbol), hit)
        self._types(hit.path for hit in matches.values())
        return [(self._definition(hit), hit) for hit in matches.values()]

    def facts(self, paths: Iterable[str]) -> dict[str, FileFacts]:
        """The facts of files, read together."""
        requested = list(dict.fromkeys(paths))
        missing = [path for path in requested if path not in self._facts]
        database, repo = self._corpus.database, self._corpus.repo
        for first in range(0, len(missing), MAX_PATHS):
            batch = missing[first : first + MAX_PATHS]
            nodes = nodes_of_files(database, repo, batch)
            self._facts |= {path: FileFacts(path, nodes.get(path, ())) for path in batch}
        return {path: self._facts[path] for path in requested}

    def _types(self, paths: Iterable[str]) -> dict[str, Set[str]]:
        """The symbols of the types in files, read together, and without their facts."""
        requested = list(dict.fromkeys(paths))
        existing = {path: self._facts[path].classes for path in requested if path in self._facts}
        missing = [path for path in requested if path not in {*existing, *self._types_of_files}]
        for first in range(0, len(missing), MAX_PATHS):
            batch = missing[first : first + MAX_PATHS]
            types = types_of_files(self._corpus.database, self._corpus.repo, batch)
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
                self._corpus.database, self._corpus.repo, name, with_receivers=with_receivers
            )
            self.is_cut |= is_cut
            self._nodes[key] = nodes
        return self._nodes[key]

    def resolver(self, definition: Definition) -> Resolver:
        """The resolver of a definition, with the types below its owner."""
        others = self._other_definitions(definition)
        owner, family = None, NO_FAMILY
        if definition.owner and not definition.is_type:
            owners = self.named_definitions(definition.owner.rpartition(".")[2])
            same = [one for one, _ in owners if one.symbol == definition.owner]
            near = [one for one in same if one.path == definition.path] or same
            owner = near[0] if near else None
            if owner:
                family = self.family(owner, {(one.path, one.owner) for one in others})
                family = family._replace(is_closed=self._is_closed(owner))
                if owner.language == "go":
                    dispatch = self._dispatch(definition, others)
                    family = family._replace(makers=self._makers(owner), dispatch=dispatch)
                is_only = sum(one.is_type for one, _ in owners) == 1
                holding = [*([owner] if is_only else []), *_implementing_types(family)]
                if holding and self._has_chained_sites(definition.name):
                    family = family._replace(holders=self._holders(holding))
        elif definition.is_extension:
            extended = definition.symbol.rpartition(".")[0].rpartition(".")[2]
            types = [one for one, _ in self.named_definitions(extended) if one.is_type]
            if types:
                family = self.family(types[0], set())._replace(is_closed=self._is_closed(types[0]))
        return Resolver(definition, others, owner, self.exports, family)

    def _is_closed(self, owner: Definition) -> bool:
        """Tells whether no type of a library can be above a type, or below it.

        Below it may be one to which a trait, protocol or module is added.
        """
        same = [hit for one, hit in self.named_definitions(owner.name) if one == owner]
        if any(OPEN_TYPE_PATTERN.search(hit.signature or "") for hit in same):
            return False
        if owner.name in traits(owner.language).builtin_types:
            return False
        nodes = self.facts([owner.path])[owner.path].nodes
        own = (node for node in nodes if node.symbol == owner.symbol and node.node_type == "class")
        return not any(node.has_kind(INHERITS + IMPLEMENTS) for node in own)

    def _has_chained_sites(self, name: str) -> bool:
        """Tells whether a receiver of a name may be a field, as in `crawler.signals.connect`."""
        return any(
            one.kind in {CALL, MENTION} and CHAINED_PATTERN.match(one.qualifier)
            for node in self.nodes(name, with_receivers=False)
            for one in node.decode_named(name)
        )

    def _holders(self, types: Iterable[Definition]) -> Mapping[tuple[str, str], list[Definition]]:
        """The types with fields of some types, by their last names and the name of the field."""
        holders: defaultdict[tuple[str, str], list[Definition]] = defaultdict(list)
        for type_ in types:
            for node in self.nodes(type_.name):
                if not node.has_qualified(BINDING + PARAMETER, type_.name):
                    continue
                symbol = _type_around(node)
                name = symbol.rpartition(".")[2]
                holder = Definition(node.path, node.language or "", symbol, name, "", is_type=True)
                for one in node.decode(BINDING + PARAMETER):
                    if one.qualifier == type_.name and _may_hold(node, one, type_):
                        holders[name, one.name].append(holder)
        return holders

    def _makers(self, owner: Definition) -> tuple[Definition, ...]:
        """The functions of a type's package in Go that return it."""
        folder = posixpath.dirname(owner.path)
        return tuple(
            Definition(node.path, "go", symbol, symbol.rpartition(".")[2], "", is_type=False)
            for node in self.nodes(owner.name)
            if (symbol := node.symbol or "").count(".") == 1
            and posixpath.dirname(node.path) == folder
            and node.has_named(owner.name, RETURNS)
        )

    def _other_definitions(self, definition: Definition) -> list[Definition]:
        """All definitions of a definition's name, with itself.

        Blocks that add to a type, as `impl Cart` in Rust, are none.

        In C and C++ the prototypes of a function are the same definition, unless they are static,
        and so are the declarations of a type, as in `typedef struct cart cart`.
        """
        named = self.named_definitions(definition.name)
        matches = [(one, hit) for one, hit in named if one != definition and not _is_added_to(hit)]
        if traits(definition.language).family == "c" and not definition.is_local:
            declarations = [
                hit
                for one, hit in named
                if one.symbol == definition.symbol
                and traits(one.language).family == "c"
                and one.is_type == definition.is_type
                and not one.is_local
            ]
            bodies = {hit.path for hit in declarations if hit.end_line > hit.start_line + 1}
            ids = {hit.id for hit in declarations}
            if sum(definition.is_type or not _is_header(path) for path in bodies) <= 1:
                matches = [(one, hit) for one, hit in matches if hit.id not in ids]
        return [definition, *(one for one, _ in matches)]

    def family(self, owner: Definition, overriding: set[tuple[str, str]]) -> Family:
        """The types below a type; those in `overriding` have members of their own."""
        own, below = {(owner.path, owner.symbol)}, {(owner.path, owner.symbol)}
        parents = {(owner.path, owner.symbol): True}
        for one, parent in self.types_below(owner):
            key = one.path, one.symbol
            below.add(key)
            inherits = parents.get(parent, False) and (key not in overriding)
            parents[key] = inherits
            if inherits:
                own.add(key)
        names = {symbol.rpartition(".")[2] for _, symbol in own}
        return Family(frozenset(own), frozenset(names), frozenset(below))

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
                        self.is_cut |= len(seen) > MAX_TYPES
                        continue
                    seen.add((node.path, symbol))
                    sure = is_sure and resolved
                    matches = Implementation(
                        node.path, node.first_line, node.last_line, symbol, sure, depth
                    )
                    yield matches, (parent.path, parent.symbol)
                    outer, _, name = symbol.rpartition(".")
                    classes = self.facts([node.path])[node.path].classes
                    child = Definition(
                        node.path,
                        node.language or "",
                        symbol,
                        name,
                        outer if outer in classes else "",
                        is_type=True,
                    )
                    below.append((child, sure))
            if not below:
                return
            level = below

    def implementations(self, owner: Definition) -> list[Implementation]:
        """The types below a type, then those that implement it by their methods in Go."""
        below = [one for one, _ in self.types_below(owner)]
        existing = {(one.path, one.symbol) for one in below}
        by_methods = self._implementing(owner) if owner.language == "go" else ()
        return [*below, *(one for one in by_methods if (one.path, one.symbol) not in existing)]

    def _implementing(self, interface: Definition) -> Iterator[Implementation]:
        """Yields the types that have all methods of an interface of Go, in the order of paths."""
        types, place = self._go_types, _go_place(interface.path, interface.symbol)
        types.load([interface.symbol])
        if not types.is_interface(place):
            return
        owners = self._types_with_any(types.method_set(place).methods)
        symbols = [*owners, *types.symbols_embedding(owners)]
        self.is_cut |= len(owners) > MAX_EMBEDDED or len(symbols) > MAX_GO_TYPES
        types.load(symbols)
        self.is_cut |= types.is_cut
        for other in sorted(one for symbol in set(symbols) for one in types.places(symbol)):
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
            hits, is_cut = self._hits(name)
            methods = [one for one in hits if one.language == "go" and one.node_type == "method"]
            owners = list(dict.fromkeys((one.symbol or "").rpartition(".")[0] for one in methods))
            if not is_cut:
                break
        self.is_cut |= is_cut
        return owners

    def _dispatch(
        self, definition: Definition, others: Iterable[Definition]
    ) -> Mapping[str, list[tuple[Definition, Implements]]]:
        """The types of Go whose member of a name may stand for a definition, by their last names.

        For a type's method these are the interfaces, for an interface's method the types; with each
        whether the one implements the other.
        """
        types, own = self._go_types, _go_place(definition.path, definition.owner)
        dispatch: defaultdict[str, list[tuple[Definition, Implements]]] = defaultdict(list)
        for place, one in self._go_members(definition, others).items():
            pair = (place, own) if definition.is_abstract else (own, place)
            name = one.owner.rpartition(".")[2]
            type_ = Definition(one.path, "go", one.owner, name, "", is_type=True)
            dispatch[name].append((type_, types.implements(*pair)))
        return dispatch

    def _go_members(
        self, definition: Definition, others: Iterable[Definition]
    ) -> Mapping[TypePlace, Definition]:
        """Reads the types of Go that a member's type is compared with; returns their members."""
        members = {
            _go_place(one.path, one.owner): one
            for one in others
            if one.language == "go" and one.owner and not one.is_type
            if one.is_abstract != definition.is_abstract
        }
        if members:
            owners = (one.owner for one in members.values())
            self._go_types.load([definition.owner, *owners])
        return members

    def members_below(self, definition: Definition) -> Iterator[tuple[Hit, Implementation]]:
        """Yields the members that override a member, each with the type around it."""
        members = {
            (_place(one.path, one.language), one.owner): hit
            for one, hit in self.named_definitions(definition.name)
            if not one.is_type
        }
        owner = self.type_around(definition) if len(members) > 1 else None
        if not owner:
            return
        for one, _ in self.types_below(owner):
            if hit := members.pop((_place(one.path, definition.language), one.symbol), None):
                yield hit, one
        if not definition.is_abstract:
            return
        types, place = self._go_types, _go_place(owner.path, owner.symbol)
        named = [one for one, _ in self.named_definitions(definition.name)]
        for other, member in self._go_members(definition, named).items():
            implements = types.implements(other, place)
            hit = members.get((other.folder, other.symbol))
            if hit and implements is not Implements.NO and types.has_names(other, place):
                is_sure = implements is Implements.YES
                yield hit, Implementation(member.path, 0, 0, other.symbol, is_sure, 1)

    def _direct_subtypes(self, parent: Definition) -> Iterator[tuple[RelatedNode, bool]]:
        named = self._inheriting_nodes(parent.name)
        exported = self.exports.of(parent).other_names(parent.name)
        names = {parent.name, *_aliases(named, parent.name), *exported}
        for alias in sorted(names - {parent.name}):
            named = [*named, *self._inheriting_nodes(alias)]
        distinct = {
            node.id: node
            for node in named
            if node.node_type == "class"
            and are_compatible(node.language, parent.language)
            and any(node.has_named(name, INHERITS + IMPLEMENTS) for name in names)
        }
        nodes = list(distinct.values())
        others = [one for one, _ in self.named_definitions(parent.name) if one.is_type]
        resolver = Resolver(parent, others or [parent], None, self.exports)
        all_facts = self.facts(node.path for node in nodes)
        for node in nodes:
            results = [
                resolver.resolve(all_facts[node.path], node, relation, node.start_line)
                for relation in node.decode(INHERITS + IMPLEMENTS)
                if relation.name in names
            ]
            if results and not (result := surest(results)).is_elsewhere:
                yield node, result.is_resolved

    def _inheriting_nodes(self, name: str) -> list[RelatedNode]:
        """The nodes that inherit, implement or import a name."""
        kinds = INHERITS + IMPLEMENTS + IMPORT
        nodes, is_cut = nodes_with_kinds(self._corpus.database, self._corpus.repo, name, kinds)
        self.is_cut |= is_cut
        return nodes

    def overriding(self, definition: Definition) -> list[Reference]:
        """The members of a member's name in the types below its own, as references to it.

        The line is the first one of the node until `with_text` finds the declaration.
        """
        if not definition.owner or definition.is_type:
            return []
        return [
            Reference(
                hit.path,
                hit.start_line,
                0,
                OVERRIDE,
                one.resolved,
                "",
                _related(hit),
                definition.name,
                "",
            )
            for hit, one in self.members_below(definition)
        ]

    def type_around(self, definition: Definition) -> Definition | None:
        """The definition of the type around a member; one in the member's own file comes first."""
        named = self.named_definitions(definition.owner.rpartition(".")[2])
        same = [one for one, _ in named if one.symbol == definition.owner and one.is_type]
        near = [one for one in same if one.path == definition.path]
        return next(iter(near or same), None)

    def references(self, definition: Definition) -> list[Reference]:
        """The sites of a definition's name, without their text; the surest and nearest first."""
        resolver = self.resolver(definition)
        matches = list(self.sites(definition, resolver, definition.name))
        if traits(definition.language).reexports:
            matches += self._exported_sites(definition, resolver)
        else:
            matches += self._aliased_sites(definition, resolver, matches)
        if traits(definition.language).family == "c":
            matches += self._macro_sites(definition, resolver, matches)
        if traits(definition.language).case_insensitive:
            for spelling in self._spellings(definition.name):
                matches += self.sites(definition, resolver, spelling, is_own_name=True)
        if definition.language == "ruby":
            matches += self._ruby_alias_sites(definition, matches)
        if definition.owner:
            matches = with_sites_through_bases(self, definition, matches)
        return sorted(dict.fromkeys(matches), key=_SiteOrder(definition))

    def _aliased_sites(
        self, definition: Definition, resolver: Resolver, sites: Iterable[Reference]
    ) -> Iterator[Reference]:
        """The sites of the other names by which files import a definition."""
        aliases = {
            (one.path, alias)
            for one in sites
            if one.kind == "import" and (alias := alias_of(one.receiver))
        }
        for alias in sorted({alias for _, alias in aliases} - {definition.name}):
            paths = {path for path, name in aliases if name == alias}
            yield from self.sites(definition, resolver, alias, paths)

    def _exported_sites(self, definition: Definition, resolver: Resolver) -> Iterator[Reference]:
        """The sites of the other names by which files import or export a definition."""
        exports = self.exports.of(definition)
        self.is_cut |= exports.is_cut
        for name in exports.other_names(definition.name):
            is_rare = len(self.nodes(name)) <= MAX_ALIAS_NODES and not definition.is_local
            paths = {path for path, names in exports.names.items() if name in names}
            yield from self.sites(definition, resolver, name, None if is_rare else paths)
        for node, relation in exports.default_imports:
            bound = relation.alias or DEFAULT
            for line in line_numbers(node, relation):
                yield Reference(node.path, line, 0, KIND_NAMES[IMPORT], True, "", node, bound, "")

    def _ruby_alias_sites(
        self, definition: Definition, sites: Iterable[Reference]
    ) -> list[Reference]:
        """The sites of a method's aliases, and of aliases of these, in the type around each."""
        matches: list[Reference] = []
        followed = {definition.symbol}
        while aliases := [one for one in self._ruby_aliases(sites) if one.symbol not in followed]:
            self.is_cut |= len(followed) + len(aliases) > MAX_MACROS
            aliases = aliases[: max(MAX_MACROS - len(followed), 0)]
            followed.update(one.symbol for one in aliases)
            sites = [
                site for one in aliases for site in self.sites(one, self.resolver(one), one.name)
            ]
            matches += sites
        return matches

    def _ruby_aliases(self, sites: Iterable[Reference]) -> list[Definition]:
        """The methods that resolved sites declare as aliases, sorted by symbol."""
        aliases: dict[str, Definition] = {}
        for one in sites:
            if one.resolved and (name := macro_of(one.receiver)):
                owner = self.facts([one.path])[one.path].enclosing_class(one.node.symbol)
                symbol = f"{owner}.{name}" if owner else name
                alias = Definition(one.path, "ruby", symbol, name, owner, is_type=False)
                aliases.setdefault(symbol, alias)
        return [alias for _, alias in sorted(aliases.items())]

    def _spellings(self, name: str) -> list[str]:
        """The other spellings of a name in a language in which `Total` and `TOTAL` are equal."""
        nodes = related_nodes_with_word(self._corpus.database, self._corpus.repo, name)
        spelled = {relation.name for node in nodes for relation in node.decode()}
        return sorted(one for one in spelled - {name} if one.lower() == name.lower())

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
            self.is_cut |= len(macros) < len(paths_of)
            followed.update(macros)
            sites = [
                one
                for macro in macros
                for one in self.sites(definition, resolver, macro, macro_paths=paths_of[macro])
            ]
            matches += sites
        return matches

    def sites(  # noqa: PLR0913 - the sites, and how they are spelled
        self,
        definition: Definition,
        resolver: Resolver,
        name: str,
        paths: Set[str] | None = None,
        macro_paths: Set[str] = frozenset(),
        *,
        is_own_name: bool = False,
    ) -> Iterator[Reference]:
        """The sites of the definition's name, of an alias in `paths`, or of a macro.

        One that `is_own_name` is the definition's in other letters, as `TOTAL` for `Total`.

        `macro_paths` are the files with macros of this name whose text has the definition's.
        """
        paths = _paths_of_sites(definition, paths, macro_paths)
        is_member = bool(definition.owner) and not definition.is_type
        sites = [
            (node, relations)
            for node in self.nodes(name, with_receivers=not is_member)
            if (paths is None or node.path in paths)
            and are_compatible(node.language, definition.language)
            and (relations := _relations_of_name(node, name, with_receivers=not is_member))
        ]
        all_facts = self.facts(node.path for node, _ in sites)
        for node, relations in sites:
            if (
                macro_paths
                and node.path not in macro_paths
                and name in all_facts[node.path].symbols
            ):
                continue
            for relation, kind in relations:
                if relation.kind == USE and _is_own_block(definition, node):
                    continue
                meant = relation
                if relation.name != name:
                    meant = Relation(name, MENTION, "", relation.lines)
                elif macro_of(relation.qualifier):
                    meant = relation._replace(qualifier="")
                if macro_paths or is_own_name:
                    meant = meant._replace(name=definition.name)
                for line, result in resolver.resolve_lines(all_facts[node.path], node, meant):
                    if result.is_elsewhere:
                        left_out = LeftOut(node.path, line, kind, result)
                        self.left_out.setdefault((node.path, line), left_out)
                    else:
                        # `Cart` in `Cart.shared.add()` is one site, and receiver in two relations
                        receiver = relation.qualifier if relation.name == name else ""
                        yield Reference(
                            node.path, line, 0, kind, result.is_resolved, "", node, name, receiver
                        )


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
    own = [(one, KIND_NAMES[one.kind]) for one in node.decode_named(name) if one.kind in KIND_NAMES]
    if not with_receivers:
        return own
    received = (one for one in node.decode_received(name) if one.name != name)
    return [*own, *((one, KIND_NAMES[MENTION]) for one in received)]


def _paths_of_sites(
    definition: Definition, paths: Set[str] | None, macro_paths: Set[str]
) -> Set[str] | None:
    """The files that can refer to a definition; None for all."""
    if definition.is_local and paths is None:
        return {definition.path}  # the facts of other files are not needed
    return macro_paths if macro_paths and not any(map(_is_header, macro_paths)) else paths


def _macros_around(sites: Iterable[Reference], followed: Collection[str]) -> Mapping[str, set[str]]:
    """The macros in whose text sites are, other than `followed`, each with its files."""
    paths_of: defaultdict[str, set[str]] = defaultdict(set)
    for one in sites:
        macro = macro_of(one.receiver)
        if macro and macro not in followed:
            paths_of[macro].add(one.path)
    return paths_of


def _aliases(nodes: Iterable[RelatedNode], name: str) -> Iterator[str]:
    """Yields the other names by which files import a name."""
    for node in nodes:
        for relation in node.decode(IMPORT) if node.has_named(name, IMPORT) else ():
            if relation.name == name and relation.alias:
                yield relation.alias


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


def _implementing_types(family: Family) -> list[Definition]:
    """The types of Go whose fields are followed: those that are known to stand for the owner."""
    pairs = (pair for same in family.dispatch.values() for pair in same)
    return [type_ for type_, one in pairs if one is Implements.YES][:MAX_HELD_TYPES]


def _may_hold(node: RelatedNode, field: Relation, owner: Definition) -> bool:
    """Tells whether a field may have a type; in Go a type of the own package has no other one."""
    is_own = posixpath.dirname(node.path) == posixpath.dirname(owner.path)
    return owner.language != "go" or any(
        ("." not in declared.type_name) == is_own for declared in declarations(node, field)
    )


def _type_around(node: RelatedNode) -> str:
    """The symbol of a type, or of the type around its member; empty without one."""
    symbol = node.symbol or ""
    return symbol if node.node_type == "class" else symbol.rpartition(".")[0]


def _is_bodyless(hit: Hit) -> bool:
    """Tells whether a method of Go is one of an interface."""
    return not (hit.signature or "").startswith("func")


def _is_added_to(hit: Hit) -> bool:
    """Tells whether a node adds to a type of its name, as `impl Cart` and `extension Cart` do."""
    word = traits(hit.language).adding_block
    words = (hit.signature or "").partition(" {")[0].replace("<", " ").split()
    return bool(word) and hit.node_type == "class" and word in words[:MAX_MODIFIERS]


def _is_private(hit: Hit) -> bool:
    """Tells whether only its own file sees a declaration: `private fun add()`."""
    is_file_private = traits(hit.language).file_private
    return is_file_private and bool(PRIVATE_PATTERN.match(hit.signature or ""))


def _is_property(hit: Hit) -> bool:
    """Tells whether a node of Kotlin is a property, which has a body."""
    return hit.language == "kotlin" and not FUNCTION_PATTERN.search(hit.signature or "")


def _is_header(path: str) -> bool:
    return path.rpartition(".")[2].startswith("h")


def _first_named(target: Target) -> Hit:
    if target.is_file:
        raise UserError(
            f"{target.path} is a file.", f"Give a symbol in it, or a line: {target.path}#SYMBOL"
        )
    return target.hits[0]


class _SiteOrder:
    """Resolved sites first, code before tests, overrides last, then the nearest file and line."""

    def __init__(self, definition: Definition) -> None:
        self._path = definition.path
        self._places: dict[str, tuple[bool, bool, int]] = {}

    def __call__(self, one: Reference) -> tuple[Any, ...]:
        """The sort key of a site."""
        place = self._places.get(one.path)
        if place is None:
            place = self._places[one.path] = self._place(one.path)
        is_test, is_other, distance = place
        is_override = one.kind == OVERRIDE
        path, line = one.path, one.line
        return not one.resolved, is_test, is_override, is_other, distance, path, line, one.kind

    def _place(self, path: str) -> tuple[bool, bool, int]:
        """Returns True if a file is a test, True if it is not the definition's, and its distance.

        The distance is the number of folders between the two files.
        """
        own_folders, folders = self._path.split("/")[:-1], path.split("/")[:-1]
        common = 0
        for left, right in zip(own_folders, folders, strict=False):
            if left != right:
                break
            common += 1
        distance = len(own_folders) + len(folders) - 2 * common
        return is_test_path(path), path != self._path, distance


class ReferenceFilter(NamedTuple):
    """Selects the references of a page; no kinds mean all."""

    kinds: Sequence[str] = ()
    tests: str | None = None
    limit: int = 50
    offset: int = 0


def find_references(
    corpus: Corpus, target: Target, text: str, requested: ReferenceFilter
) -> ReferencePage:
    """The page of references to a target; raises UserError if it is no declaration."""
    finder = ReferenceFinder(corpus)
    definition = finder.definition(target, text)
    sites = finder.references(definition)
    if overriding := finder.overriding(definition):
        sites = sorted([*sites, *overriding], key=_SiteOrder(definition))
    matches = [
        one
        for one in sites
        if (not requested.kinds or one.kind in requested.kinds)
        and (
            requested.tests in {None, "yes"}
            or is_test_path(one.path) == (requested.tests == "only")
        )
    ]
    page = matches[requested.offset : requested.offset + requested.limit]
    own_lines = member_lines(target, definition)
    listed = {(one.path, one.line) for one in sites}
    return ReferencePage(
        definition,
        with_text(corpus, page),
        len(matches),
        sum(one.resolved for one in matches),
        finder.is_cut,
        requested.offset,
        [one for place, one in sorted(finder.left_out.items()) if place not in listed],
        NO_LINES if sites else lines_with_name(corpus, definition, own_lines),
        len(sites) - len(matches),
    )


def member_lines(target: Target, definition: Definition) -> set[int]:
    """The lines that declare a definition as a member of a target's nodes."""
    members = [one for hit in target.hits for one in decode_members(hit.members)]
    members += [target.member] if target.member else []
    return {one.line for one in members if one.name == definition.name}


def find_implementations(
    corpus: Corpus, target: Target, text: str
) -> tuple[Definition, list[Implementation], bool]:
    """The definition, with the types below a type or the members that override a member.

    The last value is True if there may be more.
    """
    finder = ReferenceFinder(corpus)
    definition = finder.definition(target, text)
    if definition.is_type:
        return definition, finder.implementations(definition), finder.is_cut
    if not definition.owner:
        raise UserError(
            f"{definition.symbol} is neither a type nor a member of one.", "Give a type."
        )
    overriding = [
        Implementation(
            hit.path, hit.start_line, hit.end_line, hit.symbol or "", one.resolved, one.depth
        )
        for hit, one in finder.members_below(definition)
    ]
    return definition, overriding, finder.is_cut


def _go_place(path: str, symbol: str) -> TypePlace:
    return TypePlace(posixpath.dirname(path), symbol)


def _place(path: str, language: str) -> str:
    """The place of the members of a type: its file, in Go its folder."""
    return posixpath.dirname(path) if language == "go" else path


def with_text(corpus: Corpus, references: Sequence[Reference]) -> list[Reference]:
    """Adds the text of each line, as it was indexed and with secrets masked, and the column."""
    from feeder.parse.secrets import mask_lines  # imports the scanner

    rows: defaultdict[str, set[int]] = defaultdict(set)
    for one in references:
        rows[one.path].update(line - 1 for line in _lines_to_read(one))
    blobs = file_blobs(corpus.database, corpus.repo, list(rows))
    repositories = snapshot_repositories(corpus.database)
    contents = indexed_lines(corpus.base, blobs, other_repositories=repositories)
    lines = {
        path: mask_lines(path, text, (row for row in rows[path] if row < len(text)))
        for path, text in contents.items()
        if text is not None
    }
    used: defaultdict[tuple[str, int, str], int] = defaultdict(int)
    result = []
    for site in references:
        one = _at_declaration(site, lines.get(site.path, {}))
        text = lines.get(one.path, {}).get(one.line - 1)
        key = one.path, one.line, one.name
        column = 0 if text is None else _column(text, one.name, used[key])
        used[key] += 1
        result.append(one._replace(text=(text or "").rstrip("\r"), column=column))
    return result


def _lines_to_read(one: Reference) -> range:
    """The line of a reference; of an override, which may begin with comments, the first ones."""
    last = min(one.node.last_line, one.line + DECLARATION_LINES - 1)
    return range(one.line, max(one.line, last) + 1 if one.kind == OVERRIDE else one.line + 1)


def _at_declaration(one: Reference, lines: Mapping[int, str]) -> Reference:
    """An override on the first line that is no comment and has its name; others as they are."""
    if one.kind != OVERRIDE:
        return one
    declared = re.compile(rf"(?<!\w){re.escape(one.name)}(?!\w)")
    for line in _lines_to_read(one):
        text = lines.get(line - 1, "")
        if declared.search(text) and not COMMENT_PATTERN.match(text):
            return one._replace(line=line)
    return one


def _column(text: str, name: str, nth: int) -> int:
    """The column of the nth whole word `name` in a line, from 1; of the last if there are fewer."""
    starts = [match.start() + 1 for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
    return starts[min(nth, len(starts) - 1)] if starts else 1
