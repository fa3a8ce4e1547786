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
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Set
from typing import NamedTuple

from feeder.relation import EXPORT, IMPORT, Relation
from feeder.relations.manifests import Manifests
from feeder.relations.module_paths import EXTENSION, INDEX_FILES, ModulePaths
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
        self._of_name: dict[str, list[RelatedNode]] = {}
        self._of_module: dict[str, list[RelatedNode]] = {}
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
        sites: dict[ImportSite, None] = {}
        following = deque([(definition.path, own)])
        names[definition.path].add(own)
        count = 1
        while following and count <= MAX_EXPORTS:
            path, name = following.popleft()
            for site in self._importing(path, name, definition.language):
                if site.relation.kind == IMPORT and site.relation.name == DEFAULT:
                    sites.setdefault(site)
                if site.is_space:
                    spaces[site.node.path, site.bound].add(name)
                elif site.bound not in names[site.node.path]:
                    names[site.node.path].add(site.bound)
                    following.append((site.node.path, site.bound))
                    count += 1
        return Exports(names, spaces, tuple(sites), bool(following))

    def _importing(self, path: str, name: str, language: str) -> Iterator[ImportSite]:
        """Yields the imports of a name that a file exports, and its exports by other names."""
        if name not in {WHOLE, DEFAULT}:
            for node in self._nodes_of_name(name):
                for relation in node.decode_named(name):
                    if relation.kind == EXPORT and node.path == path:
                        yield ImportSite(node, relation, relation.qualifier)
                    elif relation.kind == IMPORT and self._is_of(relation, node, path, language):
                        yield ImportSite(node, relation, relation.alias or name)
        for node in self._nodes_of_module(path):
            for relation in node.decode(IMPORT):
                if not self._is_of(relation, node, path, language):
                    continue
                if relation.name == ALL and name not in {WHOLE, DEFAULT}:
                    yield ImportSite(node, relation, name)
                elif relation.name == DEFAULT and name in {WHOLE, DEFAULT}:
                    yield ImportSite(node, relation, relation.alias or DEFAULT)
                elif relation.name == WHOLE and relation.alias:
                    yield ImportSite(node, relation, relation.alias, is_space=name != WHOLE)

    def _is_of(self, relation: Relation, node: RelatedNode, path: str, language: str) -> bool:
        """Tells whether an import of a node is one from a file."""
        return node.path != path and self.paths.leads_to(relation.module, node.path, path, language)

    def _nodes_of_name(self, name: str) -> list[RelatedNode]:
        if name not in self._of_name:
            self._of_name[name] = nodes_exporting(self._database, self._repo, name)
        return self._of_name[name]

    def _nodes_of_module(self, path: str) -> list[RelatedNode]:
        """The nodes with imports of a whole module, or of all its names, that may be a file."""
        if path not in self._of_module:
            words = {*module_words(path), *self.paths.manifests.words_of(path)}
            nodes = nodes_importing_module(self._database, self._repo, sorted(words))
            self._of_module[path] = nodes
        return self._of_module[path]

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
    """The words by which an import names a file: `shop/cart.ts` → `cart`, `shop/index.ts` → `shop`.

    An import of the folder above, as `from . import *`, has none and is not followed.
    """
    stem = EXTENSION.sub("", path)
    words = [posixpath.basename(stem)]
    for name in INDEX_FILES:
        if f"/{stem}".endswith(name):
            words.append(posixpath.basename(stem[: -len(name)]))
    return [word for word in words if word]
