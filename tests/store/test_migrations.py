"""Migrations, and databases that are refused because of their schema."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

import apsw
import pytest

from feeder.corpus.index_status import read_index_status
from feeder.errors import ServiceError, UserError
from feeder.source.git_trees import Commit
from feeder.store import Row, Statement
from feeder.store.migrations import known_migrations, migrate
from feeder.store.name_search import similar_names_statement
from feeder.store.scope import Scope
from feeder.store.sqlite import SQLite
from index_helpers import MEMORY, InProcessParser, open_database, query_rows, run_sync
from source.repos import Repo

DOCS = Path(__file__).parents[2] / "docs"
COLUMNS = {
    "docs": (
        "seq id repo branch sha_head path language node_type symbol signature logical_path "
        "start_line end_line text_sha members describes vector_line is_part relations "
        "lines_hash part_run"
    ),
    "docs_fts": "id symbol path body",
    "files": "repo path blob sha_head nodes state reason stopped parser language lines unparsed",
    "outbox": "id repo path",
    "meta": "key value",
    "descriptions": "seq sha model prompt line reason line_sha",
    "descriptions_fts": "line",
}


@pytest.mark.parametrize("table", COLUMNS)
def test_tables_have_the_documented_columns(table: str) -> None:
    found = query_rows(open_database(), "SELECT name FROM pragma_table_info(?)", table)
    assert found == COLUMNS[table].split()


def test_docs_have_two_indexes_and_two_partial_ones() -> None:
    """By place and by commit; by description and by part for the few rows that have one."""
    found = query_rows(
        open_database(),
        """SELECT group_concat(i.name) FROM pragma_index_list('docs') l, pragma_index_info(l.name) i
        WHERE l.origin = 'c' GROUP BY l.name ORDER BY 1""",
    )
    assert found == [
        "describes",
        "repo,path,start_line",
        "repo,path,symbol,logical_path",
        "sha_head",
    ]


def test_full_text_table_stores_no_text() -> None:
    """It can delete a row, returns its id, and stems words."""
    [sql] = query_rows(open_database(), "SELECT sql FROM sqlite_schema WHERE name = 'docs_fts'")
    options = ("content=''", "contentless_delete=1", "contentless_unindexed=1", "id UNINDEXED")
    assert [option for option in (*options, "tokenize='porter unicode61'") if option in sql] == [
        *options,
        "tokenize='porter unicode61'",
    ]


def test_id_is_unique() -> None:
    database = open_database()
    row = """INSERT INTO docs (id, repo, branch, sha_head, path, node_type, start_line, end_line,
        text_sha) VALUES ('x', '', '', '', '', '', 1, 1, '')"""
    with pytest.raises(ServiceError, match="UNIQUE"):
        database.run([Statement(row), Statement(row)])
    assert query_rows(database, "SELECT count(*) FROM docs") == [0]


def test_migrations_are_recorded_like_wranglers(tmp_path: Path) -> None:
    """Each by its file name in d1_migrations; none is applied twice."""
    database = SQLite(tmp_path / "index.db")
    names = sorted(
        file.name
        for file in files("feeder.store").joinpath("migrations").iterdir()
        if file.name.endswith(".sql")
    )
    assert migrate(database) == names
    assert query_rows(database, "SELECT name FROM d1_migrations ORDER BY id") == names
    before = database.connection.total_changes()
    assert migrate(database) == []
    assert database.connection.total_changes() == before


def test_database_migrated_by_wrangler_is_accepted() -> None:
    database = SQLite(MEMORY)
    table = """CREATE TABLE d1_migrations(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE,
        applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)"""
    database.run([Statement(table)])
    for migration in known_migrations():
        database.run(
            [
                Statement(migration.sql),
                Statement("INSERT INTO d1_migrations (name) VALUES (?)", (migration.name,)),
            ]
        )
    assert migrate(database) == []


def test_two_processes_may_create_the_database_at_once(tmp_path: Path) -> None:
    failures: list[BaseException] = []
    barrier = threading.Barrier(4)

    def make() -> None:
        barrier.wait()
        try:
            open_database(tmp_path / "index.db").close()
        except BaseException as exc:
            failures.append(exc)

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


class _MigratedMeanwhile(SQLite):
    """A database that another process migrates after the first response."""

    def run(self, statements: Sequence[Statement]) -> list[list[Row]]:
        rows = super().run(statements)
        open_database(Path(self.place)).close()
        return rows


def test_another_process_may_migrate_between_two_reads(tmp_path: Path) -> None:
    """The tables are read before the names of the migrations, which are all applied by then."""
    file = tmp_path / "index.db"
    database = SQLite(file)
    database.run([Statement("CREATE TABLE d1_migrations (name TEXT UNIQUE)")])
    database.close()
    database = _MigratedMeanwhile(file)
    assert migrate(database) == []
    database.close()


def test_newer_schema_is_refused() -> None:
    """The database is not changed, and the remedy is named."""
    database = open_database()
    database.run([Statement("INSERT INTO d1_migrations (name) VALUES ('9999_later.sql')")])
    with pytest.raises(UserError, match=r"newer feeder.*9999_later\.sql.*Update feeder"):
        migrate(database)


@pytest.mark.parametrize("table", ["docs", "moz_places"])
def test_database_of_another_program_is_refused(tmp_path: Path, table: str) -> None:
    """It is not changed."""
    file = tmp_path / "foreign.db"
    foreign = apsw.Connection(str(file))
    foreign.execute(f"CREATE TABLE {table}(x)")
    foreign.close()
    database = SQLite(file)
    with pytest.raises(UserError, match=r"another program.*Choose another"):
        migrate(database)
    assert query_rows(database, "SELECT name FROM sqlite_schema") == [table]


@pytest.mark.parametrize(
    "content", [b"no database at all" * 100, b"SQLite format 3\0" + b"\1" * 2000]
)
def test_file_that_is_no_database_is_refused(tmp_path: Path, content: bytes) -> None:
    """The error names it and the remedy."""
    file = tmp_path / "index.db"
    file.write_bytes(content)
    with pytest.raises(
        UserError,
        match=r"is not an index .*Choose another file with --db\.",
    ):
        open_database(file)
    assert file.read_bytes() == content


def test_corrupt_index_is_an_error(tmp_path: Path) -> None:
    """For any statement."""
    file = tmp_path / "index.db"
    database = open_database(file)
    database.run([Statement("INSERT INTO meta VALUES ('key', hex(zeroblob(50000)))")])
    database.close()
    content = file.read_bytes()
    file.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    with pytest.raises(UserError, match="is damaged"):
        database = open_database(file)
        database.run([Statement("SELECT * FROM meta")])


def test_unwritable_path_is_an_error(tmp_path: Path) -> None:
    """A folder instead of a file, or a missing folder."""
    for place in (
        tmp_path,
        Path("/dev/null"),
        tmp_path / "nowhere" / "index.db",
        Path("/proc/index.db"),
    ):
        with pytest.raises(UserError, match=r"cannot be (written|opened).*hoose another with --db"):
            SQLite(place)
    with pytest.raises(UserError, match=r"opened: .+\. Create its folder, or"):
        SQLite(tmp_path / "nowhere" / "index.db")


def test_path_that_is_not_utf8_is_an_error(tmp_path: Path) -> None:
    """SQLite accepts only UTF-8."""
    with pytest.raises(UserError, match="--db"):
        SQLite(tmp_path / os.fsdecode(b"caf\xe9.db"))


def test_batch_is_one_transaction() -> None:
    """If one statement fails, none takes effect."""
    database = open_database()
    insert = "INSERT INTO meta VALUES (?, ?)"
    with pytest.raises(ServiceError, match="no such table"):
        database.run([Statement(insert, ("a", "1")), Statement("DELETE FROM nowhere")])
    with pytest.raises(ServiceError):
        database.run([Statement(insert, ("a", "1")), Statement(insert, ("a", "2"))])
    assert query_rows(database, "SELECT * FROM meta") == []
    assert database.run([Statement(insert, ("a", "1")), Statement("SELECT * FROM meta")]) == [
        [],
        [("a", "1")],
    ]


def test_interrupt_rolls_back_the_batch() -> None:
    """The connection can still be used."""
    database = open_database()

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    database.connection.create_scalar_function("interrupt", interrupt)
    insert = Statement("INSERT INTO meta VALUES ('a', '1')")
    with pytest.raises(KeyboardInterrupt):
        database.run([insert, Statement("SELECT interrupt()")])
    assert database.run([Statement("SELECT * FROM meta"), insert]) == [[], []]


def test_concurrent_writers_wait_for_each_other(tmp_path: Path) -> None:
    """No transaction is lost."""
    file = tmp_path / "index.db"
    open_database(file).close()
    add = Statement(
        """INSERT INTO meta VALUES ('n', 1)
        ON CONFLICT DO UPDATE SET value = value + 1"""
    )

    def write() -> None:
        database = SQLite(file)
        for _ in range(50):
            database.run([Statement("SELECT value FROM meta"), add])
        database.close()

    threads = [threading.Thread(target=write) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert query_rows(SQLite(file), "SELECT value FROM meta") == ["150"]


def test_descriptions_of_an_older_index_are_migrated() -> None:
    """The vectors do not include them yet and no longer count as complete."""
    database = SQLite(MEMORY)
    for step in known_migrations()[:6]:
        database.script(step.sql, [])
    for seq, line in enumerate(["Adds a line", "", "Empties it"]):
        values = (f"sha {seq}", line)
        text = (
            "INSERT INTO descriptions (sha, model, prompt, line, reason) VALUES (?, '', '', ?, '')"
        )
        database.run([Statement(text, values)])
    database.run([Statement("INSERT INTO meta VALUES ('a/b:vectors', 'complete'), ('model', 'm')")])
    database.script(known_migrations()[6].sql, [])
    first, none, third = query_rows(database, "SELECT line_sha FROM descriptions ORDER BY seq")
    assert first != third
    assert (bool(first), none, bool(third)) == (True, "", True)
    assert query_rows(database, "SELECT key FROM meta") == ["model"]


def test_schema_page_is_up_to_date() -> None:
    """`make docs` would write docs/schema.sql unchanged."""
    subprocess.run([sys.executable, DOCS / "schema.py", "--check"], check=True)


def test_schema_page_creates_the_tables_of_the_migrations() -> None:
    """With the same columns, keys and indexes."""
    database, page = open_database(), apsw.Connection(":memory:")
    page.execute((DOCS / "schema.sql").read_text("utf-8"))
    names = query_rows(database, "SELECT name FROM sqlite_schema WHERE type IN ('table', 'index')")
    for name in names:
        for facts in ("pragma_table_xinfo(?)", "pragma_index_xinfo(?)"):
            expected = query_rows(database, f"SELECT * FROM {facts}", name)
            actual = list(page.execute(f"SELECT * FROM {facts}", (name,)))
            assert [row[1:] for row in actual] == [row[1:] for row in expected]


OLD_NODES = """
INSERT INTO docs (seq, id, repo, branch, sha_head, path, node_type, symbol, start_line, end_line,
  text_sha)
