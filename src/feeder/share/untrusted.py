"""Checks an index file that somebody else has made before this program works with it."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import msgspec
from msgspec import Struct

from feeder.errors import ServiceError
from feeder.line_ranges import decode_ranges
from feeder.store.index_counts import COUNTS_KEY
from feeder.store.migrations import known_migrations, migrate
from feeder.store.rows import decode_members
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
_FTS_SETTINGS = "SELECT k, v FROM {}"
_FTS_VERSIONS = (4, 5)
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
_STRAY_LINES = """
SELECT path FROM docs WHERE start_line < 1 OR end_line < start_line OR end_line > 1000000000
LIMIT 1
"""
# the word indexes find each node, and none that is gone
_STRAY_POSTINGS = """
SELECT 1 FROM docs d FULL JOIN docs_fts_docsize s ON s.id = d.seq
WHERE d.seq IS NULL OR s.id IS NULL OR length(s.sz) < 3
UNION ALL
SELECT 1 FROM (SELECT seq FROM docs WHERE symbol IS NOT NULL) d
FULL JOIN names_fts_docsize s ON s.id = d.seq WHERE d.seq IS NULL OR s.id IS NULL
LIMIT 1
"""
# FTS5's totals, by which BM25 divides, and the number of rows that they are of
_FTS_TOTALS = """
SELECT (SELECT block FROM docs_fts_data WHERE id = 1), (SELECT count(*) FROM docs_fts_docsize)
"""
_MAX_TOKENS = 1_000_000
"""Words of a node, far more than its largest size allows."""
_MIGRATIONS = "SELECT name FROM d1_migrations ORDER BY id"
_META = "SELECT key, value FROM meta"
_COMMIT, _TEXT = r"[0-9a-f]{40}|[0-9a-f]{64}", r"[ -~]{0,500}"
_META_VALUES = {
    "head": _COMMIT,
    "tree": _COMMIT,
    "run": _TEXT,
    "done": _TEXT,
    "parser": _TEXT,
    "branch": r"[^\x00-\x1f\x7f]{0,500}",
    "below": "",
    "limits": _TEXT,
    "rules": _TEXT,
    "texts": _TEXT,
    "describe": _TEXT,
    "describer": _TEXT,
    "vectors": _TEXT,
    "lined": _TEXT,
    COUNTS_KEY: r"(?s).{0,1000000}",
}
"""Values of a repository that a published index may have: none is an option of its machine."""
_COMMON_META_VALUES = {"model": _TEXT, "dimensions": "[0-9]{1,5}"}


class _Counts(Struct):
    """The counts in `meta`."""

    run: str
    files: list[tuple[str, int]]
    skipped: list[tuple[str, int]]
    node_types: list[tuple[str, int]]
    languages: list[tuple[str | None, int]]
    endings: dict[str, list[str]]
    nodes: int
    texts: tuple[int, int]
    unparsed: tuple[int, int] = (0, 0)
    kinds: list[tuple[str, str | None, int]] = []
    like_tests: list[str] | None = None


_DECODERS: tuple[tuple[str, Callable[[str], Any]], ...] = (
    ("SELECT members FROM docs WHERE members <> ''", lambda text: list(decode_members(text))),
    (
        "SELECT part_run FROM docs WHERE part_run IS NOT NULL",
        lambda text: msgspec.json.decode(text, type=tuple[int, int, int]),
    ),
    ("SELECT unparsed FROM files WHERE unparsed IS NOT NULL", decode_ranges),
    (
        "SELECT numbers FROM texts WHERE numbers IS NOT NULL",
        lambda text: msgspec.json.decode(text, type=list[int]),
    ),
)
"""Columns whose text has a form, and what reads it."""


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
        raise ServiceError(f"It is not an index: {exc}.") from exc


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
            if settings.keys() != {"version"} or settings["version"] not in _FTS_VERSIONS:
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
            raise ServiceError(f"It is damaged: {table} has values of the wrong type.")


def _check_contents(connection: apsw.Connection, repo: str) -> None:
    repositories = [str(name) for (name,) in connection.execute(_REPOSITORIES)]
    if repositories not in ([], [repo]):
        raise ServiceError(f"It has files of {', '.join(repositories)}, not of {repo} alone.")
    for (path,) in connection.execute(_STRAY_PATHS):
        raise ServiceError(f"It has the path {path}, which no commit has.")
    for (path,) in connection.execute(_STRAY_LINES):
        raise ServiceError(f"It is damaged: {path} has nodes with impossible lines.")
    for _ in connection.execute(_STRAY_POSTINGS):
        raise ServiceError("It is damaged: its word index does not match its nodes.")
    for block, rows in connection.execute(_FTS_TOTALS):
        count, *sizes = _varints(block or b"") or [0]
        is_possible = count == rows and max(sizes, default=0) <= rows * _MAX_TOKENS
        if not is_possible or (rows and not any(sizes)):
            raise ServiceError("It is damaged: its word index has impossible totals.")
    applied = [name for (name,) in connection.execute(_MIGRATIONS)]
    if applied != [migration.name for migration in known_migrations()]:
        raise ServiceError("Its migrations are not those of this version of feeder.")
    for sql, decode in _DECODERS:
        for (text,) in connection.execute(sql):
            decode(text)
    _check_meta(connection, repo)


def _check_meta(connection: apsw.Connection, repo: str) -> None:
    """What this program would take for its own records."""
    for key, value in connection.execute(_META):
        own, name = _META_VALUES, key.removeprefix(f"{repo}:")
        if name == key:
            own = _COMMON_META_VALUES
        if name not in own or not re.fullmatch(own[name], value):
            raise ServiceError(f"Its table meta has a value that no publish writes: {key[:100]}.")
        if name == COUNTS_KEY:
            msgspec.json.decode(value, type=_Counts)


def _varints(data: bytes) -> list[int]:
    """Decodes SQLite's integers: 7 bits in each byte, the highest first, and 8 in a ninth."""
    values, value, length = [], 0, 0
    for byte in data:
        length += 1
        value = value << 8 | byte if length == 9 else value << 7 | byte & 0x7F
        if byte < 0x80 or length == 9:
            values.append(value)
            value, length = 0, 0
    return values


@cache
def _own_schema() -> frozenset[_SchemaRow]:
    """The rows of `sqlite_schema` in an index with all tables of vectors."""
    with closing(SQLite(IN_MEMORY)) as database:
        migrate(database)
        database.run([*setup_statements("", enabled=True), vectors_table_statement()])
        return frozenset(_SchemaRow(*row) for row in database.connection.execute(_SCHEMA))
