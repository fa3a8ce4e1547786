"""Decides whether a site refers to a definition, from what the files say: imports, enclosing class,
declared types of receivers, package, and uniqueness of the name.

Start with `Resolver.resolve`. Nothing is compiled or run.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import NamedTuple

from feeder.relation import (
    BINDING,
    CALL,
    IMPLEMENTS,
    IMPORT,
    INHERITS,
    LITERAL_KEY,
    MENTION,
    PARAMETER,
    USE,
    Relation,
    decode_binding_imports,
)
from feeder.relations.exports import ALL, DEFAULT, ExportFinder, Site
from feeder.relations.go_interfaces import Implements
from feeder.relations.module_paths import ModulePaths, is_standard_module
from feeder.relations.modules import (
    COMMONJS_RECEIVERS,
    Definition,
    in_no_package,
    in_same_package,
)
from feeder.relations.outcomes import (
    RESOLVED,
    Evidence,
    Outcome,
    Reason,
    Resolution,
    elsewhere,
    possible,
    resolved_if,
    surest,
)
from feeder.store.relations import RelatedNode, line_numbers
from feeder.traits import traits

SELF_NAMES = frozenset(
    {"self", "this", "cls", "super()", "super", "Self", "static", "parent", "$this"}
)
"""Receivers that are the object or the type around the site."""

UNKNOWN_PACKAGE = "?"
"""The package of a type of Go whose name stands on a line with several packages."""

MAX_PACKAGE_NODES = 8
"""Nodes of Go whose packages are cached: they are read one after the other."""

COMPOUND_PATTERN = re.compile(r"[a-z\d][A-Z]|\w_\w")
"""A name of several words, which a library is unlikely to define too."""


def is_compound(name: str) -> bool:
    """Tells whether a name has several words, as in `parseFile` and `parse_file`."""
    return bool(COMPOUND_PATTERN.search(name))


class Import(NamedTuple):
    """An imported name: `default`, empty for the module itself, or `*` for all its names."""

    module: str
    name: str


class Binding(NamedTuple):
    """The line that declares a variable, and its type, or `NewCart()` for the result of a call.

    In Go a type of another package has the package before it, as in `shop.Cart`, or `?` if the line
    has the name with several.
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
        """Imports by the local name that they bind; those of all names under `*`."""
        matches: defaultdict[str, list[Import]] = defaultdict(list)
        for node in self.nodes:
            for bound, one in _read_imports(node.decode(IMPORT)):
                matches[bound].append(one)
        return matches

    @cached_property
    def _import_relations(self) -> str:
        return "".join(node.relations for node in self.nodes if node.has_kind(IMPORT))

    def imported(self, name: str) -> Sequence[Import]:
        """The imports that bind a name; those of all names with `*`."""
        if name not in self._imported:
            imports = _read_imports(decode_binding_imports(self._import_relations, name))
            self._imported[name] = [one for bound, one in imports if bound == name]
        return self._imported[name]

    @cached_property
    def modules(self) -> set[str]:
        """The modules that the file imports, and the names from them with their modules."""
        return {
            module
            for imported in self.imports.values()
            for one in imported
            for module in (one.module, f"{one.module}.{one.name}")
        }

    @cached_property
    def whole_modules(self) -> Mapping[str, list[str]]:
        """The modules that the file imports as a whole, by their paths and the last names of these.

        A major version is no name.
        """
        matches: defaultdict[str, list[str]] = defaultdict(list)
        for imported in self.imports.values():
            for module in (one.module for one in imported if not one.name):
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
        """The prefix of all qualified symbols of the file, such as `acme.shop`."""
        symbols = [node.symbol for node in self.nodes if node.node_type == "class" and node.symbol]
        symbols = symbols or [node.symbol for node in self.nodes if node.symbol]
        return min(symbols, key=len).rpartition(".")[0] if symbols else ""

    @cached_property
    def classes(self) -> set[str]:
        """The symbols of the file's types."""
        return {node.symbol for node in self.nodes if node.node_type == "class" and node.symbol}

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
            own = [one for node in nodes for one in _declarations_of(node, name)]
            if any(_may_declare(node, one.type_name) for node in nodes for one in own):
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
            owners = [one for one in self.classes if one.rpartition(".")[2] in types]
            types = [name for one in owners for name in self._types_of_member(one, field) or ()]
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
            not one.endswith("()") or one.partition(".")[0] in self.package_names for one in types
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
            symbols = [one for one in self._declaring_symbols if one in may_declare]
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
    is_type = node.language == "go" and name[:1].isupper()
    packages = _packages(node).get(name, {}) if is_type else {}
    for line in line_numbers(node, relation):
        package = packages.get(line)
        yield Binding(line, f"{package}.{name}" if package else name)


