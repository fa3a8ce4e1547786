"""Which environment does the action need, and what does it not need of what was installed there?

`key LOCK…` prints a hash of all that it depends on; `slim`, run by its own Python, takes out the
grammars that the shipped grammar_queries.json never names, half of it. A grammar file of
the user's own, in FEEDER_GRAMMAR, may name any of them: then all stay.
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
    """Of what was locked, of the grammars that stay and of the interpreter."""
    files = (*(HERE / lock for lock in locks), GRAMMARS, Path(__file__))
    machine = (sys.version, sys.executable, *platform.libc_ver(), str(OWN))
    parts = [*(file.read_bytes() for file in files), *(part.encode() for part in machine)]
    digests = (hashlib.sha256(part).digest() for part in parts)
    return hashlib.sha256(b"".join(digests)).hexdigest()[:32]


def slim() -> None:
    """Takes the other grammars out."""
    needed = {*_named(json.loads(GRAMMARS.read_text("utf-8")))}
    pack = importlib.util.find_spec(PACK)
    assert pack and pack.origin
    for grammar in Path(pack.origin).parent.glob("bindings/*.so"):
        if grammar.name.partition(".")[0] not in needed and not OWN:
            grammar.unlink()


def _named(said: Any) -> Iterator[str]:
    """Every word of it, names and values: more than the grammars, but none of them is missing."""
    if isinstance(said, dict):
        for name, value in said.items():
            # what is known of text that no grammar reads
            if name != "text_extensions":
                yield name
                yield from _named(value)
    elif isinstance(said, list):
        for value in said:
            yield from _named(value)
    elif isinstance(said, str):
        yield said


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["key", *locks] if locks:
            print(key(*locks))
        case ["slim"]:
            slim()
        case _:
            sys.exit(__doc__)
