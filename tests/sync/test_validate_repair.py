"""A repair works in small transactions, whatever is lost and whatever D1 accepts."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count, product

import pytest
from clouds import Cloud
from standin import StandIn

from fault_injection import Crash, FailingDatabase, FaultInjector
from feeder.errors import Superseded
from feeder.github.event import Event
from feeder.source.git_trees import Commit
from feeder.store import Statement
from feeder.store.index import Index
from feeder.store.sqlite import SQLite
from feeder.sync.context import SyncContext
from feeder.sync.report import ValidationResult
from feeder.sync.sync import sync
from feeder.sync.validate import repair, validate
from hash_embedder import HashedEmbedder
from index_helpers import (
    GUIDE,
    REPO,
    SHOP,
    IndexSnapshot,
    copy_in_memory,
    index_snapshot,
    new_sync_context,
    open_database,
    query_rows,
    run_sync,
)
from source.known_commit import KnownCommit
from source.repos import Repo

pytestmark = pytest.mark.slow

LOST = ("docs", "docs_fts", "files")
SMALL_BYTES = 20_000
"""Of a request: more than any file here takes, and less than all their names."""


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A repository of a few hundred files."""
    many = {f"docs/a folder with a name/{number:03}.md": GUIDE for number in range(300)}
    repo.commit({**SHOP, **many})
    return repo


@pytest.fixture
def cloud(standin: StandIn) -> Iterator[Cloud]:
    cloud = Cloud(standin)
    yield cloud
    cloud.close()


@pytest.mark.parametrize("kind", ["d1_timeout", "d1_memory"])
@pytest.mark.parametrize("table", LOST)
def test_repair_restores_a_whole_table_in_batches_that_d1_accepts(
    cloud: Cloud, shop: Repo, table: str, kind: str
) -> None:
    """Each batch is halved until D1 accepts it; the index equals the one before."""
    tree = Commit(shop.path)
    cloud.migrated().synced(tree)
    before = cloud.docs(), cloud.vector_ids(), cloud.states()
    cloud.rows(f"DELETE FROM {table}")
    cloud.standin.fault(kind, route="d1.raw", bytes_above=SMALL_BYTES)

    repair(cloud.feed(tree), validate(cloud.feed(tree), wait=True))

    assert cloud.standin.faults()[0]["fired"] > 1
    assert validate(cloud.feed(tree), wait=True).passed
    assert (cloud.docs(), cloud.vector_ids(), cloud.states()) == before


def test_vector_of_an_existing_node_is_removed_from_the_outbox(cloud: Cloud, repo: Repo) -> None:
    """So that no run deletes it."""
    repo.commit(SHOP)
    tree = Commit(repo.path)
    cloud.migrated().synced(tree)
    before = cloud.vector_ids()
    cloud.rows("INSERT INTO outbox SELECT id, repo, path FROM docs WHERE symbol = 'Cart.total'")
    verdict = validate(cloud.feed(tree), wait=True)
    assert not verdict.passed
    repair(cloud.feed(tree), verdict)
    assert validate(cloud.feed(tree), wait=True).passed
    assert cloud.vector_ids() == before


