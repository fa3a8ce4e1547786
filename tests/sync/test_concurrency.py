"""Of two runs the one that started last wins, but an older event does not turn the index back."""

from dataclasses import replace

import pytest

from fault_injection import Crash, FailingDatabase, FaultInjector
from feeder.errors import Superseded
from feeder.github.event import Event
from feeder.source import Tree
from feeder.source.git_trees import Commit
from feeder.store import Statement
from feeder.store.sqlite import SQLite
from feeder.sync.concurrency import manual_run_token
from feeder.sync.context import SyncContext
from feeder.sync.sync import sync
from index_helpers import fresh_snapshot, index_snapshot, new_sync_context, query_rows
from source.repos import Repo

FEED = "acme/shop/.github/workflows/feed.yml"
HEAD = "SELECT value FROM meta WHERE key = 'acme/shop:head'"


@pytest.fixture
def trees(repo: Repo) -> list[Tree]:
    """Three commits, the later ones with other files."""
    made: list[Tree] = []
    for number in range(3):
        repo.commit({f"part{number}.py": f"N = {number}\n", "a.py": f"A = {number}\n"})
        made.append(Commit(repo.path))
    return made


def answering(tree: Tree, database: SQLite, number: int, workflow: str = FEED) -> SyncContext:
    """A run of a workflow; its id grows with the number."""
    token = f"actions-{1000 + number}-1"
    event = Event("push", "refs/heads/main", tree.commit, "acme/shop", workflow, number, token)
    return replace(new_sync_context(tree, database), event=event, token=token)


def test_an_older_event_that_is_run_again_is_refused(trees: list[Tree], database: SQLite) -> None:
    """The same workflow, a smaller number, another commit: nothing is written."""
    sync(answering(trees[1], database, 8))
    before = index_snapshot(database)
    with pytest.raises(Superseded, match=r"This is run 7 of .*feed.yml. A later run .*--force"):
        sync(answering(trees[0], database, 7))
    assert index_snapshot(database) == before
    assert query_rows(database, HEAD) == [trees[1].commit]


def test_force_goes_back(trees: list[Tree], database: SQLite) -> None:
    sync(answering(trees[1], database, 8))
    sync(replace(answering(trees[0], database, 7), force=True))
    assert query_rows(database, HEAD) == [trees[0].commit]


def test_a_force_push_back_to_an_older_commit_wins(trees: list[Tree], database: SQLite) -> None:
    """It is a new event, whatever its commit is."""
    sync(answering(trees[1], database, 8))
    sync(answering(trees[0], database, 9))
    assert query_rows(database, HEAD) == [trees[0].commit]
    assert "part1.py" not in query_rows(database, "SELECT path FROM files")


def test_a_push_back_that_finds_nothing_to_do_is_remembered(
    trees: list[Tree], database: SQLite
) -> None:
    """The event between them has not run yet: when it does, it does not turn the index back."""
    sync(answering(trees[0], database, 7))
    sync(answering(trees[0], database, 9))
    with pytest.raises(Superseded):
        sync(answering(trees[1], database, 8))
    assert query_rows(database, HEAD) == [trees[0].commit]


def test_a_push_back_that_finds_nothing_to_do_stops_a_run_that_has_only_read(
    trees: list[Tree], database: SQLite
) -> None:
    sync(answering(trees[0], database, 7))
    older, newer = answering(trees[1], database, 8), answering(trees[0], database, 9)
    fuse = FaultInjector(at=1, before=False, fail=lambda: sync(newer))
    older.index.database = FailingDatabase(database, fuse)
    with pytest.raises(Superseded):
        sync(older)
    assert index_snapshot(database) | {"meta": []} == fresh_snapshot(trees[0]) | {"meta": []}


