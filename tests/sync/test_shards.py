"""Shards share the files of a first sync; the last one to end completes the index."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from threading import Barrier, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fault_injection import Crash, FailingDatabase, FaultInjector
from feeder.errors import StoppedEarly, Superseded, UserError
from feeder.github.event import Event
from feeder.shards import Shard, all_shards, parse_shard, shard_matrix
from feeder.source import Tree
from feeder.source.git_trees import Commit
from feeder.store import Row, Statement
from feeder.store.sqlite import SQLite
from feeder.sync.context import SyncContext
from feeder.sync.sync import sync
from hash_embedder import HashedEmbedder
from index_helpers import (
    CART,
    SHOP,
    fresh_snapshot,
    index_snapshot,
    new_sync_context,
    open_database,
    query_rows,
    run_sync,
)
from source.repos import Repo

TREE = "SELECT value FROM meta WHERE key = 'acme/shop:tree'"
HEAD = "SELECT value FROM meta WHERE key = 'acme/shop:head'"


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A repository with files for each of three shards."""
    repo.commit({**SHOP, **{f"src/part{number}.py": f"N = {number}\n" for number in range(9)}})
    return repo


def shard_run(
    tree: Tree, database: SQLite, shard: Shard, token: str = "run", *, vectors: bool = True
) -> SyncContext:
    run = new_sync_context(tree, database, HashedEmbedder() if vectors else None)
    return replace(run, shard=shard, token=token)


class _SynchronizedFile(SQLite):
    """A database whose first response waits until those of the others are there."""

    def __init__(self, file: Path, together: Barrier) -> None:
        super().__init__(file)
        self._faults = FaultInjector(at=1, before=False, fail=lambda: _wait(together))

    def run(self, statements: Sequence[Statement]) -> list[list[Row]]:
        return self._faults.call(lambda: super(_SynchronizedFile, self).run(statements))


def _wait(together: Barrier) -> None:
    together.wait()


@given(path=st.text(st.characters(codec="utf-8"), min_size=1), count=st.integers(1, 256))
def test_each_path_belongs_to_exactly_one_shard(path: str, count: int) -> None:
    """For any number of shards."""
    assert sum(shard.contains(path) for shard in all_shards(count)) == 1


def test_shard_is_chosen_by_the_hash_of_the_path() -> None:
    """`sha1sum` of `src/cart.py` begins with 87308fc7: 7 modulo 16, the eighth shard."""
    assert Shard(8, 16).contains("src/cart.py")


@pytest.mark.parametrize("text", ["", "3", "0/4", "5/4", "1/257", "a/b", "1/4/2", "-1/4", "1 / 4"])
def test_invalid_shard_is_refused(text: str) -> None:
    with pytest.raises(UserError, match=r"is not a shard\. .*NUMBER up to TOTAL\."):
        parse_shard(text)


def test_matrix_lists_all_shards() -> None:
    """In the form of `strategy.matrix`, which `--shard` accepts."""
    assert shard_matrix(3) == {"shard": ["1/3", "2/3", "3/3"]}
    assert [parse_shard(text) for text in shard_matrix(3)["shard"]] == all_shards(3)


@pytest.mark.parametrize("order", [*permutations(all_shards(3))])
def test_shards_in_any_order_make_the_index_of_one_run(
    shop: Repo, database: SQLite, order: tuple[Shard, ...]
) -> None:
    """`meta` names the tree only after the last shard has ended."""
    tree = Commit(shop.path)
    for shard in order:
        assert query_rows(database, TREE) == []
        sync(shard_run(tree, database, shard))
    assert query_rows(database, TREE) == [tree.root_tree_id]
    assert query_rows(database, HEAD) == [tree.commit]
    assert index_snapshot(database) == fresh_snapshot(tree, HashedEmbedder())


def test_shard_processes_only_its_own_files(shop: Repo, database: SQLite) -> None:
    tree = Commit(shop.path)
    run = shard_run(tree, database, Shard(2, 3))
    sync(run)
    own = [entry.path for entry in tree.entries() if Shard(2, 3).contains(entry.path)]
    assert query_rows(database, "SELECT path FROM files ORDER BY path") == sorted(own)
    assert run.report.files_processed + len(run.report.skipped) == len(own)


