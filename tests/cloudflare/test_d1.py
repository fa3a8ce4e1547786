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
    """Two columns of one name stay two, numbers in JSON stay whole, and NULL is None."""
    statement = Statement(
        "SELECT value->>0 AS x, value->>1 AS x, value->>2, typeof(value->>0) FROM json_each(?)",
        ('[[1, "ü𝄞", null], [9007199254740991, "", 0.5]]',),
    )
    assert cloud.d1.run([statement, Statement("SELECT 1 WHERE false")]) == [
        [(1, "ü𝄞", None, "integer"), (9007199254740991, "", 0.5, "integer")],
        [],
    ]


def test_a_batch_is_one_transaction(cloud: Cloud) -> None:
    """When one statement fails, none of them was run; the error says what SQLite said."""
    cloud.d1.run([Statement("CREATE TABLE t (a UNIQUE)")])
    insert = Statement("INSERT INTO t VALUES (1)")

    with pytest.raises(ServiceError, match=r"UNIQUE constraint failed: t\.a"):
        cloud.d1.run([insert, insert])

    assert cloud.rows("SELECT * FROM t") == []


def test_nothing_to_run_is_no_request(cloud: Cloud) -> None:
    """An empty list is an empty answer."""
    cloud.spent()
    assert cloud.d1.run([]) == []
    assert cloud.spent()["d1"] == 0


def test_what_is_billed_is_summed(cloud: Cloud) -> None:
    """Rows read and written, as the answers tell them."""
    cloud.d1.run([Statement("CREATE TABLE t (a)")])
    cloud.d1.rows.clear()

    cloud.d1.run([Statement("INSERT INTO t VALUES (1), (2), (3)"), Statement("SELECT * FROM t")])

    assert cloud.d1.rows == {"written": 3, "read": 3}


def test_migrations_are_applied_once(cloud: Cloud) -> None:
    """As wrangler keeps them: by name, in its table."""
    names = [migration.name for migration in known_migrations()]

    assert migrate(cloud.d1) == names
    assert migrate(cloud.d1) == []
    assert cloud.rows("SELECT name FROM d1_migrations ORDER BY id") == [(name,) for name in names]


@pytest.mark.parametrize("fault", LOST, ids=str)
def test_a_migration_whose_answer_is_lost_counts_as_applied(
    cloud: Cloud, fault: dict[str, Any]
) -> None:
    """The second try finds the tables there."""
    cloud.standin.fault(route="d1.query", **fault)

    migrate(cloud.d1)

    assert missing_migrations(cloud.d1) == []
    assert cloud.rows("SELECT count(*) FROM docs") == [(0,)]


def test_a_migration_that_fails_is_an_error(cloud: Cloud) -> None:
    """Here because a table is there that it wants to make; nothing of it stays."""
    cloud.d1.run([Statement("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name)")])
    cloud.d1.run([Statement("CREATE TABLE docs_fts (id)")])

    with pytest.raises(ServiceError, match="docs_fts already exists"):
        migrate(cloud.d1)

    assert cloud.rows("SELECT name FROM sqlite_schema WHERE name = 'docs'") == []


def test_a_broken_guard_is_another_runs_doing(cloud: Cloud) -> None:
    """The run that does not own the index any more writes nothing."""
    cloud.migrated()
    written = Statement(sql.SET_META, ('{"a": "b"}',))

    with pytest.raises(Superseded):
        cloud.d1.run([written, Statement(sql.CHECK_OWNER, ("shop:run", "mine"))])

    assert cloud.rows("SELECT * FROM meta") == []


@pytest.mark.parametrize("fault", LOST, ids=str)
def test_a_marked_write_whose_answer_is_lost_is_not_done_twice(
    cloud: Cloud, fault: dict[str, Any]
) -> None:
    """The second try breaks on the mark of the first."""
    cloud.migrated()
    cloud.d1.run([Statement("CREATE TABLE t (a)")])
    cloud.standin.fault(route="d1.raw", **fault)

    with pytest.raises(DuplicateWrite):
        cloud.d1.run([MARK, Statement("INSERT INTO t VALUES (1)")])

    assert cloud.rows("SELECT count(*) FROM t") == [(1,)]
    assert cloud.rows("SELECT * FROM meta") == [("shop:write:1", "7")]


def test_a_marked_write_that_did_not_arrive_is_done_once(cloud: Cloud) -> None:
    """The mark tells a lost request from a lost answer; the next number is another write."""
    cloud.migrated()
    cloud.d1.run([Statement("CREATE TABLE t (a)")])
    insert = Statement("INSERT INTO t VALUES (1) RETURNING a")
    cloud.standin.fault("reset", route="d1.raw")

    assert cloud.d1.run([MARK, insert])[1] == [(1,)]
    assert cloud.d1.run([MARK._replace(params=("shop:write:1", "8")), insert])[1] == [(1,)]
    assert cloud.api.retries["d1"] == 1


def test_a_call_that_hangs_is_sent_again(cloud: Cloud) -> None:
    """When no byte has come for so long that none will."""
    cloud.standin.fault("hang", route="d1.raw", after=True)
    impatient = D1(cloud.connect(timeout_s=0.5), cloud.database_id)

    assert impatient.run([Statement("SELECT 1")]) == [[(1,)]]


def test_a_database_that_fails_on_and_on_is_an_error(cloud: Cloud) -> None:
    """After five tries the last failure is told."""
    cloud.standin.fault("d1_internal", times=5)

    with pytest.raises(TransientError, match="internal error"):
        cloud.d1.run([Statement("SELECT 1")])


def test_a_statement_that_takes_too_long_is_too_large(cloud: Cloud) -> None:
    """D1 stops a call after its 30 s; here it has less."""
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
def test_a_database_that_is_not_there_is_named(cloud: Cloud, database: str, named: str) -> None:
    """Whether the id is unknown or none at all."""
    with pytest.raises(UserError, match=named):
        D1(cloud.api, database).run([Statement("SELECT 1")])


def test_a_token_without_the_permission_is_told_which(cloud: Cloud) -> None:
    """Also a token that nobody knows, and an account of somebody else."""
    cloud.standin.grant("only-vectors", "vectorize", "ai")
    other = "f" * 32
    with pytest.raises(UserError, match="D1 Edit"):
        D1(cloud.connect("only-vectors"), cloud.database_id).run([Statement("SELECT 1")])
    with pytest.raises(UserError, match="CLOUDFLARE_API_TOKEN"):
        D1(cloud.connect("unknown"), cloud.database_id).run([Statement("SELECT 1")])
    with pytest.raises(UserError, match="CLOUDFLARE_ACCOUNT_ID"):
        D1(cloud.connect(None, other), cloud.database_id).run([Statement("SELECT 1")])
