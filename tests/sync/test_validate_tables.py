"""An index without a table: every command reports it, and the remedy restores the index."""

from collections.abc import Iterator
from pathlib import Path

import program
import pytest
from clouds import Cloud
from program import Console, console
from standin import StandIn

from command_runner import RunFeeder, command_runner
from feeder.errors import UserError
from feeder.store import Statement
from feeder.store.migrations import migrate
from feeder.store.sqlite import SQLite
from source.repos import Repo

__all__ = ["console"]

pytestmark = pytest.mark.slow

FIRST = ("docs", "docs_fts", "files", "meta", "outbox")
TABLES = (*FIRST, "texts", "descriptions", "descriptions_fts")
COMMANDS = ("sync", "search emptyCart", "stats", "validate", "validate --repair")
feeder_at_cloudflare = program.feeder


@pytest.fixture
def feeder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> RunFeeder:
    """Runs the program in a folder, by words alone."""
    monkeypatch.setenv("FEEDER_VECTORS", "no")
    monkeypatch.setenv("FEEDER_JOBS", "1")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    return command_runner(monkeypatch, capfd)


@pytest.fixture
def cloud(standin: StandIn) -> Iterator[Cloud]:
    cloud = Cloud(standin)
    yield cloud
    cloud.close()


def drop_tables(file: Path, *tables: str) -> None:
    """Drops tables of a local index."""
    database = SQLite(file)
    database.run([Statement(f"DROP TABLE {table}") for table in tables])
    database.close()


@pytest.mark.parametrize("table", TABLES)
def test_local_index_without_a_table_must_be_deleted(
    feeder: RunFeeder, shop: Repo, table: str
) -> None:
    """No command treats it as right or empty; a sync after the deletion makes it again."""
    assert feeder(shop, "sync").code == 0
    file = shop.path / ".feeder/index.db"
    drop_tables(file, table)
    said = (
        f"feeder: {file} is missing tables: {table}. Delete it, then run feeder sync. At "
        "Cloudflare, create a new database before that: feeder init --database-name NAME"
    )
    for command in COMMANDS:
        answer = feeder(shop, *command.split())
        assert (answer.code, answer.err.splitlines()[-1]) == (2, said)
    file.unlink()
    assert feeder(shop, "sync").code == 0
    assert feeder(shop, "validate").code == 0


def test_all_missing_tables_are_named(feeder: RunFeeder, shop: Repo) -> None:
    assert feeder(shop, "sync").code == 0
    drop_tables(shop.path / ".feeder/index.db", *TABLES)
    answer = feeder(shop, "stats")
    tables = "descriptions, descriptions_fts, docs, docs_fts, files, meta, outbox, texts"
    assert (answer.code, f"missing tables: {tables}. Delete" in answer.err) == (2, True)


@pytest.mark.parametrize(
    "loss",
    [
        "DELETE FROM d1_migrations",
        "DROP TABLE d1_migrations",
        "DROP TABLE texts; DROP TABLE d1_migrations",  # one from before texts were kept
    ],
)
def test_index_without_its_migrations_table_is_recognized(
    feeder: RunFeeder, shop: Repo, loss: str
) -> None:
    """By its other tables."""
    assert feeder(shop, "sync").code == 0
    database = SQLite(shop.path / ".feeder/index.db")
    database.run([Statement(loss)])
    database.close()
    answer = feeder(shop, "stats")
    assert (answer.code, "is missing tables: d1_migrations" in answer.err) == (2, True)


@pytest.mark.parametrize("table", TABLES)
def test_index_in_d1_without_a_table_must_be_deleted(
    feeder_at_cloudflare: RunFeeder, console: Console, shop: Repo, table: str
) -> None:
    """No command treats it as right or empty, not even a sync without changes."""
    run = feeder_at_cloudflare
    for command in ("init", "sync"):
        assert run(shop, command).code == 0
    console.sql(f"DROP TABLE {table}")
    for command in COMMANDS:
        answer = run(shop, *command.split())
        assert (answer.code, "feeder init" in answer.err) == (2, True)
    answer = run(shop, "init")
    assert (answer.code, f"is missing tables: {table}. Delete it" in answer.err) == (2, True)
    console.delete_database()
    for command in ("init --database-name acme_shop", "sync", "validate --wait"):
        assert run(shop, *command.split()).code == 0


@pytest.mark.parametrize("name", ["0001_init.sql", "0001_users.sql"])
def test_tables_of_another_program_are_not_touched(cloud: Cloud, name: str) -> None:
    """A database is an index only if it has all migrations or `docs_fts`."""
    tables = ("d1_migrations (id, name)", "docs (id)", "files (id)", "meta (id)", "users (id)")
    for table in tables:
        cloud.rows(f"CREATE TABLE {table}")
    cloud.rows("INSERT INTO d1_migrations VALUES (1, ?)", name)
    with pytest.raises(UserError, match="another program"):
        migrate(cloud.d1)
    found = cloud.rows("SELECT name FROM sqlite_schema WHERE name NOT GLOB '_*' ORDER BY name")
    assert [row[0] for row in found] == ["d1_migrations", "docs", "files", "meta", "users"]
