"""Renames a repository in a local index, or removes it.

Node ids contain the repository's name. They are computed again from the columns of the nodes, so
that nothing is parsed or embedded.
"""

import hashlib
from collections.abc import Callable
from typing import Any

from feeder.store import Statement
from feeder.store.sqlite import SQLite

MAX_EQUAL_KEYS = 100_000
"""Nodes with one key, such as parts of one long line, whose ids differ by their numbers."""

_HAS_VECTORS = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'vectors'"

# ?1 the present name, ?2 the new one
_NEW_ID = (
    "renamed_id(d.id, ?1, ?2, d.path, coalesce(d.symbol, d.logical_path, ''), d.start_line, "
    "d.end_line)"
)
_RENAME_VECTORS = f"""
UPDATE vectors SET id = n.new FROM (
  SELECT d.id AS old, {_NEW_ID} AS new FROM docs d WHERE d.repo = ?1
) n WHERE vectors.id = n.old
"""
_RENAME_NODES = f"UPDATE docs AS d SET id = {_NEW_ID}, repo = ?2 WHERE repo = ?1"
_RENAME_POSTINGS = """
UPDATE docs_fts SET id = (SELECT d.id FROM docs d WHERE d.seq = docs_fts.rowid)
WHERE rowid IN (SELECT seq FROM docs WHERE repo = ?2) AND ?1 <> ?2
"""
_RENAME_META = """
UPDATE OR REPLACE meta SET key = ?2 || substr(key, length(?1) + 1)
WHERE substr(key, 1, length(?1) + 1) = ?1 || ':'
"""

_DELETE_VECTORS = """
DELETE FROM vectors WHERE id IN (
  SELECT id FROM docs WHERE repo = ?1 UNION ALL SELECT id FROM outbox WHERE repo = ?1
)
"""
_DELETE_POSTINGS = "DELETE FROM docs_fts WHERE rowid IN (SELECT seq FROM docs WHERE repo = ?1)"
_DELETE_META = "DELETE FROM meta WHERE substr(key, 1, length(?1) + 1) = ?1 || ':'"

_OTHER_TABLES = ("files", "texts", "outbox")


def _renaming() -> Callable[..., str]:
    """Returns the SQL function of `_NEW_ID`; it raises ValueError for an id that was not made of
    the other values.
    """
    numbered_ids: dict[tuple[str, ...], dict[str, str]] = {}

    def renamed_id(id_: str, old: str, new: str, *node: Any) -> str:
        path, identity, first, last = node
        place = f"{first}:{last}"
        if _id(old, path, identity, place) == id_:
            return _id(new, path, identity, place)
        numbered = numbered_ids.setdefault((path, identity, place), {})
        while id_ not in numbered and len(numbered) < MAX_EQUAL_KEYS:
            own = f"{identity}#{len(numbered) + 2}"
            numbered[_id(old, path, own, place)] = _id(new, path, own, place)
        if id_ not in numbered:
            raise ValueError(f"{id_} is not the id of a node of {path}.")
        return numbered[id_]

    return renamed_id


def _id(repo: str, path: str, identity: str, place: str) -> str:
    source = "|".join(filter(None, (repo, path, identity, place)))
    return hashlib.sha1(source.encode()).hexdigest()


def rename_repository(database: SQLite, old: str, new: str) -> bool:
    """Renames a repository in one transaction; the index must not have the new name.

    A run under the present name that is under way is superseded. Returns False, and changes
    nothing, if a node's id does not come from its columns.
    """
    function = "renamed_id"
    database.connection.create_scalar_function(function, _renaming(), 7, deterministic=True)
    statements = [_RENAME_NODES, _RENAME_POSTINGS, _RENAME_META]
    statements += [f"UPDATE {table} SET repo = ?2 WHERE repo = ?1" for table in _OTHER_TABLES]
    if _has_vectors(database):
        statements.insert(0, _RENAME_VECTORS)
    try:
        database.run([Statement(sql, (old, new)) for sql in statements])
    except ValueError:
        return False
    finally:
        database.connection.create_scalar_function(function, None, 7)
    return True


def remove_repository(database: SQLite, repo: str) -> None:
    """Removes a repository with all that the index has of it, in one transaction."""
    statements = [_DELETE_POSTINGS, "DELETE FROM docs WHERE repo = ?1", _DELETE_META]
    statements += [f"DELETE FROM {table} WHERE repo = ?1" for table in _OTHER_TABLES]
    if _has_vectors(database):
        statements.insert(0, _DELETE_VECTORS)
    database.run([Statement(sql, (repo,)) for sql in statements])


def _has_vectors(database: SQLite) -> bool:
    [rows] = database.run([Statement(_HAS_VECTORS)])
    return bool(rows)
