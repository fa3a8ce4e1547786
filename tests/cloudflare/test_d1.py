"""The `Database` in D1, on the real engine."""

from typing import Any

import pytest
from clouds import Cloud

from feeder.cloudflare.d1 import D1
from feeder.errors import ServiceError, Superseded, TooLargeError, TransientError, UserError
from feeder.store import DuplicateWrite, Statement, sql
from feeder.store.migrations import known_migrations, migrate, missing_migrations

LOST: list[dict[str, Any]] = [
    {"kind": "reset", "after": True},
    {"kind": "half_body"},
    {"kind": "bad_gateway", "after": True},
    {"kind": "d1_lost", "after": True},
    {"kind": "success_false", "after": True},
]
"""Ways in which the answer to work that was done gets lost."""
MARK = Statement(sql.RECORD_WRITE_NUMBER, ("shop:write:1", "7"))


def test_rows_are_tuples_in_the_order_of_the_columns(cloud: Cloud) -> None:
    """Two columns may have one name, numbers stay exact, and NULL is None."""
    statement = Statement(
        "SELECT value->>0 AS x, value->>1 AS x, value->>2, typeof(value->>0) FROM json_each(?)",
        ('[[1, "ü𝄞", null], [9007199254740991, "", 0.5]]',),
    )
    assert cloud.d1.run([statement, Statement("SELECT 1 WHERE false")]) == [
        [(1, "ü𝄞", None, "integer"), (9007199254740991, "", 0.5, "integer")],
        [],
    ]


def test_batch_is_one_transaction(cloud: Cloud) -> None:
    """If one statement fails, none takes effect; the error has SQLite's message."""
    cloud.d1.run([Statement("CREATE TABLE t (a UNIQUE)")])
    insert = Statement("INSERT INTO t VALUES (1)")

    with pytest.raises(ServiceError, match=r"UNIQUE constraint failed: t\.a"):
        cloud.d1.run([insert, insert])

    assert cloud.rows("SELECT * FROM t") == []


def test_empty_batch_sends_no_request(cloud: Cloud) -> None:
    cloud.spent()
    assert cloud.d1.run([]) == []
    assert cloud.spent()["d1"] == 0


def test_billed_rows_are_summed(cloud: Cloud) -> None:
    """Rows read and written, as the responses report them."""
    cloud.d1.run([Statement("CREATE TABLE t (a)")])
    cloud.d1.rows.clear()

    cloud.d1.run([Statement("INSERT INTO t VALUES (1), (2), (3)"), Statement("SELECT * FROM t")])

    assert cloud.d1.rows == {"written": 3, "read": 3}


def test_migrations_are_applied_once(cloud: Cloud) -> None:
    """Recorded by name in wrangler's table."""
    names = [migration.name for migration in known_migrations()]

    assert migrate(cloud.d1) == names
    assert migrate(cloud.d1) == []
    assert cloud.rows("SELECT name FROM d1_migrations ORDER BY id") == [(name,) for name in names]


def test_migration_of_the_parser_column_writes_no_row_of_a_file(cloud: Cloud) -> None:
    """It changes only the schema."""
    [last] = (
        known_migration
        for known_migration in known_migrations()
        if known_migration.name == "0008_file_parser.sql"
    )
    migrate(cloud.d1)
    cloud.d1.run([Statement("ALTER TABLE files DROP COLUMN parser")])
    cloud.d1.run([Statement("DELETE FROM d1_migrations WHERE name = ?", (last.name,))])
    files = """WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
        INSERT INTO files (repo, path, blob, sha_head, nodes, state)
        SELECT 'shop', i, 'b', 'c', 1, 'clean' FROM n"""
    cloud.d1.run([Statement(files)])
    cloud.d1.rows.clear()

    assert migrate(cloud.d1) == [last.name]

    assert cloud.d1.rows["written"] < 10
    assert cloud.rows("SELECT count(*) FROM files WHERE parser = ''") == [(500,)]


@pytest.mark.parametrize("fault", LOST, ids=str)
def test_migration_with_a_lost_response_counts_as_applied(
    cloud: Cloud, fault: dict[str, Any]
) -> None:
    """The retry finds its tables."""
    cloud.standin.fault(route="d1.query", **fault)

    migrate(cloud.d1)

    assert missing_migrations(cloud.d1) == []
    assert cloud.rows("SELECT count(*) FROM docs") == [(0,)]


