"""What brings a database to this program's schema? Kept as wrangler keeps it."""

from importlib.resources import files
from typing import NamedTuple

from feeder.errors import ServiceError, UserError
from feeder.store import Database, Statement

_TABLE = """
CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)
"""
_TABLES = (
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
)


class Migration(NamedTuple):
    """A step of the schema; `name` is its file's."""

    name: str
    sql: str


def known_migrations() -> list[Migration]:
    """This program's migrations in the order in which they apply."""
    folder = files("feeder.store").joinpath("migrations")
    return [
        Migration(file.name, file.read_text("utf-8"))
        for file in sorted(folder.iterdir(), key=lambda file: file.name)
        if file.name.endswith(".sql")
    ]


def missing_migrations(database: Database) -> list[Migration]:
    """What the database lacks; one request.

    Raises UserError when its tables are another program's or a newer version's.
    """
    [tables] = database.run([Statement(_TABLES)])
    names = {str(row[0]) for row in tables}
    if "d1_migrations" not in names:
        if any(not name.startswith("_cf_") for name in names):  # D1 keeps its own in some
            raise UserError(
                f"{database.place} holds tables of another program. Name another database."
            )
        return known_migrations()
    [applied] = database.run([Statement("SELECT name FROM d1_migrations ORDER BY id")])
    return _missing({str(row[0]) for row in applied}, database.place)


def _missing(applied: set[str], place: str) -> list[Migration]:
    known = known_migrations()
    if unknown := sorted(applied - {migration.name for migration in known}):
        raise UserError(f"{place} was made by a newer feeder: it has {unknown[-1]}. Update feeder.")
    return [migration for migration in known if migration.name not in applied]


def migrate(database: Database) -> list[str]:
    """Applies what is missing, each step as one transaction; the names applied."""
    missing = missing_migrations(database)
    if missing:
        database.run([Statement(_TABLE)])
    for migration in missing:
        done = Statement("INSERT INTO d1_migrations (name) VALUES (?)", (migration.name,))
        try:
            database.script(migration.sql, [done])
        except ServiceError:
            # its first answer may have been lost, and the second one says that the tables exist
            if migration in missing_migrations(database):
                raise
    return [migration.name for migration in missing]