SELECT key + 1, key, 'acme/shop', 'b', 'c', 'cart.py', 'method', value, 10 * key, 10 * key + 9, 'd'
FROM json_each('["Cart.add_item", "Cart.add_item", "Cart.total", null, null]')
"""


def test_older_index_gets_parts_names_and_word_counts() -> None:
    """Nodes of one name are parts; names are found by a misspelling; nodes of words are counted."""
    database = SQLite(MEMORY)
    for migration in known_migrations()[:8]:
        database.script(migration.sql, [])
    database.run(
        [
            Statement("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT UNIQUE)"),
            *(
                Statement("INSERT INTO d1_migrations (name) VALUES (?)", (migration.name,))
                for migration in known_migrations()[:8]
            ),
            Statement(OLD_NODES),
            Statement("INSERT INTO docs_fts (rowid, id, symbol) SELECT seq, id, symbol FROM docs"),
        ]
    )
    migrate(database)
    assert query_rows(database, "SELECT is_part FROM docs ORDER BY seq") == [1, 1, 0, 0, 0]
    [rows] = database.run([similar_names_statement("addIetm", Scope.of_repo("acme/shop"))])
    assert [row[1] for row in rows] == ["Cart.add_item", "Cart.add_item"]
    assert query_rows(database, "SELECT doc FROM docs_vocab WHERE term = 'total'") == [1]
    database.close()


def test_older_index_gets_language_and_last_line_of_its_files() -> None:
    """Those of the file's nodes, whatever other repository has a file of that path."""
    database = SQLite(MEMORY)
    for migration in known_migrations()[:12]:
        database.script(migration.sql, [])
    nodes = """INSERT INTO docs (id, repo, branch, sha_head, path, language, node_type, start_line,
      end_line, text_sha)
    SELECT key, value->>0, '', '', value->>1, value->>2, 'chunk', 1, value->>3, ''
    FROM json_each(?)"""
    manifest = """INSERT INTO files (repo, path, blob, sha_head, nodes, state)
    SELECT value->>0, value->>1, '', '', value->>2, 'clean' FROM json_each(?)"""
    rows = [
        ["a/b", "x.md", None, 4],
        ["a/b", "x.md", "python", 30],
        ["a/b", "x.md", "markdown", 7],
        ["c/d", "x.md", "markdown", 9],
        ["a/b", "y", None, 2],
    ]
    files = [["a/b", "x.md", 3], ["c/d", "x.md", 1], ["a/b", "y", 1], ["a/b", "z.lock", 0]]
    database.run([Statement(nodes, (json.dumps(rows),)), Statement(manifest, (json.dumps(files),))])
    database.script(known_migrations()[12].sql, [])
    [found] = database.run([Statement("SELECT repo, path, language, lines FROM files")])
    assert sorted(found, key=str) == [
        ("a/b", "x.md", "markdown", 30),
        ("a/b", "y", None, 2),
        ("a/b", "z.lock", None, None),
        ("c/d", "x.md", "markdown", 9),
    ]
    database.close()


