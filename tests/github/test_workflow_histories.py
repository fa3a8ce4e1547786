"""The index is correct after typical histories of a repository with the shipped workflows."""

import time

import pytest
from program import Console
from standin import StandIn

from github import events
from github.runner import FEED, Hub, Outcome
from github.workflows import shipped

VALIDATE = ".github/workflows/validate.yml"
FIRST_FEED = ".github/workflows/first-feed.yml"
FILES = 60
POLL_S = 0.05


def function(number: int) -> str:
    return f"def f{number}(x):\n    return x + {number}\n"


@pytest.fixture
def first(hub: Hub) -> str:
    """A commit of many files with the shipped workflows."""
    files = {f"src/m{number}.py": function(number) for number in range(FILES)}
    workflows = {name: shipped(name) for name in (FEED, VALIDATE, FIRST_FEED)}
    return hub.repo.commit({**files, **workflows})


def run_validation(hub: Hub, **inputs: str) -> Outcome:
    """Runs validate.yml manually on the branch's tip and returns its outcome."""
    tip = hub.repo.git("rev-parse", "main")
    return hub.run(events.workflow_dispatch(tip, **inputs), VALIDATE)


def head(console: Console) -> str:
    """Returns the commit in the index."""
    [[commit]] = console.sql("SELECT value FROM meta WHERE key = 'acme/shop:head'")
    return str(commit)


def functions(console: Console) -> set[str]:
    return {str(name) for [name] in console.sql("SELECT symbol FROM docs WHERE node_type='method'")}


def test_pushes_with_edit_rename_and_delete(hub: Hub, console: Console, first: str) -> None:
    """After a first sync; a rerun of an older event does no harm."""
    outcome = hub.run(events.push(events.ZERO, first))
    assert outcome.passed, outcome.log
    assert functions(console) == {f"f{number}" for number in range(FILES)}

    changes = {"src/m0.py": "def g0(x): ...\n", "src/m1.py": None, "src/m2.py": None}
    second = hub.repo.commit({**changes, "lib/m2.py": function(2)})
    outcome = hub.run(events.push(first, second))
    assert outcome.passed, outcome.log
    assert functions(console) == {f"f{number}" for number in range(2, FILES)} | {"g0"}
    assert console.sql("SELECT path FROM docs WHERE symbol = 'f2'") == [["lib/m2.py"]]

    outcome = hub.run(events.push(events.ZERO, first), number=1, attempt=2)
    assert outcome.passed, outcome.log
    assert outcome.outputs()["upserted"] == "0"
    assert head(console) == second
    assert run_validation(hub).passed


def test_next_run_completes_a_cancelled_one(
    hub: Hub, console: Console, standin: StandIn, first: str
) -> None:
    """It was killed while embedding."""
    standin.fault("throttled", route="ai.run", retry_after=600)
    running = hub.start(events.push(events.ZERO, first))
    while running.is_running and "ai.run" not in standin.routes():
        time.sleep(POLL_S)
    assert running.is_running
    running.kill()

    outcome = hub.run(events.workflow_dispatch(first))
    assert outcome.passed, outcome.log
    assert functions(console) == {f"f{number}" for number in range(FILES)}
    assert run_validation(hub).passed


def test_inconsistency_is_found_and_repaired(hub: Hub, console: Console, first: str) -> None:
    """validate.yml fails, writes the text of an issue, and repairs on request."""
    assert hub.run(events.push(events.ZERO, first)).passed
    assert run_validation(hub).passed

    console.sql("DELETE FROM docs WHERE path IN ('src/m3.py', 'src/m4.py')")
    outcome = run_validation(hub)
    assert outcome.exit_codes == [1]
    assert any("src/m3.py" in text for text in outcome.annotated("error"))
    assert "src/m3.py" in outcome.summary
    assert "For an issue" in outcome.summary

    assert run_validation(hub, repair="true").passed
    assert functions(console) == {f"f{number}" for number in range(FILES)}
    assert run_validation(hub).passed


def test_first_sync_in_shards(hub: Hub, console: Console, first: str) -> None:
    """The index matches HEAD after all jobs."""
    outcome = hub.run(events.workflow_dispatch(first, shards="3"), FIRST_FEED)
    assert outcome.passed, outcome.log
    assert functions(console) == {f"f{number}" for number in range(FILES)}
    assert head(console) == first
    assert run_validation(hub).passed


def test_pull_request_gets_a_dry_run(hub: Hub, console: Console, first: str) -> None:
    """Without secrets, for the merge."""
    hub.repo.git("checkout", "-q", "-b", "patch-1")
    head_ = hub.repo.commit({"src/new.py": function(1)})
    hub.repo.git("update-ref", "refs/pull/7/merge", head_)
    hub.repo.git("checkout", "-q", "main")
    outcome = hub.run(events.pull_request(7, first, head_, head_))
    assert outcome.passed, outcome.log
    assert outcome.outputs()["upserted"] == "1"
    assert console.sql("SELECT count(*) FROM docs") == [[0]]


def test_merge_queue_job_succeeds(hub: Hub, console: Console, first: str) -> None:
    """Without secrets, so that the dry run can be a required check."""
    hub.repo.git("checkout", "-q", "-b", f"gh-readonly-queue/main/pr-7-{first}")
    queued = hub.repo.commit({"src/new.py": function(1)})
    outcome = hub.run(events.merge_group(7, first, queued))
    assert outcome.passed, outcome.log
    assert console.sql("SELECT count(*) FROM docs") == [[0]]
