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


def question(number: int, text: str = "cart") -> LoggedQuery:
    return LoggedQuery(float(number), "acme/shop", text, "{}", 3, 12.5, "words", "[]", "c0ffee")


@pytest.fixture
def log(tmp_path: Path) -> QueryLog:
    return QueryLog(tmp_path / "queries.db")


def test_what_is_kept_comes_back_in_order(log: QueryLog) -> None:
    asked = [question(1), question(2, "naïve \U0001f6d2"), question(3, "")]
    assert all(log.add(one) for one in asked)
    assert log.queries() == asked


def test_nothing_is_there_before_the_first(log: QueryLog) -> None:
    """Neither asking for them nor clearing makes a file."""
    assert (log.queries(), log.size_bytes()) == ([], 0)
    log.clear()
    assert not log.path.exists()


def test_the_file_is_its_owners(log: QueryLog) -> None:
    before = os.umask(0o022)
    log.add(question(1))
    os.umask(before)
    assert {file.name: file.stat().st_mode & 0o777 for file in log.path.parent.iterdir()} == {
        "queries.db": 0o600
    }


def test_the_oldest_go_above_so_many(tmp_path: Path) -> None:
    log = QueryLog(tmp_path / "queries.db", max_rows=3)
    for number in range(1, 6):
        log.add(question(number))
    assert [one.asked_s for one in log.queries()] == [3, 4, 5]


def test_the_oldest_go_above_so_many_bytes(tmp_path: Path) -> None:
    """The file stays within the limit and a page or two; the latest question is always there."""
    log = QueryLog(tmp_path / "queries.db", max_bytes=100_000)
    for number in range(300):
        log.add(question(number, "x" * 1_000))
        assert log.size_bytes() <= 100_000 + 2 * 4096
    asked = [one.asked_s for one in log.queries()]
    assert asked == [float(number) for number in range(300 - len(asked), 300)]
    assert len(asked) > 60


def test_clearing_leaves_no_word(log: QueryLog) -> None:
    """Not even in pages of the file that are free."""
    for number in range(50):
        log.add(question(number, f"confidential{number}" * 20))
    assert b"confidential" in log.path.read_bytes()
    log.clear()
    assert log.queries() == []
    assert b"confidential" not in log.path.read_bytes()
    assert log.add(question(51))


def test_a_file_that_another_writes_is_left_alone(log: QueryLog) -> None:
    """No answer waits for that."""
    log.add(question(1))
    with closing(apsw.Connection(str(log.path))) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert log.add(question(2)) is False
        other.execute("ROLLBACK")
    assert log.add(question(3))
    assert [one.asked_s for one in log.queries()] == [1, 3]


def test_where_nothing_can_be_written_nothing_is(tmp_path: Path) -> None:
    assert QueryLog(tmp_path / "absent" / "queries.db").add(question(1)) is False
    assert list(tmp_path.iterdir()) == []


def test_two_processes_begin_a_file_at_once(tmp_path: Path) -> None:
    """None fails, and what each says that it kept is there."""
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
    kept = {one.args[-1]: int(one.communicate()[0]) for one in running}  # type: ignore[index]
    assert [one.returncode for one in running] == [0, 0]
    repos = [one.repo for one in QueryLog(file).queries()]
    assert {name: repos.count(name) for name in ("one", "two")} == kept


@pytest.mark.parametrize(
    "content", [b"no database at all" * 100, b"SQLite format 3\0" + b"x" * 600]
)
def test_a_damaged_file_is_told(log: QueryLog, content: bytes) -> None:
    log.path.write_bytes(content)
    for ask in (lambda: log.add(question(1)), log.queries, log.clear):
        with pytest.raises(UserError, match=r"queries\.db is not a query log .* Delete it"):
            ask()
    assert log.path.read_bytes() == content


def test_anothers_database_is_left_as_it_is(log: QueryLog) -> None:
    with closing(apsw.Connection(str(log.path))) as other:
        other.execute("CREATE TABLE questions(text)")
    before = log.path.read_bytes()
    for ask in (lambda: log.add(question(1)), log.queries, log.clear):
        with pytest.raises(UserError, match="made by another program or version"):
            ask()
    assert log.path.read_bytes() == before


def test_a_link_is_not_followed(log: QueryLog, tmp_path: Path) -> None:
    """What is noted lands nowhere else."""
    outside = tmp_path / "outside.db"
    log.path.symlink_to(outside)
    with pytest.raises(UserError):
        log.add(question(1))
    assert not outside.exists() or outside.stat().st_size == 0
