"""Maps the names of modules that manifests export to paths, as package.json and Cargo.toml do."""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from feeder.relation import EXPORT
from feeder.store.relations import RelatedNode

BUILT_FOLDERS = frozenset({"build", "cjs", "dist", "es", "esm", "lib", "out", "types"})
"""Folders of a package whose files are built from those in `src`, and often not in git."""


class ModuleName(NamedTuple):
    """A name by which files below a folder import the path `target`, which is from that folder.

    `*` in a name stands for any text, which replaces the `*` of the target. Files of the whole
    repository may use a name unless it `is_local`.
    """

    folder: str
    name: str
    target: str
    is_local: bool


class Manifests:
    """The names of modules that a repository's manifests export."""

    def __init__(self, nodes: Iterable[RelatedNode] = ()) -> None:
        self._names: defaultdict[str, list[ModuleName]] = defaultdict(list)
        for name in _module_names(nodes):
            self._names[_first_part(name.name)].append(name)

    def paths(self, module: str, importing_path: str) -> Iterator[str]:
        """Yields the paths that a module may be; a path has a file's ending if the manifest has it.

        A config that is not above the importing file counts only if no other manifest has a name
        that begins like the module.

        `@acme/fmt/dates` → `packages/fmt/src/dates.ts` by `exports`, then `packages/fmt/dates`.
        """
        named = [*self._names.get(_first_part(module), ()), *self._names.get("*", ())]
        near = [
            name for name in named if not name.is_local or _is_below(importing_path, name.folder)
        ]
        for name in near or named:
            if (path := _target_path(name, module)) is not None:
                yield from _with_sources(path, name.folder)

    def names_of(self, path: str) -> list[str]:
        """The names of modules whose target may be a file, without their `*`."""
        return [
            name.name.rstrip("/*")
            for named in self._names.values()
            for name in named
            if _is_below(path, posixpath.dirname(_join(name.folder, name.target)))
        ]


def _module_names(nodes: Iterable[RelatedNode]) -> Iterator[ModuleName]:
    for node in nodes:
        folder, file_name = posixpath.split(node.path)
        for relation in node.decode(EXPORT):
            if not relation.name:
                name = relation.module
                is_local = name.startswith("#") or "config" in file_name
                yield ModuleName(folder, name, relation.alias, is_local)


def _first_part(name: str) -> str:
    """The part of a module's name that a lookup begins with: `@acme/fmt/x` → `@acme`."""
    return "*" if name.startswith("*") else re.split(r"[/.*]", name, maxsplit=1)[0] or name[:1]


def _target_path(one: ModuleName, module: str) -> str | None:
    """The path that a module's name stands for; None if it is not this name's."""
    before, star, after = one.name.partition("*")
    if star:
        if not (module.startswith(before) and module.endswith(after)):
            return None
        matched = module[len(before) : len(module) - len(after)]
        return _join(one.folder, one.target.replace("*", matched))
    if module == one.name:
        return _join(one.folder, one.target)
    is_crate = one.target.endswith(".rs")
    separator = "." if is_crate else "/"
    if not module.startswith(one.name + separator):
        return None
    rest = module[len(one.name) + 1 :].replace(separator, "/")
    target = posixpath.dirname(one.target) if is_crate else one.target
    is_file = posixpath.splitext(target)[1] and not is_crate and target != "."
    return None if is_file else _join(one.folder, target, rest)


def _with_sources(path: str, folder: str) -> Iterator[str]:
    """Yields a path, then where its source may be: `dist/a.js` → `src/a.js`, `a` → `src/a`."""
    yield path
    inside = path[len(folder) + 1 :] if folder else path
    first, _, rest = inside.partition("/")
    if first in BUILT_FOLDERS and rest:
        yield _join(folder, "src", rest)
    elif first != "src":
        yield _join(folder, "src", inside)


def _join(*parts: str) -> str:
    path = posixpath.normpath(posixpath.join(*parts))
    return "" if path == "." else path


def _is_below(path: str, folder: str) -> bool:
    return not folder or path.startswith(f"{folder}/")
