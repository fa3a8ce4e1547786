"""What does the project's wrangler.toml say of the index, and how is it told?"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from feeder.errors import UserError

FILE = "wrangler.toml"
DATABASE, INDEX, AI = "CODE_DB", "CODE_INDEX", "AI"
"""The names under which a Worker finds what the index consists of."""
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class Bindings(NamedTuple):
    """What the file says; None for what it does not say. An id that only holds a place is none."""

    account_id: str | None = None
    database_id: str | None = None
    index_name: str | None = None


def find(directory: Path) -> Path | None:
    """The file in the directory or above it, within the repository."""
    directory = directory.resolve()
    for folder in (directory, *directory.parents):
        if (folder / FILE).is_file():
            return folder / FILE
        if (folder / ".git").exists():
            return None
    return None


def read(file: Path | None) -> Bindings:
    """The bindings of a file, none where there is no file; raises UserError for what is no TOML."""
    if file is None:
        return Bindings()
    try:
        with file.open("rb") as stream:
            facts = tomllib.load(stream)
    except (OSError, ValueError) as exc:
        raise UserError(f"{file} cannot be read ({exc}). Mend it.") from exc
    for kind in ("d1_databases", "vectorize"):
        if not isinstance(facts.get(kind, []), list):
            raise UserError(f"{file} has one table {kind}. Write it as [[{kind}]].")
    database = _binding(facts.get("d1_databases"), DATABASE)
    index = _binding(facts.get("vectorize"), INDEX)
    return Bindings(
        _text(facts.get("account_id")),
        _real_id(database.get("database_id")),
        _text(index.get("index_name")),
    )


class Names(NamedTuple):
    """What the bindings are to say; `migrations` is the folder that a new D1 binding names."""

    database_name: str
    database_id: str
    index_name: str
    migrations: str


def write(file: Path, names: Names) -> bool:
    """Makes the file say these bindings and keeps the rest of it; False where it said them."""
    import tomlkit

    before = file.read_bytes().decode() if file.exists() else ""
    name = names.database_name.replace("_", "-")
    document = tomlkit.parse(before or f'name = "{name}"\ncompatibility_date = "2026-04-01"\n')
    database = {
        "binding": DATABASE,
        "database_name": names.database_name,
        "database_id": names.database_id,
    }
    index = {"binding": INDEX, "index_name": names.index_name}
    folder = {"migrations_dir": names.migrations}
    _bind(document, "d1_databases", "database_id", database, folder)
    _bind(document, "vectorize", "index_name", index, {})
    if "ai" not in document:
        document["ai"] = {"binding": AI}
    after = tomlkit.dumps(document)
    try:
        if after != before:
            file.write_bytes(after.encode())
    except OSError as exc:
        raise UserError(f"{file} cannot be written ({exc}). Make it writable.") from exc
    return after != before


def _bind(
    document: Any, kind: str, key: str, facts: dict[str, str], new_facts: dict[str, str]
) -> None:
    """One `[[kind]]` says the facts, `key` among them: that which means the same, or a new one.

    Somebody else's binding is left alone, even where it is the only one.
    """
    import tomlkit

    bindings = document.get(kind)
    found = _binding(bindings, facts["binding"])
    if found.get("binding") == facts["binding"] or _is_free(found.get(key), facts[key]):
        found.update({name: value for name, value in facts.items() if name != "binding"})
        return
    is_inline = isinstance(bindings, tomlkit.items.Array)
    table = tomlkit.inline_table() if is_inline else tomlkit.table()
    table.update({**facts, **new_facts})
    if bindings is None:
        document.add(tomlkit.nl())
        document[kind] = tomlkit.aot()
    elif not is_inline:
        table.add(tomlkit.nl())
    document[kind].append(table)


def _is_free(value: Any, wanted: str) -> bool:
    """Whether a binding means what is wanted, or only holds a place for an id."""
    return value == wanted or bool(value and _UUID.fullmatch(wanted) and not _real_id(value))


def _binding(bindings: Any, name: str) -> Any:
    """The binding of that name, else the only one there is, else an empty one."""
    tables = [table for table in _tables(bindings) if table.get("binding") == name]
    if not tables and len(only := list(_tables(bindings))) == 1:
        tables = only
    return tables[0] if tables else {}


def _tables(bindings: Any) -> Iterator[Any]:
    for table in bindings if isinstance(bindings, list) else []:
        if isinstance(table, dict):
            yield table


def _real_id(value: Any) -> str | None:
    """An id that can be one: not the zeros, and not the words, that only hold its place."""
    text = _text(value)
    return text if text and _UUID.fullmatch(text) and set(text) != set("0-") else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
