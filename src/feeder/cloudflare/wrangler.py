"""Reads and edits the project's wrangler configuration: finds the file, reads bindings, adds
bindings and keeps everything else.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from feeder.errors import UserError

DEFAULT_FILE = "wrangler.toml"
"""What is made where there is none."""
FILE_NAMES = ("wrangler.json", "wrangler.jsonc", DEFAULT_FILE)
"""In wrangler's order, whose first takes all: the others are not read."""
DATABASE_BINDING, INDEX_BINDING, AI_BINDING = "CODE_DB", "CODE_INDEX", "AI"
"""The names under which a Worker finds what the index consists of."""
COMPATIBILITY_DATE = "2026-04-01"
"""The day whose runtime a Worker is tried with."""
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


KeyPath = tuple[str | int, ...]
"""The names and numbers that lead to a value in a file."""
Change = tuple[KeyPath, Any]


class FileFormat(Protocol):
    """How the file is written: the modules `toml` and `jsonc`. ValueError is for what is not so."""

    def loads(self, text: str) -> dict[str, Any]:
        """What it says."""

    def set_value(self, text: str, path: KeyPath, value: Any) -> str:
        """The text with a value put in place, or behind its siblings; the rest stays."""

    def list_opening(self, name: str) -> str:
        """How a list of tables begins."""


class Bindings(NamedTuple):
    """What the file says; None for what it does not say. An id that only holds a place is none."""

    account_id: str | None = None
    database_id: str | None = None
    index_name: str | None = None
    database_name: str | None = None


def find_file(directory: Path) -> Path | None:
    """The file in the directory or above it, within the repository; of several wrangler's own."""
    directory = directory.resolve()
    folders = [directory, *directory.parents]
    within = next((at for at, folder in enumerate(folders) if (folder / ".git").exists()), None)
    if within is not None:
        folders = folders[: within + 1]
    # wrangler too looks for one name in all folders before it looks for the next
    places = (folder / name for name in FILE_NAMES for folder in folders)
    return next((place for place in places if place.is_file()), None)


def read_bindings(file: Path | None) -> Bindings:
    """The bindings of a file, none where there is no file; raises UserError for a broken one."""
    if file is None:
        return Bindings()
    said = read_settings(file)
    for kind in ("d1_databases", "vectorize"):
        if not isinstance(said.get(kind, []), list):
            raise UserError(
                f"{file} has no list of {kind}. Write it as {list_opening(file, kind)}."
            )
    database = _find_binding(said.get("d1_databases"), DATABASE_BINDING)
    index = _find_binding(said.get("vectorize"), INDEX_BINDING)
    return Bindings(
        _non_empty_text(said.get("account_id")),
        _valid_id(database.get("database_id")),
        _non_empty_text(index.get("index_name")),
        _non_empty_text(database.get("database_name")),
    )


def read_settings(file: Path) -> dict[str, Any]:
    """All that a file says; raises UserError for a broken one."""
    try:
        return parse_settings(file, file.read_bytes().decode())
    except (OSError, ValueError) as exc:
        raise UserError(f"{file} cannot be read ({exc}). Mend it.") from exc


def parse_settings(file: Path, text: str) -> dict[str, Any]:
    """What a text says that is written as the file is; raises ValueError for what is not so."""
    return _file_format(file).loads(text)


def list_opening(file: Path, name: str) -> str:
    """How a list of tables begins there."""
    return _file_format(file).list_opening(name)


def set_value(file: Path, text: str, path: KeyPath, value: Any) -> str:
    """The text of a file with a value put in place; the rest stays."""
    return _file_format(file).set_value(text, path, value)


class BindingNames(NamedTuple):
    """What the bindings are to say; `migrations` is the folder that a new D1 binding names."""

    database_name: str
    database_id: str
    index_name: str
    migrations_folder: str


def write_bindings(file: Path, names: BindingNames) -> bool:
    """Makes the file say these bindings and keeps the rest of it; False where it said them."""
    before = file.read_bytes().decode() if file.exists() else ""
    after = before or new_file_text(names.database_name)
    for path, value in [*binding_changes(parse_settings(file, after), names)]:
        after = set_value(file, after, path, value)
    try:
        if after != before:
            file.write_bytes(after.encode())
    except OSError as exc:
        raise UserError(f"{file} cannot be written ({exc}). Make it writable.") from exc
    return after != before


def new_file_text(database_name: str) -> str:
    """How a new file begins."""
    worker = re.sub("[^A-Za-z0-9]+", "-", database_name).strip("-") or "feeder"
    return f'name = "{worker}"\ncompatibility_date = "{COMPATIBILITY_DATE}"\n'


def binding_changes(settings: Mapping[str, Any], names: BindingNames) -> Iterator[Change]:
    """What has to be put where, so that a Worker finds the index."""
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
    wanted: dict[str, str],
    new_table_fields: dict[str, str],
) -> Iterator[Change]:
    """One of the `kind` says what is wanted, `key` in it: that which means the same, or a new one.

    Somebody else's binding is left alone, even where it is the only one.
    """
    bindings = settings.get(kind)
    found = _find_binding(bindings, wanted["binding"])
    if found.get("binding") == wanted["binding"] or _is_replaceable(found.get(key), wanted[key]):
        at = next(at for at, table in enumerate(bindings or []) if table is found)
        for name, value in wanted.items():
            if name != "binding" and found.get(name) != value:
                yield (kind, at, name), value
    elif bindings is None:
        yield (kind,), [{**wanted, **new_table_fields}]
    else:
        yield (kind, len(bindings)), {**wanted, **new_table_fields}


def _file_format(file: Path) -> FileFormat:
    from feeder import jsonc
    from feeder.cloudflare import toml_edit

    return toml_edit if file.suffix == ".toml" else jsonc


def _is_replaceable(value: Any, wanted: str) -> bool:
    """Whether a binding means what is wanted, or only holds a place for an id."""
    return value == wanted or bool(value and _UUID.fullmatch(wanted) and not _valid_id(value))


def _find_binding(bindings: Any, name: str) -> Any:
    """The binding of that name, else the only one there is, else an empty one."""
    tables = [table for table in _iter_tables(bindings) if table.get("binding") == name]
    if not tables and len(only := list(_iter_tables(bindings))) == 1:
        tables = only
    return tables[0] if tables else {}


def _iter_tables(bindings: Any) -> Iterator[Any]:
    for table in bindings if isinstance(bindings, list) else []:
        if isinstance(table, dict):
            yield table


def _valid_id(value: Any) -> str | None:
    """An id that can be one: not the zeros, and not the words, that only hold its place."""
    text = _non_empty_text(value)
    return text if text and _UUID.fullmatch(text) and set(text) != set("0-") else None


def _non_empty_text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
