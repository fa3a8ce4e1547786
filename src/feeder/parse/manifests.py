"""Reads the names by which other files import a manifest's files: relations of its first node.

Example: `{"name": "@acme/fmt", "exports": {".": "./src/index.ts"}}` in package.json exports
`./src/index.ts` as `@acme/fmt`. Entry point: `manifest_relations`.
"""

import json
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator
from fnmatch import fnmatchcase
from typing import Any

from feeder.nodes import Node
from feeder.relation import EXPORT, encode_import, encode_relation, encode_relations

MAX_NAMES = 500
"""Names that a manifest exports; a longer list is cut."""

MAX_CHARACTERS = 200
"""Of a module's name, and of a path; longer ones are left out."""

_UNUSABLE = re.compile(r"[\s=\x00-\x1f\x7f]")
_PUBSPEC_NAME = re.compile(r"^name:\s*['\"]?(\w+)", re.MULTILINE)

Exported = tuple[str, str]
"""The name of a module, and the path from the manifest's folder that it stands for."""


def manifest_relations(path: str, text: bytes, node: Node) -> str:
    """The encoded relations of a manifest, for its first node; empty for other files.

    A manifest that cannot be read exports nothing.
    """
    reader = _reader(posixpath.basename(path))
    if not reader:
        return ""
    try:
        exported = dict.fromkeys(filter(_is_usable, reader(text.decode("utf-8", "replace"))))
    except (ValueError, TypeError, AttributeError, RecursionError):  # not of the expected form
        return ""
    encoded = [
        encode_relation("", EXPORT, encode_import(name, target))
        for name, target in list(exported)[:MAX_NAMES]
    ]
    return encode_relations(encoded, [node.start_line] * len(encoded), node.start_line)


def _is_usable(exported: Exported) -> bool:
    """Whether both are strings that a relation can hold; a manifest may give any JSON value."""
    return all(
        isinstance(part, str) and len(part) <= MAX_CHARACTERS and not _UNUSABLE.search(part)
        for part in exported
    )


def _reader(name: str) -> Callable[[str], Iterable[Exported]] | None:
    readers = {
        "package.json": _read_package_json,
        "Cargo.toml": _read_cargo_toml,
        "pubspec.yaml": _read_pubspec,
        "[jt]sconfig*.json": _read_tsconfig,
    }
    return next((read for pattern, read in readers.items() if fnmatchcase(name, pattern)), None)


def _read_package_json(text: str) -> Iterator[Exported]:
    package = json.loads(text)
    name = package.get("name")
    exports = package.get("exports")
    if isinstance(name, str) and name:
        if isinstance(exports, dict) and any(key.startswith(".") for key in exports):
            for key, value in exports.items():
                for target in _strings(value):
                    yield posixpath.normpath(posixpath.join(name, key)), target
        else:
            for field in (exports, *map(package.get, ("source", "types", "module", "main"))):
                for target in _strings(field):
                    yield name, target
        yield name, "."  # other paths in it: `@acme/fmt/src/dates`
    for key, value in (package.get("imports") or {}).items():
        for target in _strings(value):
            yield key, target


def _read_tsconfig(text: str) -> Iterator[Exported]:
    from feeder import jsonc  # few files are manifests, and each parser would load it

    options = jsonc.loads(text).get("compilerOptions") or {}
    base = options.get("baseUrl")
    for pattern, targets in (options.get("paths") or {}).items():
        for target in targets:
            yield pattern, posixpath.join(base or ".", target)
    if base:
        yield "*", posixpath.join(base, "*")


def _read_cargo_toml(text: str) -> Iterator[Exported]:
    import tomllib

    manifest = tomllib.loads(text)
    library = manifest.get("lib") or {}
    name = library.get("name") or (manifest.get("package") or {}).get("name")
    if name:
        yield name.replace("-", "_"), library.get("path") or "src/lib.rs"


def _read_pubspec(text: str) -> Iterator[Exported]:
    if name := _PUBSPEC_NAME.search(text):
        yield f"package:{name[1]}", "lib"


def _strings(value: Any) -> Iterator[str]:
    """The paths of a conditional export: `{"import": "./a.mjs", "require": "./a.cjs"}`."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
