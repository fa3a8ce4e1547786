"""A run may end at any moment: the next one makes the index right."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import count, product
from pathlib import Path
from typing import NamedTuple

import pytest
from guarantees.contents import head

from fake_describer import FakeDescriber
from fault_injection import Crash, FailingDatabase, FailingEmbedder, FaultInjector
from feeder.source import Tree
from feeder.source.git_trees import Commit
from feeder.store.sqlite import SQLite
from feeder.sync.context import DescriptionOptions
from feeder.sync.sync import sync
from hash_embedder import HashedEmbedder
from index_helpers import (
    REPO,
    IndexSnapshot,
    InProcessParser,
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


@pytest.fixture(scope="module")
def described(trees: Trees) -> dict[Tree, IndexSnapshot]:
    """What a fresh index holds of each, with a line on each method and class."""
    return {
        tree: fresh_snapshot(
            tree, HashedEmbedder(), description_options=DescriptionOptions(FakeDescriber())
        )
        for tree in trees
    }


def _nothing(tree: Commit, database: SQLite) -> None:
    pass


def _words(tree: Commit, database: SQLite) -> None:
    run_sync(tree, database)


def _lines(tree: Commit, database: SQLite) -> None:
    run_sync(
        tree, database, HashedEmbedder(), description_options=DescriptionOptions(FakeDescriber())
    )


def _other_parser(tree: Commit, database: SQLite) -> None:
    run_sync(tree, database, HashedEmbedder(), parser=InProcessParser("old"))


class Situation(NamedTuple):
    """What the index of the first commit is like, and which models the run on the second has."""

    before: Callable[[Commit, SQLite], None]
    with_model: bool = True
    with_lines: bool = False


SITUATIONS = {
    "the first run": Situation(_nothing),
    "a later run": Situation(vectors),
    "the first run with a model": Situation(_words),
    "the first run with another model": Situation(other_vectors),
    "a run with another parser": Situation(_other_parser),
    "a run without the model": Situation(vectors, with_model=False),
    "the first run with descriptions": Situation(vectors, with_lines=True),
    "a later run with descriptions": Situation(_lines, with_lines=True),
}


@pytest.mark.parametrize("situation", SITUATIONS.values(), ids=SITUATIONS)
def test_a_run_that_dies_anywhere_is_finished_by_the_next(
    trees: Trees,
    fresh_snapshots: dict[Tree, IndexSnapshot],
    described: dict[Tree, IndexSnapshot],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    situation: Situation,
) -> None:
    """Whichever call to a store or a model is its last, and whatever commit the next run finds."""
    for constant in (
        "write.BATCH_NODES",
        "vectors.BATCH_VECTORS",
        "description_requests.BATCH_REQUESTS",
    ):
        monkeypatch.setattr(f"feeder.sync.{constant}", 4)
    monkeypatch.setattr(
        "feeder.embedding.batching.MAX_CONCURRENT_REQUESTS", 1
    )  # of several, chance is first
    start = tmp_path / "start.db"
    database = open_database(start)
    situation.before(trees.first, database)
    database.close()
    deaths = 0
    with_model, with_lines = situation.with_model, situation.with_lines
    expected = described if with_lines else fresh_snapshots
    for dead in _deaths(trees.second, start, with_model=with_model, with_lines=with_lines):
        deaths += 1
        for_next = copy_beside(dead, "next.db")
        assert_sync_completes(trees.second, dead, expected, with_lines=with_lines)
        assert_sync_completes(trees.third, for_next, expected, with_lines=with_lines)
    assert deaths > 6


@pytest.mark.parametrize("with_model", [True, False], ids=["with a model", "words only"])
def test_a_run_that_dies_is_undone_by_one_on_the_commit_before(
    trees: Trees, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_model: bool
) -> None:
    """From its first write on, the index no longer says that it equals the commit before."""
    monkeypatch.setattr("feeder.sync.write.BATCH_NODES", 4)
    embedder = HashedEmbedder() if with_model else None
    expected = fresh_snapshot(trees.first, embedder)
    start = tmp_path / "start.db"
    database = open_database(start)
    run_sync(trees.first, database, embedder)
    database.close()
    deaths = 0
    for dead in _deaths(trees.second, start, with_model=with_model):
        deaths += 1
        database = SQLite(dead)
        run_sync(trees.first, database, embedder)
        assert index_snapshot(database) == expected, deaths
        database.close()
    assert deaths > 6


def test_the_commit_that_an_index_names_moves_last(
    trees: Trees,
    fresh_snapshots: dict[Tree, IndexSnapshot],
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Wherever a run dies, its index is all of the commit, or says that it is of the one before."""
    monkeypatch.setattr("feeder.sync.write.BATCH_NODES", 4)
    named = set()
    for index in _deaths(trees.second, file, with_model=True):
        database = SQLite(index)
        named.add(commit := head(database, REPO))
        if commit != trees.first.commit:
            assert index_snapshot(database) == fresh_snapshots[trees.second]
        database.close()
    assert named == {trees.first.commit, trees.second.commit}


def _deaths(
    tree: Tree, start: Path, *, with_model: bool, with_lines: bool = False
) -> Iterator[Path]:
    """A copy of an index for each call at which a run on it dies, before the call and after it."""
    for before in (True, False):
        for at in count(1):
            copy = copy_beside(start, "dead.db")
            fuse = FaultInjector(at, before=before)
            if not _dies(tree, copy, fuse, with_model=with_model, with_lines=with_lines):
                break
            yield copy


def _dies(
    tree: Tree, file: Path, fuse: FaultInjector, *, with_model: bool, with_lines: bool = False
) -> bool:
    """Whether the fuse blew before the run was over."""
    database = SQLite(file)
    embedder = FailingEmbedder(fuse, batch=3) if with_model else None
    try:
        run = new_sync_context(tree, FailingDatabase(database, fuse), embedder)
        run.description_options = (
            DescriptionOptions(FakeDescriber(faults=fuse)) if with_lines else None
        )
        sync(run)
    except Crash:
        return True
    finally:
        database.close()
    return False


def test_runs_that_die_one_after_the_other_lose_nothing(
    trees: Trees, fresh_snapshots: dict[Tree, IndexSnapshot], tmp_path: Path
) -> None:
    """However many runs of however many commits have died, one that ends makes the index right."""
    for pattern in product((3, 4, 6), repeat=3):
        file = tmp_path / "index.db"
        database = open_database(file)
        run_sync(trees.third, database, HashedEmbedder())
        database.close()
        for tree, at in zip(trees, pattern, strict=True):
            assert _dies(tree, file, FaultInjector(at, before=False), with_model=True)
        assert_sync_completes(trees.first, file, fresh_snapshots)
        file.unlink()


def test_a_new_parser_after_a_first_run_that_died(trees: Trees, tmp_path: Path) -> None:
    """What the dead run has parsed in the old way is parsed again, although no blob changed."""
    database = open_database(tmp_path / "index.db")
    fuse = FaultInjector(5, before=False)
    with suppress(Crash):
        sync(
            new_sync_context(
                trees.first,
                FailingDatabase(database, fuse),
                HashedEmbedder(),
                parser=InProcessParser("1"),
            )
        )
    parser = InProcessParser("2")
    report = run_sync(trees.first, database, HashedEmbedder(), parser=parser)
    assert "src/cart.py" in parser.parsed
    assert report.files_unchanged == 0
    database.close()
