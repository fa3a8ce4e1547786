"""Relations in the index: an older index gets them, and a validation compares them."""

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

CODE = "from shop import price\n\n\ndef total(cart):\n    return price(cart)\n"
RELATIONS = "SELECT symbol, relations FROM docs ORDER BY start_line"
EXPECTED = [(None, " price@shop:0"), ("total", " price(:1 public#:0")]


@pytest.fixture
def commit(repo: Repo) -> Commit:
    repo.commit({"shop.py": CODE})
    return Commit(repo.path)


@pytest.fixture
def database() -> SQLite:
    return open_database()


def test_relations_are_stored_with_their_node(commit: Commit, database: SQLite) -> None:
    run_sync(commit, database)
    assert query_rows(database, RELATIONS) == EXPECTED


def test_older_index_gets_relations_and_keeps_the_rest(commit: Commit, database: SQLite) -> None:
    """Nothing is embedded or posted again: rows and vectors stay."""
    run_sync(commit, database, HashedEmbedder(), parser=InProcessParser("older"))
    query_rows(database, "UPDATE docs SET relations = ''")
    rows = query_rows(database, "SELECT seq, id, sha_head FROM docs")
    report = run_sync(commit, database, HashedEmbedder())
    assert query_rows(database, RELATIONS) == EXPECTED
    assert query_rows(database, "SELECT seq, id, sha_head FROM docs") == rows
    assert (report.nodes_new, report.nodes_deleted) == (0, 0)
    assert index_snapshot(database) == fresh_snapshot(commit, HashedEmbedder())


def test_relations_of_unchanged_text_are_updated(repo: Repo, database: SQLite) -> None:
    """The text of `total` is the same, but its name is imported now."""
    repo.commit({"shop.py": "import price\n\n\ndef total(cart):\n    return [price]\n"})
    run_sync(Commit(repo.path), database)
    repo.commit({"shop.py": "import weigh\n\n\ndef total(cart):\n    return [price]\n"})
    run_sync(Commit(repo.path), database)
    assert query_rows(database, RELATIONS) == [(None, " @weigh:0"), ("total", " public#:0")]
    assert index_snapshot(database) == fresh_snapshot(Commit(repo.path))


def test_wrong_relations_are_found_and_repaired(commit: Commit, database: SQLite) -> None:
    run_sync(commit, database)
    query_rows(database, "UPDATE docs SET relations = ' cost(:1' WHERE symbol = 'total'")
    damaged = validate(new_sync_context(commit, database))
    assert not damaged.passed
    assert "different relations: 1" in str(damaged)
    repair(new_sync_context(commit, database), damaged)
    run_sync(commit, database)
    assert query_rows(database, RELATIONS) == EXPECTED
    assert validate(new_sync_context(commit, database)).passed
