"""Computes the cache key of the action's virtual environment, and removes unused grammars from it.

`key LOCK…` prints a hash of everything that the environment depends on. `slim`, run by the
environment's Python, deletes the grammars that the shipped grammar_queries.json never names, which
are half of its size. It deletes none if FEEDER_GRAMMAR is set: that file may name any grammar.
"""

import hashlib
import importlib.util
import json
import os
import platform
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
    needed = {*_strings(json.loads(GRAMMARS.read_text("utf-8")))}
    pack = importlib.util.find_spec(PACK)
    assert pack and pack.origin
    for grammar in Path(pack.origin).parent.glob("bindings/*.so"):
        if grammar.name.partition(".")[0] not in needed and not OWN:
            grammar.unlink()


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
        case _:
            sys.exit(__doc__)
