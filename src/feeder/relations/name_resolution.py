"""Resolves a name of a module or package in a file: by the file's imports, package and own names.

Start with `NameResolver.refers`, for a name alone, and `NameResolver.resolve_qualified`, for one
behind a module, package or outer type.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from feeder.relation import MENTION, Relation
from feeder.relations.exports import ALL, DEFAULT, ExportFinder, Site
from feeder.relations.file_facts import SELF_NAMES, FileFacts, Import
from feeder.relations.go_packages import go_package_refers
from feeder.relations.module_paths import ModulePaths, is_standard_module
from feeder.relations.modules import (
    COMMONJS_RECEIVERS,
    Definition,
    in_no_package,
    in_same_package,
    nearest_symbol,
    type_of,
)
from feeder.relations.namesakes import Namesakes
from feeder.relations.outcomes import (
    RESOLVED,
    Evidence,
    Reason,
    Resolution,
    elsewhere,
    possible,
    resolved_if,
    surest,
)
from feeder.store.relations import RelatedNode
from feeder.text import last_name
from feeder.traits import traits


class NameResolver(Namesakes):
    """Resolves names to one definition of a module or package; `exports` follows imports."""

    def __init__(
        self, definition: Definition, others: Sequence[Definition], exports: ExportFinder
    ) -> None:
        super().__init__(definition, others)
        self._exports = exports
        self._imports: dict[tuple[Import, str], Resolution] = {}
        self._resolvers: dict[Definition, NameResolver] = {}

    def refers(self, facts: FileFacts, name: str) -> Resolution:  # noqa: PLR0911 - one for each rule
        """Resolves a name without a receiver in a file to a definition of a module or package."""
        definition = self.definition
        if name == definition.name and facts.path == definition.path and not definition.owner:
            return RESOLVED
        if imports := facts.imported(name):
            return surest(self.import_refers(facts, import_) for import_ in imports)
        if name == definition.name:
            if facts.path == definition.path:
                return RESOLVED
            if definition.is_local:
                return elsewhere(Evidence.NOT_VISIBLE)
            if (facts.path, "") in self.owners:
                return self._in_own_file(facts.path)
        modules = [import_.module for import_ in facts.imported(ALL) if import_.name == ALL]
        by_wildcard = [self.import_refers(facts, Import(module, name)) for module in modules]
        if RESOLVED in by_wildcard:
            return RESOLVED
        if name != definition.name:
            return elsewhere(Evidence.ANOTHER_NAME)
        if in_same_package(facts.path, facts.package, definition):
            # other types may nest one of the same name
            is_nested = definition.is_type and bool(definition.owner)
            return resolved_if(self.is_unique or not is_nested, Reason.COMPETING)
        for wildcard in by_wildcard:
            if not wildcard.is_elsewhere:
                return wildcard
        is_visible = definition.is_everywhere or traits(definition.language).global_scope
        if not is_visible and not in_no_package(facts.package, definition):
            return elsewhere(Evidence.NOT_VISIBLE)
        return resolved_if(self.is_only_one_in(facts), Reason.COMPETING)

    def _in_own_file(self, path: str) -> Resolution:
        """A name in another file that declares it: in C, `extern int total;` is the same one."""
        definition = self.definition
        may_be_same = definition.is_variable and traits(definition.language).family == "c"
        return possible(Reason.COMPETING) if may_be_same else self.another_in(path, "")

    def import_refers(self, facts: FileFacts, imported: Import) -> Resolution:
        """Resolves an import to a definition of a module or package."""
        is_everywhere = self._has_qualified_imports and not imported.module.startswith(".")
        key = imported, "" if is_everywhere else facts.path
        if key not in self._imports:
            self._imports[key] = self._resolve_import_in(facts.path, *imported)
        result = self._imports[key]
        is_own = result.is_elsewhere and self._is_relative(facts, imported)
        return RESOLVED if is_own else result

    def _is_relative(self, facts: FileFacts, imported: Import) -> bool:
        """Tells whether an import of Scala names a type in the file's own package:
        `import Money.Cents` in `shop`.
        """
        definition = self.definition
        if traits(definition.language).package_scope != "package" or not facts.package:
            return False
        is_own_name = imported.name in {definition.name, ALL}
        return is_own_name and f"{facts.package}.{imported.module}" == definition.owner

    @cached_property
    def _has_qualified_imports(self) -> bool:
        """Tells whether an import means the same in each file."""
        return all(traits(other.language).imports == "symbols" for other in self.others)

    @property
    def _paths(self) -> ModulePaths:
        return self._exports.paths

    def _resolve_import_in(  # noqa: PLR0911 - one for each rule
        self, path: str, module: str, name: str
    ) -> Resolution:
        """Resolves the import of a name from a module, in the file at `path`."""
        definition, paths = self.definition, self._paths
        is_own_name = name in {definition.name, ALL}
        if is_own_name and (paths.names(module, path, definition) or self._is_in_scope(module)):
            return RESOLVED
        if self._is_exported(path, module, name):
            return RESOLVED
        if is_own_name and self._is_around(module):
            return possible(Reason.OUTER_SCOPE)
        if name == DEFAULT and (
            paths.names(module, path, definition) or paths.is_parent(module, path, definition)
        ):
            return possible(Reason.MODULE)  # `export default wrap(Cart)`
        if not is_own_name:
            return elsewhere(Evidence.ANOTHER_NAME)
        apart = [other for other in self.others if other is not definition]
        is_beside = paths.names_file_beside(module, path, definition)
        if is_beside or any(paths.names(module, path, other) for other in apart):
            return self.another(lambda one: paths.names(module, path, one))
        if paths.is_parent(module, path, definition):
            near = [other for other in self.others if paths.is_parent(module, path, other)]
            return resolved_if(len(near) == 1, Reason.COMPETING)
        if module.startswith(".") and traits(definition.language).family == "scripts":
            return resolved_if(self.is_unique, Reason.COMPETING)
        return self._unfollowed(Site(path, definition.language), module)

    def _is_in_scope(self, module: str) -> bool:
        """Tells whether a namespace of C++ has the definition: `using shop::add;`."""
        package = self.definition.package
        is_named = bool(package) and traits(self.definition.language).family == "c"
        return is_named and f".{package}".endswith(f".{module}")

    def _is_exported(self, path: str, module: str, name: str) -> bool:
        """Tells whether a module exports the definition by a name, as far as files say."""
        definition = self.definition
        return self._exports.has(definition, module, Site(path, definition.language), name)

    def _is_in_space(self, facts: FileFacts, receiver: str, name: str) -> bool:
        """Tells whether a receiver is a module that another one exports by a name.

        `K.fire()` with `import { K } from "./mid"`, `All.K.fire()` with `import * as All`.
        """
        first, _, rest = receiver.partition(".")
        site = Site(facts.path, self.definition.language)
        return any(
            self._exports.has_in_space(
                self.definition, import_.module, site, rest or import_.name, name
            )
            for import_ in facts.imported(first)
            if bool(rest) == (import_.name in {"", ALL})
        )

    def _unfollowed(self, site: Site, module: str) -> Resolution:
        """An import that leads to no file with the definition, or cannot be followed.

        `import { add } from "left-pad"` means a dependency if no folder or file is called `left`.
        """
        if not module:  # Rust: use {Cart, Line}; use shop::Cart::{self}
            return possible(Reason.MODULE)
        if not traits(site.language).reexports or self._exports.is_indexed(module, site):
            return elsewhere(Evidence.ANOTHER_MODULE)
        is_inside = module.startswith(".") or (
            not is_standard_module(module, site.language) and self._exports.is_inside(module)
        )
        return possible(Reason.MODULE) if is_inside else elsewhere(Evidence.DEPENDENCY)

    def of_other_module(self, facts: FileFacts, receiver: str) -> Resolution | None:
        """The evidence that a receiver has no member of a type of the index, if there is any.

        It is a module, as `json` of Python and `strings` of Go, or a type or module of a library,
        as `Path` of `pathlib`, `fs` of `node:fs` and `std::path::PathBuf`.
        """
        language = self.definition.language
        own = traits(language)
        if own.imports == "folders":
            is_package = receiver in facts.package_names
            return elsewhere(Evidence.ANOTHER_MODULE) if is_package else None
        if own.imports == "crates" and "." in receiver and is_standard_module(receiver, language):
            return elsewhere(Evidence.DEPENDENCY)
        if not own.reexports or not (imported := facts.imported(receiver)):
            return None
        if own.family != "scripts" and not any(import_.name for import_ in imported):
            return elsewhere(Evidence.ANOTHER_MODULE)
        is_outside = all(
            (not name or name[:1].isupper() or is_standard_module(module, language))
            and self._unfollowed(Site(facts.path, language), module).because is Evidence.DEPENDENCY
            for module, name in imported
        )
        return elsewhere(Evidence.DEPENDENCY) if is_outside else None

    def resolve_qualified(
        self, facts: FileFacts, node: RelatedNode, relation: Relation
    ) -> Resolution:
        """Resolves a name behind a receiver that is a module, a package or an outer type.

        The first rule that says something decides.
        """
        modules = list(self._modules_of(facts, relation.qualifier))
        return (
            self._by_own_names(facts, relation)
            or self._by_own_value(facts, node, relation)
            or self._by_package(relation, modules)
            or self._by_modules(facts, relation, modules)
            or self._by_other_receivers(facts, node, relation.qualifier)
        )

    def _by_own_names(self, facts: FileFacts, relation: Relation) -> Resolution | None:
        """A receiver that names the file, the outer type or the package.

        `exports.add()` of CommonJS, `Cart.add()`, `shop.add()`.
        """
        receiver, definition = relation.qualifier, self.definition
        is_case_insensitive = traits(definition.language).case_insensitive
        if is_case_insensitive and receiver.casefold() == definition.package.casefold():
            return RESOLVED
        is_imported = bool(facts.imported(receiver.partition(".")[0]))
        is_own_module = receiver in COMMONJS_RECEIVERS and not is_imported
        if is_own_module and traits(definition.language).family == "scripts":
            is_own = facts.path == definition.path
            return RESOLVED if is_own else elsewhere(Evidence.ANOTHER_MODULE)
        is_owner = definition.owner and last_name(receiver) == last_name(definition.owner)
        is_package = receiver and receiver == definition.package and not definition.package_name
        return RESOLVED if is_owner or is_package else None

    def _by_own_value(
        self, facts: FileFacts, node: RelatedNode, relation: Relation
    ) -> Resolution | None:
        """A member of the value itself in Rust, which is no function of a module: `self.add()`."""
        definition = self.definition
        own_class = facts.enclosing_class(node.symbol) if relation.qualifier == "self" else ""
        is_of_crate = traits(definition.language).imports == "crates" and not definition.is_type
        if not own_class or not is_of_crate:
            return None
        if relation.kind == MENTION:
            return elsewhere(Evidence.FIELD)
        is_other = last_name(own_class) in self.types_with_member
        return self.another_of_type(own_class) if is_other else possible(Reason.RECEIVER)

    def _by_package(self, relation: Relation, modules: Sequence[str]) -> Resolution | None:
        """A receiver that is a namespace, or another name of one.

        `detail::add()`, `fd::add()` with `namespace fd = fluid::detail`, `sim::RED` of an enum in
        `sim`.
        """
        definition = self.definition
        if not definition.package or traits(definition.language).imports == "folders":
            return None
        if definition.package in modules:
            return RESOLVED
        scopes = [definition.package]
        if not definition.is_type and not definition.is_function:
            scopes.append(definition.package.rpartition(".")[0])
        is_within = any(f".{scope}".endswith(f".{relation.qualifier}") for scope in scopes)
        if is_within and relation.name == definition.name:
            return resolved_if(self.is_unique, Reason.COMPETING)
        is_around = relation.name == definition.name and self._is_around(relation.qualifier)
        return possible(Reason.OUTER_SCOPE) if is_around else None

    def _is_around(self, namespace: str) -> bool:
        """Tells whether a namespace of C++ has the definition's own one inside, as an inline one:
        `geo` of `geo::inline v2`.
        """
        definition = self.definition
        is_named = bool(namespace) and traits(definition.language).family == "c"
        return is_named and f".{namespace}." in f".{definition.package}"

    def _by_modules(
        self, facts: FileFacts, relation: Relation, modules: Sequence[str]
    ) -> Resolution | None:
        """A receiver that is an imported module: `cart.add()` with `import cart`.

        The definition may be in its file, in a module that it exports, or below it; or in a
        namespace of it with another name: `T.cut()` with `import { Tools as T } from "./tools"`.
        """
        path, definition, name = facts.path, self.definition, relation.name
        is_own_name = name == definition.name
        named = filter(self._may_have, modules if is_own_name else ())
        if (
            any(self._paths.names(module, path, definition) for module in named)
            or any(self._is_exported(path, module, name) for module in modules)
            or self._is_in_space(facts, relation.qualifier, name)
        ):
            return RESOLVED
        if not is_own_name:
            return elsewhere(Evidence.ANOTHER_NAME)
        first = relation.qualifier.partition(".")[0]
        rest = relation.qualifier.removeprefix(first)
        for imported in facts.imported(first):
            if imported.name and imported.name + rest == definition.package:
                is_there = self._paths.names(imported.module, path, definition)
                return resolved_if(is_there, Reason.MODULE)
        if any(self._paths.is_parent(module, path, definition) for module in modules):
            return resolved_if(self.is_unique, Reason.MODULE)
        return None

    def _may_have(self, module: str) -> bool:
        """Tells whether a module is no other one than the type around a type, if there is one."""
        definition = self.definition
        is_nested = definition.is_type and bool(definition.owner)
        return not is_nested or f".{module}".endswith(f".{last_name(definition.owner)}")

    def _by_other_receivers(  # noqa: PLR0911 - one for each rule
        self, facts: FileFacts, node: RelatedNode, receiver: str
    ) -> Resolution:
        """A receiver that no import leads to the definition.

        `Shelf.Line` and `self.Line` may be a type of an outer type, and `geo::kEps` a constant of a
        namespace of C++; of other definitions, `self.Line` and `log.Line()` are members.
        """
        definition, own = self.definition, traits(self.definition.language)
        first = receiver.partition(".")[0]
        if own.imports == "folders":
            return self.go_package_refers(facts, receiver, definition)
        if facts.imported(first) or facts.imported(receiver):
            return self._of_imported(facts, receiver)
        is_nested = definition.is_type and bool(definition.owner)
        if receiver in SELF_NAMES and is_nested:  # self.Status of a class with a class inside
            receiver = facts.enclosing_class(node.symbol) or receiver
            if (facts.path, receiver) == (definition.path, definition.owner):
                return RESOLVED
        elif receiver in SELF_NAMES or (own.imported_receivers and not is_nested):
            return elsewhere(Evidence.ANOTHER_TYPE)
        if definition.is_type and receiver.rpartition(".")[2] in self.types_with_member:
            return self.another_of_type(receiver)
        if definition.is_type or not node.symbol:
            return possible(Reason.OUTER_SCOPE)
        is_constant = not (definition.owner or definition.is_function)
        may_be_namespace = is_constant and own.family == "c" and first[:1].isalpha()
        is_namespace = may_be_namespace and facts.declared(node.symbol, first) is None
        return possible(Reason.OUTER_SCOPE) if is_namespace else elsewhere(Evidence.ANOTHER_TYPE)

    def _of_imported(self, facts: FileFacts, receiver: str) -> Resolution:
        """A receiver that a file imports, which is no module that is known to have the definition.

        In Python, a package around the definition's file may export this file by another name, as
        `from . import impl as engine`. A name with a capital letter is a type.
        """
        definition, path = self.definition, facts.path
        first, _, rest = receiver.partition(".")
        for module, name in (*facts.imported(receiver), *facts.imported(first)):
            inner = ".".join(filter(None, [name, rest]))
            if (
                traits(definition.language).imports == "modules"
                and inner
                and not inner[0].isupper()
                and self._paths.is_parent(module, path, definition)
                and not self._exports.is_indexed(
                    f"{module.rstrip('.')}.{inner}", Site(path, definition.language)
                )
            ):
                return possible(Reason.MODULE)
        return elsewhere(Evidence.ANOTHER_MODULE)

    def _modules_of(self, facts: FileFacts, receiver: str) -> Iterable[str]:
        """Yields the modules that a receiver may name in a file."""
        if traits(self.definition.language).imports == "crates":  # a path needs no import
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

    def nearest_constant(self, node: RelatedNode, name: str) -> str:
        """The symbol of a type's name: as in Ruby, the one of the innermost module around a node.

        Empty for other definitions, and if the index has none.
        """
        if not traits(node.language).nearest_types or not self.definition.is_type:
            return ""
        symbols = {other.symbol for other in self.others} - {node.symbol}
        return nearest_symbol(node.symbol or "", name, symbols)

    def is_seen(self, facts: FileFacts, type_name: str, type_: Definition) -> bool:
        """Tells whether a name of a type, in Go with its package, is a type's in a file."""
        package, _, name = type_name.rpartition(".")
        if package:
            return self.has_package(facts, package, type_)
        return self.type_refers(facts, name, type_).is_resolved

    def type_refers(self, facts: FileFacts, name: str, type_: Definition) -> Resolution:
        """Resolves a name without a receiver in a file to a type, as if no other one had it."""
        return self.resolver_of_type(type_).refers(facts, name)

    def resolver_of_type(self, type_: Definition) -> NameResolver:
        """Resolves names to a type, as if no other one had its name."""
        if type_ not in self._resolvers:
            own = type_.path, type_.symbol
            others = (
                type_of(path, symbol, type_.language)
                for path, symbol in sorted(self.owners)
                if last_name(symbol) == type_.name and (path, symbol) != own
            )
            self._resolvers[type_] = NameResolver(type_, [type_, *others], self._exports)
        return self._resolvers[type_]

    def has_package(self, facts: FileFacts, package: str, definition: Definition) -> bool:
        """Tells whether a module or package, as a file writes it, has a definition."""
        modules = set(self._modules_of(facts, package))
        return any(self._paths.names(module, facts.path, definition) for module in modules) or (
            traits(definition.language).imports == "folders"
            and self.go_package_refers(facts, package, definition).is_resolved
        )

    def imports_module_of(self, facts: FileFacts, definition: Definition) -> bool:
        """Tells whether a file imports a module or package that has a definition."""
        return any(
            self._paths.names(module, facts.path, definition)
            or self._paths.is_parent(module, facts.path, definition)
            for module in facts.modules
        )

    def go_package_refers(
        self, facts: FileFacts, package: str, definition: Definition
    ) -> Resolution:
        """Compares a package of Go, as a file writes it, with a definition's package."""
        is_in_import = self.imports_module_of(facts, definition)
        return go_package_refers(definition, facts, package, is_in_import)