def test_failed_migration_is_an_error(cloud: Cloud) -> None:
    """A table that it creates exists already; nothing of it remains."""
    cloud.d1.run([Statement("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name)")])
    cloud.d1.run([Statement("CREATE TABLE docs_fts (id)")])

    with pytest.raises(ServiceError, match="docs_fts already exists"):
        migrate(cloud.d1)

    assert cloud.rows("SELECT name FROM sqlite_schema WHERE name = 'docs'") == []


def test_failed_fencing_check_means_superseded(cloud: Cloud) -> None:
    """The run that lost ownership writes nothing."""
    cloud.migrated()
    written = Statement(sql.SET_META, ('{"a": "b"}',))

    with pytest.raises(Superseded):
        cloud.d1.run([written, Statement(sql.CHECK_OWNER, ("shop:run", "mine"))])

    assert cloud.rows("SELECT * FROM meta") == []


@pytest.mark.parametrize("fault", LOST, ids=str)
def test_marked_write_with_a_lost_response_is_not_repeated(
    cloud: Cloud, fault: dict[str, Any]
) -> None:
    """The retry finds the mark of the first try."""
    cloud.migrated()
    cloud.d1.run([Statement("CREATE TABLE t (a)")])
    cloud.standin.fault(route="d1.raw", **fault)

    with pytest.raises(DuplicateWrite):
        cloud.d1.run([MARK, Statement("INSERT INTO t VALUES (1)")])

    assert cloud.rows("SELECT count(*) FROM t") == [(1,)]
    assert cloud.rows("SELECT * FROM meta") == [("shop:write:1", "7")]


def test_marked_write_that_did_not_arrive_is_retried(cloud: Cloud) -> None:
    """The mark distinguishes a lost request from a lost response."""
    cloud.migrated()
    cloud.d1.run([Statement("CREATE TABLE t (a)")])
    insert = Statement("INSERT INTO t VALUES (1) RETURNING a")
    cloud.standin.fault("reset", route="d1.raw")

    assert cloud.d1.run([MARK, insert])[1] == [(1,)]
    assert cloud.d1.run([MARK._replace(params=("shop:write:1", "8")), insert])[1] == [(1,)]
    assert cloud.api.retries["d1"] == 1


def test_hanging_call_is_retried(cloud: Cloud) -> None:
    """After the timeout."""
    cloud.standin.fault("hang", route="d1.raw", after=True)
    impatient = D1(cloud.connect(timeout_s=0.5), cloud.database_id)

    assert impatient.run([Statement("SELECT 1")]) == [[(1,)]]


def test_fifth_failure_is_an_error(cloud: Cloud) -> None:
    """It has the last message."""
    cloud.standin.fault("d1_internal", times=5)

    with pytest.raises(TransientError, match="internal error"):
        cloud.d1.run([Statement("SELECT 1")])


def test_statement_timeout_counts_as_too_large(cloud: Cloud) -> None:
    """D1 stops a call after 30 s; here it is less."""
    cloud.standin.change(d1_timeout_s=0.2)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"

    with pytest.raises(TooLargeError):
        cloud.d1.run([Statement(endless)])


@pytest.mark.parametrize(
    ("database", "named"),
    [
        ("00000000-0000-4000-8000-000000000000", "--database-id"),
        ("my-database", "--database-id"),
        ("../../../user", "--database-id"),
    ],
)
def test_missing_database_is_an_error(cloud: Cloud, database: str, named: str) -> None:
    """For an unknown id and for an invalid one."""
    with pytest.raises(UserError, match=named):
        D1(cloud.api, database).run([Statement("SELECT 1")])


def test_missing_permission_is_named(cloud: Cloud) -> None:
    """Also for an unknown token and a foreign account."""
    cloud.standin.grant("only-vectors", "vectorize", "ai")
    other = "f" * 32
    with pytest.raises(UserError, match="D1 Edit"):
        D1(cloud.connect("only-vectors"), cloud.database_id).run([Statement("SELECT 1")])
    with pytest.raises(UserError, match="CLOUDFLARE_API_TOKEN"):
        D1(cloud.connect("unknown"), cloud.database_id).run([Statement("SELECT 1")])
    with pytest.raises(UserError, match="CLOUDFLARE_ACCOUNT_ID"):
        D1(cloud.connect(None, other), cloud.database_id).run([Statement("SELECT 1")])
