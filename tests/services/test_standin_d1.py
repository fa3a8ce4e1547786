"""D1 of the stand-in is the real engine, and its REST routes have Cloudflare's shapes."""

import json

import httpx
import pytest
from standin import StandIn
from standin_calls import Database, error_of, message, result


@pytest.fixture
def db(api: httpx.Client) -> Database:
    """An empty database."""
    return Database(api)


def test_a_batch_answers_one_result_for_each_statement(db: Database) -> None:
    """A batch answers one entry a statement, with its rows and what it read and wrote."""
    create, insert, select = result(
        db.batch(
            "CREATE TABLE t (a INTEGER)", ("INSERT INTO t VALUES (?1)", [7]), "SELECT a FROM t"
        )
    )

    assert create["success"] and insert["success"]
    assert insert["meta"]["rows_written"] == 1
    assert select["results"] == [{"a": 7}]
    assert (select["meta"]["rows_read"], select["meta"]["rows_written"]) == (1, 0)


def test_an_error_rolls_the_whole_batch_back(db: Database) -> None:
    """A batch is one transaction: when a statement fails, the ones before it are undone."""
    result(db.query("CREATE TABLE t (a)"))

    failed = db.batch("INSERT INTO t VALUES (1)", "INSERT INTO absent VALUES (1)")

    assert error_of(failed) == (400, 7500)
    assert message(failed) == "no such table: absent: SQLITE_ERROR"
    assert db.rows("SELECT a FROM t") == []


def test_raw_answers_columns_and_rows(db: Database) -> None:
    """`/raw` answers columns and rows as arrays, so that two columns of one name both survive."""
    (answer,) = result(db.call({"sql": "SELECT 1 AS a, 2 AS a"}, "raw"))

    assert answer["results"] == {"columns": ["a", "a"], "rows": [[1, 2]]}


def test_a_list_of_statements_gives_its_parameters_to_the_last(db: Database) -> None:
    """A `;` list answers one entry a statement; its parameters belong to the last one."""
    create, insert = result(db.query("CREATE TABLE t (a); INSERT INTO t VALUES (?1);", "x"))

    assert create["meta"]["rows_written"] > 0
    assert insert["meta"]["rows_written"] == 1
    assert error_of(db.query("INSERT INTO t VALUES (?1); SELECT 1", "y")) == (400, 7500)
    assert db.rows("SELECT a FROM t") == [{"a": "x"}]


def test_a_semicolon_inside_a_statement_does_not_end_it(db: Database) -> None:
    """Strings, comments and a trigger's body may hold `;`, as a migration's text does."""
    text = """
        -- one; table
        CREATE TABLE t (a TEXT DEFAULT 'x;y', b);
        CREATE TRIGGER double AFTER INSERT ON t WHEN NEW.b IS NULL BEGIN
            UPDATE t SET b = CASE a WHEN 'z' THEN 1 ELSE 2 END;
            UPDATE t SET b = b * 2;
        END;
        INSERT INTO t (b) VALUES (NULL);
    """

    assert len(result(db.query(text))) == 3
    assert db.rows("SELECT a, b FROM t") == [{"a": "x;y", "b": 4}]


def test_a_number_bound_directly_is_real_and_one_inside_json_is_not(db: Database) -> None:
    """A bound number arrives as REAL; inside a JSON parameter an integer stays one."""
    sql = "SELECT typeof(?1) AS bound, typeof(value) AS inside FROM json_each(?2)"

    assert db.rows(sql, 1, "[1]") == [{"bound": "real", "inside": "integer"}]


def test_one_json_parameter_carries_20_000_rows(db: Database) -> None:
    """Thousands of rows travel in one parameter that `json_each` reads."""
    rows = json.dumps([[at, "x" * 78] for at in range(20_000)])
    assert 1_800_000 < len(rows) < 1_900_000
    result(db.query("CREATE TABLE t (a INTEGER, b TEXT)"))

    (insert,) = result(
        db.query("INSERT INTO t SELECT value->>0, value->>1 FROM json_each(?1)", rows)
    )

    assert insert["meta"]["rows_written"] == 20_000
    assert db.rows("SELECT count(*) AS n, max(a) AS last FROM t") == [{"n": 20_000, "last": 19_999}]