def test_concurrent_shards_make_the_index_of_one_run(shop: Repo, tmp_path: Path) -> None:
    """All have read an empty index before the first one writes."""
    tree, file = Commit(shop.path), tmp_path / "index.db"
    open_database(file).close()
    together = Barrier(3)
    failed: list[BaseException] = []

    def run(shard: Shard) -> None:
        database = _SynchronizedFile(file, together)
        try:
            sync(shard_run(tree, database, shard))
        except BaseException as exc:
            failed.append(exc)
        database.close()

    threads = [Thread(target=run, args=(shard,)) for shard in all_shards(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    database = SQLite(file)
    assert index_snapshot(database) == fresh_snapshot(tree, HashedEmbedder())
    database.close()


def test_crashed_shard_is_completed_by_its_next_attempt(shop: Repo, database: SQLite) -> None:
    """The completed shards need not run again."""
    tree = Commit(shop.path)
    sync(shard_run(tree, database, Shard(1, 3)))
    sync(shard_run(tree, database, Shard(3, 3)))
    dying = shard_run(tree, database, Shard(2, 3))
    dying.index.database = FailingDatabase(database, FaultInjector(at=3))
    with pytest.raises(Crash):
        sync(dying)
    assert query_rows(database, TREE) == []
    sync(shard_run(tree, database, Shard(2, 3), "the second attempt"))
    assert query_rows(database, TREE) == [tree.root_tree_id]
    assert index_snapshot(database) == fresh_snapshot(tree, HashedEmbedder())


def test_completed_shard_has_nothing_to_do(shop: Repo, database: SQLite) -> None:
    """It takes one request, in the same attempt or a later one."""
    tree = Commit(shop.path)
    sync(shard_run(tree, database, Shard(1, 3)))
    again = shard_run(tree, database, Shard(1, 3), "the second attempt")
    fuse = FaultInjector(at=0)
    again.index.database = FailingDatabase(database, fuse)
    sync(again)
    assert fuse.calls == 1
    assert again.report.notes == [
        "The index is up to date with shard 1/3 of the source tree: nothing to do."
    ]
    own = {entry.path for entry in tree.entries() if Shard(1, 3).contains(entry.path)}
    kept_out = own & {"logo.bin", "yarn.lock"}
    assert again.report.skipped.keys() == kept_out
    assert again.report.files_unchanged == len(own - kept_out)


def test_shards_of_another_commit_do_not_count(shop: Repo, database: SQLite) -> None:
    """All shards of the newer commit must end before `meta` names it."""
    first = Commit(shop.path)
    sync(shard_run(first, database, Shard(1, 2)))
    shop.commit({"src/cart.py": CART.replace("Cart", "Basket"), "docs/guide.md": None})
    second = Commit(shop.path)
    sync(shard_run(second, database, Shard(2, 2), "the next"))
    assert query_rows(database, TREE) == []
    sync(shard_run(second, database, Shard(1, 2), "the next"))
    assert query_rows(database, TREE) == [second.root_tree_id]
    assert index_snapshot(database) == fresh_snapshot(second, HashedEmbedder())


def test_whole_run_invalidates_completed_shards(shop: Repo, database: SQLite) -> None:
    """A whole run of another commit between two shards is not reverted by the second one."""
    first = Commit(shop.path)
    sync(shard_run(first, database, Shard(1, 2)))
    shop.commit({name: f"N = {name!r}\n" for name in SHOP if name.endswith(".py")})
    second = Commit(shop.path)
    run_sync(second, database, HashedEmbedder())
    sync(shard_run(first, database, Shard(2, 2), "late"))
    assert query_rows(database, TREE) == []
    run_sync(second, database, HashedEmbedder())
    assert index_snapshot(database) == fresh_snapshot(second, HashedEmbedder())


def test_shard_of_an_older_run_does_not_revert_the_index(shop: Repo, database: SQLite) -> None:
    """It is run again after a newer commit was indexed: nothing is written."""
    first = Commit(shop.path)
    workflow = Event("workflow_dispatch", "", "", "acme/shop", "first-feed.yml", 1, "actions-7-2")
    push = Event("push", "", "", "acme/shop", "feed.yml", 30, "actions-8-1")
    sync(shard_run(first, database, Shard(1, 2)))
    shop.commit({"src/cart.py": CART.replace("Cart", "Basket")})
    second = Commit(shop.path)
    sync(replace(new_sync_context(second, database, HashedEmbedder()), event=push))
    before = index_snapshot(database)
    with pytest.raises(Superseded, match="A later run of a workflow"):
        sync(replace(shard_run(first, database, Shard(2, 2), "again"), event=workflow))
    assert index_snapshot(database) == before


def test_shards_complete_after_another_job_of_the_same_run(shop: Repo, database: SQLite) -> None:
    sync(replace(new_sync_context(Commit(shop.path), database, HashedEmbedder()), token="run"))
    shop.commit({"src/cart.py": CART.replace("Cart", "Basket")})
    tree = Commit(shop.path)
    for shard in all_shards(2):
        sync(shard_run(tree, database, shard))
    assert query_rows(database, TREE) == [tree.root_tree_id]


def test_whole_run_completes_the_work_of_shards(shop: Repo, database: SQLite) -> None:
    tree = Commit(shop.path)
    sync(shard_run(tree, database, Shard(1, 3)))
    run_sync(tree, database, HashedEmbedder())
    assert index_snapshot(database) == fresh_snapshot(tree, HashedEmbedder())


def test_later_run_supersedes_the_shards_of_an_earlier_one(shop: Repo, database: SQLite) -> None:
    tree = Commit(shop.path)
    slow = shard_run(tree, database, Shard(2, 3))
    later = new_sync_context(tree, database, HashedEmbedder())
    fuse = FaultInjector(at=4, fail=lambda: sync(later))
    slow.index.database = FailingDatabase(database, fuse)
    with pytest.raises(Superseded):
        sync(slow)
    assert index_snapshot(database) == fresh_snapshot(tree, HashedEmbedder())


def test_shard_deletes_only_its_own_vectors(shop: Repo, database: SQLite) -> None:
    """It must not delete a vector that another shard has written again."""
    run_sync(Commit(shop.path), database, HashedEmbedder())
    shop.commit({f"src/part{number}.py": None for number in range(9)})
    gone = Commit(shop.path)
    words_only = [shard_run(gone, database, shard, vectors=False) for shard in all_shards(2)]
    for run in words_only:
        sync(run)
    waiting = dict(query_rows(database, "SELECT id, path FROM outbox"))
    assert len(waiting) == 9
    sync(shard_run(gone, database, Shard(1, 2), "again"))
    left = dict(query_rows(database, "SELECT id, path FROM outbox"))
    assert left == {id_: path for id_, path in waiting.items() if Shard(2, 2).contains(path)}
    sync(shard_run(gone, database, Shard(2, 2), "again"))
    assert index_snapshot(database) == fresh_snapshot(gone, HashedEmbedder())


def test_shard_stopped_by_its_budget_does_not_count_as_completed(
    shop: Repo, database: SQLite
) -> None:
    tree = Commit(shop.path)
    sync(shard_run(tree, database, Shard(1, 2)))
    limited = shard_run(tree, database, Shard(2, 2))
    limited.budget.max_embeddings = 1
    with pytest.raises(StoppedEarly):
        sync(limited)
    assert query_rows(database, TREE) == []
    sync(shard_run(tree, database, Shard(2, 2)))
    assert index_snapshot(database) == fresh_snapshot(tree, HashedEmbedder())


def test_shards_with_another_model_are_refused(shop: Repo, database: SQLite) -> None:
    """They would delete each other's vectors; a whole run has to start with the model."""
    tree = Commit(shop.path)
    run_sync(tree, database, HashedEmbedder(32))
    before = index_snapshot(database)
    with pytest.raises(UserError, match="--max-embeddings 1"):
        sync(shard_run(tree, database, Shard(1, 2)))
    assert index_snapshot(database) == before
