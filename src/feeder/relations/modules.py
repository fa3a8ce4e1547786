"""Compares the modules that files import with the files and packages that define a name."""

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

from feeder.traits import traits

COMMONJS_RECEIVERS = frozenset({"module", "exports", "module.exports"})
"""Receivers in JavaScript that are the module of the file itself."""

MODULE_EXPORTS = "module.exports"
"""The symbol of what a file of JavaScript exports as a whole, which only that file names so."""

EXTENSION = re.compile(r"\.(?:d\.)?\w+$")
CRATE_KEYWORDS = frozenset({"crate", "self", "super"})
STANDARD_CRATES = frozenset({"std", "core", "alloc"})
INDEX_FILES = ("/index", "/__init__", "/mod", "/lib")


def say_nothing_refers(definition: "Definition") -> str:
    """The answer if no site refers to a definition, or if its language has no relations."""
    reason = _unindexed_relations(definition.language)
    if definition.language == "objc" and definition.owner and not definition.is_type:
        reason = _UNINDEXED_MESSAGES
    if reason:
        return f"What refers to {definition.symbol} is unknown: {reason}"
    return f"Nothing in the index refers to {definition.symbol}."


def say_nothing_implements(definition: "Definition") -> str:
    """The answer if nothing implements a definition, or if its language has no relations."""
    if reason := _unindexed_relations(definition.language):
        return f"What implements {definition.symbol} is unknown: {reason}"
    return f"Nothing in the index implements {definition.symbol}."


def say_refers_to_nothing(name: str, language: str) -> str:
    """The answer if a node or a file refers to nothing, or if its references are not indexed.

    A function of Objective-C may send messages too.
    """
    reason = _UNINDEXED_MESSAGES if language == "objc" else _unindexed_relations(language)
    if reason:
        return f"What {name} refers to is unknown: {reason}"
    return f"{name} refers to nothing that the index defines."


_UNINDEXED_MESSAGES = "messages of Objective-C are not indexed."


def _unindexed_relations(language: str | None) -> str:
    """Returns why nothing is known of the relations of a language; empty if they are indexed."""
    if not language or traits(language).has_relations:
        return ""
    return f"relations of {language} are not indexed, unless a grammar file adds them."


class Definition(NamedTuple):
    """A definition that names may refer to.

    `owner` is the symbol of the type around it, empty for a name of a module or package. A static
    function of C, outside of headers, is local, and so is `module.exports` of JavaScript: no other
    file can refer to it by this name. An extension of
    Kotlin is imported from its package like a function; its symbol has the extended type. A method
    of an interface of Go is abstract. `package_name` is that of a constant or variable of Go, whose
    symbol has none; empty if no symbol of its file has it.
    """

    path: str
    language: str
    symbol: str
    name: str
    owner: str
    is_type: bool
    is_local: bool = False
    is_extension: bool = False
    is_abstract: bool = False
    package_name: str = ""

    @property
    def package(self) -> str:
        """The qualifier of names of the file, such as `acme.shop`; may be empty."""
        return self.package_name or (self.owner or self.symbol).rpartition(".")[0]

    def is_in_package(self, package: str) -> bool:
        """Tells whether a package has it; the extended type of an extension has unknown parts."""
        if self.is_extension:
            return self.symbol.startswith(f"{package}.")
        return package == self.package


def in_same_package(path: str, package: str, definition: Definition) -> bool:
    """Tells whether a file of a package sees the definition without an import."""
    scope = traits(definition.language).package_scope
    if scope == "folder":
        return posixpath.dirname(path) == posixpath.dirname(definition.path)
    return scope == "package" and bool(package) and definition.is_in_package(package)


def names_module(module: str, importing_path: str, definition: Definition) -> bool:
    """Tells whether an imported module is the one that has the definition."""
    imports = traits(definition.language).imports
    if imports == "symbols":
        outer = definition.owner or definition.package
        return definition.is_in_package(module) or module in {outer, definition.symbol}
    if imports == "folders":
        folder = posixpath.dirname(definition.path)
        if "/" in folder and module.endswith(f"/{folder}"):  # lib/cart/v2
            return True
        module = re.sub(r"/v\d+$", "", module)
        if not folder:
            last = module.rpartition("/")[2]
            return definition.package.partition(".")[0] in {last, last.removeprefix("go-")}
        return module == folder or module.endswith(f"/{folder}")
    return any(
        _ends_with(stem, requested)
        for stem in _module_stems(definition.path)
        for requested in _wanted_paths(module, importing_path, imports)
    )


