"""Names and aliases of languages, node types and categories, and the scopes that categories
stand for, including a repository's own categories from `.feeder.toml`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

from feeder.errors import UserError
from feeder.nodes import NODE_TYPES
from feeder.query.query import Query
from feeder.shared_settings import CATEGORY_TABLES, REPOSITORY_FILE, check_repository_keys
from feeder.source.paths import regular_file_in
from feeder.store.scope import Scope
from feeder.suggestions import unknown_name_error

CODE, TESTS = "code", "tests"
"""Categories that are not defined by a list of languages."""

_ALIASES_FILE = Path(__file__).parents[1] / "aliases.json"


Categories = Mapping[str, Sequence[str]]


@cache
def _aliases() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(_ALIASES_FILE.read_bytes())
    return data


def resolve_languages(name: str) -> list[str]:
    """Languages in the index that a name or alias stands for."""
    return _resolve_alias(name.lower(), _aliases()["languages"])


def language_aliases() -> dict[str, Sequence[str]]:
    """Aliases of each language."""
    names: dict[str, Sequence[str]] = _aliases()["languages"]
    return names


def resolve_node_types(name: str) -> list[str]:
    """Node types that a name or alias stands for."""
    return _resolve_alias(name.lower(), _aliases()["node_types"])


def node_type_names() -> list[str]:
    """All names and aliases of node types."""
    return [*NODE_TYPES, *(name for names in _aliases()["node_types"].values() for name in names)]


def _resolve_alias(name: str, names: Mapping[str, Sequence[str]]) -> list[str]:
    others = [key for key, aliases in names.items() if name in aliases and key != name]
    return [name, *others] if name in names or not others else others


def category_languages() -> dict[str, list[str]]:
    """Languages of each category that is defined by languages."""
    categories: dict[str, list[str]] = _aliases()["categories"]
    return categories


def repository_categories(base: Path) -> dict[str, list[str]]:
    """Reads the categories of `.feeder.toml`: path patterns by name.

    Raises UserError for a file that cannot be read.
    """
    file = regular_file_in(base, REPOSITORY_FILE)
    if file is None:
        return {}
    import tomllib

    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as exc:
        raise UserError(f"{file} is not valid TOML: {exc}.", "Correct it there.") from exc
    except UnicodeDecodeError as exc:
        raise UserError(
            f"{file} is not valid UTF-8 at byte {exc.start}.", "Save it as UTF-8."
        ) from exc
    except OSError as exc:
        raise UserError(
            f"{file} cannot be read: {exc.strerror}.", "Correct its permissions."
        ) from exc
    check_repository_keys(content)
    categories: dict[str, list[str]] = {}
    for table in CATEGORY_TABLES:
        entries = content.get(table, {})
        if not isinstance(entries, dict):
            raise UserError(
                f"{file}: {table} is {_toml_type(entries)} but must be a table.",
                f"Write [{table}], and below it one line for each name: {_EXAMPLE_LINE}",
            )
        categories |= _parse_categories(file, table, entries)
    return categories


def _parse_categories(
    file: Path, table: str, entries: Mapping[str, Any]
) -> Iterator[tuple[str, list[str]]]:
    for name, value in entries.items():
        paths = [value] if isinstance(value, str) else value
        if not (isinstance(paths, list) and paths and all(isinstance(path, str) for path in paths)):
            raise UserError(
                f"{file}: {name} in [{table}] is {_toml_type(value)} but must be a path or a list "
                "of paths.",
                f'Write: {name} = ["folder", "other/*.sql"]',
            )
        yield name, [path.strip("/") for path in paths]


_EXAMPLE_LINE = 'api = ["src/api", "src/*_routes.py"]'

_TOML_TYPES = {bool: "a boolean", int: "a number", float: "a number", str: "a string"}


def _toml_type(value: object) -> str:
    """The type of a TOML value in words."""
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        is_of_tables = bool(value) and isinstance(value[0], dict)
        several = "a list of tables" if is_of_tables else "a list with values that are not strings"
        return several if value else "an empty list"
    return _TOML_TYPES.get(type(value), "a date or a time")


NO_LANGUAGE = ("",)
"""Languages of a scope that no node is in."""


def category_scopes(query: Query, repository_categories_by_name: Categories) -> Iterator[Scope]:
    """Scopes of a query's categories, which narrow its scope one after the other.

    Raises UserError for an unknown category and for categories that cannot be combined.
    """
    _check_categories(query, repository_categories_by_name)
    if query.categories:
        yield _included_scope(query.categories, repository_categories_by_name)
    yield from (
        _excluded_scope(name, repository_categories_by_name) for name in query.not_categories
    )


def intersect(scope: Scope, change: Scope) -> Scope:
    """Narrows a scope by another one."""
    languages = change.languages or scope.languages
    if scope.languages and change.languages:
        both = tuple(name for name in scope.languages if name in change.languages)
        languages = both or NO_LANGUAGE
    return scope._replace(
        paths=change.paths or scope.paths,
        not_paths=scope.not_paths + change.not_paths,
        languages=languages,
        not_languages=scope.not_languages + change.not_languages,
        tests=change.tests or scope.tests,
    )


def _check_categories(query: Query, own: Categories) -> None:
    names = list(dict.fromkeys([*category_languages(), CODE, TESTS, *own]))
    for name in (*query.categories, *query.not_categories):
        if name not in names:
            raise unknown_name_error("category or tag", name, names)
    kinds = {_category_kind(name, own) for name in query.categories}
    if len(kinds) > 1:
        raise UserError(
            f"The categories {' and '.join(query.categories)} cannot be combined: they are not "
            "all defined by languages, or all by paths.",
            "Use one of them.",
        )
    if query.paths and "paths" in kinds:
        raise UserError(
            f"The category {query.categories[0]} cannot be combined with path:{query.paths[0]}.",
            "Use one of them.",
        )


def _category_kind(name: str, own: Categories) -> str:
    if name in own:
        return "paths"
    return "tests" if name == TESTS else "languages"


def _included_scope(names: Sequence[str], own: Categories) -> Scope:
    by_language = category_languages()
    if names[0] in own:
        return Scope(None, paths=_unique(own[name] for name in names))
    if names[0] == TESTS:
        return Scope(None, tests="only")
    if CODE in names:
        others = (languages for name, languages in by_language.items() if name not in names)
        return Scope(None, not_languages=_unique(others))
    return Scope(None, languages=_unique(by_language[name] for name in names))


def _excluded_scope(name: str, own: Categories) -> Scope:
    by_language = category_languages()
    if name in own:
        return Scope(None, not_paths=tuple(own[name]))
    if name == TESTS:
        return Scope(None, tests="no")
    if name == CODE:
        return Scope(None, languages=_unique(by_language.values()))
    return Scope(None, not_languages=tuple(by_language[name]))


def _unique(values: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(values)))