@lru_cache(MAX_PACKAGE_NODES)
def _packages(node: RelatedNode) -> Mapping[str, Mapping[int, str]]:
    """The packages before the names of types by the lines of a node of Go; `?` if they differ.

    They are read for each field of a struct.
    """
    packages: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for one in node.decode(USE + CALL):
        lines = packages[one.name]
        for line in line_numbers(node, one):
            is_other = lines.setdefault(line, one.qualifier) != one.qualifier
            lines[line] = UNKNOWN_PACKAGE if is_other else one.qualifier
    return packages


def _only_type(declared: Sequence[Binding] | None, default: str) -> str:
    """The type of all declarations of a name; empty if they have several."""
    if declared is None:
        return default
    types = {one.type_name for one in declared}
    return types.pop() if len(types) == 1 else ""


def _types_at(declared: Sequence[Binding], line: int, *, shadowing: bool) -> list[str]:
    """The types of a name on a line, the last declaration above it first."""
    only = _only_type(declared, "")
    if only or not shadowing:
        return [only] if only else []
    above = sorted((one for one in declared if one.line < line), reverse=True)
    beside = [one for one in declared if one.line == line]
    return [name for name in dict.fromkeys(one.type_name for one in [*above, *beside]) if name]


class Family(NamedTuple):
    """The types whose members of a name are the definition's.

    `own` are the owner and the types below it that do not define the name again, as pairs of path
    and symbol; `names` their last parts. `all_below` includes those that define it again. `makers`
    are functions of the owner's package that return it, `holders` the types with fields of its
    type, by their last names and the name of the field. `dispatch` has, by their last names, the
    interfaces of Go that the owner may implement, of an interface the types that may implement it,
    each with whether it does. A family `is_closed` if no other type, as of a library, can be above
    the owner, or below it without a line in the index that says it.
    """

    own: frozenset[tuple[str, str]]
    names: frozenset[str]
    all_below: frozenset[tuple[str, str]]
    makers: tuple[Definition, ...] = ()
    holders: Mapping[tuple[str, str], Sequence[Definition]] = {}
    dispatch: Mapping[str, Sequence[tuple[Definition, Implements]]] = {}
    is_closed: bool = False


NO_FAMILY = Family(frozenset(), frozenset(), frozenset())


