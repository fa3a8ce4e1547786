"""The query log: a file of limited size, shared by processes."""

import os
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from feeder.errors import UserError
from feeder.store.query_log_file import LoggedQuery, QueryLog


def logged_query(number: int, text: str = "cart") -> LoggedQuery:
    return LoggedQuery(float(number), "acme/shop", text, "{}", 3, 12.5, "words", "[]", "c0ffee")


@pytest.fixture
def log(tmp_path: Path) -> QueryLog:
    return QueryLog(tmp_path / "queries.db")


def test_queries_are_returned_in_order(log: QueryLog) -> None:
    asked = [logged_query(1), logged_query(2, "naïve \U0001f6d2"), logged_query(3, "")]
    assert all(log.add(query) for query in asked)
    assert log.queries() == asked


def test_no_file_exists_before_the_first_query(log: QueryLog) -> None:
    """Neither reading nor clearing creates it."""
    assert (log.queries(), log.size_bytes()) == ([], 0)
    log.clear()
    assert not log.path.exists()


def test_file_is_readable_only_by_its_owner(log: QueryLog) -> None:
    before = os.umask(0o022)
    log.add(logged_query(1))
    os.umask(before)
    assert {file.name: file.stat().st_mode & 0o777 for file in log.path.parent.iterdir()} == {
        "queries.db": 0o600
    }


def test_oldest_queries_are_deleted_above_the_number_limit(tmp_path: Path) -> None:
    log = QueryLog(tmp_path / "queries.db", max_rows=3)
    for number in range(1, 6):
        log.add(logged_query(number))
    assert [query.asked_s for query in log.queries()] == [3, 4, 5]


def test_oldest_queries_are_deleted_above_the_size_limit(tmp_path: Path) -> None:
    """The file may exceed the limit by a page or two; the latest query is always stored."""
    log = QueryLog(tmp_path / "queries.db", max_bytes=100_000)
    for number in range(300):
        log.add(logged_query(number, "x" * 1_000))
        assert log.size_bytes() <= 100_000 + 2 * 4096
    asked = [query.asked_s for query in log.queries()]
    assert asked == [float(number) for number in range(300 - len(asked), 300)]
    assert len(asked) > 60


def test_clearing_overwrites_the_text(log: QueryLog) -> None:
    """Also in free pages of the file."""
    for number in range(50):
        log.add(logged_query(number, f"confidential{number}" * 20))
    assert b"confidential" in log.path.read_bytes()
    log.clear()
    assert log.queries() == []
    assert b"confidential" not in log.path.read_bytes()
    assert log.add(logged_query(51))


def test_locked_file_is_skipped(log: QueryLog) -> None:
    """No search waits for it."""
    log.add(logged_query(1))
    with closing(apsw.Connection(str(log.path))) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert log.add(logged_query(2)) is False
        other.execute("ROLLBACK")
    assert log.add(logged_query(3))
    assert [query.asked_s for query in log.queries()] == [1, 3]


def test_unwritable_folder_is_skipped(tmp_path: Path) -> None:
    assert QueryLog(tmp_path / "absent" / "queries.db").add(logged_query(1)) is False
    assert list(tmp_path.iterdir()) == []


def test_two_processes_may_create_the_file_at_once(tmp_path: Path) -> None:
    """None fails, and each query reported as stored is in the file."""
    program = (
        "import sys; from pathlib import Path; from feeder.store.query_log_file import *\n"
        "log = QueryLog(Path(sys.argv[1]))\n"
        "query = lambda n: LoggedQuery(n, sys.argv[2], 'x', '{}', 0, 1.0, '', '[]', '')\n"
        "print(sum(log.add(query(n)) for n in range(40)))"
    )
    file = tmp_path / "queries.db"
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program, file, name], stdout=subprocess.PIPE, text=True
        )
        for name in ("one", "two")
    ]
    stored = {process.args[-1]: int(process.communicate()[0]) for process in running}  # type: ignore[index]
    assert [process.returncode for process in running] == [0, 0]
    repos = [query.repo for query in QueryLog(file).queries()]
    assert {name: repos.count(name) for name in ("one", "two")} == stored


@pytest.mark.parametrize(
    "content", [b"no database at all" * 100, b"SQLite format 3\0" + b"x" * 600]
)
def test_damaged_file_is_an_error(log: QueryLog, content: bytes) -> None:
    log.path.write_bytes(content)
    for ask in (lambda: log.add(logged_query(1)), log.queries, log.clear):
        with pytest.raises(UserError, match=r"queries\.db is not a query log .* Delete it"):
            ask()
    assert log.path.read_bytes() == content


def test_database_of_another_program_is_not_changed(log: QueryLog) -> None:
    with closing(apsw.Connection(str(log.path))) as other:
        other.execute("CREATE TABLE questions(text)")
    before = log.path.read_bytes()
    for ask in (lambda: log.add(logged_query(1)), log.queries, log.clear):
        with pytest.raises(UserError, match="made by another program or version"):
            ask()
    assert log.path.read_bytes() == before


def test_symbolic_link_is_not_followed(log: QueryLog, tmp_path: Path) -> None:
    """Queries are never written elsewhere."""
    outside = tmp_path / "outside.db"
    log.path.symlink_to(outside)
    with pytest.raises(UserError):
        log.add(logged_query(1))
    assert not outside.exists() or outside.stat().st_size == 0
