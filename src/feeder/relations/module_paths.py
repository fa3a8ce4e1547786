"""Compares the modules that files import with the files and packages that define a name.

Start with `ModulePaths.names`. `ModulePaths.ends` are the ends of the paths that a module may mean,
`file_ends` those by which a file may be imported. A module may be a file if they have one in
common: `acme.shop` of Python each file that ends in `acme/shop.py`, `./cart` exactly one.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from feeder.relations.manifests import Manifests
from feeder.relations.modules import Definition
from feeder.traits import traits

EXTENSION = re.compile(r"\.(?:d\.)?\w+$")
SCRIPT_EXTENSION = re.compile(r"\.(?:d\.)?[mc]?[jt]sx?$")
CRATE_KEYWORDS = frozenset({"crate", "self", "super"})
STANDARD_CRATES = frozenset({"std", "core", "alloc"})
SASS_PART = re.compile(r"(?<![^/])_(?=[^/]+\.s[ac]ss$)")
"""The beginning of the name of a part of a stylesheet, which an import may omit: `_mixins.scss`."""

INDEX_FILES = ("/index", "/__init__", "/mod", "/lib")

_NODE_MODULES = """
assert async_hooks buffer child_process cluster console constants crypto dgram dns domain events
fs http http2 https inspector module net os path perf_hooks process punycode querystring
readline repl stream string_decoder test timers tls tty url util v8 vm wasi worker_threads zlib
"""
NODE_MODULES = frozenset(_NODE_MODULES.split())
"""The modules of Node, which a file imports as `fs` or `node:fs`."""

_PYTHON_MODULES = """
__future__ abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore
atexit audioop base64 bdb binascii bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath
cmd code codecs codeop collections colorsys compileall compression concurrent configparser
contextlib contextvars copy copyreg crypt csv ctypes curses dataclasses datetime dbm decimal
difflib dis distutils doctest email encodings ensurepip enum errno faulthandler fcntl filecmp
fileinput fnmatch fractions ftplib functools gc genericpath getopt getpass gettext glob graphlib
grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io ipaddress
itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math
mimetypes mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path
numbers opcode operator optparse os ossaudiodev pathlib pdb pickle pickletools pipes pkgutil
platform plistlib poplib posix posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc
pydoc_data pyexpat queue quopri random re readline reprlib resource rlcompleter runpy sched
secrets select selectors shelve shlex shutil signal site smtpd smtplib sndhdr socket
socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics string
stringprep struct subprocess sunau symtable sys sysconfig syslog tabnanny tarfile telnetlib
tempfile termios textwrap this threading time timeit tkinter token tokenize tomllib trace
traceback tracemalloc tty turtle turtledemo types typing unicodedata unittest urllib uu uuid
venv warnings wave weakref webbrowser winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile
zipimport zlib zoneinfo
"""
PYTHON_MODULES = frozenset(_PYTHON_MODULES.split())
"""The modules of all versions of Python since 3.11, whichever runs this program."""

PREFERRED_EXTENSIONS = {
    "ts": {
        ".js": (".ts", ".tsx"),
        ".jsx": (".tsx", ".ts"),
        ".tsx": (".ts",),
        ".d.ts": (".ts", ".tsx"),
        ".mjs": (".mts",),
        ".d.mts": (".mts",),
        ".cjs": (".cts",),
        ".d.cts": (".cts",),
    },
    "js": {
        ".ts": (".js", ".jsx"),
        ".tsx": (".js", ".jsx"),
        ".mts": (".mjs",),
        ".cts": (".cjs",),
    },
}
"""Which files an import in TypeScript or JavaScript means rather than one with this extension.

