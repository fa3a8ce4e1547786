"""What are languages, types of nodes and categories called? Data, and what a repository adds."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from feeder.errors import UserError
from feeder.nodes import NODE_TYPES
from feeder.source.paths import regular_file_in

CODE, TESTS = "code", "tests"
"""Categories that no list of languages says."""
REPOSITORY_FILE = ".feeder.toml"
"""A repository's own names for its folders."""
CATEGORY_TABLES = ("categories", "tags")
"""Where it has them: a tag is a category by another name."""

_ALIASES_FILE = Path(__file__).parents[1] / "aliases.json"

Categories = Mapping[str, Sequence[str]]


@cache
def _aliases() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(_ALIASES_FILE.read_bytes())
    return data


def resolve_languages(name: str) -> list[str]:
    """The languages that are called so, in any case of letters; the name itself where none is."""
    return _resolve_alias(name.lower(), _aliases()["languages"])


def language_aliases() -> dict[str, Sequence[str]]:
    """What else each language is called, of those that have other names."""
    names: dict[str, Sequence[str]] = _aliases()["languages"]
    return names


def resolve_node_types(name: str) -> list[str]:
    """The types of nodes that are called so."""
    return _resolve_alias(name.lower(), _aliases()["node_types"])


def node_type_names() -> list[str]:
    """All that a type may be called."""
    return [*NODE_TYPES, *(name for names in _aliases()["node_types"].values() for name in names)]


def _resolve_alias(name: str, names: Mapping[str, Sequence[str]]) -> list[str]:
    others = [key for key, aliases in names.items() if name in aliases and key != name]
    return [name, *others] if name in names or not others else others


def category_languages() -> dict[str, list[str]]:
    """The languages of each category that is one of languages; what no other has is code."""
    found: dict[str, list[str]] = _aliases()["categories"]
    return found


def repository_categories(base: Path) -> dict[str, list[str]]:
    """The categories that a repository names in `.feeder.toml`, as paths; raises UserError."""
    file = regular_file_in(base, REPOSITORY_FILE)
    if file is None:
        return {}
    import tomllib

    try:
        said = tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as exc:
        raise UserError(f"{file} cannot be read: {exc}. Mend it.") from exc
    found: dict[str, list[str]] = {}
    for name in CATEGORY_TABLES:
        table = said.get(name, {})
        if not isinstance(table, dict):
            raise UserError(f"{file} has {name} that are no table. Write: [{name}]")
        found |= _parse_categories(file, table)
    return found


def _parse_categories(file: Path, table: Mapping[str, Any]) -> Iterator[tuple[str, list[str]]]:
    for name, said in table.items():
        paths = [said] if isinstance(said, str) else said
        if not (isinstance(paths, list) and paths and all(isinstance(path, str) for path in paths)):
            raise UserError(
                f"{file} has a category {name} that is no list of paths. Write: "
                f'{name} = ["folder", "other/*.sql"]'
            )
        yield name, [path.strip("/") for path in paths]
