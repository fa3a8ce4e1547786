"""The effect of each GitHub event on the index."""

from collections.abc import Callable, Mapping

import pytest
from program import Console

from github import events
from github.runner import FEED, Hub
from github.workflows import Step, checkout, feeder, job

Files = Mapping[str, str | bytes | None]
OTHER = ".github/workflows/other.yml"
GIT = "git -c user.name=ada -c user.email=ada@example.org"
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


def proposed(hub: Hub, files: Files) -> tuple[str, str]:
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


def test_entry_of_a_merge_queue_gets_a_dry_run(hub: Hub, console: Console, fed: str) -> None:
    """It is not on the branch yet."""
    hub.repo.git("checkout", "-q", "-b", f"gh-readonly-queue/main/pr-7-{fed}")
    queued = hub.repo.commit({"take.py": TAKE})
    outcome = hub.run(events.merge_group(7, fed, queued))
    assert outcome.passed, outcome.log
    assert outcome.outputs()["upserted"] == "1"
    assert symbols(console) == ["add"]


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


def indexed(console: Console) -> str:
    """Returns the commit that the index equals."""
    [[commit]] = console.sql("SELECT value FROM meta WHERE key = 'acme/shop:head'")
    return str(commit)


def fed_with(hub: Hub, *steps: Step, file: str = OTHER) -> str:
    """Commits a workflow of these steps beside the one that indexes pushes, and indexes it."""
    commit = hub.repo.commit({FEED: job(checkout(), feeder()), file: job(*steps), "cart.py": ADD})
    outcome = hub.run(events.push(events.ZERO, commit))
    assert outcome.passed, outcome.log
    return commit


@pytest.mark.parametrize(("command", "depth"), [("sync", 1), ("validate", 0)])
def test_unmerged_commit_is_refused_after_a_comment(
    hub: Hub, console: Console, command: str, depth: int
) -> None:
    """The workflow checks out the pull request's merge."""
    check_out = checkout(ref="refs/pull/7/merge", fetch_depth=depth)
    main = fed_with(hub, check_out, feeder(command=command, repair="true"))
    _, merge = proposed(hub, {"take.py": TAKE})
    outcome = hub.run(events.issue_comment(7, main), OTHER)
    assert outcome.exit_codes == [2]
    assert (indexed(console), symbols(console)) == (main, ["add"])
    [error] = outcome.annotated("error")
    assert merge[:10] in error
    assert "(ref: main)" in error


def test_unmerged_commit_is_refused_on_a_local_branch_with_the_followed_name(
    hub: Hub, console: Console
) -> None:
    """The workflow merges the pull request into its own main."""
    merge = {"run": f"{GIT} merge -q --no-ff -m Merge origin/patch-1"}
    main = fed_with(hub, checkout(fetch_depth=0), merge, feeder())
    proposed(hub, {"take.py": TAKE})
    assert hub.run(events.issue_comment(7, main), OTHER).exit_codes == [2]
    assert (indexed(console), symbols(console)) == (main, ["add"])


def test_dry_run_of_an_unmerged_commit_is_allowed(hub: Hub, console: Console) -> None:
    """It writes nothing."""
    main = fed_with(hub, checkout(ref="refs/pull/7/merge"), feeder(dry_run="true"))
    proposed(hub, {"take.py": TAKE})
    outcome = hub.run(events.issue_comment(7, main), OTHER)
    assert outcome.passed, outcome.log
    assert outcome.outputs()["upserted"] == "1"
    assert indexed(console) == main


def test_force_indexes_an_unmerged_commit(hub: Hub, console: Console) -> None:
    main = fed_with(hub, checkout(ref="refs/pull/7/merge"), feeder(force="true"))
    _, merge = proposed(hub, {"take.py": TAKE})
    outcome = hub.run(events.issue_comment(7, main), OTHER)
    assert outcome.passed, outcome.log
    assert indexed(console) == merge


@pytest.mark.parametrize("fork", [True, False])
def test_commit_of_a_pull_request_is_refused_after_its_tests(
    hub: Hub, console: Console, fork: bool
) -> None:
    """Even if the branch of the fork has the name of the followed branch."""
    main = fed_with(hub, checkout(ref="${{ github.event.workflow_run.head_sha }}"), feeder())
    head, _ = proposed(hub, {"take.py": TAKE})
    branch = "main" if fork else "patch-1"
    tested = events.workflow_run(
        main, run=9001, head=head, branch=branch, fork=fork, name="pull_request"
    )
    assert hub.run(tested, OTHER).exit_codes == [2]
    assert (indexed(console), symbols(console)) == (main, ["add"])


