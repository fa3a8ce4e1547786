"""Finds the names by which files import a definition, also through files that export it again.

Entry points: `ExportFinder.of` and `ExportFinder.has`. A file that imports a name is assumed to
export it too. This costs nothing where no other file imports it from there.

    impl.py: def rinse        impl.py exports rinse
    mid.py:  from .impl import rinse as wash      mid.py exports wash
    main.py: from mid import wash                 main.py binds wash

Imports of all names (`from .impl import *`) and of whole modules (`import * as K`) cost more to
find. They are read only if a file imports the name from a module of which nothing is known yet.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from feeder.relation import EXPORT, IMPORT, Relation
from feeder.relations.indexed_paths import IndexedPaths
from feeder.relations.manifests import Manifests
from feeder.relations.module_paths import (
    CRATE_KEYWORDS,
    ModulePaths,
    file_ends,
    is_standard_module,
    module_words,
)
from feeder.relations.modules import MODULE_EXPORTS, Definition
from feeder.store import Database
from feeder.store.relations import (
    RelatedNode,
    manifest_nodes,
    nodes_exporting,
    nodes_importing_all,
    nodes_importing_module,
    nodes_importing_word,
)
from feeder.traits import are_compatible, traits

MAX_EXPORTS = 200
"""Names of a definition that are followed in each round; more are left out."""

DEFAULT, WHOLE, ALL = "default", "", "*"
"""What an import names in place of a name: the default export, the module, and all its names."""

UNNAMED = frozenset({DEFAULT, WHOLE})
WORD = re.compile(r"\w+")


class Site(NamedTuple):
    """The path and language of an importing file."""

    path: str
    language: str


class ImportSite(NamedTuple):
    """An import, or JavaScript's export of a name under another one, and the node that has it."""

    node: RelatedNode
    relation: Relation


class Unread(NamedTuple):
    """What is read next.

    `names` are imported names, `modules` files that others import as a default or as a whole,
    `all_of` files of which others import all names.
    """

    names: Sequence[str]
    modules: Sequence[str]
    all_of: Sequence[str]


