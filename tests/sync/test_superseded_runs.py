"""Of two concurrent runs, the index is that of the one that ends last, never a mixture."""

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

pytestmark = pytest.mark.slow


def _run(tree: Tree, file: Path, fuse: FaultInjector, dimensions: int = 64) -> bool:
    """Returns True if the run completed, False if it was superseded."""
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


def test_last_run_to_take_over_wins(
    trees: Trees, fresh_snapshots: dict[Tree, IndexSnapshot], file: Path
) -> None:
    """A whole run within another one supersedes it, unless that has not begun to write."""
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


def test_superseded_run_with_another_model_deletes_no_vectors_of_its_successor(
    trees: Trees, fresh_snapshots: dict[Tree, IndexSnapshot]
) -> None:
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
def test_superseded_run_keeps_the_vectors_of_the_later_one(
    trees: Trees, fresh_snapshots: dict[Tree, IndexSnapshot], tmp_path: Path, dimensions: int
) -> None:
    """Also if it came with another model, of 64 or 32 dimensions."""
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


def test_interleaved_runs_leave_the_index_of_the_last_one(
    trees: Trees,
    fresh_snapshots: dict[Tree, IndexSnapshot],
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each run pauses at any of its calls while the other one continues."""
    monkeypatch.setattr("feeder.sync.write.BATCH_NODES", 2)
    for at, other_at in product(range(1, 12), range(1, 10)):
        index = copy_beside(file, "copy.db")
        winners = _interleave(trees, index, at, other_at)
        database = SQLite(index)
        assert index_snapshot(database) == fresh_snapshots[winners[-1]], (at, other_at)
        database.close()


def test_interleaved_runs_of_one_commit_leave_no_leftovers(
    trees: Trees, fresh_snapshots: dict[Tree, IndexSnapshot], file: Path
) -> None:
    """One may find its work done by the run that it superseded."""
    both = trees._replace(third=trees.second)
    for at, other_at in product(range(2, 9), range(1, 5)):
        index = copy_beside(file, "copy.db")
        _interleave(both, index, at, other_at)
        database = SQLite(index)
        assert index_snapshot(database) == fresh_snapshots[trees.second], (at, other_at)
        database.close()


def _interleave(trees: Trees, index: Path, at: int, other_at: int) -> list[Tree]:
    """Returns the trees of the runs that completed, in order."""
    ended: list[Tree] = []
    reached, go = threading.Event(), threading.Event()

    def pause() -> None:
        reached.set()
        go.wait()

    def first() -> None:
        if _run(trees.second, index, FaultInjector(at, fail=pause)):
            ended.append(trees.second)
        reached.set()

    def resume() -> None:
        go.set()
        thread.join()

    thread = threading.Thread(target=first)
    thread.start()
    reached.wait()
    if _run(trees.third, index, FaultInjector(other_at, fail=resume)):
        ended.append(trees.third)
    resume()
    return ended
