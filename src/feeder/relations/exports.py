"""Finds the names by which files import a definition, also through files that export it again.

Entry point: `ExportFinder.of`. Each import is taken for an export of the importing file: what no
file imports from there costs nothing.

    impl.py: def rinse        impl.py exports rinse
    mid.py:  from .impl import rinse as wash      mid.py exports wash
    main.py: from mid import wash                 main.py binds wash
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import lru_cache
from typing import NamedTuple

from feeder.relation import EXPORT, IMPORT, Relation
from feeder.relations.manifests import Manifests
from feeder.relations.module_paths import (
    CRATE_KEYWORDS,
    EXTENSION,
    INDEX_FILES,
    SCRIPT_EXTENSION,
    ModulePaths,
)
from feeder.relations.modules import MODULE_EXPORTS, Definition
from feeder.store import Database
from feeder.store.relations import (
    RelatedNode,
    has_path,
    manifest_nodes,
    nodes_exporting,
    nodes_importing_module,
)
from feeder.traits import traits

MAX_EXPORTS = 200
"""Names by which files export a definition, beyond which no further file is followed."""

DEFAULT, WHOLE, ALL = "default", "", "*"
"""What an import names in place of a name: the default export, the module, and all its names."""


CACHED_SEGMENTS = 4_000
"""Modules whose last segments are cached."""

Import = tuple[RelatedNode, Relation]
"""An import, or an export by another name, and the node that has it."""


class ImportSite(NamedTuple):
    """An import of a definition: its node, its relation, and the name that it binds there.

    `is_space` if the name is that of the whole module, as in `import * as K from "./k"`.
    """

    node: RelatedNode
    relation: Relation
    bound: str
    is_space: bool = False


class Exports(NamedTuple):
    """The names by which each file exports a definition, and the imports of a default.

    `spaces` are, by file and by the name that it gives to a whole module, the names by which that
    module exports the definition. `is_cut` if more files export it than are followed.
    """

    names: Mapping[str, Set[str]]
    spaces: Mapping[tuple[str, str], Set[str]] = {}
    default_imports: tuple[ImportSite, ...] = ()
    is_cut: bool = False

    def has(self, paths: ModulePaths, module: str, importing: Site, name: str) -> bool:
        """Tells whether a module, as a file writes it, exports the definition by a name.

        What CommonJS exports as a whole is the default export too.
        """
        return any(
            (name in names or (name in {DEFAULT, WHOLE} and WHOLE in names))
            and paths.leads_to(module, importing.path, path, importing.language)
            for path, names in self.names.items()
        )

    def has_in_space(
        self, paths: ModulePaths, module: str, importing: Site, place: tuple[str, str]
    ) -> bool:
        """Tells whether a module exports a whole module by a name, which exports the definition.

        `place` is the pair of both names: `K` and `fire` of `import { K } from "./mid"; K.fire()`.
        """
        space, name = place
        return any(
            known == space
            and name in names
            and paths.leads_to(module, importing.path, path, importing.language)
            for (path, known), names in self.spaces.items()
        )


class Site(NamedTuple):
    """The path and language of an importing file."""

    path: str
    language: str


class ExportFinder:
    """Follows imports from a definition's file to those that import it, once for a definition."""

    def __init__(self, database: Database, repo: str) -> None:
        self._database = database
        self._repo = repo
        self._exports: dict[Definition, Exports] = {}
        self._named: dict[str, Mapping[str, list[Import]]] = {}
        self._whole: dict[str, list[Import]] = {}
        self._segments_of: dict[str, set[str]] = {}
        self._is_path: dict[str, bool] = {}
        self._paths: ModulePaths | None = None

    @property
    def paths(self) -> ModulePaths:
        """The modules of the repository, with its manifests."""
        if self._paths is None:
            self._paths = ModulePaths(Manifests(manifest_nodes(self._database, self._repo)))
        return self._paths

    def of(self, definition: Definition) -> Exports:
        """The exports of a definition that is no member; only its own name elsewhere."""
        if definition not in self._exports:
            self._exports[definition] = self._follow(definition)
        return self._exports[definition]

    def _follow(self, definition: Definition) -> Exports:
        own = WHOLE if definition.symbol == MODULE_EXPORTS else definition.name
        if not traits(definition.language).reexports or definition.owner:
            return Exports({definition.path: {own}})
        names: defaultdict[str, set[str]] = defaultdict(set)
        spaces: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
        defaults: dict[ImportSite, None] = {}
        level = [(definition.path, own)]
        names[definition.path].add(own)
        count = 1
        while level and count <= MAX_EXPORTS:
            self._load_whole((path for path, _ in level), definition.language)
            following: dict[tuple[str, str], None] = {}
            for path, name in level:
                for site in self._importing(path, name, definition.language):
                    if site.relation.kind == IMPORT and site.relation.name == DEFAULT:
                        defaults.setdefault(site)
                    if site.is_space:
                        spaces[site.node.path, site.bound].add(name)
                    elif site.bound not in names[site.node.path]:
                        names[site.node.path].add(site.bound)
                        following.setdefault((site.node.path, site.bound))
            level = list(following)
            count += len(level)
        return Exports(names, spaces, tuple(defaults), bool(level))

    def _importing(self, path: str, name: str, language: str) -> Iterator[ImportSite]:
        """Yields the imports of a name that a file exports, and its exports by other names."""
        if name not in {WHOLE, DEFAULT}:
            named = self._imports_of_name(name)
            for segment in self._segments(path):
                for node, relation in named.get(segment, ()):
                    if relation.kind == IMPORT and self._is_of(relation, node, path, language):
                        yield ImportSite(node, relation, relation.alias or name)
            for node, relation in named.get(path, ()):
                yield ImportSite(node, relation, relation.qualifier)
        for node, relation in self._whole[path]:
            if relation.name == ALL and name not in {WHOLE, DEFAULT}:
                yield ImportSite(node, relation, name)
            elif relation.name == DEFAULT and name in {WHOLE, DEFAULT}:
                yield ImportSite(node, relation, relation.alias or DEFAULT)
            elif relation.name == WHOLE and relation.alias:
                yield ImportSite(node, relation, relation.alias, is_space=name != WHOLE)

    def _is_of(self, relation: Relation, node: RelatedNode, path: str, language: str) -> bool:
        """Tells whether an import of a node is one from a file."""
        return node.path != path and self.paths.leads_to(relation.module, node.path, path, language)

    def _imports_of_name(self, name: str) -> Mapping[str, list[Import]]:
        """The imports of a name by the last segments of modules, its exports by their path."""
        if name not in self._named:
            named: defaultdict[str, list[Import]] = defaultdict(list)
            for node in nodes_exporting(self._database, self._repo, name):
                for relation in node.decode_named(name):
                    if relation.kind == IMPORT:
                        named[last_segment(relation.module)].append((node, relation))
                    elif relation.kind == EXPORT:
                        named[node.path].append((node, relation))
            self._named[name] = named
        return self._named[name]

    def _load_whole(self, paths: Iterable[str], language: str) -> None:
        """Reads the imports of whole modules, defaults and all names that lead to files."""
        missing = [path for path in dict.fromkeys(paths) if path not in self._whole]
        paths_of: defaultdict[str, list[str]] = defaultdict(list)
        for path in missing:
            self._whole[path] = []
            for segment in self._segments(path):
                paths_of[segment].append(path)
        words = sorted(segment for segment in paths_of if segment)
        for node in nodes_importing_module(self._database, self._repo, words):
            for relation in node.decode(IMPORT):
                if relation.name in {ALL, DEFAULT, WHOLE}:
                    for path in paths_of.get(last_segment(relation.module), ()):
                        if self._is_of(relation, node, path, language):
                            self._whole[path].append((node, relation))

    def _segments(self, path: str) -> set[str]:
        """The last segments of modules that may be a file; empty for `.`, `..` and `super`."""
        if path not in self._segments_of:
            names = self.paths.manifests.names_of(path)
            self._segments_of[path] = {"", *module_words(path), *map(last_segment, names)}
        return self._segments_of[path]

    def is_indexed(self, module: str, importing: Site) -> bool:
        """Tells whether the index has a file that a module may be."""
        ends = self.paths.ends(module, importing.path, importing.language)
        return any(self._has_path(end) for end in ends if end.strip("/"))

    def is_inside(self, module: str) -> bool:
        """Tells whether a module's name begins with a folder or file of the repository."""
        first = next(iter(re.findall(r"\w+", module)), "")
        return bool(first) and self._has_path(first)

    def _has_path(self, end: str) -> bool:
        words = "/".join(end.strip("/").rsplit("/", 3)[-3:])
        if words not in self._is_path:
            self._is_path[words] = has_path(self._database, self._repo, words)
        return self._is_path[words]


def module_words(path: str) -> list[str]:
    """The last segments by which an import names a file, of which its text has the words.

    `shop/cart.ts` → `cart.ts`, `cart`; `shop/index.ts` → `index.ts`, `index`, `shop`.
    """
    stem = EXTENSION.sub("", path)
    words = [posixpath.basename(path), posixpath.basename(stem)]
    for name in INDEX_FILES:
        if f"/{stem}".endswith(name):
            words.append(posixpath.basename(stem[: -len(name)]))
    return [word for word in words if word]


@lru_cache(CACHED_SEGMENTS)
def last_segment(module: str) -> str:
    """The end of a module: `./cart.js` → `cart`, `acme.shop` → `shop`; empty for `..`, `super`."""
    separator = "/" if "/" in module else "."
    name = SCRIPT_EXTENSION.sub("", module.rpartition(separator)[2])
    return "" if name in CRATE_KEYWORDS or not name.strip(".") else name
