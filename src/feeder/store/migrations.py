"""Applies schema migrations, and verifies that a database has this program's schema.

Migrations are recorded as wrangler records them. The check is part of the first request.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from feeder.errors import ServiceError, UserError
from feeder.store import Database, Row, Statement

# byte for byte as wrangler writes it, so that the schemas are equal
_CREATE_MIGRATIONS_TABLE = (
    "CREATE TABLE IF NOT EXISTS d1_migrations(\n"
    "\t\tid         INTEGER PRIMARY KEY AUTOINCREMENT,\n"
    "\t\tname       TEXT UNIQUE,\n"
    "\t\tapplied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL\n)"
)

_INITIAL_TABLES = frozenset({"docs", "docs_fts", "files", "meta", "outbox"})

_OWN_TABLES = _INITIAL_TABLES | {
    "docs_vocab",
    "names_fts",
    "texts",
    "descriptions",
    "descriptions_fts",
}

_APPLIED_NAMES = "SELECT name FROM d1_migrations"

_EXISTING_TABLES = f"""
SELECT name FROM sqlite_schema
WHERE type = 'table' AND name IN ({", ".join(f"'{name}'" for name in sorted(_OWN_TABLES))})
"""

SCHEMA_QUERY = f"{_APPLIED_NAMES} UNION ALL {_EXISTING_TABLES}"
"""Selects the names of the applied migrations and of this program's tables.

It fails if there is no schema.
"""

_ALL_TABLES = (
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
)


_ROWS_PER_NODE = {"0009_query_cost.sql": 1.1, "0010_names.sql": 1.0}
"""Rows that a migration writes for each existing node, at most."""

_ROWS_PER_FILE = {"0013_file_lines.sql": 1.0}
"""Rows that a migration writes for each file with nodes. All other migrations write almost none."""


class Migration(NamedTuple):
    """A numbered change of the schema; `name` is its file's name."""

    name: str
    sql: str


def known_migrations() -> list[Migration]:
    """Returns this program's migrations in the order in which they apply."""
    folder = Path(__file__).with_name("migrations")
    return [
        Migration(file.name, file.read_text("utf-8"))
        for file in sorted(folder.iterdir())
        if file.name.endswith(".sql")
    ]


def migration_rows(name: str, files: int, nodes: int) -> int:
    """Estimates the rows that a migration writes in an index with these numbers of files with
    nodes and of nodes.
    """
    return round(_ROWS_PER_FILE.get(name, 0) * files + _ROWS_PER_NODE.get(name, 0) * nodes)


def missing_migrations(database: Database) -> list[Migration]:
    """Returns the migrations that the database lacks.

    Raises UserError if its tables belong to another program or a newer version, or if one is lost.
    """
    [tables] = database.run([Statement(_ALL_TABLES)])
    names = {str(row[0]) for row in tables if not str(row[0]).startswith("_cf_")}  # tables of D1
    if not names:
        return known_migrations()
    [rows] = database.run([Statement(_APPLIED_NAMES)]) if "d1_migrations" in names else [[]]
    applied = {str(row[0]) for row in rows}
    if names >= _INITIAL_TABLES and not applied:
        raise _lost_tables_error(["d1_migrations"], database.place)
    # other programs have migrations too, and the first is often named alike
    is_own = "docs_fts" in names or applied.issuperset(step.name for step in known_migrations())
    if names - {"d1_migrations"} and not is_own:
        raise _foreign_tables_error(database.place)
    missing = _missing_after(applied, database.place)
    if not missing and not names >= _OWN_TABLES:
        # another process may have applied the last migrations after the tables were read
        [tables] = database.run([Statement(_ALL_TABLES)])
        _check_all_tables({str(row[0]) for row in tables}, database.place)
    return missing


def check_schema(names: set[str], place: str) -> None:
    """Raises UserError unless the names selected by `SCHEMA_QUERY` are this program's schema."""
    if missing := _missing_after(names - _OWN_TABLES, place):
        raise UserError(
            f"The schema of {place} lacks the migration {missing[0].name}.",
            "Apply it with: feeder init (with --dry-run it prints what that costs)",
        )
    _check_all_tables(names, place)


def _missing_after(applied: set[str], place: str) -> list[Migration]:
    migrations = known_migrations()
    names = {migration.name for migration in migrations}
    if applied and not applied & names:
        raise _foreign_tables_error(place)
    if unknown := sorted(applied - names):
        raise UserError(
            f"{place} was made by a newer feeder: it has {unknown[-1]}.", "Update feeder."
        )
    return [migration for migration in migrations if migration.name not in applied]


def _foreign_tables_error(place: str) -> UserError:
    return UserError(f"{place} contains tables of another program.", "Choose another database.")


def _check_all_tables(names: set[str], place: str) -> None:
    if lost := sorted(_OWN_TABLES - names):
        raise _lost_tables_error(lost, place)


def _lost_tables_error(tables: list[str], place: str) -> UserError:
    return UserError(
        f"{place} is missing tables: {', '.join(tables)}.",
        "Delete it, then run feeder sync. At Cloudflare, create a new database before that: "
        "feeder init --database-name NAME",
    )


def migrate(database: Database) -> list[str]:
    """Applies the missing migrations, each as one transaction; returns their names."""
    missing = missing_migrations(database)
    if missing:
        database.run([Statement(_CREATE_MIGRATIONS_TABLE)])
    for migration in missing:
        record = Statement("INSERT INTO d1_migrations (name) VALUES (?)", (migration.name,))
        try:
            database.script(migration.sql, [record])
        except ServiceError:
            # a lost first response makes the second one say that the tables exist
            if migration in missing_migrations(database):
                raise
    return [migration.name for migration in missing]


class VerifiedDatabase:
    """A `Database` that verifies the schema with the first request.

    That request raises UserError if the schema is missing, older, newer or another program's; so it
    must not write.
    """

    def __init__(self, database: Database) -> None:
        self.place = database.place
        self.access = database.access
        self._database = database
        self._is_verified = False

    def run(self, statements: Sequence[Statement]) -> list[list[Row]]:
        """Runs the statements, the first time after the schema query."""
        if self._is_verified:
            return self._database.run(statements)
        applied, *rows = self._database.run([Statement(SCHEMA_QUERY), *statements])
        check_schema({str(row[0]) for row in applied}, self.place)
        self._is_verified = True
        return rows

    def script(self, sql: str, statements: Sequence[Statement]) -> None:
        """Runs a migration's text without verifying the schema."""
        self._database.script(sql, statements)

    def close(self) -> None:
        """Closes the connection."""
        self._database.close()
