"""Is the index right after what happens to a repository over time, run by the shipped workflows?"""

import time

import pytest
from program import Console
from standin import StandIn

from github import events
from github.runner import FEED, Hub, Outcome
from github.workflows import shipped

VALIDATE = ".github/workflows/validate.yml"
FIRST_FEED = ".github/workflows/first-feed.yml"
FILES = 240
POLL_S = 0.05


def function(number: int) -> str:
    return f"def f{number}(x):\n    return x + {number}\n"


@pytest.fixture
def first(hub: Hub) -> str:
    """A commit of many files that has the shipped workflows."""
    files = {f"src/m{number}.py": function(number) for number in range(FILES)}
    workflows = {name: shipped(name) for name in (FEED, VALIDATE, FIRST_FEED)}
    return hub.repo.commit({**files, **workflows})


def validated(hub: Hub, **inputs: str) -> Outcome:
    """What validate.yml says of the index, run by hand on the branch's tip."""
    tip = hub.repo.git("rev-parse", "main")
    return hub.run(events.workflow_dispatch(tip, **inputs), VALIDATE)


def head(console: Console) -> str:
    """The commit that the index says it equals."""
    [[commit]] = console.sql("SELECT value FROM meta WHERE key = 'acme/shop:head'")
    return str(commit)


def functions(console: Console) -> set[str]:
    return {str(name) for [name] in console.sql("SELECT symbol FROM docs WHERE node_type='method'")}


def test_a_repository_grows_and_shrinks(hub: Hub, console: Console, first: str) -> None:
    """First feed, then a push with an edit, a rename and a delete; an old run again is harmless."""
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
    assert validated(hub).passed


def test_a_cancelled_run_is_finished_by_the_next(
    hub: Hub, console: Console, standin: StandIn, first: str
) -> None:
    """A run that is killed while it embeds leaves what the next run completes."""
    standin.fault("throttled", route="ai.run", retry_after=600)
    running = hub.start(events.push(events.ZERO, first))
    while running.is_running and "ai.run" not in standin.routes():
        time.sleep(POLL_S)
    assert running.is_running
    running.kill()

    outcome = hub.run(events.workflow_dispatch(first))
    assert outcome.passed, outcome.log
    assert functions(console) == {f"f{number}" for number in range(FILES)}
    assert validated(hub).passed


def test_an_inconsistency_is_found_and_mended(hub: Hub, console: Console, first: str) -> None:
    """validate.yml is red where rows are missing, tells it for an issue, and repair mends it."""
    assert hub.run(events.push(events.ZERO, first)).passed
    assert validated(hub).passed

    console.sql("DELETE FROM docs WHERE path IN ('src/m3.py', 'src/m4.py')")
    outcome = validated(hub)
    assert outcome.exit_codes == [1]
    assert any("src/m3.py" in text for text in outcome.annotated("error"))
    assert "src/m3.py" in outcome.summary
    assert "For an issue" in outcome.summary

    assert validated(hub, repair="true").passed
    assert functions(console) == {f"f{number}" for number in range(FILES)}
    assert validated(hub).passed


def test_a_first_feed_in_shards(hub: Hub, console: Console, first: str) -> None:
    """first-feed.yml shares the files out to jobs, and the index equals HEAD when all are done."""
    outcome = hub.run(events.workflow_dispatch(first, shards="3"), FIRST_FEED)
    assert outcome.passed, outcome.log
    assert functions(console) == {f"f{number}" for number in range(FILES)}
    assert head(console) == first
    assert validated(hub).passed


def test_a_pull_request_gets_a_plan(hub: Hub, console: Console, first: str) -> None:
    """feed.yml's job for pull requests has no secrets, and says what the merge would change."""
    hub.repo.git("checkout", "-q", "-b", "patch-1")
    head_ = hub.repo.commit({"src/new.py": function(1)})
    hub.repo.git("update-ref", "refs/pull/7/merge", head_)
    hub.repo.git("checkout", "-q", "main")
    outcome = hub.run(events.pull_request(7, first, head_, head_))
    assert outcome.passed, outcome.log
    assert outcome.outputs()["upserted"] == "1"
    assert console.sql("SELECT count(*) FROM docs") == [[0]]


def test_the_merge_queue_gets_an_answer(hub: Hub, console: Console, first: str) -> None:
    """feed.yml answers to the queue without secrets, so that its plan can be a required check."""
    hub.repo.git("checkout", "-q", "-b", f"gh-readonly-queue/main/pr-7-{first}")
    queued = hub.repo.commit({"src/new.py": function(1)})
    outcome = hub.run(events.merge_group(7, first, queued))
    assert outcome.passed, outcome.log
    assert console.sql("SELECT count(*) FROM docs") == [[0]]