def is_parent_module(module: str, importing_path: str, definition: Definition) -> bool:
    """Tells whether the module is a package around the definition's file, which may export it."""
    imports = traits(definition.language).imports
    if imports == "folders":
        return False
    stem = EXTENSION.sub("", definition.path)
    for requested in _wanted_paths(module, importing_path, imports):
        package = next(
            (requested.removesuffix(name) for name in INDEX_FILES if requested.endswith(name)),
            requested,
        )
        if package and f"/{package}/".replace("//", "/") in f"/{stem}/":
            return True
    return _names_workspace_folder(module, definition)


def _names_workspace_folder(module: str, definition: Definition) -> bool:
    """Tells whether a package of the same repository has the definition's file in its folder.

    Packages often have a longer name than their folder: the crate `grep_searcher` is in
    `crates/searcher`, and the npm package `@acme/server` in `packages/server`.
    """
    folders = {part.replace("-", "_") for part in posixpath.dirname(definition.path).split("/")}
    own = traits(definition.language)
    if own.imports == "crates":
        parts = [part for part in module.split(".") if part not in CRATE_KEYWORDS]
        if not parts or parts[0] in STANDARD_CRATES:
            return False
        return any(part in folders or part.partition("_")[2] in folders for part in parts)
    if own.family == "scripts" and module.startswith("@") and "/" in module:
        return module.split("/")[1].replace("-", "_") in folders
    return False


def _module_stems(path: str) -> Iterator[str]:
    stem = EXTENSION.sub("", path)
    yield path
    yield stem
    for name in INDEX_FILES:
        if stem.endswith(name):
            yield stem.removesuffix(name)


def _wanted_paths(module: str, importing_path: str, imports: str) -> Iterator[str]:
    """Yields the ends of paths that a module may mean, with a leading `/` for a whole path."""
    folder = posixpath.dirname(importing_path)
    if imports == "modules":
        name = module.lstrip(".")
        if ups := len(module) - len(name):
            for _ in range(ups - 1):
                folder = posixpath.dirname(folder)
            yield "/" + posixpath.join(folder, name.replace(".", "/")).rstrip("/")
        else:
            yield name.replace(".", "/")
    elif imports == "crates":
        yield from _rust_paths(module, importing_path)
    else:
        module = module.removeprefix("package:")
        if module.startswith("."):
            path = "/" + posixpath.normpath(posixpath.join(folder, module)).removeprefix("./")
            yield path
            yield re.sub(r"\.[mc]?[jt]sx?$", "", path)
        else:
            yield re.sub(r"^(?:[@~#]/|\$(?=lib/))", "", module)


def _rust_paths(module: str, importing_path: str) -> Iterator[str]:
    """Yields the ends of paths that a module of Rust may mean.

    `super` and `self` are also those of a module within the file, such as `tests`.
    """
    own = EXTENSION.sub("", importing_path)
    own = next((own.removesuffix(name) for name in INDEX_FILES if own.endswith(name)), own)
    first, _, rest = module.partition(".")
    rest = rest.replace(".", "/")
    if first not in CRATE_KEYWORDS:
        yield module.replace(".", "/")
        return
    if first == "crate":
        source = re.match(r"(?:.*/)?src(?=/|$)", own)
        folders = [source[0]] if source else []
    else:
        folders = [own, posixpath.dirname(own)]
    for folder in folders:
        yield "/" + posixpath.join(folder, rest).rstrip("/")
    if rest:
        yield rest


def _ends_with(path: str, requested: str) -> bool:
    if requested.startswith("/"):
        return f"/{path}" == requested
    return bool(requested) and (path == requested or path.endswith(f"/{requested}"))
