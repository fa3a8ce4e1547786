"""The effect of each GitHub event on the index."""

import pytest
from program import Console

from github import events
from github.runner import FEED, Hub
from github.workflows import checkout, feeder, job

ADD = "def add(cart, article):\n    cart.append(article)\n"
TAKE = "def take(cart, article):\n    cart.remove(article)\n"


@pytest.fixture
def first(hub: Hub) -> str:
    """The first commit: `add`, and a workflow that indexes the commit of its event."""
    return hub.repo.commit({FEED: job(checkout(fetch_depth=0), feeder()), "cart.py": ADD})


@pytest.fixture
def fed(hub: Hub, first: str) -> str:
    """The same, with an index of it."""
    outcome = hub.run(events.push(events.ZERO, first))
    assert outcome.passed, outcome.log
    return first


def symbols(console: Console) -> list[str]:
    """Returns the symbols of the nodes of all Python files."""
    rows = console.sql("SELECT symbol FROM docs WHERE language = 'python' ORDER BY symbol")
    return [str(symbol) for [symbol] in rows]


def test_first_push_indexes_everything(hub: Hub, console: Console, first: str) -> None:
    """Its base is all zeros."""
    outcome = hub.run(events.push(events.ZERO, first))
    assert outcome.passed, outcome.log
    assert symbols(console) == ["add"]
    assert outcome.outputs()["head-sha"] == first


def test_push_indexes_the_changes(hub: Hub, console: Console, fed: str) -> None:
    """And reports their number."""
    second = hub.repo.commit({"take.py": TAKE})
    outcome = hub.run(events.push(fed, second))
    assert outcome.passed, outcome.log
    assert symbols(console) == ["add", "take"]
    counts = {name: outcome.outputs()[name] for name in ("upserted", "deleted", "unchanged")}
    assert counts == {"upserted": "1", "deleted": "0", "unchanged": "2"}


def test_force_push_indexes_the_rewritten_branch(hub: Hub, console: Console, fed: str) -> None:
    second = hub.repo.commit({"cart.py": None, "take.py": TAKE})
    assert hub.run(events.push(fed, second)).passed
    hub.repo.git("reset", "-q", "--hard", fed)
    outcome = hub.run(events.push(second, fed, forced=True))
    assert outcome.passed, outcome.log
    assert symbols(console) == ["add"]


def test_workflow_dispatch_indexes_the_branch(hub: Hub, console: Console, first: str) -> None:
    outcome = hub.run(events.workflow_dispatch(first))
    assert outcome.passed, outcome.log
    assert symbols(console) == ["add"]


def test_fork_pull_request_gets_a_dry_run(hub: Hub, console: Console, fed: str) -> None:
    """Without secrets; nothing is written."""
    head, merge = proposed(hub, {"take.py": TAKE})
    outcome = hub.run(events.pull_request(7, fed, head, merge), secrets={})
    assert outcome.passed, outcome.log
    assert outcome.outputs()["upserted"] == "1"
    assert "would be" in outcome.log
    assert symbols(console) == ["add"]
    assert not list(hub.runner.cache.glob("*-9002-1"))


def test_pull_request_with_secrets_gets_a_dry_run(hub: Hub, console: Console, fed: str) -> None:
    """As from a branch of the same repository."""
    head, merge = proposed(hub, {"take.py": TAKE})
    outcome = hub.run(events.pull_request(7, fed, head, merge))
    assert outcome.passed, outcome.log
    assert outcome.outputs()["upserted"] == "1"
    assert symbols(console) == ["add"]


def proposed(hub: Hub, files: dict[str, str]) -> tuple[str, str]:
    """Commits a pull request and its merge into main, as GitHub does."""
    git = hub.repo.git
    git("checkout", "-q", "-b", "patch-1")
    head = hub.repo.commit(files)
    git("checkout", "-q", "--detach", "main")
    git("merge", "-q", "--no-ff", "-m", "Merge", head)
    merge = git("rev-parse", "HEAD")
    git("update-ref", "refs/pull/7/merge", merge)
    git("checkout", "-q", "main")
    return head, merge


def test_merge_group_is_ignored(hub: Hub, console: Console, fed: str) -> None:
    """It is not on the branch; the job succeeds."""
    hub.repo.git("checkout", "-q", "-b", f"gh-readonly-queue/main/pr-7-{fed}")
    queued = hub.repo.commit({"take.py": TAKE})
    outcome = hub.run(events.merge_group(7, fed, queued))
    assert outcome.passed, outcome.log
    assert symbols(console) == ["add"]
    [notice] = outcome.annotated("notice")
    assert "the index follows main" in notice


def test_tag_is_ignored(hub: Hub, console: Console, fed: str) -> None:
    """Even if it is newer than the branch; a notice says so."""
    hub.repo.git("checkout", "-q", "--detach")
    tagged = hub.repo.commit({"take.py": TAKE})
    hub.repo.git("tag", "v1", tagged)
    outcome = hub.run(events.push(events.ZERO, tagged, ref="refs/tags/v1"))
    assert outcome.passed, outcome.log
    assert symbols(console) == ["add"]
    assert len(outcome.annotated("notice")) == 1


def test_push_to_another_branch_is_ignored(hub: Hub, console: Console, fed: str) -> None:
    """A notice says so."""
    hub.repo.git("checkout", "-q", "-b", "wip")
    other = hub.repo.commit({"take.py": TAKE})
    outcome = hub.run(events.push(events.ZERO, other, ref="refs/heads/wip"))
    assert outcome.passed, outcome.log
    assert symbols(console) == ["add"]
    [notice] = outcome.annotated("notice")
    assert "wip" in notice


def test_deletion_of_a_branch_is_ignored(hub: Hub, console: Console, fed: str) -> None:
    """A notice says so."""
    outcome = hub.run(events.branch_deleted("wip", fed, fed))
    assert outcome.passed, outcome.log
    assert symbols(console) == ["add"]
    assert outcome.annotated("notice") == ["Nothing to do: wip was deleted."]


def test_rerun_of_an_older_push_is_refused(hub: Hub, console: Console, fed: str) -> None:
    """The index stays, and the exit code is passed on."""
    second = hub.repo.commit({"take.py": TAKE})
    assert hub.run(events.push(fed, second)).passed
    outcome = hub.run(events.push(events.ZERO, fed), number=1, attempt=2)
    assert outcome.exit_codes == [75]
    assert symbols(console) == ["add", "take"]
    assert any("--force" in text for text in outcome.annotated("warning"))
