"""Checks an index file that somebody else has made before this program works with it."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import NamedTuple

import apsw

from feeder.errors import ServiceError
from feeder.store.migrations import migrate
from feeder.store.sqlite import IN_MEMORY, SQLite
from feeder.store.sqlite_vectors import vectors_table_statement
from feeder.store.static_vectors import setup_statements

_SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_schema"
# those whose columns have types; the schema has been checked
_TABLES = """
SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL %'
AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '%\\_fts\\_%' ESCAPE '\\'
AND name <> 'd1_migrations'
"""
_COLUMNS = 'SELECT name, type, "notnull" FROM pragma_table_info(?)'
_FTS_SETTINGS = "SELECT k, v FROM {}"
_OPTIONAL_NAMES = frozenset(
    {
        "vectors",
        "meanings",
        "meanings_go",
        "plain_meanings",
        "plain_meanings_go",
        "plain_meanings_back",
    }
)
"""Tables of vectors and their triggers, which an index by words alone lacks."""
_REPOSITORIES = (
    "SELECT DISTINCT repo FROM docs UNION SELECT repo FROM files UNION SELECT repo FROM texts"
)
# what a sync does not compare with the source tree
_STRAY_PATHS = """
SELECT d.path FROM docs d LEFT JOIN files f ON f.repo = d.repo AND f.path = d.path
WHERE f.path IS NULL
UNION ALL
SELECT path FROM files WHERE path LIKE '/%' OR '/' || path || '/' LIKE '%/../%'
LIMIT 1
"""


class _SchemaRow(NamedTuple):
    kind: str
    name: str
    table: str
    sql: str | None


def check_index(file: Path, repo: str) -> None:
    """Raises ServiceError unless the file is an undamaged index of this one repository.

    Its schema has to be this program's to the letter: no other table, view, trigger or function.
    SQLite's own check takes longest, so the others run beside it.
    """
    try:
        with closing(_open(file)) as connection, ThreadPoolExecutor(1) as pool:
            _check_schema(connection)
            is_undamaged = pool.submit(_check_integrity, file)
            _check_types(connection)
            _check_contents(connection, repo)
            is_undamaged.result()
    except (apsw.Error, ValueError, UnicodeDecodeError) as exc:
        raise ServiceError(f"It is no index: {exc}.") from exc


def _open(file: Path) -> apsw.Connection:
    connection = apsw.Connection(str(file))
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.pragma("cell_size_check", True)
    return connection


def _check_schema(connection: apsw.Connection) -> None:
    rows = {_SchemaRow(*row) for row in connection.execute(_SCHEMA)}
    expected = _own_schema()
    if foreign := sorted(row.name for row in rows - expected):
        raise ServiceError(f"Its schema has {foreign[0]}, which feeder does not know.")
    missing = {row.name for row in expected - rows} - _OPTIONAL_NAMES
    if missing := {name for name in missing if not _is_of_optional_table(name)}:
        raise ServiceError(f"Its schema lacks {min(missing)}.")
    for row in sorted(rows):
        if row.name.endswith("_fts_config"):
            settings = dict(connection.execute(_FTS_SETTINGS.format(row.name)))
            if settings.keys() != {"version"}:
                raise ServiceError(f"{row.name} has settings that feeder does not know.")


def _is_of_optional_table(name: str) -> bool:
    return name.startswith("sqlite_autoindex_vectors_")


def _check_integrity(file: Path) -> None:
    with closing(_open(file)) as connection:
        for (problem,) in connection.execute("PRAGMA integrity_check(1)"):
            if problem != "ok":
                raise ServiceError(f"It is damaged: {problem}.")


def _check_types(connection: apsw.Connection) -> None:
    """SQLite stores a value of any type in a column."""
    tables = connection.execute(_TABLES).fetchall()
    for (table,) in tables:
        columns = connection.execute(
            'SELECT name, type, "notnull" FROM pragma_table_info(?)', (table,)
        )
        valid = [
            f"(typeof({name}) = '{kind.lower()}'{'' if is_required else f' OR {name} IS NULL'})"
            for name, kind, is_required in columns
        ]
        for _ in connection.execute(
            f"SELECT 1 FROM {table} WHERE NOT ({' AND '.join(valid)}) LIMIT 1"
        ):
            raise ServiceError(f"It is damaged: {table} has values of another type.")


def _check_contents(connection: apsw.Connection, repo: str) -> None:
    repositories = [str(name) for (name,) in connection.execute(_REPOSITORIES)]
    if repositories not in ([], [repo]):
        raise ServiceError(f"It has files of {', '.join(repositories)}, not of {repo} alone.")
    for (path,) in connection.execute(_STRAY_PATHS):
        raise ServiceError(f"It has the path {path}, which no commit has.")


@cache
def _own_schema() -> frozenset[_SchemaRow]:
    """The rows of `sqlite_schema` in an index with all tables of vectors."""
    with closing(SQLite(IN_MEMORY)) as database:
        migrate(database)
        database.run([*setup_statements("", enabled=True), vectors_table_statement()])
        return frozenset(_SchemaRow(*row) for row in database.connection.execute(_SCHEMA))
