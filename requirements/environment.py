"""Computes the cache key of the action's virtual environment, removes unused grammars from it, and
verifies one that comes from the cache.

`key LOCK…` prints a hash of everything that the environment depends on. `slim`, run by the
environment's Python, deletes the grammars that the shipped grammar_queries.json never names, which
are half of its size. It deletes none if FEEDER_GRAMMAR is set: that file may name any grammar.
`verify VENV LOCK…`, run by another Python, fails with a message unless each file of the environment
is as its package lists it, no file is added, and each package is a pinned one.
"""

import base64
import csv
import hashlib
import importlib.util
import json
import os
import platform
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
GRAMMARS = HERE.parent / "src/feeder/grammar_queries.json"
PACK = "tree_sitter_language_pack"
OWN = bool(os.environ.get("FEEDER_GRAMMAR"))


def key(*locks: str) -> str:
    """Returns a hash of the lock files, the needed grammars and the interpreter, 32 hex digits."""
    files = (*(HERE / lock for lock in locks), GRAMMARS, Path(__file__))
    machine = (sys.version, sys.executable, *platform.libc_ver(), str(OWN))
    parts = [*(file.read_bytes() for file in files), *(part.encode() for part in machine)]
    digests = (hashlib.sha256(part).digest() for part in parts)
    return hashlib.sha256(b"".join(digests)).hexdigest()[:32]


def slim() -> None:
    """Deletes the grammars that are not needed."""
    settings = json.loads(GRAMMARS.read_text("utf-8"))
    needed = {*_strings(settings)} - settings["packages"].keys()
    pack = importlib.util.find_spec(PACK)
    assert pack and pack.origin
    for grammar in Path(pack.origin).parent.glob("bindings/*.so"):
        if grammar.name.partition(".")[0] not in needed and not OWN:
            grammar.unlink()


def verify(venv: Path, *locks: str) -> str | None:
    """Returns what is wrong with an environment; None if it is as it was installed."""
    [packages] = venv.glob("lib/python*/site-packages")
    if (venv / "bin/python").resolve() != Path(sys.executable).resolve():
        return "it is for another interpreter"
    pinned = {pin for lock in locks for pin in _pins(HERE / lock)}
    listed: set[Path] = set()
    for record in packages.glob("*.dist-info/RECORD"):
        name, _, version = record.parent.name.removesuffix(".dist-info").partition("-")
        if (_normalized(name), version) not in pinned:
            return f"{name} {version} is not pinned"
        for path, digest, _ in csv.reader(record.read_text("utf-8").splitlines()):
            file = packages / path
            listed.add(file.resolve())
            is_slimmed = path.startswith(f"{PACK}/bindings/") and not file.exists()
            if digest and not is_slimmed and digest != _record_digest(file):
                return f"{path} is not as {name} lists it"
    added = {file.resolve() for file in packages.rglob("*") if file.is_file()} - listed
    return f"{min(added)} was added" if added else None


def _pins(lock: Path) -> Iterator[tuple[str, str]]:
    """Yields the name and the version of each pinned package."""
    for name, version in re.findall(r"(?m)^([\w.-]+)==([^\s;]+)", lock.read_text("utf-8")):
        yield _normalized(name), version


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "_", name).lower()


def _record_digest(file: Path) -> str:
    """Returns the digest of a file as RECORD has it; empty if there is no such file."""
    if not file.is_file():
        return ""
    digest = hashlib.sha256(file.read_bytes()).digest()
    return f"sha256={base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}"


def _strings(content: Any) -> Iterator[str]:
    """Yields all keys and strings: the names of all needed grammars, and other words."""
    if isinstance(content, dict):
        for name, value in content.items():
            # languages that no grammar parses
            if name != "text_extensions":
                yield name
                yield from _strings(value)
    elif isinstance(content, list):
        for value in content:
            yield from _strings(value)
    elif isinstance(content, str):
        yield content


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["key", *locks] if locks:
            print(key(*locks))
        case ["slim"]:
            slim()
        case ["verify", venv, *locks] if locks:
            if problem := verify(Path(venv), *locks):
                sys.exit(f"The cached environment is not used: {problem}.")
        case _:
            sys.exit(__doc__)
