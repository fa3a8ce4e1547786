"""Applies schema migrations, and verifies with the first request that a database has this
program's schema. Migrations are recorded as wrangler records them.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from feeder.errors import ServiceError, UserError
from feeder.store import Database, Row, Statement

# to the blank as wrangler writes it, so that the schemas are equal
_CREATE_MIGRATIONS_TABLE = (
    "CREATE TABLE IF NOT EXISTS d1_migrations(\n"
    "\t\tid         INTEGER PRIMARY KEY AUTOINCREMENT,\n"
    "\t\tname       TEXT UNIQUE,\n"
    "\t\tapplied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL\n)"
)

_INITIAL_TABLES = frozenset({"docs", "docs_fts", "files", "meta", "outbox"})

_OWN_TABLES = _INITIAL_TABLES | {"texts", "descriptions", "descriptions_fts"}

_APPLIED_NAMES = "SELECT name FROM d1_migrations"

_EXISTING_TABLES = f"""
SELECT name FROM sqlite_schema
WHERE type = 'table' AND name IN ({", ".join(f"'{name}'" for name in sorted(_OWN_TABLES))})
"""

SCHEMA_QUERY = f"{_APPLIED_NAMES} UNION ALL {_EXISTING_TABLES}"
"""The names of the migrations and of this program's tables; fails where there is no schema."""

_ALL_TABLES = (
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
)


class Migration(NamedTuple):
    """A step of the schema; `name` is its file's."""

    name: str
    sql: str


def known_migrations() -> list[Migration]:
    """This program's migrations in the order in which they apply."""
    folder = Path(__file__).with_name("migrations")
    return [
        Migration(file.name, file.read_text("utf-8"))
        for file in sorted(folder.iterdir())
        if file.name.endswith(".sql")
    ]


def missing_migrations(database: Database) -> list[Migration]:
    """What the database lacks.

    Raises UserError when its tables are another program's or a newer version's, or one is lost.
    """
    [tables] = database.run([Statement(_ALL_TABLES)])
    names = {str(row[0]) for row in tables if not str(row[0]).startswith("_cf_")}  # D1's own
    if not names:
        return known_migrations()
    [rows] = database.run([Statement(_APPLIED_NAMES)]) if "d1_migrations" in names else [[]]
    applied = {str(row[0]) for row in rows}
    if names >= _INITIAL_TABLES and not applied:
        raise _lost_tables_error(["d1_migrations"], database.place)
    # other programs have migrations too, and many a first one has the same name
    is_ours = "docs_fts" in names or applied.issuperset(step.name for step in known_migrations())
    if names - {"d1_migrations"} and not is_ours:
        raise _foreign_tables_error(database.place)
    missing = _missing_after(applied, database.place)
    if not missing:
        _check_all_tables(names, database.place)
    return missing


def check_schema(names: set[str], place: str) -> None:
    """Raises UserError unless what `APPLIED` has found makes this program's schema."""
    if missing := _missing_after(names - _OWN_TABLES, place):
        raise UserError(
            f"{place} lacks the migration {missing[0].name}. Bring it up to date with: feeder init"
        )
    _check_all_tables(names, place)


def _missing_after(applied: set[str], place: str) -> list[Migration]:
    known = known_migrations()
    names = {migration.name for migration in known}
    if applied and not applied & names:
        raise _foreign_tables_error(place)
    if unknown := sorted(applied - names):
        raise UserError(f"{place} was made by a newer feeder: it has {unknown[-1]}. Update feeder.")
    return [migration for migration in known if migration.name not in applied]


def _foreign_tables_error(place: str) -> UserError:
    return UserError(f"{place} holds tables of another program. Name another database.")


def _check_all_tables(names: set[str], place: str) -> None:
    if lost := sorted(_OWN_TABLES - names):
        raise _lost_tables_error(lost, place)


def _lost_tables_error(tables: list[str], place: str) -> UserError:
    return UserError(
        f"{place} has lost what it kept in {', '.join(tables)}. Delete it, and make the index "
        "anew: in Cloudflare with feeder init --database-name NAME, then with feeder sync."
    )


def migrate(database: Database) -> list[str]:
    """Applies what is missing, each step as one transaction; the names applied."""
    missing = missing_migrations(database)
    if missing:
        database.run([Statement(_CREATE_MIGRATIONS_TABLE)])
    for migration in missing:
        done = Statement("INSERT INTO d1_migrations (name) VALUES (?)", (migration.name,))
        try:
            database.script(migration.sql, [done])
        except ServiceError:
            # its first answer may have been lost, and the second one says that the tables exist
            if migration in missing_migrations(database):
                raise
    return [migration.name for migration in missing]


class VerifiedDatabase:
    """A `Database` that proves its schema with what is read from it first.

    That first request raises UserError where the schema is missing, older, newer or somebody
    else's; so it must not write.
    """

    def __init__(self, database: Database) -> None:
        self.place = database.place
        self._database = database
        self._is_verified = False

    def run(self, statements: Sequence[Statement]) -> list[list[Row]]:
        """The statements' rows, as the database answers them."""
        if self._is_verified:
            return self._database.run(statements)
        applied, *rows = self._database.run([Statement(SCHEMA_QUERY), *statements])
        check_schema({str(row[0]) for row in applied}, self.place)
        self._is_verified = True
        return rows

    def script(self, sql: str, statements: Sequence[Statement]) -> None:
        """As the database does it."""
        self._database.script(sql, statements)

    def close(self) -> None:
        """Ends the connection."""
        self._database.close()
