"""A run may crash at any call: the next one makes the index correct."""

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

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def described(trees: Trees) -> dict[Tree, IndexSnapshot]:
    """Snapshots of fresh indexes with a description of each method and class."""
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
    """The index before the run, and the models of the run that crashes."""

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
def test_next_run_completes_a_crashed_run(
    trees: Trees,
    fresh_snapshots: dict[Tree, IndexSnapshot],
    described: dict[Tree, IndexSnapshot],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    situation: Situation,
) -> None:
    """At any call to a store or a model, and for any commit of the next run."""
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
    for dead in _crashed_copies(trees.second, start, with_model=with_model, with_lines=with_lines):
        deaths += 1
        for_next = copy_beside(dead, "next.db")
        assert_sync_completes(trees.second, dead, expected, with_lines=with_lines)
        assert_sync_completes(trees.third, for_next, expected, with_lines=with_lines)
    assert deaths > 6


@pytest.mark.parametrize("with_model", [True, False], ids=["with a model", "words only"])
def test_run_of_the_earlier_commit_reverts_a_crashed_run(
    trees: Trees, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_model: bool
) -> None:
    """From its first write on, `meta` no longer names the earlier commit."""
    monkeypatch.setattr("feeder.sync.write.BATCH_NODES", 4)
    embedder = HashedEmbedder() if with_model else None
    expected = fresh_snapshot(trees.first, embedder)
    start = tmp_path / "start.db"
    database = open_database(start)
    run_sync(trees.first, database, embedder)
    database.close()
    deaths = 0
    for dead in _crashed_copies(trees.second, start, with_model=with_model):
        deaths += 1
        database = SQLite(dead)
        run_sync(trees.first, database, embedder)
        assert index_snapshot(database) == expected, deaths
        database.close()
    assert deaths > 6


def test_commit_in_meta_is_updated_last(
    trees: Trees,
    fresh_snapshots: dict[Tree, IndexSnapshot],
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After a crash the index is wholly of the new commit or names the old one."""
    monkeypatch.setattr("feeder.sync.write.BATCH_NODES", 4)
    named = set()
    for index in _crashed_copies(trees.second, file, with_model=True):
        database = SQLite(index)
        named.add(commit := head(database, REPO))
        if commit != trees.first.commit:
            assert index_snapshot(database) == fresh_snapshots[trees.second]
        database.close()
    assert named == {trees.first.commit, trees.second.commit}


def _crashed_copies(
    tree: Tree, start: Path, *, with_model: bool, with_lines: bool = False
) -> Iterator[Path]:
    """Yields a copy of an index for each call at which a run crashed, before and after the call."""
    for before in (True, False):
        for at in count(1):
            copy = copy_beside(start, "dead.db")
            fuse = FaultInjector(at, before=before)
            if not _has_crashed(tree, copy, fuse, with_model=with_model, with_lines=with_lines):
                break
            yield copy


def _has_crashed(
    tree: Tree, file: Path, fuse: FaultInjector, *, with_model: bool, with_lines: bool = False
) -> bool:
    """True if the injected fault ended the run."""
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


def test_completed_run_repairs_several_crashed_runs(
    trees: Trees, fresh_snapshots: dict[Tree, IndexSnapshot], tmp_path: Path
) -> None:
    """Of any commits."""
    for pattern in product((3, 4, 6), repeat=3):
        file = tmp_path / "index.db"
        database = open_database(file)
        run_sync(trees.third, database, HashedEmbedder())
        database.close()
        for tree, at in zip(trees, pattern, strict=True):
            assert _has_crashed(tree, file, FaultInjector(at, before=False), with_model=True)
        assert_sync_completes(trees.first, file, fresh_snapshots)
        file.unlink()


def test_new_parser_after_a_crashed_first_run_parses_all_files_again(
    trees: Trees, tmp_path: Path
) -> None:
    """Although no blob changed."""
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
