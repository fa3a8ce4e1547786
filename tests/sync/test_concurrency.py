"""Of two runs, the one that started last wins, but an older event never reverts the index."""

import json
from contextlib import closing
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from fake_describer import FakeDescriber
from fault_injection import Crash, FailingDatabase, FailingSQLite, FaultInjector
from feeder.errors import Superseded
from feeder.github.event import Event
from feeder.source import Tree
from feeder.source.git_trees import Commit
from feeder.store import Statement
from feeder.store.sqlite import SQLite
from feeder.sync.concurrency import manual_run_token
from feeder.sync.context import DescriptionOptions, SyncContext
from feeder.sync.sync import sync
from index_helpers import (
    fresh_snapshot,
    index_snapshot,
    new_sync_context,
    open_database,
    query_rows,
    run_sync,
)
from source.repos import Repo

FEED = "acme/shop/.github/workflows/feed.yml"
HEAD = "SELECT value FROM meta WHERE key = 'acme/shop:head'"


@pytest.fixture
def trees(repo: Repo) -> list[Tree]:
    """Three commits, of which the later ones have other files."""
    made: list[Tree] = []
    for number in range(3):
        repo.commit({f"part{number}.py": f"N = {number}\n", "a.py": f"A = {number}\n"})
        made.append(Commit(repo.path))
    return made


def workflow_run(tree: Tree, database: SQLite, number: int, workflow: str = FEED) -> SyncContext:
    """Returns a run of a workflow whose id grows with the number."""
    token = f"actions-{1000 + number}-1"
    event = Event("push", "refs/heads/main", tree.commit, "acme/shop", workflow, number, token)
    return replace(new_sync_context(tree, database), event=event, token=token)


def test_rerun_of_an_older_event_is_refused(trees: list[Tree], database: SQLite) -> None:
    """The same workflow, a smaller run id and another commit: nothing is written."""
    sync(workflow_run(trees[1], database, 8))
    before = index_snapshot(database)
    with pytest.raises(Superseded, match=r"This is run 7 of .*feed.yml. A later run .*--force"):
        sync(workflow_run(trees[0], database, 7))
    assert index_snapshot(database) == before
    assert query_rows(database, HEAD) == [trees[1].commit]


def test_force_allows_an_older_event(trees: list[Tree], database: SQLite) -> None:
    sync(workflow_run(trees[1], database, 8))
    sync(replace(workflow_run(trees[0], database, 7), force=True))
    assert query_rows(database, HEAD) == [trees[0].commit]


def test_force_push_to_an_older_commit_wins(trees: list[Tree], database: SQLite) -> None:
    """It is a newer event, whatever its commit is."""
    sync(workflow_run(trees[1], database, 8))
    sync(workflow_run(trees[0], database, 9))
    assert query_rows(database, HEAD) == [trees[0].commit]
    assert "part1.py" not in query_rows(database, "SELECT path FROM files")


def test_event_without_changes_is_recorded(trees: list[Tree], database: SQLite) -> None:
    """An event between the two that runs later does not revert the index."""
    sync(workflow_run(trees[0], database, 7))
    sync(workflow_run(trees[0], database, 9))
    with pytest.raises(Superseded):
        sync(workflow_run(trees[1], database, 8))
    assert query_rows(database, HEAD) == [trees[0].commit]


def test_event_without_changes_supersedes_a_run_that_has_not_written(
    trees: list[Tree], database: SQLite
) -> None:
    sync(workflow_run(trees[0], database, 7))
    older, newer = workflow_run(trees[1], database, 8), workflow_run(trees[0], database, 9)
    fuse = FaultInjector(at=1, before=False, fail=lambda: sync(newer))
    older.index.database = FailingDatabase(database, fuse)
    with pytest.raises(Superseded):
        sync(older)
    assert index_snapshot(database) | {"meta": []} == fresh_snapshot(trees[0]) | {"meta": []}


def test_repeated_event_without_changes_takes_one_request(
    trees: list[Tree], database: SQLite
) -> None:
    sync(workflow_run(trees[0], database, 7))
    calls = []
    for _ in range(2):
        again = workflow_run(trees[0], database, 8)
        fuse = FaultInjector(at=99)
        again.index.database = FailingDatabase(database, fuse)
        sync(again)
        calls.append(fuse.calls)
    assert calls == [2, 1]


def test_older_event_of_the_same_commit_may_run_again(trees: list[Tree], database: SQLite) -> None:
    """The newer run has crashed; the older one writes the same."""
    dying = workflow_run(trees[0], database, 8)
    dying.index.database = FailingDatabase(database, FaultInjector(at=2, before=False))
    with pytest.raises(Crash):
        sync(dying)
    sync(workflow_run(trees[0], database, 7))
    assert query_rows(database, HEAD) == [trees[0].commit]


def test_older_event_does_not_complete_a_crashed_newer_one(
    trees: list[Tree], database: SQLite
) -> None:
    """The index is of the newer commit in part; the next event completes it."""
    dying = workflow_run(trees[1], database, 8)
    dying.index.database = FailingDatabase(database, FaultInjector(at=2, before=False))
    with pytest.raises(Crash):
        sync(dying)
    with pytest.raises(Superseded):
        sync(workflow_run(trees[0], database, 7))
    sync(workflow_run(trees[2], database, 9))
    assert query_rows(database, HEAD) == [trees[2].commit]


def test_events_of_other_workflows_are_compared_too(trees: list[Tree], database: SQLite) -> None:
    """Run ids grow over all workflows of a repository."""
    other = "acme/shop/.github/workflows/other.yml"
    sync(workflow_run(trees[1], database, 8))
    with pytest.raises(Superseded):
        sync(workflow_run(trees[0], database, 7, other))
    sync(workflow_run(trees[2], database, 9, other))
    assert query_rows(database, HEAD) == [trees[2].commit]