DAMAGES = (
    *(f"DELETE FROM {table}" for table in (*LOST, "vectors")),
    "DROP TABLE vectors",
    "UPDATE docs SET path = 'yarn.lock' WHERE symbol = 'Cart.total'",
    "UPDATE docs SET repo = 'acme/other' WHERE symbol = 'Cart.total'",
    "UPDATE docs SET branch = 'other'",
    "INSERT INTO docs_fts (rowid, id, body) VALUES (999, 'stray', 'word')",
    "INSERT INTO vectors SELECT 'stray', scale, code FROM vectors LIMIT 1",
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_second_repair_completes_a_crashed_one(
    repo: Repo, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    """At any transaction, before or after it, with or without a sync in between."""
    monkeypatch.setattr("feeder.store.integrity.REMOVAL_BATCH", 1)
    repo.commit(SHOP)
    tree = KnownCommit(repo.path)
    damaged = open_database()
    run_sync(tree, damaged, HashedEmbedder())
    whole = index_snapshot(damaged)
    damaged.run([Statement(damage)])
    verdict = validate(new_sync_context(tree, damaged, HashedEmbedder()))
    assert not verdict.passed
    for at in count(1):
        fuses = [
            _crash_repair(tree, damaged, verdict, whole, FaultInjector(at, before=one), two)
            for one, two in product((True, False), repeat=2)
        ]
        if not any(fuse.has_failed for fuse in fuses):
            assert at > 4
            break


def _crash_repair(
    tree: Commit,
    damaged: SQLite,
    verdict: ValidationResult,
    whole: IndexSnapshot,
    fuse: FaultInjector,
    synced_then: bool,
) -> FaultInjector:
    """Crashes a repair of a copy of the index, and completes it."""
    database = copy_in_memory(damaged)
    run = new_sync_context(tree, FailingDatabase(database, fuse), HashedEmbedder())
    try:
        repair(run, verdict)
    except Crash:
        if synced_then:
            sync(new_sync_context(tree, database, HashedEmbedder()))
        repair(
            new_sync_context(tree, database, HashedEmbedder()),
            validate(new_sync_context(tree, database, HashedEmbedder())),
        )
    assert index_snapshot(database) == whole
    database.close()
    return fuse


def test_nodes_written_during_validation_keep_postings_and_vectors(
    repo: Repo, database: SQLite
) -> None:
    """Postings without a node at that time are kept if another run has written the node since."""
    repo.commit(SHOP)
    tree = Commit(repo.path)
    run_sync(tree, database, HashedEmbedder())
    whole = index_snapshot(database)
    tables = ("docs", "files")
    for table in tables:
        database.run([Statement(f"CREATE TEMP TABLE kept_{table} AS SELECT * FROM {table}")])
        database.run([Statement(f"DELETE FROM {table} WHERE path = 'src/cart.py'")])
    verdict = validate(new_sync_context(tree, database, HashedEmbedder()))
    assert (len(verdict.damage.orphan_postings), len(verdict.damage.orphan_vectors)) == (5, 5)
    for table in tables:
        database.run([Statement(f"INSERT OR IGNORE INTO {table} SELECT * FROM kept_{table}")])

    repair(new_sync_context(tree, database, HashedEmbedder()), verdict)

    assert index_snapshot(database) == whole


def test_first_transaction_marks_the_index_as_not_head(repo: Repo, database: SQLite) -> None:
    """So the next run checks the files if the repair crashes."""
    repo.commit(SHOP)
    tree = Commit(repo.path)
    run_sync(tree, database)
    database.run([Statement("DELETE FROM files")])
    verdict = validate(new_sync_context(tree, database))
    fuse = FaultInjector(3)  # the state is read, the claim is dropped
    run: SyncContext = new_sync_context(tree, database)
    run = replace(run, index=Index(FailingDatabase(database, fuse), run.index.repo, "main"))
    with pytest.raises(Crash):
        repair(run, verdict)
    assert query_rows(database, "SELECT key FROM meta WHERE key = 'acme/shop:tree'") == []


def test_repair_by_an_older_event_is_refused(repo: Repo, database: SQLite) -> None:
    """Like its sync, before anything is written."""
    repo.commit(SHOP)
    older = Commit(repo.path)
    repo.commit({"new.py": "x = 1\n"})
    newer = Commit(repo.path)

    def workflow_run(tree: Commit, number: int) -> SyncContext:
        event = Event("push", "refs/heads/main", tree.commit, REPO, "feed", number, f"r-{number}-1")
        return replace(new_sync_context(tree, database), event=event, token=event.run_id)

    sync(workflow_run(newer, 8))
    database.run([Statement("UPDATE docs SET end_line = 99 WHERE symbol = 'Cart.total'")])
    before = index_snapshot(database)
    verdict = validate(workflow_run(older, 7))
    with pytest.raises(Superseded, match="Nothing was changed"):
        repair(workflow_run(older, 7), verdict)
    assert index_snapshot(database) == before