class Resolver:
    """Resolves sites of one definition's name.

    `others` are all definitions of that name, the definition itself among them. `owner` is the
    definition of the type around it, None for a name of a module. `exports` follows imports.
    """

    def __init__(
        self,
        definition: Definition,
        others: Sequence[Definition],
        owner: Definition | None,
        exports: ExportFinder,
        family: Family = NO_FAMILY,
    ) -> None:
        self._definition = definition
        self._exports = exports
        self._others = others
        self._owner = owner
        self._family = family
        self._is_member = owner is not None and not definition.is_type
        shared = {(one.path, one.symbol) for one in others if not one.is_local}
        self._is_unique = len(shared) <= 1
        self._in_family: dict[tuple[str, str], Resolution] = {}
        self._imports: dict[tuple[Import, str], Resolution] = {}
        self._resolvers: dict[Definition, Resolver] = {}

    def resolve_lines(
        self, facts: FileFacts, node: RelatedNode, relation: Relation
    ) -> Iterator[tuple[int, Resolution]]:
        """Yields each line of a relation with its resolution; see `resolve`."""
        first, *others = line_numbers(node, relation)
        resolved = self.resolve(facts, node, relation, first)
        yield first, resolved
        may_vary = others and self._is_member and facts.has_types(node.symbol, relation.qualifier)
        for line in others:
            yield line, self.resolve(facts, node, relation, line) if may_vary else resolved

    def resolve(  # noqa: PLR0911 - one for each rule
        self, facts: FileFacts, node: RelatedNode, relation: Relation, line: int
    ) -> Resolution:
        """Resolves a site; only the receiver's type depends on the line."""
        if not are_compatible(node.language, self._definition.language):
            return elsewhere(Evidence.ANOTHER_LANGUAGE)
        if relation.kind == IMPORT:
            return self._resolve_import(facts, relation)
        if _is_parameter(node, relation):
            return elsewhere(Evidence.LOCAL)
        if other := self._known_other(facts, node, relation):
            return other
        if relation.qualifier == LITERAL_KEY:
            return self._resolve_key(facts, relation.name)
        if self._definition.is_extension and relation.kind in {CALL, MENTION}:
            return self._resolve_extension(facts, node, relation, line)
        if self._is_member:
            return self._resolve_member(facts, node, relation, line)
        if relation.qualifier and relation.kind in {CALL, MENTION, INHERITS, IMPLEMENTS, USE}:
            return self._resolve_qualified(facts, node, relation)
        nearest = self._nearest_constant(node, relation.name)
        if nearest and nearest != self._definition.symbol:
            return self._another(lambda one: one.symbol == nearest)
        return RESOLVED if "." in nearest else self.refers(facts, relation.name)

    def _known_other(
        self, facts: FileFacts, node: RelatedNode, relation: Relation
    ) -> Resolution | None:
        """The evidence that a site's form or file alone gives, if any."""
        definition = self._definition
        if relation.qualifier == LITERAL_KEY and definition.is_function:
            return elsewhere(Evidence.NOT_FUNCTION)
        is_apart = definition.is_function and traits(node.language).functions_apart
        if relation.kind == USE and is_apart:
            return elsewhere(Evidence.NOT_FUNCTION)
        if not self._is_member:
            return None
        if definition.is_local and facts.path != definition.path:
            return elsewhere(Evidence.NOT_VISIBLE)
        if is_apart and self._is_field_access(node, relation):
            return elsewhere(Evidence.FIELD)
        return None

    def _resolve_key(self, facts: FileFacts, name: str) -> Resolution:
        """A name before `:` in a literal: a field, or a constant if the type is a map."""
        result = possible(Reason.RECEIVER) if self._is_member else self.refers(facts, name)
        return possible(Reason.RECEIVER) if result.is_resolved else result

    def _resolve_extension(
        self, facts: FileFacts, node: RelatedNode, relation: Relation, line: int
    ) -> Resolution:
        """A call of an extension of Kotlin, whose receiver is a value of the extended type."""
        result = self.refers(facts, relation.name)
        if not result.is_resolved:
            return result
        if not (self._is_unique or facts.imported(relation.name)):
            return possible(Reason.COMPETING)
        if not relation.qualifier or not self._family.names:
            return result
        if relation.qualifier in SELF_NAMES:
            own_class = facts.enclosing_class(node.symbol)
            return resolved_if((facts.path, own_class) in self._family.own, Reason.RECEIVER)
        made = _last_name(relation.qualifier)
        if made.endswith("()"):  # Builder().signed(name)
            types = [made.removesuffix("()")]
        else:
            types = [
                _last_name(one) for one in facts.types_of(node.symbol, relation.qualifier, line)
            ]
        if types and self._is_built_in(facts, types[0]):
            return elsewhere(Evidence.BUILT_IN)
        return resolved_if(bool(types) and types[0] in self._family.names, Reason.RECEIVER)

    def _is_built_in(self, facts: FileFacts, type_name: str) -> bool:
        """Tells whether a type is one of the language, which cannot have the definition."""
        return (
            self._family.is_closed
            and type_name in traits(self._definition.language).builtin_types
            and not facts.imported(type_name)
            and not facts.declares_type(type_name)
        )

    def _is_field_access(self, node: RelatedNode, relation: Relation) -> bool:
        """Tells whether a site is a field, where the definition is a method: `cart.size`.

        A path of Rust, as in `Cart::size`, may be a method as a value.
        """
        if relation.kind != MENTION or not relation.qualifier:
            return False
        if node.language != "rust":
            return node.language == self._definition.language
        last = _last_name(relation.qualifier)
        return last[:1].islower() and last not in traits("rust").builtin_types

    def _nearest_constant(self, node: RelatedNode, name: str) -> str:
        """The symbol of a type's name in Ruby: the one of the innermost module around a node.

        Empty for other definitions, and if the index has none.
        """
        if node.language != "ruby" or not self._definition.is_type:
            return ""
        symbols = {one.symbol for one in self._others} - {node.symbol}
        outer, symbol = node.symbol or "", ""
        while symbol != name:
            symbol = f"{outer}.{name}" if outer else name
            if symbol in symbols:
                return symbol
            outer = outer.rpartition(".")[0]
        return ""

    @cached_property
    def _owners(self) -> set[tuple[str, str]]:
        """The paths and symbols of the types that define a member of this name, and of no type."""
        return {(one.path, one.owner) for one in self._others}

    @cached_property
    def _types_with_member(self) -> set[str]:
        """The types that define a member of this name."""
        return {one.owner.rpartition(".")[2] for one in self._others}

    def _another(self, matches: Callable[[Definition], bool]) -> Resolution:
        """The first other definition that matches, as what a site refers to instead."""
        others = (one for one in self._others if one is not self._definition and matches(one))
        return elsewhere(Evidence.ANOTHER_DEFINITION, next(others, None))

    def refers(self, facts: FileFacts, name: str) -> Resolution:  # noqa: PLR0911 - one for each rule
        """Resolves a name without a receiver in a file to a definition of a module or package."""
        definition = self._definition
        if name == definition.name and facts.path == definition.path and not definition.owner:
            return RESOLVED
        if imports := facts.imported(name):
            return surest(self._import_refers(facts, one) for one in imports)
        if name == definition.name:
            if facts.path == definition.path:
                return RESOLVED
            if definition.is_local:
                return elsewhere(Evidence.NOT_VISIBLE)
            if (facts.path, "") in self._owners:
                return self._another_in(facts.path, "")
        wildcards = [one for one in facts.imported(ALL) if one.name == ALL]
        by_wildcard = [self._import_refers(facts, Import(one.module, name)) for one in wildcards]
        if RESOLVED in by_wildcard:
            return RESOLVED
        if name != definition.name:
            return elsewhere(Evidence.ANOTHER_NAME)
        if in_same_package(facts.path, facts.package, definition):
            # other types may nest one of the same name
            is_nested = definition.is_type and bool(definition.owner)
            return resolved_if(self._is_unique or not is_nested, Reason.COMPETING)
        for one in by_wildcard:
            if not one.is_elsewhere:
                return one
        if traits(definition.language).global_scope or in_no_package(facts.package, definition):
            return resolved_if(self._is_unique, Reason.COMPETING)
        return elsewhere(Evidence.NOT_VISIBLE)

    def _resolve_import(self, facts: FileFacts, relation: Relation) -> Resolution:
        if not self._is_member:
            return self._import_refers(facts, Import(relation.module, relation.name))
        is_owner = self._is_owner(facts, relation.module)
        return RESOLVED if is_owner else elsewhere(Evidence.ANOTHER_MODULE)

    def _is_owner(self, facts: FileFacts, module: str) -> bool:
        """Tells whether an imported module is the type around the definition, as in `import
        static shop.Cart.open`, or its name within the file's package.
        """
        return self._definition.owner in {module, f"{facts.package}.{module}"}

    def _is_imported_member(self, facts: FileFacts, place: tuple[str, str]) -> bool:
        """Tells whether a file imports the member, and the type around the site has none."""
        name = self._definition.name
        return place not in self._owners and any(
            one.name in {name, ALL} and self._is_owner(facts, one.module)
            for one in (*facts.imported(name), *facts.imported(ALL))
        )

    def _place(self, facts: FileFacts, node: RelatedNode) -> tuple[str, str]:
        """The path and symbol of the type around a node; in C++ also one of a header."""
        own_class = facts.enclosing_class(node.symbol)
        outer = (node.symbol or "").rpartition(".")[0]
        if own_class or not outer or traits(node.language).family != "c":
            return facts.path, own_class
        places = self._owners | self._family.all_below
        same = [one for one in places if f".{one[1]}".endswith(f".{outer}")]
        return same[0] if len(same) == 1 else (facts.path, "")

    def _import_refers(self, facts: FileFacts, imported: Import) -> Resolution:
        """Resolves an import to a definition of a module or package."""
        is_everywhere = self._has_qualified_imports and not imported.module.startswith(".")
        key = imported, "" if is_everywhere else facts.path
        if key not in self._imports:
            self._imports[key] = self._resolve_import_in(facts.path, *imported)
        return self._imports[key]

    @cached_property
    def _has_qualified_imports(self) -> bool:
        """Tells whether an import means the same in each file."""
        return all(traits(one.language).imports == "symbols" for one in self._others)

    @property
    def _paths(self) -> ModulePaths:
        return self._exports.paths

    def _resolve_import_in(  # noqa: PLR0911 - one for each rule
        self, path: str, module: str, name: str
    ) -> Resolution:
        """Resolves the import of a name from a module, in the file at `path`."""
        definition, paths = self._definition, self._paths
        is_own_name = name in {definition.name, ALL}
        if is_own_name and paths.names(module, path, definition):
            return RESOLVED
        if self._is_exported(path, module, name):
            return RESOLVED
        if name == DEFAULT and (
            paths.names(module, path, definition) or paths.is_parent(module, path, definition)
        ):
            return possible(Reason.MODULE)  # `export default wrap(Cart)`
        if not is_own_name:
            return elsewhere(Evidence.ANOTHER_NAME)
        others = self._others
        if any(one is not definition and paths.names(module, path, one) for one in others):
            return self._another(lambda one: paths.names(module, path, one))
        if paths.is_parent(module, path, definition):
            near = [one for one in others if paths.is_parent(module, path, one)]
            return resolved_if(len(near) == 1, Reason.COMPETING)
        if module.startswith(".") and traits(definition.language).family == "scripts":
            return resolved_if(self._is_unique, Reason.COMPETING)
        return self._unfollowed(Site(path, definition.language), module)

    def _is_exported(self, path: str, module: str, name: str) -> bool:
        """Tells whether a module exports the definition by a name, as far as files say."""
        definition = self._definition
        return self._exports.has(definition, module, Site(path, definition.language), name)

    def _is_in_space(self, facts: FileFacts, receiver: str, name: str) -> bool:
        """Tells whether a receiver is a module that another one exports by a name.

        `K.fire()` with `import { K } from "./mid"`, `All.K.fire()` with `import * as All`.
        """
        first, _, rest = receiver.partition(".")
        site = Site(facts.path, self._definition.language)
        return any(
            self._exports.has_in_space(self._definition, one.module, site, rest or one.name, name)
            for one in facts.imported(first)
            if bool(rest) == (one.name in {"", ALL})
        )

    def _unfollowed(self, site: Site, module: str) -> Resolution:
        """An import that leads to no file with the definition, or cannot be followed.

        `import { add } from "left-pad"` means a dependency if no folder or file is called `left`.
        """
        if not traits(site.language).reexports or self._exports.is_indexed(module, site):
            return elsewhere(Evidence.ANOTHER_MODULE)
        if module.startswith("."):
            return possible(Reason.MODULE)
        if is_standard_module(module, site.language) or not self._exports.is_inside(module):
            return elsewhere(Evidence.DEPENDENCY)
        return possible(Reason.MODULE)

    def _resolve_qualified(  # noqa: PLR0911, PLR0912 - one for each rule
        self, facts: FileFacts, node: RelatedNode, relation: Relation
    ) -> Resolution:
        """A name of a module with a receiver: a module, a package or an outer type."""
        receiver, definition = relation.qualifier, self._definition
        first = receiver.partition(".")[0]
        is_imported = bool(facts.imported(first))  # import * as module from "./cart.js"
        is_own_module = receiver in COMMONJS_RECEIVERS and not is_imported
        if is_own_module and traits(definition.language).family == "scripts":
            is_own = facts.path == definition.path
            return RESOLVED if is_own else elsewhere(Evidence.ANOTHER_MODULE)
        if definition.owner and receiver.rpartition(".")[2] == definition.owner.rpartition(".")[2]:
            return RESOLVED
        if receiver == definition.package and receiver and not definition.package_name:
            return RESOLVED
        modules = list(self._modules_of(facts, receiver))
        is_own_name = relation.name == definition.name
        if is_own_name and any(self._paths.names(one, facts.path, definition) for one in modules):
            return RESOLVED
        if any(self._is_exported(facts.path, one, relation.name) for one in modules):
            return RESOLVED
        if self._is_in_space(facts, receiver, relation.name):
            return RESOLVED
        if not is_own_name:
            return elsewhere(Evidence.ANOTHER_NAME)
        if any(self._paths.is_parent(one, facts.path, definition) for one in modules):
            return resolved_if(self._is_unique, Reason.MODULE)
        if definition.language == "go":
            is_in_import = imports_module_of(self._paths, facts, definition)
            return go_package_refers(definition, facts, receiver, is_in_import)
        if is_imported or facts.imported(receiver):
            return elsewhere(Evidence.ANOTHER_MODULE)
        if receiver in SELF_NAMES or traits(definition.language).imported_receivers:
            return elsewhere(Evidence.ANOTHER_TYPE)
        if definition.is_type and receiver.rpartition(".")[2] in self._types_with_member:
            return self._another_of_type(receiver)
        if definition.is_type or not node.symbol:
            return possible(Reason.OUTER_SCOPE)
        return elsewhere(Evidence.ANOTHER_TYPE)

    def _another_in(self, path: str, owner: str) -> Resolution:
        """The definition of a type in a file; without an owner, the file's own one."""
        return self._another(lambda one: (one.path, one.owner) == (path, owner))

    def _another_of_type(self, type_name: str) -> Resolution:
        """The member of another type, by the type's last name."""
        name = _last_name(type_name)
        return self._another(lambda one: _last_name(one.owner) == name)

    def _modules_of(self, facts: FileFacts, receiver: str) -> Iterable[str]:
        """Yields the modules that a receiver may name in a file."""
        if self._definition.language == "rust":  # a path needs no import
            yield receiver
        first, _, rest = receiver.partition(".")
        suffix = f".{rest}" if rest else ""
        for imported in (*facts.imported(receiver), *facts.imported(first)):
            if not imported.name:
                yield imported.module if facts.imported(receiver) else imported.module + suffix
            elif imported.name in {"*", "default"}:
                yield imported.module
            else:
                joint = "" if imported.module.endswith(".") else "."
                yield f"{imported.module}{joint}{imported.name}{suffix}"
        yield from facts.whole_modules.get(receiver, ())

    def _resolve_member(  # noqa: PLR0911, PLR0912 - one for each rule
        self, facts: FileFacts, node: RelatedNode, relation: Relation, line: int
    ) -> Resolution:
        """A member of a type, by its receiver."""
        receiver, language = relation.qualifier, node.language or ""
        own = traits(language)
        place = self._place(facts, node)
        if not receiver:
            if relation.kind not in {CALL, MENTION} or not own.implicit_receiver:
                return elsewhere(Evidence.NO_MEMBER)
            if self._is_imported_member(facts, place):
                return RESOLVED
            return self._in_class(place, is_implicit=True)
        if receiver in {"super()", "super", own.base_receiver}:
            if self._owner and place == (self._owner.path, self._owner.symbol):
                return elsewhere(Evidence.BASE_MEMBER)
            is_below = place in self._family.all_below
            if is_below or language != "csharp":
                return resolved_if(is_below, Reason.BASE)
        if receiver in SELF_NAMES:
            return self._in_class(place)
        last = receiver.rpartition(".")[2]
        if last.endswith("()"):
            if language == "go" and self._is_chained(facts, node, receiver):
                return RESOLVED
            return self._is_in_family(facts, last.removesuffix("()"))
        types = facts.types_of(node.symbol, receiver, line)
        if not types and self._is_field(facts, node, receiver, line):
            return RESOLVED
        is_field = language == "go" and facts.has_type(
            node.symbol, receiver.rpartition(".")[0], line
        )
        if not types and not is_field and self._may_be_type(facts, last):
            types = [last]
        if types:
            return self._is_of_types(facts, types)
        if _is_type_name(receiver) and self._is_built_in(facts, receiver):
            return elsewhere(Evidence.BUILT_IN)
        is_other_type = own.variable_sigil and receiver[:1].isalpha() and "(" not in receiver
        is_other_type = is_other_type or self._is_built_in(facts, receiver.partition(".")[0])
        is_call = relation.kind == CALL and not is_other_type
        is_only = self._is_unique and is_call and is_compound(relation.name)
        return resolved_if(is_only, Reason.RECEIVER)

    def _in_class(self, place: tuple[str, str], *, is_implicit: bool = False) -> Resolution:
        """A member of the type around the site, of a path and symbol."""
        path, symbol = place
        while symbol:
            if (path, symbol) in self._family.own:
                return RESOLVED
            if (path, symbol) in self._owners:
                return self._another_in(path, symbol)
            symbol = symbol.rpartition(".")[0] if is_implicit else ""
        return possible(Reason.BASE) if place[1] else elsewhere(Evidence.NO_MEMBER)

    def _may_be_type(self, facts: FileFacts, name: str) -> bool:
        """Tells whether a receiver that no declaration binds is a type, as in `Cart.create()`."""
        is_known = name in self._types_with_member or bool(facts.imported(name))
        return name in self._family.names or (is_known and name[:1].isupper())

    def _is_field(self, facts: FileFacts, node: RelatedNode, receiver: str, line: int) -> bool:
        """Tells whether a receiver is a field of the owner's type, in a type of another file."""
        outer, _, field = receiver.rpartition(".")
        if not outer or not any(field == name for _, name in self._family.holders):
            return False
        types = facts.types_of(node.symbol, outer, line)
        return any(
            holder.language != "go" or self._is_seen(facts, one, holder)
            for one in types[:1]
            for holder in self._family.holders.get((_last_name(one), field), ())
        )

    def _is_of_types(self, facts: FileFacts, types: Sequence[str]) -> Resolution:
        """A receiver of the first of these types that has such a member, as far as is known."""
        result = possible(Reason.RECEIVER)
        for type_name in types:
            if type_name.endswith("()"):
                is_made = self._is_made(facts, type_name.removesuffix("()"))
                result = resolved_if(is_made, Reason.RECEIVER)
            elif type_name.startswith(UNKNOWN_PACKAGE):
                result = possible(Reason.RECEIVER)
            else:
                result = self._is_in_family(facts, type_name)
            if result.outcome is not Outcome.POSSIBLE:
                return result
            if _last_name(type_name) in self._types_with_member:
                return result
        return result

    def _is_chained(self, facts: FileFacts, node: RelatedNode, receiver: str) -> bool:
        """Tells whether a call as a receiver in Go, such as `NewCart()`, returns the owner.

        False if the node calls functions of several packages by this name.
        """
        name = receiver.removesuffix("()")
        packages = set(_packages(node).get(name, {}).values())
        if "." in name or len(packages) != 1:
            return False
        package = packages.pop()
        return self._is_made(facts, f"{package}.{name}" if package else name)

    def _is_made(self, facts: FileFacts, function: str) -> bool:
        """Tells whether a function that a file calls returns the owner."""
        module, _, name = function.rpartition(".")
        return any(
            self._has_package(facts, module, maker)
            if module
            else in_same_package(facts.path, facts.package, maker)
            for maker in self._family.makers
            if maker.name == name
        )

    def _is_in_family(self, facts: FileFacts, type_name: str) -> Resolution:
        """A receiver of a declared type: another type with such a member is another definition."""
        key = facts.path, type_name
        if key not in self._in_family:
            self._in_family[key] = self._compare_with_family(facts, type_name)
        return self._in_family[key]

    def _compare_with_family(self, facts: FileFacts, type_name: str) -> Resolution:
        is_own = _last_name(type_name) == _last_name(self._definition.owner)
        may_be_own = is_own or bool(facts.imported(type_name))
        if may_be_own and self._owner and self._is_seen(facts, type_name, self._owner):
            return RESOLVED
        if implementing := self._implementing(facts, type_name):
            return _common_resolution(implementing)
        if is_own and self._owner:
            return self._is_of_module(facts, type_name, self._owner)
        imported = facts.imported(type_name)
        if _last_name(type_name) in self._family.names or any(
            one.name in self._family.names for one in imported
        ):
            return RESOLVED
        name = _last_name(type_name)
        if name in self._types_with_member and not self._is_dynamic(name):
            return self._another_of_type(name)
        is_built_in = self._is_built_in(facts, type_name)
        return elsewhere(Evidence.BUILT_IN) if is_built_in else possible(Reason.RECEIVER)

    def _is_seen(self, facts: FileFacts, type_name: str, type_: Definition) -> bool:
        """Tells whether a name of a type, in Go with its package, is a type's in a file."""
        package, _, name = type_name.rpartition(".")
        if package:
            return self._has_package(facts, package, type_)
        if type_ not in self._resolvers:
            self._resolvers[type_] = Resolver(type_, [type_], None, self._exports)
        return self._resolvers[type_].refers(facts, name).is_resolved

    def _has_package(self, facts: FileFacts, package: str, definition: Definition) -> bool:
        """Tells whether a module or package, as a file writes it, has a definition."""
        modules = set(self._modules_of(facts, package))
        return any(self._paths.names(one, facts.path, definition) for one in modules) or (
            definition.language == "go" and self._in_go_package(facts, package, definition)
        )

    def _in_go_package(self, facts: FileFacts, package: str, definition: Definition) -> bool:
        is_in_import = imports_module_of(self._paths, facts, definition)
        return go_package_refers(definition, facts, package, is_in_import).is_resolved

    def _is_of_module(self, facts: FileFacts, type_name: str, owner: Definition) -> Resolution:
        """A receiver of a type with the owner's name, which the file does not declare or import."""
        if facts.imported(type_name) or facts.declares_type(type_name):
            return elsewhere(Evidence.ANOTHER_TYPE)
        package = type_name.rpartition(".")[0]  # as in `shop.Cart()`
        if package and owner.language == "go":
            is_in_import = imports_module_of(self._paths, facts, owner)
            return go_package_refers(owner, facts, package, is_in_import)
        if package or not imports_module_of(self._paths, facts, owner):
            is_go = owner.language == "go"
            return elsewhere(Evidence.ANOTHER_TYPE) if is_go else possible(Reason.RECEIVER)
        same = {(one.path, one.owner) for one in self._others if one.owner == owner.symbol}
        return resolved_if(len(same) == 1, Reason.COMPETING)

    def _implementing(self, facts: FileFacts, type_name: str) -> list[Implements]:
        """Tells for each type of Go that a name may mean whether it stands for the owner."""
        same = self._family.dispatch.get(_last_name(type_name), ())
        seen = [implements for one, implements in same if self._is_seen(facts, type_name, one)]
        if seen or "." in type_name:
            return seen
        return [one for type_, one in same if imports_module_of(self._paths, facts, type_)]

    def _is_dynamic(self, type_name: str) -> bool:
        """Tells whether the definition or a type's member of its name is an interface's in Go."""
        return self._definition.is_abstract or type_name in self._interfaces_with_member

    @cached_property
    def _interfaces_with_member(self) -> set[str]:
        """The last names of the interfaces of Go that define a member of this name."""
        return {_last_name(one.owner) for one in self._others if one.is_abstract}