class Exports:
    """The names by which each file exports a definition, as far as its imports are read.

    `default_imports` import it as a default. `spaces` are whole modules that a file names: for
    `import * as K from "./k"` in a.ts, `spaces["a.ts", "K"]` are the names by which k.ts exports
    the definition. `is_cut` if it has more names than are followed.
    """

    def __init__(self, path: str, name: str, language: str) -> None:
        self.names: defaultdict[str, set[str]] = defaultdict(set)
        self.default_imports: list[ImportSite] = []
        self.spaces: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        self.is_cut = False
        self.follows_all = False
        self._language = language
        self._other_ends: set[str] = set()
        """The ends of modules that define the name themselves."""
        self._paths: defaultdict[str, list[str]] = defaultdict(list)
        """The paths by the ends of modules that name them."""
        self._read: set[tuple[str, str]] = set()
        self._pending: dict[tuple[str, Relation], ImportSite] = {}
        """The imports that lead to no file which is known to export the definition."""
        self._add(path, {name})

    def has(self, module: str, importing_path: str, name: str, paths: ModulePaths) -> bool:
        """Tells whether a module, as a file writes it, exports the definition by a name.

        What CommonJS exports as a whole is the default export too.
        """
        exported = self._names_of(module, importing_path, paths)
        return name in exported or (name in UNNAMED and WHOLE in exported)

    def has_in_space(
        self, module: str, importing_path: str, space: str, name: str, paths: ModulePaths
    ) -> bool:
        """Tells whether a module exports a whole module by a name, which exports the definition.

        `K` and `fire` of `import { K } from "./mid"; K.fire()` are the names of both.
        """
        return any(
            known == space
            and name in names
            and paths.leads_to(module, importing_path, path, self._language)
            for (path, known), names in self.spaces.items()
        )

    def other_names(self, name: str) -> list[str]:
        """The names by which files import or export it, other than a name; sorted."""
        return sorted(set().union(*self.names.values()) - UNNAMED - {name})

    def unread(self) -> Unread:
        """Returns what has not been read yet; it counts as read from then on."""
        names = self._once("name", self.other_names(WHOLE))
        self.is_cut |= len(names) > MAX_EXPORTS
        unnamed = [path for path, names in self.names.items() if names & UNNAMED]
        named = [path for path, names in self.names.items() if names - UNNAMED]
        return Unread(
            names[:MAX_EXPORTS],
            self._once("module", unnamed),
            self._once("all", named) if self.follows_all else (),
        )

    def _once(self, kind: str, keys: Iterable[str]) -> list[str]:
        unread = [key for key in keys if (kind, key) not in self._read]
        self._read.update((kind, key) for key in unread)
        return unread

    def follow(self, sites: Iterable[ImportSite], paths: ModulePaths) -> None:
        """Adds the names that these imports bind, and that earlier ones bind because of them."""
        self._pending |= {
            (site.node.id, site.relation): site
            for site in sites
            if _shares_modules(site.node.language, self._language)
        }
        is_changed = True
        while is_changed:
            is_changed = False
            for key, site in list(self._pending.items()):
                if bound := self._bound_by(site, paths):
                    if site.relation.name not in {ALL, WHOLE}:
                        del self._pending[key]
                    if site.relation.name == DEFAULT:
                        self.default_imports.append(site)
                    is_changed |= self._add(site.node.path, bound)

    def add_others(self, paths: Iterable[str]) -> None:
        """Adds files that define the name themselves: an import from there means their own."""
        for path in paths:
            if path not in self.names:
                self._other_ends |= file_ends(path)

    def has_open_imports(self, paths: ModulePaths) -> bool:
        """Tells whether a followed name is imported where no module is known to export it."""
        return any(
            request.relation.kind == IMPORT
            and request.relation.name not in {*UNNAMED, ALL}
            and self.may_export(request.relation.module, request.node.path, paths)
            for request in self._pending.values()
        )

    def may_export(self, module: str, importing_path: str, paths: ModulePaths) -> bool:
        """Tells whether a module may export it: no standard one, none that defines the name."""
        ends = paths.ends(module, importing_path, self._language)
        return not is_standard_module(module, self._language) and self._other_ends.isdisjoint(ends)

    def _bound_by(self, site: ImportSite, paths: ModulePaths) -> set[str]:
        """The names that an import binds to the definition, of which it may be a space too."""
        (node, relation), name = site, site.relation.name
        if relation.kind == EXPORT:
            return {relation.qualifier} if name in self.names.get(node.path, ()) else set()
        exported = self._names_of(relation.module, node.path, paths)
        if name == ALL:
            return exported - UNNAMED
        if name == DEFAULT:
            return {relation.alias or DEFAULT} if exported & UNNAMED else set()
        if name == WHOLE and relation.alias:
            self.spaces[node.path, relation.alias] |= exported - {WHOLE}
            return {relation.alias} if WHOLE in exported else set()
        return {relation.alias or name} if name in exported else set()

    def _names_of(self, module: str, importing_path: str, paths: ModulePaths) -> set[str]:
        """The names that a module exports to a file."""
        ends = paths.ends(module, importing_path, self._language)
        named = {path for end in ends for path in self._paths.get(end, ())} - {importing_path}
        return set().union(
            *(
                self.names[path]
                for path in named
                if paths.leads_to(module, importing_path, path, self._language)
            )
        )

    def _add(self, path: str, names: set[str]) -> bool:
        """Adds names by which a file exports the definition; False if it has them all."""
        if path not in self.names:
            for end in file_ends(path):
                self._paths[end].append(path)
        is_new = not names <= self.names[path]
        self.names[path] |= names
        return is_new


