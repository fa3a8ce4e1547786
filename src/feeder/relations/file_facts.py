"""The imports, types and declared variables of a file, as its relations say them.

Entry point: `FileFacts`. Nothing is read here, and nothing is resolved to a definition.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from feeder.relation import (
    BINDING,
    CALL,
    IMPLEMENTS,
    IMPORT,
    INHERITS,
    MENTION,
    PARAMETER,
    UNNAMED,
    USE,
    Relation,
    decode_binding_imports,
)
from feeder.store.relations import RelatedNode, line_numbers
from feeder.text import last_name
from feeder.traits import traits

SELF_NAMES = frozenset(
    {"self", "this", "cls", "super()", "super", "Self", "static", "parent", "$this"}
)
"""Receivers that are the object or the type around the site."""

UNKNOWN_PACKAGE = "?"
"""The package of a type of Go whose name stands on a line with several packages."""

MAX_PACKAGE_NODES = 8
"""Nodes of Go whose packages are cached: they are read one after the other."""


class Import(NamedTuple):
    """An imported name: `default`, empty for the module itself, or `*` for all its names."""

    module: str
    name: str


class Binding(NamedTuple):
    """The line that declares a variable, and its type, or `NewCart()` for the result of a call.

    A type has its package, module, namespace or outer type before it where the line has, as in
    `shop.Cart`, or `?` if the line has the name with several.
    """

    line: int
    type_name: str


class FileFacts:
    """The imports, types and declared variables of a file."""

    def __init__(self, path: str, nodes: Iterable[RelatedNode]) -> None:
        self.path = path
        self.nodes = list(nodes)
        self._all_bindings: dict[str, Mapping[str, list[Binding]]] = {}
        self._imported: dict[str, Sequence[Import]] = {}
        self._declared: dict[tuple[str, str], Sequence[Binding] | None] = {}
        self._members: dict[tuple[str, str], list[str] | None] = {}

    @cached_property
    def _is_shadowing(self) -> bool:
        """Tells whether each binding is a declaration: elsewhere it may be another assignment."""
        return any(traits(node.language).redeclares_names for node in self.nodes[:1])

    @cached_property
    def imports(self) -> Mapping[str, list[Import]]:
        """Imports by the local name that they bind; wildcard imports are under `*`."""
        matches: defaultdict[str, list[Import]] = defaultdict(list)
        for node in self.nodes:
            for bound, import_ in _read_imports(node.decode(IMPORT)):
                matches[bound].append(import_)
        return matches

    @cached_property
    def _import_relations(self) -> str:
        return "".join(node.relations for node in self.nodes if node.has_kind(IMPORT))

    def imported(self, name: str) -> Sequence[Import]:
        """The imports that bind a name; for `*` the wildcard imports."""
        if name not in self._imported:
            imports = _read_imports(decode_binding_imports(self._import_relations, name))
            self._imported[name] = [import_ for bound, import_ in imports if bound == name]
        return self._imported[name]

    @cached_property
    def modules(self) -> set[str]:
        """The modules that the file imports, and the names from them with their modules."""
        return {
            module
            for imported in self.imports.values()
            for import_ in imported
            for module in (import_.module, f"{import_.module}.{import_.name}")
        }

    @cached_property
    def whole_modules(self) -> Mapping[str, list[str]]:
        """The modules that the file imports as a whole, by their paths and the last names of these.

        A major version is no name.
        """
        matches: defaultdict[str, list[str]] = defaultdict(list)
        for imported in self.imports.values():
            for module in (import_.module for import_ in imported if not import_.name):
                for name in {module, re.sub(r"/v\d+$", "", module).rpartition("/")[2]}:
                    matches[name].append(module)
        return matches

    @cached_property
    def package_names(self) -> set[str]:
        """The names of packages that the file imports, as its code writes them."""
        modules = [re.sub(r"/v\d+$", "", name) for name in self.imports]
        return {module.rpartition("/")[2] for module in modules}

    @cached_property
    def package(self) -> str:
        """The prefix of all qualified symbols of the file, such as `acme.shop`.

        Without a type, a type in it is one that functions of Kotlin extend: `acme.shop.Cart.add`.
        """
        symbols = [node.symbol for node in self.nodes if node.node_type == "class" and node.symbol]
        may_extend = not symbols and any(
            traits(node.language).extension_receivers for node in self.nodes[:1]
        )
        symbols = symbols or [node.symbol for node in self.nodes if node.symbol]
        package = min(symbols, key=len).rpartition(".")[0] if symbols else ""
        while may_extend and package.rpartition(".")[2][:1].isupper():
            package = package.rpartition(".")[0]
        return package

    @cached_property
    def classes(self) -> set[str]:
        """The symbols of the file's types."""
        return {node.symbol for node in self.nodes if node.node_type == "class" and node.symbol}

    def is_of_type(self, node: RelatedNode, type_symbol: str) -> bool:
        """Tells whether a node is a type of the file, or a member of it."""
        symbol = node.symbol or ""
        return symbol == type_symbol or symbol.rpartition(".")[0] == type_symbol

    def sees_inside(self, type_symbol: str) -> bool:
        """Tells whether the file may name what is inside a type without the type's own name: it has
        members of the type, or a type that extends it.
        """
        is_inside = any(f"{symbol}.".startswith(f"{type_symbol}.") for symbol in self.symbols)
        return is_inside or self.extends(last_name(type_symbol))

    def extends(self, type_name: str) -> bool:
        """Tells whether a type of the file extends one of a last name."""
        return any(node.has_named(type_name, INHERITS + IMPLEMENTS) for node in self.nodes)

    @cached_property
    def symbols(self) -> set[str]:
        """The symbols of the file's types and of its nodes with relations."""
        return {node.symbol for node in self.nodes if node.symbol}

    @cached_property
    def _nodes_of_symbols(self) -> Mapping[str, list[RelatedNode]]:
        matches: defaultdict[str, list[RelatedNode]] = defaultdict(list)
        for node in self.nodes:
            matches[node.symbol or ""].append(node)
        return matches

    def declared(self, symbol: str, name: str) -> Sequence[Binding] | None:
        """The declarations of a variable, field or parameter in the nodes of a symbol, if any.

        A name has several where closures have parameters of the same name.
        """
        key = symbol, name
        if key not in self._declared:
            nodes = self._nodes_of_symbols.get(symbol, ())
            own = [declaration for node in nodes for declaration in _declarations_of(node, name)]
            if any(
                _may_declare(node, declaration.type_name) for node in nodes for declaration in own
            ):
                own = self._bindings(symbol)[name]  # self.cart = cart
            self._declared[key] = own or None
        return self._declared[key]

    def _bindings(self, symbol: str) -> Mapping[str, list[Binding]]:
        """The declarations of each variable, field and parameter in the nodes of a symbol."""
        if symbol not in self._all_bindings:
            self._all_bindings[symbol] = self._read_bindings(symbol)
        return self._all_bindings[symbol]

    def _read_bindings(self, symbol: str) -> Mapping[str, list[Binding]]:
        own: dict[str, list[Binding]] = {}
        for node in self._nodes_of_symbols.get(symbol, ()):
            for relation in node.decode(BINDING + PARAMETER):
                if relation.qualifier:
                    own.setdefault(relation.name, []).extend(declarations(node, relation))
        for name, declared in own.items():
            own[name] = [  # self.cart = cart
                Binding(line, _only_type(own.get(type_name), type_name))
                for line, type_name in declared
            ]
        return own

    def declares_type(self, name: str) -> bool:
        """Tells whether the file has a type of that name."""
        return any(symbol.rpartition(".")[2] == name for symbol in self.classes)

    def enclosing_class(self, symbol: str | None) -> str:
        """The symbol of the innermost type around a node, or of the node itself."""
        while symbol:
            if symbol in self.classes:
                return symbol
            symbol = symbol.rpartition(".")[0]
        return ""

    def types_of(self, symbol: str | None, receiver: str, line: int) -> list[str]:
        """The types that a receiver may have on a line of a node, the most probable first.

        Empty if the file does not say any. Of a name that closures and blocks declare again, the
        last declaration above the line comes first.
        """
        first, *fields = receiver.split(".")
        is_member = first in SELF_NAMES
        if is_member:
            first, *fields = fields or [""]
        types = self._types_of_name(symbol, first.lstrip("$"), line, is_member=is_member)
        for field in fields:
            owners = [class_ for class_ in self.classes if class_.rpartition(".")[2] in types]
            types = [name for owner in owners for name in self._types_of_member(owner, field) or ()]
        return types

    def has_types(self, symbol: str | None, receiver: str) -> bool:
        """Tells whether the first name of a receiver has several types in a node, one by one."""
        if not self._is_shadowing:
            return False
        declared = self.declared(symbol or "", receiver.partition(".")[0].lstrip("$"))
        return declared is not None and not _only_type(declared, "")

    def has_type(self, symbol: str | None, receiver: str, line: int) -> bool:
        """Tells whether a file says the type of a receiver's first name, or another package does.

        The result of a function of the own package, or of a method, may have any type.
        """
        first = receiver.partition(".")[0]
        types = self.types_of(symbol, first, line) if first else ()
        return any(
            not type_.endswith("()") or type_.partition(".")[0] in self.package_names
            for type_ in types
        )

    def _types_of_name(
        self, symbol: str | None, name: str, line: int, *, is_member: bool
    ) -> list[str]:
        if not is_member and (own := self.declared(symbol or "", name)):
            return _types_at(own, line, shadowing=self._is_shadowing)
        owner = self.enclosing_class(symbol)
        types = self._types_of_member(owner, name) if owner else None
        if types is None:
            only = _only_type(self.declared("", name), "")
            types = [only] if only else []
        return types

    def _types_of_member(self, owner: str, name: str) -> list[str] | None:
        """The type of a field; None if the type does not declare it here."""
        key = owner, name
        if key not in self._members:
            self._members[key] = self._read_types_of_member(owner, name)
        return self._members[key]

    def _read_types_of_member(self, owner: str, name: str) -> list[str] | None:
        may_declare = {
            node.symbol or ""
            for node in self.nodes
            if node.has_named(name, BINDING + PARAMETER)
            and owner in _symbols_around(node.symbol or "")
        }
        symbols = [*may_declare]
        if len(symbols) > 1:  # the first one that declares a name comes first
            symbols = [symbol for symbol in self._declaring_symbols if symbol in may_declare]
        for symbol in symbols:
            if own := self.declared(symbol, name):
                only = _only_type(own, "")
                return [only] if only else []
        return None

    @cached_property
    def _declaring_symbols(self) -> list[str]:
        """The symbols of nodes that declare names, in the file's order."""
        declaring = (node for node in self.nodes if node.has_kind(BINDING + PARAMETER))
        return list(dict.fromkeys(node.symbol or "" for node in declaring))


