"""Two runs may write at once: the index is that of the one that ends last, and no mixture."""

import threading
from functools import partial
from itertools import product
from pathlib import Path

import pytest

from fault_injection import FailingDatabase, FailingEmbedder, FaultInjector
from feeder.errors import Superseded
from feeder.source import Tree
from feeder.store.sqlite import SQLite
from feeder.sync.sync import sync
from feeder.sync.validate import validate
from hash_embedder import HashedEmbedder
from index_helpers import (
    IndexSnapshot,
    fresh_snapshot,
    index_snapshot,
    new_sync_context,
    open_database,
    run_sync,
)
from sync.three_commits import (
    Trees,
    assert_sync_completes,
    copy_beside,
    file,
    fresh_snapshots,
    other_vectors,
    trees,
    vectors,
)

__all__ = ["file", "fresh_snapshots", "trees"]


def _run(tree: Tree, file: Path, fuse: FaultInjector, dimensions: int = 64) -> bool:
    """Whether the run came to its end; False when it was overtaken."""
    database = SQLite(file)
    try:
        sync(
            new_sync_context(
                tree, FailingDatabase(database, fuse), FailingEmbedder(fuse, dimensions)
            )
        )
    except Superseded:
        return False
    finally:
        database.close()
    return True


def test_the_run_that_took_over_last_wins(
    trees: Trees, fresh_snapshots: dict[Tree, IndexSnapshot], file: Path
) -> None:
    """A whole run inside of another one: the outer one stops, unless it had not begun to write."""
    outcomes = []
    for at in range(1, 50):
        index = copy_beside(file, "copy.db")
        run_other_sync = partial(assert_sync_completes, trees.third, index, fresh_snapshots)
        fuse = FaultInjector(at, fail=run_other_sync)
        survived = _run(trees.second, index, fuse)
        if not fuse.has_failed:
            break
        outcomes.append(survived)
        database = SQLite(index)
        winner = trees.second if survived else trees.third
        assert index_snapshot(database) == fresh_snapshots[winner]
        assert validate(new_sync_context(winner, database, HashedEmbedder())).passed
        database.close()
    assert outcomes == sorted(outcomes, reverse=True)
    assert outcomes.count(False) >= 3


def test_a_run_that_replaces_the_model_removes_no_vectors_of_its_successor(
    trees: Trees, fresh_snapshots: dict[Tree, IndexSnapshot]
) -> None:
    """Overtaken before it has removed those of the old model, it does not remove them any more."""
    for at in range(3, 6):
        database = open_database()
        run_sync(trees.first, database, HashedEmbedder(32))
        later = new_sync_context(trees.third, database, HashedEmbedder())
        fuse = FaultInjector(at, fail=partial(sync, later))
        with pytest.raises(Superseded):
            sync(new_sync_context(trees.second, FailingDatabase(database, fuse), HashedEmbedder()))
        assert index_snapshot(database) == fresh_snapshots[trees.third], at
        database.close()


@pytest.mark.parametrize("dimensions", [64, 32])
def test_a_run_that_was_overtaken_leaves_the_vectors_of_the_later_one(
    trees: Trees, fresh_snapshots: dict[Tree, IndexSnapshot], tmp_path: Path, dimensions: int
) -> None:
    """Also where it came with another model than the index: 64 dimensions, or 32."""
    start = tmp_path / "start.db"
    database = open_database(start)
    before = other_vectors if dimensions == 64 else vectors
    before(trees.first, database)
    database.close()
    own = fresh_snapshot(trees.second, HashedEmbedder(dimensions))
    outcomes = []
    for at in range(1, 50):
        index = copy_beside(start, "copy.db")
        run_other_sync = partial(assert_sync_completes, trees.third, index, fresh_snapshots)
        fuse = FaultInjector(at, fail=run_other_sync)
        survived = _run(trees.second, index, fuse, dimensions)
        if not fuse.has_failed:
            break
        database = SQLite(index)
        assert index_snapshot(database) == (own if survived else fresh_snapshots[trees.third])
        database.close()
        outcomes.append(survived)
    assert outcomes.count(False) >= 3


def test_two_runs_that_take_turns_leave_the_index_of_the_one_that_ends_last(
    trees: Trees,
    fresh_snapshots: dict[Tree, IndexSnapshot],
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One run stands still at any call, another at any of its own while the first one goes on."""
    monkeypatch.setattr("feeder.sync.write.BATCH_NODES", 2)
    for at, other_at in product(range(1, 12), range(1, 10)):
        index = copy_beside(file, "copy.db")
        winners = _turns(trees, index, at, other_at)
        database = SQLite(index)
        assert index_snapshot(database) == fresh_snapshots[winners[-1]], (at, other_at)
        database.close()


def test_of_two_runs_of_one_commit_that_take_turns_nothing_is_left_behind(
    trees: Trees, fresh_snapshots: dict[Tree, IndexSnapshot], file: Path
) -> None:
    """One may find its work done by the other, which it has just taken the index from."""
    vector_options = trees._replace(third=trees.second)
    for at, other_at in product(range(2, 9), range(1, 5)):
        index = copy_beside(file, "copy.db")
        _turns(vector_options, index, at, other_at)
        database = SQLite(index)
        assert index_snapshot(database) == fresh_snapshots[trees.second], (at, other_at)
        database.close()


def _turns(trees: Trees, index: Path, at: int, other_at: int) -> list[Tree]:
    """The trees of the runs that were not overtaken, in the order in which they ended."""
    ended: list[Tree] = []
    reached, go = threading.Event(), threading.Event()

    def stand_still() -> None:
        reached.set()
        go.wait()

    def first() -> None:
        if _run(trees.second, index, FaultInjector(at, fail=stand_still)):
            ended.append(trees.second)
        reached.set()

    def go_on() -> None:
        go.set()
        thread.join()

    thread = threading.Thread(target=first)
    thread.start()
    reached.wait()
    if _run(trees.third, index, FaultInjector(other_at, fail=go_on)):
        ended.append(trees.third)
    go_on()
    return ended