def test_tested_commits_are_indexed_in_the_order_of_their_pushes(
    hub: Hub, console: Console
) -> None:
    """Without history, although the branch has moved on. The tests of the second push end last."""
    first = fed_with(hub, checkout(ref="${{ github.event.workflow_run.head_sha }}"), feeder())
    second = hub.repo.commit({"take.py": TAKE})
    third = hub.repo.commit({"take.py": TAKE, "give.py": "def give(): ...\n"})
    tip = hub.repo.commit({"take.py": None, "give.py": None})

    outcome = hub.run(events.workflow_run(tip, run=9012, head=third), OTHER, number=21)
    assert outcome.passed, outcome.log
    assert (indexed(console), symbols(console)) == (third, ["add", "give", "take"])

    outcome = hub.run(events.workflow_run(tip, run=9011, head=second), OTHER, number=22)
    assert outcome.exit_codes == [75]
    assert indexed(console) == third
    outcome = hub.run(events.workflow_run(tip, run=9013, head=tip), OTHER, number=23)
    assert outcome.passed, outcome.log
    assert indexed(console) == tip
    assert first != tip


@pytest.mark.parametrize(("depth", "code"), [(0, 75), (1, 2)])
def test_older_tag_does_not_move_the_index_back(
    hub: Hub, console: Console, depth: int, code: int
) -> None:
    """It is checked out by a run on the branch."""
    steps = checkout(ref="v1", fetch_depth=depth), feeder()
    older = fed_with(hub, *steps)
    hub.repo.git("tag", "-a", "-m", "v1", "v1", older)
    tip = hub.repo.commit({"take.py": TAKE})
    assert hub.run(events.push(older, tip)).passed
    outcome = hub.run(events.workflow_dispatch(tip), OTHER)
    assert outcome.exit_codes == [code]
    assert (indexed(console), symbols(console)) == (tip, ["add", "take"])
    assert older[:10] in "".join(outcome.annotated("warning" if code == 75 else "error"))


def test_newer_tag_moves_the_index_forward(hub: Hub, console: Console) -> None:
    """It is on the branch, which has moved on; the history shows it."""
    older = fed_with(hub, checkout(ref="v2", fetch_depth=0), feeder())
    tagged = hub.repo.commit({"take.py": TAKE})
    hub.repo.git("tag", "v2", tagged)
    tip = hub.repo.commit({"give.py": "def give(): ...\n"})
    outcome = hub.run(events.workflow_dispatch(tip), OTHER)
    assert outcome.passed, outcome.log
    assert (indexed(console), symbols(console)) == (tagged, ["add", "take"])
    assert older != tagged


def test_run_on_a_tag_is_ignored(hub: Hub, console: Console, fed: str) -> None:
    """As its push is."""
    hub.repo.git("tag", "v1", fed)
    tip = hub.repo.commit({"take.py": TAKE})
    assert hub.run(events.push(fed, tip)).passed
    outcome = hub.run(events.workflow_dispatch(fed, ref="refs/tags/v1"))
    assert outcome.passed, outcome.log
    assert indexed(console) == tip
    assert len(outcome.annotated("notice")) == 1


@pytest.mark.parametrize(
    ("event", "ref"),
    [
        (events.schedule, ""),
        (events.repository_dispatch, "main"),
        (events.workflow_dispatch, "refs/heads/main"),
    ],
)
def test_branch_is_indexed_without_history(
    hub: Hub, console: Console, event: Callable[[str], events.Event], ref: str
) -> None:
    """With the default depth of the checkout. A named branch may be newer than the event."""
    first = fed_with(hub, checkout(ref=ref), feeder())
    second = hub.repo.commit({"take.py": TAKE})
    newest = hub.repo.commit({"give.py": "def give(): ...\n"}) if ref else second
    outcome = hub.run(event(second), OTHER)
    assert outcome.passed, outcome.log
    assert indexed(console) == newest
    assert first != newest


def test_another_branch_is_followed_on_a_schedule(hub: Hub, console: Console) -> None:
    """The event is about the default branch; the input and the checkout name the other one."""
    tip = hub.repo.commit({FEED: job(checkout(ref="next"), feeder(branch="next")), "cart.py": ADD})
    hub.repo.git("checkout", "-q", "-b", "next")
    other = hub.repo.commit({"take.py": TAKE})
    outcome = hub.run(events.schedule(tip))
    assert outcome.passed, outcome.log
    assert (indexed(console), symbols(console)) == (other, ["add", "take"])


def test_pull_request_target_gets_a_dry_run(hub: Hub, console: Console) -> None:
    """Although it has the secrets, and checks out what a stranger wrote."""
    main = fed_with(hub, checkout(ref="refs/pull/7/merge"), feeder())
    head, merge = proposed(hub, {"take.py": TAKE})
    outcome = hub.run(events.pull_request_target(7, main, head, merge), OTHER)
    assert outcome.passed, outcome.log
    assert outcome.outputs()["upserted"] == "1"
    assert (indexed(console), symbols(console)) == (main, ["add"])