class ExportFinder:
    """Follows imports from a definition's file to those that import it, once for a definition."""

    def __init__(
        self, database: Database, repo: str, defining: Callable[[str], Iterable[str]]
    ) -> None:
        self._database = database
        self._repo = repo
        self._defining = defining
        """Returns the files that define a name."""
        self._exports: dict[Definition, Exports] = {}
        self._of_names: dict[str, list[RelatedNode]] = {}
        self._indexed = IndexedPaths(database, repo)
        self._paths: ModulePaths | None = None

    @property
    def paths(self) -> ModulePaths:
        """The modules of the repository, with its manifests."""
        if self._paths is None:
            manifests = Manifests(manifest_nodes(self._database, self._repo))
            self._paths = ModulePaths(manifests, self._indexed.has_file)
        return self._paths

    def of(self, definition: Definition) -> Exports:
        """The exports of a definition; of a member only its own name in its own file."""
        if definition not in self._exports:
            own = WHOLE if definition.symbol == MODULE_EXPORTS else definition.name
            exports = Exports(definition.path, own, definition.language)
            self._exports[definition] = exports
            if is_followed(definition):
                self._follow(exports)
                exports.add_others(self._defining(definition.name))
                if exports.has_open_imports(self.paths):
                    self._follow_all(exports)
        return self._exports[definition]

    def has(self, definition: Definition, module: str, importing: Site, name: str) -> bool:
        """Tells whether a module, as a file writes it, exports a definition by a name."""
        if not is_followed(definition):
            return False
        exports, paths = self.of(definition), self.paths
        if exports.has(module, importing.path, name, paths):
            return True
        outer = module.rpartition(".")[0]
        is_inline = traits(importing.language).imports == "crates" and outer not in CRATE_KEYWORDS
        if is_inline and outer and not self.is_indexed(module, importing):
            return self.has(definition, outer, importing, name)  # a module inside of a file
        if exports.follows_all or not exports.may_export(module, importing.path, paths):
            return False
        self._follow_all(exports)
        return exports.has(module, importing.path, name, paths)

    def has_in_space(
        self, definition: Definition, module: str, importing: Site, space: str, name: str
    ) -> bool:
        """Tells whether a module exports, as `space`, another module that exports a definition."""
        if not is_followed(definition):
            return False
        exports = self.of(definition)
        return exports.has_in_space(module, importing.path, space, name, self.paths)

    def _follow_all(self, exports: Exports) -> None:
        """Follows imports of all names and of whole modules too."""
        exports.follows_all = True
        self._follow(exports)

    def _follow(self, exports: Exports) -> None:
        """Follows imports until no further file exports the definition."""
        while any(unread := exports.unread()):
            exports.follow(self._read(unread), self.paths)

    def _read(self, unread: Unread) -> Iterator[ImportSite]:
        """Yields imports of names, and of files as a whole or with all names."""
        for name in unread.names:
            for node in self._nodes_of_name(name):
                for relation in node.decode_named(name):
                    if relation.kind in {IMPORT, EXPORT}:
                        yield ImportSite(node, relation)
        yield from self._imports_of_files(unread.modules, nodes_importing_module, UNNAMED)
        yield from self._imports_of_files(unread.all_of, nodes_importing_all, {ALL, WHOLE})

    def _nodes_of_name(self, name: str) -> list[RelatedNode]:
        if name not in self._of_names:
            self._of_names[name] = nodes_exporting(self._database, self._repo, name)
        return self._of_names[name]

    def _imports_of_files(
        self,
        paths: Iterable[str],
        read: Callable[[Database, str, Sequence[str]], list[RelatedNode]],
        names: Iterable[str],
    ) -> Iterator[ImportSite]:
        """Yields the imports of modules that may be files, which have some names."""
        words = {word for path in paths for word in self._module_words(path)}
        for node in read(self._database, self._repo, sorted(words)) if words else ():
            for relation in node.decode(IMPORT):
                if relation.name in names:
                    yield ImportSite(node, relation)

    def _module_words(self, path: str) -> set[str]:
        names = self.paths.manifests.names_of(path)
        return {*module_words(path), *(word for name in names for word in WORD.findall(name)[-1:])}

    def importing(self, path: str, language: str) -> tuple[list[ImportSite], bool]:
        """Returns the imports of a file by whatever name, and whether there may be more.

        The file need not be there: after a rename they are those that still name its old path.
        """
        name = posixpath.basename(path)  # which names a file of any language: "./cart.css"
        words = sorted(self._module_words(path))
        nodes, is_cut = nodes_importing_word(self._database, self._repo, words)
        sites = [
            ImportSite(node, relation)
            for node in nodes
            for relation in node.decode(IMPORT)
            if are_compatible(node.language, language) or f"/{relation.module}".endswith(f"/{name}")
            if any(
                self.paths.leads_to(module, node.path, path, node.language or language)
                for module in _imported_modules(relation, node.language or language)
            )
        ]
        return sites, is_cut

    def is_indexed(self, module: str, importing: Site) -> bool:
        """Tells whether the index has a file that a module may be."""
        ends = self.paths.ends(module, importing.path, importing.language)
        return self._indexed.has_end(ends)

    def is_inside(self, module: str) -> bool:
        """Tells whether a module's name begins with a folder or file of the repository."""
        return self._indexed.has_end(WORD.findall(module)[:1])


def is_followed(definition: Definition) -> bool:
    """Tells whether files may export a definition again: no member, in a language with files."""
    return traits(definition.language).reexports and not definition.owner


def _shares_modules(language: str | None, other: str) -> bool:
    """Tells whether files of two languages import each other's names."""
    family = traits(language).family
    return language == other or bool(family and family == traits(other).family)


def _imported_modules(relation: Relation, language: str) -> Iterator[str]:
    """Yields what may be a module: `shop` and `shop.cart` in `from shop import cart`."""
    yield relation.module
    if traits(language).imports in {"modules", "crates"}:
        joint = "." if relation.module.strip(".") else ""
        yield f"{relation.module}{joint}{relation.name}"
