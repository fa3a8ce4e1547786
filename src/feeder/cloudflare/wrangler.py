"""Reads and edits the project's wrangler configuration: finds the file, reads bindings, adds
bindings and keeps everything else.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from feeder.errors import UserError, os_reason

DEFAULT_FILE = "wrangler.toml"
"""The file that is created where there is none."""
FILE_NAMES = ("wrangler.json", "wrangler.jsonc", DEFAULT_FILE)
"""In wrangler's order: it reads only the first that exists."""
DATABASE_BINDING, INDEX_BINDING, AI_BINDING = "CODE_DB", "CODE_INDEX", "AI"
"""Names of the bindings that a Worker uses."""
COMPATIBILITY_DATE = "2026-04-01"
"""Version of the Workers runtime that the Worker is tested with."""
_LISTS_OF_TABLES = ("d1_databases", "vectorize", "ratelimits", "kv_namespaces")
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


KeyPath = tuple[str | int, ...]
"""Keys and list positions that lead to a value in a file."""
Change = tuple[KeyPath, Any]


class FileFormat(Protocol):
    """Parses and edits one file format; the modules `toml_edit` and `jsonc` implement it."""

    def loads(self, text: str) -> dict[str, Any]:
        """Parses the text; raises ValueError if it is invalid."""

    def set_value(self, text: str, path: KeyPath, value: Any) -> str:
        """Returns the text with one value replaced or added; the rest stays."""

    def list_opening(self, name: str) -> str:
        """Returns the first line of a list of tables."""


class Bindings(NamedTuple):
    """Values of the wrangler file; None where one is missing or an id is a placeholder."""

    account_id: str | None = None
    database_id: str | None = None
    index_name: str | None = None
    database_name: str | None = None


def find_file(directory: Path) -> Path | None:
    """Finds the wrangler file in the directory or above it, within the repository."""
    directory = directory.resolve()
    folders = [directory, *directory.parents]
    within = next((at for at, folder in enumerate(folders) if (folder / ".git").exists()), None)
    if within is not None:
        folders = folders[: within + 1]
    # like wrangler: one name in all folders before the next name
    places = (folder / name for name in FILE_NAMES for folder in folders)
    return next((place for place in places if place.is_file()), None)


def read_bindings(file: Path | None) -> Bindings:
    """Reads the bindings of a file, if there is one; raises UserError for an invalid file."""
    if file is None:
        return Bindings()
    settings = read_settings(file)
    database = _find_binding(settings.get("d1_databases"), DATABASE_BINDING)
    index = _find_binding(settings.get("vectorize"), INDEX_BINDING)
    return Bindings(
        _non_empty_text(settings.get("account_id")),
        _valid_id(database.get("database_id")),
        _non_empty_text(index.get("index_name")),
        _non_empty_text(database.get("database_name")),
    )


def has_index_bindings(file: Path) -> bool:
    """Returns whether a file has a binding of an index, by its name, and the database's id.

    Raises UserError for an invalid file.
    """
    settings = read_settings(file)
    tables = [*_iter_tables(settings.get("d1_databases")), *_iter_tables(settings.get("vectorize"))]
    is_named = any(table.get("binding") in (DATABASE_BINDING, INDEX_BINDING) for table in tables)
    return is_named and read_bindings(file).database_id is not None


def read_settings(file: Path) -> dict[str, Any]:
    """Parses a file; raises UserError if it is invalid."""
    try:
        return parse_settings(file, file.read_bytes().decode())
    except (OSError, ValueError) as exc:
        raise UserError(f"{file} cannot be read ({os_reason(exc)}).", "Correct the file.") from exc


def parse_settings(file: Path, text: str) -> dict[str, Any]:
    """Parses a text in the format of the file's suffix; null counts as absent.

    Raises ValueError if it is invalid, and UserError if a setting that is edited has another type.
    """
    settings = {k: v for k, v in _file_format(file).loads(text).items() if v is not None}
    for name in _LISTS_OF_TABLES:
        if not isinstance(settings.get(name, []), list):
            raise UserError(
                f"{file}: {name} is not a list.", f"Write it as {list_opening(file, name)}."
            )
    if not isinstance(settings.get("vars", {}), dict):
        raise UserError(f"{file}: vars is not a table.", "Write it as names with their values.")
    return settings