def _is_parameter(node: RelatedNode, relation: Relation) -> bool:
    """Tells whether a name without a receiver is a parameter of the method or function around it.

    Parameters of functions inside of it, and those that a language's queries do not capture, are
    not known. The parser leaves out Python's parameters, but a default value of the same name, as
    in `token=token`, is a reference.
    """
    kinds = {MENTION} if traits(node.language).method_first else {CALL, MENTION}
    return (
        not relation.qualifier
        and relation.kind in kinds
        and node.has_named(relation.name, PARAMETER)
        and node.node_type == "method"
        and node.language != "python"
    )


def _is_type_name(receiver: str) -> bool:
    """Tells whether a receiver is no variable: `Time` and `u32`; `str` may be one."""
    return receiver[:1].isupper() or receiver[-1:].isdigit()


def _last_name(symbol: str) -> str:
    return symbol.rpartition(".")[2]


def _common_resolution(implementing: Iterable[Implements]) -> Resolution:
    """The resolution of a member of one of some types, which is only possible if they differ."""
    answers = set(implementing)
    if answers == {Implements.YES}:
        return RESOLVED
    is_none = answers == {Implements.NO}
    return elsewhere(Evidence.ANOTHER_TYPE) if is_none else possible(Reason.INTERFACE)


def imports_module_of(paths: ModulePaths, facts: FileFacts, definition: Definition) -> bool:
    """Tells whether a file imports a module or package that has a definition."""
    return any(
        paths.names(module, facts.path, definition)
        or paths.is_parent(module, facts.path, definition)
        for module in facts.modules
    )


