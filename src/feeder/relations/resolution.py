"""Decides whether a site refers to a definition, from what the files say: imports, enclosing class,
declared types of receivers, package, and uniqueness of the name.

Start with `Resolver.resolve`. Nothing is compiled or run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from feeder.relation import (
    CALL,
    IMPLEMENTS,
    IMPORT,
    INHERITS,
    LITERAL_KEY,
    MENTION,
    PARAMETER,
    USE,
    Relation,
)
from feeder.relations.exports import ALL, DEFAULT, ExportFinder, Site
from feeder.relations.file_facts import (
    SELF_NAMES,
    UNKNOWN_PACKAGE,
    FileFacts,
    Import,
    packages_of_types,
)
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

COMPOUND_PATTERN = re.compile(r"[a-z\d][A-Z]|\w_\w")
"""A name of several words, which a library is unlikely to define too."""


def is_compound(name: str) -> bool:
    """Tells whether a name has several words, as in `parseFile` and `parse_file`."""
    return bool(COMPOUND_PATTERN.search(name))


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
        packages = set(packages_of_types(node).get(name, {}).values())
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
