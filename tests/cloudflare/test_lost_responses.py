"""A write whose response is lost is sent again without an effect, in both databases."""

from collections.abc import Iterator, Sequence

import pytest
from clouds import DOCS

from feeder.source.git_trees import Commit
from feeder.store import REMOTE, Database, Row, Statement
from feeder.store.migrations import migrate
from feeder.store.sqlite import SQLite
from feeder.sync.sync import sync
from hash_embedder import HashedEmbedder
from index_helpers import CART, MEMORY, SHOP, new_sync_context
from source.repos import Repo

STATES = "SELECT path, state FROM files WHERE state NOT IN ('clean', 'skipped')"
LEFT = "SELECT key FROM meta WHERE key GLOB '*:write:*'"


class LossyDatabase:
    """A database that loses the response to one call and sends that call again."""

    def __init__(self, database: Database, number: int) -> None:
        self.place, self.access = database.place, REMOTE
        self.calls = 0
        self._database = database
        self._number = number

    def run(self, statements: Sequence[Statement]) -> list[list[Row]]:
        self.calls += 1
        if self.calls == self._number:
            self._database.run(statements)
        # the second answer of a write tells of no new node: they are there
        return self._database.run(statements)

    def script(self, sql: str, statements: Sequence[Statement]) -> None:
        self._database.script(sql, statements)

    def close(self) -> None:
        self._database.close()


@pytest.fixture(params=["SQLite", "D1"])
def database(request: pytest.FixtureRequest) -> Iterator[Database]:
    """An empty index in each of the two databases."""
    if request.param == "D1":
        database: Database = request.getfixturevalue("cloud").d1
    else:
        database = SQLite(MEMORY)
    migrate(database)
    yield database
    database.close()


def run_all_changes(database: Database, sql: str) -> list[Row]:
    [rows] = database.run([Statement(sql)])
    return rows


@pytest.mark.parametrize("number", (1, 2, 3))
def test_lost_response_does_not_change_the_result(
    database: Database, repo: Repo, number: int
) -> None:
    """Vectors are written and deleted correctly, and the report is right."""
    repo.commit(SHOP)
    sync(new_sync_context(Commit(repo.path), database, HashedEmbedder()))
    repo.commit({"src/cart.py": CART.replace("addLine", "putLine"), "config.json": None})
    run = new_sync_context(Commit(repo.path), database, HashedEmbedder())
    run.index.database = forgetful = LossyDatabase(database, number)

    sync(run)

    ids = [row[0] for row in run_all_changes(database, DOCS)]
    assert [
        row[0] for row in run_all_changes(database, "SELECT id FROM vectors ORDER BY id")
    ] == ids
    assert run_all_changes(database, STATES) == run_all_changes(database, LEFT) == []
    assert run_all_changes(database, "SELECT id FROM outbox") == []
    assert (run.report.nodes_new, run.report.texts_embedded) == (1, 1)
    # the state, one batch of words, the end; and reading back what the lost answer said
    assert forgetful.calls == (4 if number == 2 else 3)