`./store.js` in TypeScript is `store.ts` if there is one. `store.d.ts` declares what is in
`store.js`, so both count.
"""

CACHED_MODULES = 4_000
"""Modules of files whose paths are cached."""


class ModulePaths:
    """Compares modules with files; knows the names that a repository's manifests export.

    `has_file` tells whether the index has a file.
    """

    def __init__(self, manifests: Manifests, has_file: Callable[[str], bool]) -> None:
        self.manifests = manifests
        self._has_file = has_file
        self._ends = lru_cache(CACHED_MODULES)(self._find_ends)

    def names(self, module: str, importing_path: str, definition: Definition) -> bool:
        """Tells whether an imported module is the one that has the definition."""
        imports = traits(definition.language).imports
        if imports == "symbols":
            outer = definition.owner or definition.package
            return definition.is_in_package(module) or module in {outer, definition.symbol}
        if imports == "folders":
            return _is_go_package(module, definition)
        if imports == "crates" and definition.package:
            return self._names_inline_module(module, importing_path, definition)
        return self.names_file(module, importing_path, definition.path, definition.language)

    def _names_inline_module(
        self, module: str, importing_path: str, definition: Definition
    ) -> bool:
        """Compares a module of Rust with one inside of a file: `crate::a::inner` with `a.rs`."""
        own = f".{definition.package}"
        if not f".{module}".endswith(own):
            return self.names_file(module, importing_path, definition.path, definition.language)
        outer = f".{module}".removesuffix(own).lstrip(".")
        is_own_file = importing_path == definition.path
        if outer in {"", *CRATE_KEYWORDS} and is_own_file:
            return True
        return bool(outer) and self.names_file(
            outer, importing_path, definition.path, definition.language
        )

    def names_file(self, module: str, importing_path: str, path: str, language: str) -> bool:
        """Tells whether a module may be a file: whether they have an end in common."""
        is_named = not file_ends(path).isdisjoint(self.ends(module, importing_path, language))
        return is_named and not self._is_second(importing_path, path)

    def names_file_beside(self, module: str, importing_path: str, definition: Definition) -> bool:
        """Tells whether a module is not the definition's file, but one of the same name beside it.

        `./store.js` in TypeScript is `store.ts`, even if there is a `store.js`.
        """
        own = traits(definition.language)
        return (
            own.family == "scripts"
            and not file_ends(definition.path).isdisjoint(
                self.ends(module, importing_path, definition.language)
            )
            and self._is_second(importing_path, definition.path)
        )

    def _is_second(self, importing_path: str, path: str) -> bool:
        """Tells whether an import of a file's name means another file."""
        return any(map(self._has_file, preferred_files(importing_path, path)))

    def leads_to(self, module: str, importing_path: str, path: str, language: str) -> bool:
        """Tells whether a module is a file; stricter than `names_file`.

        If the module has whole paths, as `./cart` has `/src/cart`, its other ends do not count. In
        Rust a module without a whole path, as in `use {matcher::Match}`, is in the importing file's
        crate.
        """
        ends = self.ends(module, importing_path, language)
        whole = [end for end in ends if end.startswith("/")]
        is_of_own_crate = not whole and traits(language).imports == "crates"
        if is_of_own_crate and _crate_folder(importing_path) != _crate_folder(path):
            return False
        is_named = not file_ends(path).isdisjoint(whole or ends)
        return is_named and not self._is_second(importing_path, path)

    def is_parent(self, module: str, importing_path: str, definition: Definition) -> bool:
        """Tells whether the module is a package around the definition's file."""
        if traits(definition.language).imports == "folders":
            return False
        if self.names_file_beside(module, importing_path, definition):
            return False
        stem = EXTENSION.sub("", definition.path)
        for end in self.ends(module, importing_path, definition.language):
            package = next(
                (end.removesuffix(name) for name in INDEX_FILES if end.endswith(name)), end
            )
            if package and f"/{package}/".replace("//", "/") in f"/{stem}/":
                return True
        return _names_workspace_folder(module, definition)

    def ends(self, module: str, importing_path: str, language: str) -> Sequence[str]:
        """The ends of the paths that a module may mean, with a leading `/` for a whole path.

        `./cart` in `src/use.ts` → `/src/cart`; `acme.shop` of Python → `acme/shop`.
        """
        return self._ends(module, importing_path, language)

    def _find_ends(self, module: str, importing_path: str, language: str) -> Sequence[str]:
        imports = traits(language).imports
        has_names = imports != "modules" and not module.startswith(".")  # Python has none
        ends = self.manifests.paths(module, importing_path) if has_names else ()
        whole = dict.fromkeys(f"/{path}" for path in ends)
        if traits(language).family == "scripts":
            whole |= dict.fromkeys(SCRIPT_EXTENSION.sub("", end) for end in whole)
        if imports == "crates":
            whole = dict.fromkeys(EXTENSION.sub("", end) for end in whole)
        return [*whole, *_wanted_paths(module, importing_path, language)]


def _is_go_package(module: str, definition: Definition) -> bool:
    folder = posixpath.dirname(definition.path)
    if "/" in folder and module.endswith(f"/{folder}"):  # lib/cart/v2
        return True
    module = re.sub(r"/v\d+$", "", module)
    if not folder:
        last = module.rpartition("/")[2]
        return definition.package.partition(".")[0] in {last, last.removeprefix("go-")}
    return module == folder or module.endswith(f"/{folder}")


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


