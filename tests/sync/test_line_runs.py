"""Line runs in the index: an older index gets them, and a validation compares them."""

import json

import pytest

from feeder.source.git_trees import Commit
from feeder.store.sqlite import SQLite
from feeder.sync.validate import repair, validate
from hash_embedder import HashedEmbedder
from index_helpers import (
    InProcessParser,
    fresh_snapshot,
    index_snapshot,
    new_sync_context,
    open_database,
    query_rows,
    run_sync,
)
from source.repos import Repo

RUNS = "SELECT DISTINCT part_run FROM docs WHERE symbol = 'total' AND lines_hash > 0"


def code(lines: int) -> str:
    body = (f"    total += weigh({at}, cart, 'a longer line of text')\n" for at in range(lines))
    return f"def total(cart):\n{''.join(body)}"


@pytest.fixture
def commit(repo: Repo) -> Commit:
    repo.commit({"shop.py": code(120)})
    return Commit(repo.path)


@pytest.fixture
def database() -> SQLite:
    return open_database()


def run_of_total(database: SQLite) -> list[int]:
    """First line, last line and number of parts, the same in each part's row."""
    [text] = query_rows(database, RUNS)
    run: list[int] = json.loads(str(text))
    return run


def test_parts_have_their_run(commit: Commit, database: SQLite) -> None:
    run_sync(commit, database)
    first, last, count = run_of_total(database)
    assert (first, last) == (1, 121)
    assert query_rows(database, "SELECT count(*) FROM docs") == [count]


def test_older_index_gets_runs_and_keeps_the_rest(commit: Commit, database: SQLite) -> None:
    """Nothing is embedded or posted again: rows and vectors stay."""
    run_sync(commit, database, HashedEmbedder(), parser=InProcessParser("older"))
    query_rows(database, "UPDATE docs SET lines_hash = NULL, part_run = NULL")
    rows = query_rows(database, "SELECT seq, id, sha_head FROM docs")
    report = run_sync(commit, database, HashedEmbedder())
    assert run_of_total(database)[:2] == [1, 121]
    assert query_rows(database, "SELECT seq, id, sha_head FROM docs") == rows
    assert (report.nodes_new, report.nodes_deleted) == (0, 0)
    assert index_snapshot(database) == fresh_snapshot(commit, HashedEmbedder())


def test_earlier_parts_get_the_run_of_a_longer_node(repo: Repo, database: SQLite) -> None:
    """Their own lines are the same, and their rows stay."""
    repo.commit({"shop.py": code(120)})
    run_sync(Commit(repo.path), database)
    first = query_rows(database, "SELECT seq FROM docs WHERE start_line = 1")
    repo.commit({"shop.py": code(150)})
    run_sync(Commit(repo.path), database)
    assert run_of_total(database)[:2] == [1, 151]
    assert query_rows(database, "SELECT seq FROM docs WHERE start_line = 1") == first
    assert index_snapshot(database) == fresh_snapshot(Commit(repo.path))


@pytest.mark.parametrize("column", ["lines_hash", "part_run"])
def test_wrong_runs_are_found_and_repaired(commit: Commit, database: SQLite, column: str) -> None:
    run_sync(commit, database)
    query_rows(database, f"UPDATE docs SET {column} = 1 WHERE start_line = 1")
    damaged = validate(new_sync_context(commit, database))
    assert not damaged.passed
    assert f"different {column}: 1" in str(damaged)
    repair(new_sync_context(commit, database), damaged)
    run_sync(commit, database)
    assert run_of_total(database)[:2] == [1, 121]
    assert validate(new_sync_context(commit, database)).passed