def go_package_refers(
    definition: Definition, facts: FileFacts, receiver: str, is_in_import: bool
) -> Resolution:
    """Compares a package of Go with a definition's package where no imported path has its folder.

    The folder may have another name than its package. Of the module's root the path is not known,
    so that the name decides. By name only if no symbol of the definition's file has the package,
    or if none of the paths says what the receiver is.
    """
    package = definition.package.partition(".")[0]
    if "." in receiver or receiver.endswith("()") or (package and receiver != package):
        return elsewhere(Evidence.ANOTHER_MODULE)
    is_imported = receiver in facts.package_names
    if "/" not in definition.path:
        if is_imported:
            return resolved_if(bool(package), Reason.MODULE)
        return possible(Reason.MODULE) if package else elsewhere(Evidence.ANOTHER_MODULE)
    if is_imported:
        return elsewhere(Evidence.ANOTHER_MODULE)
    if package:
        return resolved_if(is_in_import, Reason.MODULE)
    return possible(Reason.MODULE) if is_in_import else elsewhere(Evidence.ANOTHER_MODULE)


def are_compatible(language: str | None, other: str) -> bool:
    """Tells whether code of one language can refer to names of another one."""
    if language == other:
        return True
    family = traits(language).family
    return bool(family) and family == traits(other).family