def is_standard_module(module: str, language: str) -> bool:
    """Tells whether a module is a standard one of its language: `os.path`, `node:fs`, `std.fs`."""
    own = traits(language)
    if own.imports == "modules":
        return module.partition(".")[0] in PYTHON_MODULES
    if own.imports == "crates":
        return module.partition(".")[0] in STANDARD_CRATES
    return own.family == "scripts" and (
        module.removeprefix("node:").partition("/")[0] in NODE_MODULES
    )


@lru_cache(CACHED_MODULES)
def file_ends(path: str) -> frozenset[str]:
    """The ends of a path by which the file may be imported, with a leading `/` for the whole path.

    `a/shop/index.ts`: `/a/shop/index`, `a/shop/index`, `shop/index`, `index`, `/a/shop`, `a/shop`,
    `shop`, and those with the extension.
    """
    ends = set()
    for stem in _module_stems(path):
        ends.add(f"/{stem}")
        parts = stem.split("/")
        ends.update("/".join(parts[first:]) for first in range(len(parts)))
    return frozenset(ends - {""})


def preferred_files(importing_path: str, path: str) -> list[str]:
    """The files that an import means rather than one, if they exist: see PREFERRED_EXTENSIONS."""
    importing, own = SCRIPT_EXTENSION.search(importing_path), SCRIPT_EXTENSION.search(path)
    if not (importing and own):
        return []
    extensions = PREFERRED_EXTENSIONS["ts" if "ts" in importing[0] else "js"]
    return [path[: own.start()] + extension for extension in extensions.get(own[0], ())]


def module_words(path: str) -> list[str]:
    """The words by which an import names a file: `shop/cart.ts` → `cart`, `shop/index.ts` → `shop`.

    An import of the folder above, as `from . import *`, has none and is not followed.
    """
    stem = EXTENSION.sub("", SASS_PART.sub("", path))
    words = [posixpath.basename(stem)]
    for name in INDEX_FILES:
        if f"/{stem}".endswith(name):
            words.append(posixpath.basename(stem[: -len(name)]))
    return [word for word in words if word]


def _module_stems(path: str) -> Iterator[str]:
    """Yields the paths by which a module is named: `a/index.ts`, `a/index`, and `a`."""
    stem = EXTENSION.sub("", path)
    yield path
    yield stem
    if path.endswith("ss") and SASS_PART.search(path):
        yield from _module_stems(SASS_PART.sub("", path))
    for name in INDEX_FILES:
        if f"/{stem}".endswith(name):
            yield stem[: -len(name)]


def _wanted_paths(module: str, importing_path: str, language: str) -> Iterator[str]:
    """Yields the ends of paths that a module may mean, with a leading `/` for a whole path."""
    folder = posixpath.dirname(importing_path)
    imports = traits(language).imports
    if imports == "modules":
        name = module.lstrip(".")
        if ups := len(module) - len(name):
            for _ in range(ups - 1):
                folder = posixpath.dirname(folder)
            yield "/" + posixpath.join(folder, name.replace(".", "/")).rstrip("/")
        else:
            yield name.replace(".", "/")
    elif imports == "crates" and not module.startswith("./"):
        yield from _rust_paths(module, importing_path)
    else:
        module = module.removeprefix("package:")
        if module.startswith("."):
            path = posixpath.normpath(posixpath.join(folder, module))
            yield "/" if path == "." else f"/{path}"
            yield SCRIPT_EXTENSION.sub("", f"/{path}")
        else:
            yield re.sub(r"^(?:[@~#]?/|\$(?=lib/))", "", module)


def _rust_paths(module: str, importing_path: str) -> Iterator[str]:
    """Yields the ends of paths that a module of Rust may mean.

    `super` and `self` are also those of a module within the file, such as `tests`.
    """
    stem = EXTENSION.sub("", importing_path)
    own = next((stem.removesuffix(name) for name in INDEX_FILES if stem.endswith(name)), stem)
    first, _, rest = module.partition(".")
    rest = rest.replace(".", "/")
    if first not in CRATE_KEYWORDS:
        yield module.replace(".", "/")
        return
    if first == "crate":
        source = _crate_folder(own)
        folders = [source] if source else []
    elif first == "self" and own != stem:  # a/mod.rs is the module a
        folders = [own]
    else:
        folders = [own, posixpath.dirname(own)]
    for folder in folders:
        yield "/" + posixpath.join(folder, rest).rstrip("/")
    if rest:
        yield rest


def _crate_folder(path: str) -> str:
    """The folder of a crate's sources: `crates/cli/src`; empty for a file outside of one."""
    source = re.match(r"(?:.*/)?src(?=/|$)", path)
    return source[0] if source else ""