def kinds_of_local_bases(node: RelatedNode) -> str:
    """The kinds of the bases of anonymous and local classes in a node."""
    return UNNAMED if node.node_type == "class" else INHERITS + IMPLEMENTS + UNNAMED


def _read_imports(relations: Iterable[Relation]) -> Iterator[tuple[str, Import]]:
    """Yields each import among relations, with the local name that it binds."""
    for relation in relations:
        module = relation.module
        yield relation.alias or relation.name or module, Import(module, relation.name)


def _symbols_around(symbol: str) -> tuple[str, str]:
    """A symbol, and the symbol of the type that it may be a member of."""
    return symbol, symbol.rpartition(".")[0]


def _may_declare(node: RelatedNode, name: str) -> bool:
    """Tells whether a node declares a variable, field or parameter of a name, of any type."""
    return node.has_named(name, BINDING + PARAMETER)


def _declarations_of(node: RelatedNode, name: str) -> Iterator[Binding]:
    """Yields a node's declarations of a name, with their types, one for each line."""
    if _may_declare(node, name):
        for relation in node.decode_declared(name, BINDING + PARAMETER):
            if relation.qualifier:
                yield from declarations(node, relation)


def declarations(node: RelatedNode, relation: Relation) -> Iterator[Binding]:
    """Yields the declarations of a variable, field or parameter, one for each line."""
    name = relation.qualifier
    if traits(node.language).imports == "folders":
        packages = packages_of_types(node).get(name, {}) if name[:1].isupper() else {}
    else:
        packages = _qualifiers_of_type(node, name)
    for line in line_numbers(node, relation):
        package = packages.get(line)
        yield Binding(line, f"{package}.{name}" if package else name)