def test_an_event_that_finds_nothing_to_do_costs_one_request_the_second_time(
    trees: list[Tree], database: SQLite
) -> None:
    sync(answering(trees[0], database, 7))
    calls = []
    for _ in range(2):
        again = answering(trees[0], database, 8)
        fuse = FaultInjector(at=99)
        again.index.database = FailingDatabase(database, fuse)
        sync(again)
        calls.append(fuse.calls)
    assert calls == [2, 1]


def test_an_older_event_of_the_same_commit_may_run_again(
    trees: list[Tree], database: SQLite
) -> None:
    """The newer run has died: what the older one writes is what it would have written."""
    dying = answering(trees[0], database, 8)
    dying.index.database = FailingDatabase(database, FaultInjector(at=2, before=False))
    with pytest.raises(Crash):
        sync(dying)
    sync(answering(trees[0], database, 7))
    assert query_rows(database, HEAD) == [trees[0].commit]


def test_an_older_event_does_not_finish_for_a_newer_one_that_died(
    trees: list[Tree], database: SQLite
) -> None:
    """What the newer run has begun is its commit's; the next event finishes it."""
    dying = answering(trees[1], database, 8)
    dying.index.database = FailingDatabase(database, FaultInjector(at=2, before=False))
    with pytest.raises(Crash):
        sync(dying)
    with pytest.raises(Superseded):
        sync(answering(trees[0], database, 7))
    sync(answering(trees[2], database, 9))
    assert query_rows(database, HEAD) == [trees[2].commit]


def test_runs_of_other_workflows_are_older_or_newer_too(
    trees: list[Tree], database: SQLite
) -> None:
    """The ids of runs grow over all workflows of a repository."""
    other = "acme/shop/.github/workflows/other.yml"
    sync(answering(trees[1], database, 8))
    with pytest.raises(Superseded):
        sync(answering(trees[0], database, 7, other))
    sync(answering(trees[2], database, 9, other))
    assert query_rows(database, HEAD) == [trees[2].commit]


def test_a_run_that_is_no_events_is_not_asked(trees: list[Tree], database: SQLite) -> None:
    """A person's run is as new as it can be."""
    sync(answering(trees[1], database, 8))
    sync(new_sync_context(trees[2], database))
    assert query_rows(database, HEAD) == [trees[2].commit]


def test_a_newer_event_goes_on_where_an_older_one_began_between_its_steps(
    trees: list[Tree], database: SQLite
) -> None:
    """Started later or not, the older of two events does not win."""
    older = answering(trees[0], database, 7)
    newer = answering(trees[1], database, 8)
    fuse = FaultInjector(at=1, before=False, fail=lambda: sync(older))
    newer.index.database = FailingDatabase(database, fuse)
    sync(newer)
    assert query_rows(database, HEAD) == [trees[1].commit]
    assert index_snapshot(database) | {"meta": []} == fresh_snapshot(trees[1]) | {"meta": []}


@pytest.mark.parametrize("later_wins", [True, False])
def test_by_hand_the_run_that_started_last_wins_whoever_writes_first(
    trees: list[Tree], database: SQLite, later_wins: bool
) -> None:
    """The other writes between its reading and its first write."""
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


def test_an_older_event_gives_way_to_a_newer_one_that_began_meanwhile(
    trees: list[Tree], database: SQLite
) -> None:
    older = answering(trees[0], database, 7)
    newer = answering(trees[1], database, 8)
    fuse = FaultInjector(at=1, before=False, fail=lambda: sync(newer))
    older.index.database = FailingDatabase(database, fuse)
    with pytest.raises(Superseded):
        sync(older)
    assert query_rows(database, HEAD) == [trees[1].commit]


def test_what_no_run_has_noted_is_no_event(trees: list[Tree], database: SQLite) -> None:
    """Who writes into `meta` by hand stops no run."""
    sync(answering(trees[0], database, 7))
    database.run([Statement("UPDATE meta SET value = 'soon' WHERE key = 'acme/shop:event'")])
    sync(answering(trees[1], database, 8))
    assert query_rows(database, HEAD) == [trees[1].commit]
