"""What brings a database to this program's schema? Kept as wrangler keeps it."""

from pathlib import Path
from typing import NamedTuple

from feeder.errors import ServiceError, UserError
from feeder.store import Database, Statement

# to the blank as wrangler writes it, so that the schemas are equal
_TABLE = (
    "CREATE TABLE IF NOT EXISTS d1_migrations(\n"
    "\t\tid         INTEGER PRIMARY KEY AUTOINCREMENT,\n"
    "\t\tname       TEXT UNIQUE,\n"
    "\t\tapplied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL\n)"
)
_FIRST = frozenset({"docs", "docs_fts", "files", "meta", "outbox"})
_OURS = _FIRST | {"texts", "descriptions", "descriptions_fts"}
_APPLIED = "SELECT name FROM d1_migrations"
_KEPT = f"""
SELECT name FROM sqlite_schema
WHERE type = 'table' AND name IN ({", ".join(f"'{name}'" for name in sorted(_OURS))})
"""
APPLIED = f"{_APPLIED} UNION ALL {_KEPT}"
"""The names of the migrations and of this program's tables; fails where there is no schema."""
_TABLES = (
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
    [tables] = database.run([Statement(_TABLES)])
    names = {str(row[0]) for row in tables if not str(row[0]).startswith("_cf_")}  # D1's own
    if not names:
        return known_migrations()
    [rows] = database.run([Statement(_APPLIED)]) if "d1_migrations" in names else [[]]
    applied = {str(row[0]) for row in rows}
    if names >= _FIRST and not applied:
        raise _lost(["d1_migrations"], database.place)
    # other programs have migrations too, and many a first one has the same name
    is_ours = "docs_fts" in names or applied.issuperset(step.name for step in known_migrations())
    if names - {"d1_migrations"} and not is_ours:
        raise _foreign(database.place)
    missing = _missing(applied, database.place)
    if not missing:
        _check_whole(names, database.place)
    return missing


def check_applied(found: set[str], place: str) -> None:
    """Raises UserError unless what `APPLIED` has found makes this program's schema."""
    if missing := _missing(found - _OURS, place):
        raise UserError(
            f"{place} lacks the migration {missing[0].name}. Bring it up to date with: feeder init"
        )
    _check_whole(found, place)


def _missing(applied: set[str], place: str) -> list[Migration]:
    known = known_migrations()
    names = {migration.name for migration in known}
    if applied and not applied & names:
        raise _foreign(place)
    if unknown := sorted(applied - names):
        raise UserError(f"{place} was made by a newer feeder: it has {unknown[-1]}. Update feeder.")
    return [migration for migration in known if migration.name not in applied]


def _foreign(place: str) -> UserError:
    return UserError(f"{place} holds tables of another program. Name another database.")


def _check_whole(names: set[str], place: str) -> None:
    if lost := sorted(_OURS - names):
        raise _lost(lost, place)


def _lost(tables: list[str], place: str) -> UserError:
    return UserError(
        f"{place} has lost what it kept in {', '.join(tables)}. Delete it, and make the index "
        "anew: in Cloudflare with feeder init --database-name NAME, then with feeder sync."
    )


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