def test_run_outside_a_workflow_is_always_allowed(trees: list[Tree], database: SQLite) -> None:
    """It counts as newer than any event."""
    sync(workflow_run(trees[1], database, 8))
    sync(new_sync_context(trees[2], database))
    assert query_rows(database, HEAD) == [trees[2].commit]


def test_newer_event_continues_after_an_older_one_started_in_between(
    trees: list[Tree], database: SQLite
) -> None:
    """The older event does not win, although it started later."""
    older = workflow_run(trees[0], database, 7)
    newer = workflow_run(trees[1], database, 8)
    fuse = FaultInjector(at=1, before=False, fail=lambda: sync(older))
    newer.index.database = FailingDatabase(database, fuse)
    sync(newer)
    assert query_rows(database, HEAD) == [trees[1].commit]
    assert index_snapshot(database) | {"meta": []} == fresh_snapshot(trees[1]) | {"meta": []}


@pytest.mark.parametrize("later_wins", [True, False])
def test_manual_run_that_started_last_wins(
    trees: list[Tree], database: SQLite, later_wins: bool
) -> None:
    """The other run writes between its first read and its first write."""
    older, newer = manual_run_token(), manual_run_token()
    mine, others = (newer, older) if later_wins else (older, newer)
    other = replace(new_sync_context(trees[0], database), token=others)
    fuse = FaultInjector(at=1, before=False, fail=lambda: sync(other))
    run = replace(new_sync_context(trees[1], FailingDatabase(database, fuse)), token=mine)
    if later_wins:
        sync(run)
    else:
        with pytest.raises(Superseded):
            sync(run)
    assert index_snapshot(database) == fresh_snapshot(trees[1] if later_wins else trees[0])


def test_older_event_is_superseded_by_a_newer_one_that_started_meanwhile(
    trees: list[Tree], database: SQLite
) -> None:
    older = workflow_run(trees[0], database, 7)
    newer = workflow_run(trees[1], database, 8)
    fuse = FaultInjector(at=1, before=False, fail=lambda: sync(newer))
    older.index.database = FailingDatabase(database, fuse)
    with pytest.raises(Superseded):
        sync(older)
    assert query_rows(database, HEAD) == [trees[1].commit]


def test_invalid_event_in_meta_is_ignored(trees: list[Tree], database: SQLite) -> None:
    """A manual change of `meta` stops no run."""
    sync(workflow_run(trees[0], database, 7))
    database.run([Statement("UPDATE meta SET value = 'soon' WHERE key = 'acme/shop:event'")])
    sync(workflow_run(trees[1], database, 8))
    assert query_rows(database, HEAD) == [trees[1].commit]


@pytest.mark.parametrize("is_other_earlier", [False, True])
def test_run_that_compares_trees_loses_to_one_that_began_after_its_first_read(
    trees: list[Tree], tmp_path: Path, *, is_other_earlier: bool
) -> None:
    """At each transaction of a run on a local index a whole one by hand comes in between.

    It loses also where it has to read the index again, unless the other one started earlier.
    """
    outcomes = []
    for at in range(1, 50):
        file = tmp_path / f"{at}.db"
        with closing(open_database(file)) as database:
            run_sync(trees[0], database)
        tokens = sorted([manual_run_token(), manual_run_token()], reverse=is_other_earlier)
        other = partial(_sync_by_hand, trees[2], file, tokens[1])
        faults = FaultInjector(at, fail=other)
        with closing(FailingSQLite(file, faults)) as database:
            is_superseded = False
            try:
                sync(replace(new_sync_context(trees[1], database), token=tokens[0]))
            except Superseded:
                is_superseded = True
            if not faults.has_failed:
                break
            outcomes.append(is_superseded)
            winner = trees[2] if is_superseded else trees[1]
            assert index_snapshot(database) == fresh_snapshot(winner), at
    # 1 is before the first read, 2 before the paths are read, 3 before the first write
    assert outcomes[:3] == [False, not is_other_earlier, not is_other_earlier]
    assert outcomes[3:]
    assert all(outcomes[3:])


def test_counts_of_a_run_that_finds_its_work_done_are_those_of_the_index(
    repo: Repo, tmp_path: Path
) -> None:
    """A run of the same commit comes before its first write, and dies when it asks for a
    description: its nodes are complete, and it may still write.
    """
    file = tmp_path / "index.db"
    repo.commit({"a.py": "def one():\n    return 1\n"})
    with closing(open_database(file)) as database:
        run_sync(Commit(repo.path), database)
    repo.commit({"b.py": "def two():\n    return 2\n"})
    tree = Commit(repo.path)
    tokens = manual_run_token(), manual_run_token()

    def die_after_the_nodes() -> None:
        with closing(SQLite(file)) as database, pytest.raises(Crash):
            describer = FakeDescriber(faults=FaultInjector(1))
            run = new_sync_context(
                tree, database, description_options=DescriptionOptions(describer)
            )
            sync(replace(run, token=tokens[0]))

    faults = FaultInjector(3, fail=die_after_the_nodes)
    with closing(FailingSQLite(file, faults)) as database:
        sync(replace(new_sync_context(tree, database), token=tokens[1]))
        assert faults.has_failed
        [counts] = query_rows(database, "SELECT value FROM meta WHERE key = 'acme/shop:counts'")
    assert json.loads(counts)["node_types"] == [["method", 2]]


def _sync_by_hand(tree: Tree, file: Path, token: str) -> None:
    with closing(SQLite(file)) as database:
        sync(replace(new_sync_context(tree, database), token=token))