def _numbered(count: int) -> str:
    return ", ".join(f"?{at}" for at in range(1, count + 1))


def test_statement_has_at_most_100_parameters(db: Database) -> None:
    assert db.rows(f"SELECT 1 AS n WHERE 1 IN ({_numbered(100)})", *[1] * 100) == [{"n": 1}]

    assert error_of(db.query(f"SELECT 1 WHERE 1 IN ({_numbered(101)})", *[1] * 101)) == (400, 7500)


def test_statement_has_at_most_100_000_bytes(db: Database) -> None:
    head = "SELECT 1 AS n /*"
    longest = head + "x" * (100_000 - len(head) - 2) + "*/"

    assert db.rows(longest) == [{"n": 1}]
    too_long = db.query(longest.replace("*/", "x*/"))
    assert error_of(too_long) == (400, 7500)
    assert message(too_long) == "statement too long: SQLITE_TOOBIG"


def test_value_has_at_most_2_000_000_bytes(db: Database) -> None:
    """In UTF-8."""
    longest = "ä" * 1_000_000

    assert db.rows("SELECT length(?1) AS n", longest) == [{"n": 1_000_000}]
    too_long = db.query("SELECT length(?1)", longest + "a")
    assert error_of(too_long) == (400, 7500)
    assert message(too_long) == "string or blob too big: SQLITE_TOOBIG"


@pytest.mark.parametrize(
    ("passes", "fails"),
    [
        (" UNION ".join(["SELECT 1"] * 5), " UNION ".join(["SELECT 1"] * 6)),
        ("SELECT 1" + "+1" * 99, "SELECT 1" + "+1" * 100),
        (f"SELECT max({', '.join('1' * 32)})", f"SELECT max({', '.join('1' * 33)})"),
    ],
    ids=["compound SELECT of 5 terms", "expression 100 deep", "32 arguments"],
)
def test_the_engine_has_d1s_limits(db: Database, passes: str, fails: str) -> None:
    """The limits of D1's SQLite are those of the live service."""
    assert result(db.query(passes))[0]["success"]
    assert error_of(db.query(fails)) == (400, 7500)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sqlite_version()",
        "PRAGMA user_version",
        "PRAGMA integrity_check",
        "BEGIN TRANSACTION",
        "VACUUM",
        "ATTACH 'other.db' AS other",
        "CREATE TEMP TABLE t (a)",
        "SELECT load_extension('x')",
        "",
        "SELEC 1",
    ],
)
def test_statements_that_d1_forbids_are_refused(db: Database, sql: str) -> None:
    """The authorizer of D1 is in force, and syntax errors are the engine's."""
    assert error_of(db.query(sql)) == (400, 7500)


def test_contentless_fts5_returns_ids_and_deletes(db: Database) -> None:
    """With the contentless options, stemming and ranking."""
    table = """CREATE VIRTUAL TABLE f USING fts5(id UNINDEXED, body, content='',
        contentless_delete=1, contentless_unindexed=1, tokenize='porter unicode61')"""
    result(db.query(table))
    result(db.query("INSERT INTO f (rowid, id, body) VALUES (7, 'n1', 'parsing delta files')"))
    found = "SELECT rowid, id, bm25(f) < 0 AS ranked FROM f WHERE f MATCH '\"parse\"'"

    assert db.rows(found) == [{"rowid": 7, "id": "n1", "ranked": 1}]
    assert db.written("DELETE FROM f WHERE rowid = 7") == 1
    assert db.rows(found) == []
    assert error_of(db.query("SELECT id FROM f WHERE f MATCH 'a AND'")) == (400, 7500)


def test_rows_written_are_what_d1_bills(db: Database) -> None:
    """A row is 1 and 1 more for each index, an FTS5 row 1, an upsert without a change 0."""
    result(db.query("CREATE TABLE t (a INTEGER PRIMARY KEY, b, c)"))
    result(db.query("CREATE INDEX by_b ON t (b)"))
    result(db.query("CREATE VIRTUAL TABLE f USING fts5(body, content='', contentless_delete=1)"))
    upsert = """INSERT INTO t VALUES (1, 'x', 1)
        ON CONFLICT (a) DO UPDATE SET b = excluded.b WHERE b IS NOT excluded.b"""

    assert db.written(upsert) == 2
    assert db.written(upsert) == 0
    assert db.written(f"INSERT INTO f (rowid, body) VALUES (1, '{'some words ' * 500}')") == 1