def _older_postings(database: SQLite, texts: Sequence[tuple[str, str]]) -> None:
    """Writes whole runs as words, as earlier versions did, and takes the last migration back."""
    postings = [Statement("DELETE FROM docs_fts")]
    postings += [
        Statement(
            "INSERT INTO docs_fts (rowid, id, path, body) SELECT seq, id, path, ? FROM docs"
            " WHERE path = ?",
            (text, path),
        )
        for path, text in texts
    ]
    database.run([*postings, Statement("DELETE FROM d1_migrations WHERE name LIKE '0014%'")])


def test_older_index_reads_files_without_spaces_again(repo: Repo) -> None:
    """The other files and all nodes stay as they are; without such text nothing changes at all."""
    texts = {
        "a.txt": "适者生存法则\n",
        "b.txt": "plain\n",
        "c.txt": "使用Vue组件\n",
        "d.txt": "é→\n",
    }
    repo.commit(texts)
    database = open_database()
    run_sync(Commit(repo.path), database)
    nodes = "SELECT id || seq || text_sha FROM docs ORDER BY seq"
    before = query_rows(database, nodes)
    _older_postings(database, list(texts.items()))
    assert migrate(database) == ["0014_pairs.sql"]
    assert query_rows(database, "SELECT path FROM files WHERE blob = ''") == ["a.txt", "c.txt"]
    meta = {str(key): str(value) for key, value in query_rows(database, "SELECT * FROM meta")}
    [name] = {key.partition(":")[0] for key in meta if key.endswith(":head")}
    assert "or are to be read again" in read_index_status(repo.path, name, meta).note
    parser = InProcessParser()
    run_sync(Commit(repo.path), database, parser=parser)
    assert sorted(parser.parsed) == ["a.txt", "c.txt"]
    assert query_rows(database, nodes) == before
    match = "SELECT id FROM docs_fts WHERE docs_fts MATCH ?"
    for words in ('"者生"', '"vue"', '"plain"'):
        assert len(query_rows(database, match, words)) == 1
    assert query_rows(database, match, '"适者生存法则"') == []
    database.close()


def test_older_index_without_such_text_stays_as_it_is(repo: Repo) -> None:
    texts = {"b.txt": "plain\n", "d.txt": "é→ größer\n"}
    repo.commit(texts)
    database = open_database()
    run_sync(Commit(repo.path), database)
    _older_postings(database, list(texts.items()))
    changes = database.connection.total_changes()
    assert migrate(database) == ["0014_pairs.sql"]
    assert database.connection.total_changes() - changes <= 6
    parser = InProcessParser()
    run_sync(Commit(repo.path), database, parser=parser)
    assert parser.parsed == []
    database.close()


def test_names_of_deleted_nodes_are_not_found() -> None:
    """The table of names follows the table of nodes."""
    database = open_database()
    database.run([Statement(OLD_NODES), Statement("DELETE FROM docs WHERE seq = 1")])
    assert query_rows(database, "SELECT rowid FROM names_fts WHERE names_fts MATCH 'add'") == [2]
    database.close()
