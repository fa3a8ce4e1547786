"""Compiles `languages/` into `grammar_queries.json` and `aliases.json`: `make languages`.

    python -m feeder.parse.languages languages src/feeder

`aliases.json` holds the other names by which people search: the Worker has it too.
"""

import json
import sys
from pathlib import Path
from typing import Any

from feeder.errors import UserError
from feeder.parse.grammar_schema import NODE_TYPES_SCHEMA, OTHERS_SCHEMA
from feeder.parse.languages.folders import (
    Settings,
    add_extension,
    compile_folders,
    find_folders,
    read_toml,
)

OTHERS = "others.toml"
"""Languages without a folder: files of plain text, and documents whose text is extracted."""

NODE_TYPES = "node_types.toml"


def compiled_files(root: Path) -> dict[str, str]:
    """The compiled files of `languages/`, by their names."""
    folders = find_folders(root)
    others = read_toml(root / OTHERS, OTHERS_SCHEMA)
    settings = compile_folders(folders, {})
    for name, entry in others.items():
        for extension in entry.get("extensions", ()):
            add_extension(settings, "text_extensions", extension, name, root / OTHERS)
    entries = {folder.name: folder.config for folder in folders} | others
    aliases: Settings = {
        "languages": {},
        "node_types": read_toml(root / NODE_TYPES, NODE_TYPES_SCHEMA),
        "categories": {"docs": [], "config": []},
    }
    for name, entry in sorted(entries.items()):
        if "aliases" in entry:
            aliases["languages"][name] = entry["aliases"]
        if "category" in entry:
            aliases["categories"][entry["category"]].append(name)
    return {"grammar_queries.json": _to_json(settings), "aliases.json": _to_json(aliases)}


def _to_json(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def main(root: Path, target: Path) -> None:
    """Writes the compiled files of `root` to `target`."""
    for name, text in compiled_files(root).items():
        (target / name).write_text(text, "utf-8")


if __name__ == "__main__":
    try:
        main(*map(Path, sys.argv[1:]))
    except UserError as exc:
        sys.exit(str(exc))