def _qualifiers_of_type(node: RelatedNode, name: str) -> Mapping[int, str]:
    """What stands before a type's name by the lines of a node; `?` if it differs on a line.

    It is `List` for `List::Cursor`, and empty for the type around the site: `Self::Cursor`.
    """
    qualifiers: dict[int, str] = {}
    for kind in (USE, CALL, MENTION):  # the value of a declared type may be of another one
        known = {*qualifiers}
        for relation in node.decode_declared(name, kind):
            is_own = relation.qualifier in SELF_NAMES
            qualifier = "" if is_own else relation.qualifier
            for line in line_numbers(node, relation):
                if line not in known and qualifiers.setdefault(line, qualifier) != qualifier:
                    qualifiers[line] = UNKNOWN_PACKAGE
    return qualifiers


@lru_cache(MAX_PACKAGE_NODES)
def packages_of_types(node: RelatedNode) -> Mapping[str, Mapping[int, str]]:
    """The packages before the names of types by the lines of a node of Go; `?` if they differ.

    They are read for each field of a struct.
    """
    packages: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for relation in node.decode(USE + CALL):
        lines = packages[relation.name]
        for line in line_numbers(node, relation):
            is_other = lines.setdefault(line, relation.qualifier) != relation.qualifier
            lines[line] = UNKNOWN_PACKAGE if is_other else relation.qualifier
    return packages


def _only_type(declared: Sequence[Binding] | None, default: str) -> str:
    """The type of all declarations of a name; empty if they have several."""
    if declared is None:
        return default
    types = {declaration.type_name for declaration in declared}
    return types.pop() if len(types) == 1 else ""


def _types_at(declared: Sequence[Binding], line: int, *, shadowing: bool) -> list[str]:
    """The types of a name on a line, the last declaration above it first."""
    only = _only_type(declared, "")
    if only or not shadowing:
        return [only] if only else []
    above = sorted(
        (declaration for declaration in declared if declaration.line < line), reverse=True
    )
    beside = [declaration for declaration in declared if declaration.line == line]
    return [
        name
        for name in dict.fromkeys(declaration.type_name for declaration in [*above, *beside])
        if name
    ]