def test_a_statement_above_the_time_limit_is_undone(db: Database, standin: StandIn) -> None:
    """A call of more than 30 s resets the object: nothing of it stays, and D1 goes on."""
    standin.change(d1_timeout_s=0.5)
    result(db.query("CREATE TABLE t (a)"))
    endless = """WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c)
        SELECT count(*) FROM c"""

    late = db.batch("INSERT INTO t VALUES (1)", endless)

    assert error_of(late) == (500, 7500)
    assert "exceeded timeout" in message(late)
    assert db.rows("SELECT a FROM t") == []


def test_a_migration_and_its_record_go_in_one_call(db: Database) -> None:
    """A migration's text followed by its row of `d1_migrations` is one call and one transaction."""
    result(
        db.query("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT, name UNIQUE)")
    )
    call = "CREATE TABLE t (a);\nINSERT INTO d1_migrations (name) VALUES ('0001_init.sql');"

    assert len(result(db.query(call))) == 2
    assert error_of(db.query(call.replace("CREATE TABLE t", "CREATE TABLE u"))) == (400, 7500)
    assert db.rows("SELECT name FROM sqlite_master WHERE name IN ('t', 'u')") == [{"name": "t"}]


def test_databases_are_separate(api: httpx.Client) -> None:
    """Creating others does not change one."""
    databases = [Database(api, f"db-{at}") for at in range(40)]
    for at, database in enumerate(databases[::13]):
        result(database.query(f"CREATE TABLE t AS SELECT {at} AS a"))

    last = Database(api, "last")

    assert [db.rows("SELECT a FROM t")[0]["a"] for db in databases[::13]] == [0, 1, 2, 3]
    assert error_of(last.query("SELECT a FROM t")) == (400, 7500)


def test_databases_are_found_by_name_and_by_id(api: httpx.Client) -> None:
    """The list is cut to the names that hold the one asked for; an id answers its database."""
    first, _ = Database(api, "acme"), Database(api, "other")

    listed = api.get("/d1/database", params={"name": "acm"}).json()

    assert [found["uuid"] for found in listed["result"]] == [first.id]
    assert listed["result_info"] == {"page": 1, "per_page": 1000, "count": 1, "total_count": 1}
    about = result(api.get(f"/d1/database/{first.id}"))
    assert (about["name"], about["num_tables"]) == ("acme", 0)


def test_second_database_of_a_name_is_refused(api: httpx.Client) -> None:
    """With 7502."""
    Database(api, "acme")

    assert error_of(api.post("/d1/database", json={"name": "acme"})) == (400, 7502)


def test_a_deleted_database_is_not_found(api: httpx.Client, db: Database) -> None:
    """An id that is no UUID is 7400; one that no database has, or has no more, is 7404."""
    assert result(api.delete(f"/d1/database/{db.id}")) is None

    assert error_of(db.query("SELECT 1")) == (404, 7404)
    assert error_of(api.post("/d1/database/acme/query", json={"sql": "SELECT 1"})) == (400, 7400)


@pytest.mark.parametrize(
    "body",
    [{}, {"sql": 1}, {"sql": "SELECT ?1", "params": [True]}, {"batch": [{"params": []}]}],
    ids=["nothing", "no text", "a boolean", "a batch without SQL"],
)
def test_a_body_of_another_shape_is_refused(db: Database, body: dict[str, object]) -> None:
    """A body without SQL, or with parameters that are no strings or numbers, is 7400."""
    assert error_of(db.call(body)) == (400, 7400)


def test_a_body_that_is_no_json_is_refused(api: httpx.Client, db: Database) -> None:
    """A body that does not parse is 7400."""
    assert error_of(api.post(f"/d1/database/{db.id}/query", content="{")) == (400, 7400)