def list_opening(file: Path, name: str) -> str:
    """Returns the first line of a list of tables in the file's format."""
    return _file_format(file).list_opening(name)


def set_value(file: Path, text: str, path: KeyPath, value: Any) -> str:
    """Returns the text with one value replaced or added; the rest stays."""
    return _file_format(file).set_value(text, path, value)


class BindingNames(NamedTuple):
    """Values to write into the bindings; a new D1 binding also gets `migrations_folder`."""

    database_name: str
    database_id: str
    index_name: str
    migrations_folder: str


def write_bindings(file: Path, names: BindingNames) -> bool:
    """Writes the bindings and keeps the rest of the file; returns whether it changed."""
    before = file.read_bytes().decode() if file.exists() else ""
    after = before or new_file_text(names.database_name)
    for path, value in [*binding_changes(parse_settings(file, after), names)]:
        after = set_value(file, after, path, value)
    try:
        if after != before:
            file.write_bytes(after.encode())
    except OSError as exc:
        raise UserError(
            f"{file} cannot be written ({os_reason(exc)}).", "Make it writable."
        ) from exc
    return after != before


def new_file_text(database_name: str) -> str:
    """Returns the first lines of a new file."""
    worker = re.sub("[^A-Za-z0-9]+", "-", database_name).strip("-") or "feeder"
    return f'name = "{worker}"\ncompatibility_date = "{COMPATIBILITY_DATE}"\n'


def binding_changes(settings: Mapping[str, Any], names: BindingNames) -> Iterator[Change]:
    """Yields the changes that the settings need so that a Worker finds the index."""
    database = {
        "binding": DATABASE_BINDING,
        "database_name": names.database_name,
        "database_id": names.database_id,
    }
    index = {"binding": INDEX_BINDING, "index_name": names.index_name}
    folder = {"migrations_dir": names.migrations_folder}
    yield from _table_changes(settings, "d1_databases", "database_id", database, folder)
    yield from _table_changes(settings, "vectorize", "index_name", index, {})
    if "ai" not in settings:
        yield ("ai",), {"binding": AI_BINDING}


def _table_changes(
    settings: Mapping[str, Any],
    kind: str,
    key: str,
    values: dict[str, str],
    new_table_fields: dict[str, str],
) -> Iterator[Change]:
    """Yields the changes after which one table of `kind` has these values.

    Changes the table with the same binding, or with the same value or a placeholder under `key`;
    else adds a table. Other bindings are never changed, even if there is only one.
    """
    bindings = settings.get(kind)
    existing = _find_binding(bindings, values["binding"])
    if existing.get("binding") == values["binding"] or _is_replaceable(
        existing.get(key), values[key]
    ):
        at = next(at for at, table in enumerate(bindings or []) if table is existing)
        for name, value in values.items():
            if name != "binding" and existing.get(name) != value:
                yield (kind, at, name), value
    elif bindings is None:
        yield (kind,), [{**values, **new_table_fields}]
    else:
        yield (kind, len(bindings)), {**values, **new_table_fields}


def _file_format(file: Path) -> FileFormat:
    from feeder import jsonc, toml_edit

    return toml_edit if file.suffix == ".toml" else jsonc


def _is_replaceable(value: Any, new_value: str) -> bool:
    """Tests for the same value, or a placeholder where an id is to be written."""
    return value == new_value or bool(value and _UUID.fullmatch(new_value) and not _valid_id(value))


def _find_binding(bindings: Any, name: str) -> Any:
    """Returns the binding with this name, else the only one, else an empty one."""
    tables = [table for table in _iter_tables(bindings) if table.get("binding") == name]
    if not tables and len(only := list(_iter_tables(bindings))) == 1:
        tables = only
    return tables[0] if tables else {}


def _iter_tables(bindings: Any) -> Iterator[Any]:
    for table in bindings if isinstance(bindings, list) else []:
        if isinstance(table, dict):
            yield table


def _valid_id(value: Any) -> str | None:
    """Returns an id; None for a placeholder such as zeros or words."""
    text = _non_empty_text(value)
    return text if text and _UUID.fullmatch(text) and set(text) != set("0-") else None


def _non_empty_text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
