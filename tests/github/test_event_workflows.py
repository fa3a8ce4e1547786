"""The effect of each GitHub event on the index."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

import pytest
from program import Console

from github import events
from github.jobs import Jobs
from github.program_step import Step
from github.runner import FEED, Hub
from github.workflows import checkout, feeder, job
from source.repos import Repo

pytestmark = pytest.mark.slow

Files = Mapping[str, str | bytes | None]
OTHER = ".github/workflows/other.yml"
ADD = "def add(cart, article):\n    cart.append(article)\n"
TAKE = "def take(cart, article):\n    cart.remove(article)\n"
MERGE = "refs/pull/7/merge"


def proposed(repo: Repo, files: Files) -> tuple[str, str]:
    """Commits a pull request and its merge into main, as GitHub does."""
    git = repo.git
    git("checkout", "-q", "-b", "patch-1")
    head = repo.commit(files)
    git("checkout", "-q", "--detach", "main")
    git("merge", "-q", "--no-ff", "-m", "Merge", head)
    merge = git("rev-parse", "HEAD")
    git("update-ref", MERGE, merge)
    git("checkout", "-q", "main")
    return head, merge


# In whole workflows.


def symbols(console: Console) -> list[str]:
    """Returns the symbols of the nodes of all Python files."""
    rows = console.sql("SELECT symbol FROM docs WHERE language = 'python' ORDER BY symbol")
    return [str(symbol) for [symbol] in rows]


def test_push_indexes_the_changes(hub: Hub, console: Console) -> None:
    """And reports their number. The first push has a base of zeros."""
    first = hub.repo.commit({FEED: job(checkout(fetch_depth=0), feeder()), "cart.py": ADD})
    outcome = hub.run(events.push(events.ZERO, first))
    assert outcome.passed, outcome.log
    assert symbols(console) == ["add"]
    assert outcome.outputs()["head-sha"] == first
    second = hub.repo.commit({"take.py": TAKE})
    outcome = hub.run(events.push(first, second))
    assert outcome.passed, outcome.log
    assert symbols(console) == ["add", "take"]
    counts = {name: outcome.outputs()[name] for name in ("upserted", "deleted", "unchanged")}
    assert counts == {"upserted": "1", "deleted": "0", "unchanged": "2"}


def test_fork_pull_request_gets_a_dry_run(hub: Hub, console: Console) -> None:
    """Without secrets; nothing is written."""
    first = hub.repo.commit({FEED: job(checkout(fetch_depth=0), feeder()), "cart.py": ADD})
    head, merge = proposed(hub.repo, {"take.py": TAKE})
    outcome = hub.run(events.pull_request(7, first, head, merge), secrets={})
    assert outcome.passed, outcome.log
    assert outcome.outputs()["upserted"] == "1"
    assert "would be" in outcome.log
    assert symbols(console) == []
    assert not list(hub.runner.cache.glob("*-9001-1"))


def test_commit_of_a_pull_request_is_refused_after_its_tests(hub: Hub, console: Console) -> None:
    """The branch of the fork has the name of the followed branch."""
    commit = checkout(ref="${{ github.event.workflow_run.head_sha }}")
    main = hub.repo.commit({OTHER: job(commit, feeder()), "cart.py": ADD})
    head, _ = proposed(hub.repo, {"take.py": TAKE})
    tested = events.workflow_run(
        main, run=9001, head=head, branch="main", fork=True, name="pull_request"
    )
    assert hub.run(tested, OTHER).exit_codes == [2]
    assert symbols(console) == []


# What the program decides.


@pytest.fixture
def jobs(repo: Repo, step: Step, tmp_path: Path) -> Jobs:
    """A repository with one commit, and an index of it."""
    first = repo.commit({"cart.py": ADD})
    jobs = Jobs(repo, step, tmp_path)
    assert jobs.run(events.push(events.ZERO, first)).code == 0
    assert (jobs.indexed, jobs.symbols) == (first, ["add"])
    return jobs


@pytest.fixture
def fed(jobs: Jobs) -> str:
    """The commit that is indexed."""
    return jobs.indexed


def test_force_push_indexes_the_rewritten_branch(jobs: Jobs, fed: str) -> None:
    second = jobs.repo.commit({"cart.py": None, "take.py": TAKE})
    assert jobs.run(events.push(fed, second)).code == 0
    assert jobs.symbols == ["take"]
    jobs.repo.git("reset", "-q", "--hard", fed)
    assert jobs.run(events.push(second, fed, forced=True)).code == 0
    assert (jobs.indexed, jobs.symbols) == (fed, ["add"])


def test_entry_of_a_merge_queue_gets_a_dry_run(jobs: Jobs, fed: str) -> None:
    """It is not on the branch yet."""
    jobs.repo.git("checkout", "-q", "-b", f"gh-readonly-queue/main/pr-7-{fed}")
    queued = jobs.repo.commit({"take.py": TAKE})
    outcome = jobs.run(events.merge_group(7, fed, queued), fetch_depth=2)
    assert (outcome.code, outcome.outputs["upserted"]) == (0, "1")
    assert (jobs.indexed, jobs.symbols) == (fed, ["add"])


@pytest.mark.parametrize("event", [events.pull_request, events.pull_request_target])
def test_pull_request_gets_a_dry_run(
    jobs: Jobs, fed: str, event: Callable[[int, str, str, str], events.Event]
) -> None:
    """Although it may write the index, and checks out what a stranger wrote."""
    head, merge = proposed(jobs.repo, {"take.py": TAKE})
    outcome = jobs.run(event(7, fed, head, merge), ref=MERGE, fetch_depth=2)
    assert (outcome.code, outcome.outputs["upserted"]) == (0, "1")
    assert (jobs.indexed, jobs.symbols) == (fed, ["add"])


def test_tag_is_ignored(jobs: Jobs, fed: str) -> None:
    """Even if it is newer than the branch; a notice says so."""
    jobs.repo.git("checkout", "-q", "--detach")
    tagged = jobs.repo.commit({"take.py": TAKE})
    jobs.repo.git("tag", "v1", tagged)
    outcome = jobs.run(events.push(events.ZERO, tagged, ref="refs/tags/v1"))
    assert (outcome.code, jobs.indexed) == (0, fed)
    assert len(outcome.annotated("notice")) == 1


def test_push_to_another_branch_is_ignored(jobs: Jobs, fed: str) -> None:
    """A notice says so."""
    jobs.repo.git("checkout", "-q", "-b", "wip")
    other = jobs.repo.commit({"take.py": TAKE})
    outcome = jobs.run(events.push(events.ZERO, other, ref="refs/heads/wip"))
    assert (outcome.code, jobs.indexed) == (0, fed)
    [notice] = outcome.annotated("notice")
    assert "wip" in notice


def test_deletion_of_a_branch_is_ignored(jobs: Jobs, fed: str) -> None:
    """A notice says so."""
    outcome = jobs.run(events.branch_deleted("wip", fed, fed))
    assert (outcome.code, jobs.indexed) == (0, fed)
    assert outcome.annotated("notice") == ["Nothing to do: wip was deleted."]


def test_rerun_of_an_older_push_is_refused(jobs: Jobs, fed: str) -> None:
    """The index stays, and the exit code is passed on."""
    second = jobs.repo.commit({"take.py": TAKE})
    assert jobs.run(events.push(fed, second)).code == 0
    outcome = jobs.run(events.push(events.ZERO, fed), number=1, attempt=2)
    assert (outcome.code, jobs.indexed) == (75, second)
    assert any("--force" in text for text in outcome.annotated("warning"))


@pytest.mark.parametrize(("command", "depth"), [("sync", 1), ("validate", 0)])
def test_unmerged_commit_is_refused_after_a_comment(
    jobs: Jobs, fed: str, command: str, depth: int
) -> None:
    """The workflow checks out the pull request's merge."""
    _, merge = proposed(jobs.repo, {"take.py": TAKE})
    outcome = jobs.run(
        events.issue_comment(7, fed), ref=MERGE, fetch_depth=depth, command=command, repair="true"
    )
    assert (outcome.code, jobs.indexed, jobs.symbols) == (2, fed, ["add"])
    [error] = outcome.annotated("error")
    assert merge[:10] in error
    assert "(ref: main)" in error


def test_unmerged_commit_is_refused_on_a_local_branch_with_the_followed_name(
    jobs: Jobs, fed: str
) -> None:
    """The workflow merges the pull request into its own main."""
    proposed(jobs.repo, {"take.py": TAKE})
    outcome = jobs.run(events.issue_comment(7, fed), fetch_depth=0, merged="origin/patch-1")
    assert (outcome.code, jobs.indexed, jobs.symbols) == (2, fed, ["add"])


def test_dry_run_of_an_unmerged_commit_is_allowed(jobs: Jobs, fed: str) -> None:
    """It writes nothing."""
    proposed(jobs.repo, {"take.py": TAKE})
    outcome = jobs.run(events.issue_comment(7, fed), ref=MERGE, dry_run="true")
    assert (outcome.code, outcome.outputs["upserted"]) == (0, "1")
    assert jobs.indexed == fed


def test_force_indexes_an_unmerged_commit(jobs: Jobs, fed: str) -> None:
    _, merge = proposed(jobs.repo, {"take.py": TAKE})
    outcome = jobs.run(events.issue_comment(7, fed), ref=MERGE, force="true")
    assert (outcome.code, jobs.indexed) == (0, merge)


@pytest.mark.parametrize("fork", [True, False])
def test_tested_commit_of_a_pull_request_is_refused(jobs: Jobs, fed: str, fork: bool) -> None:
    """Even if the branch of the fork has the name of the followed branch."""
    head, _ = proposed(jobs.repo, {"take.py": TAKE})
    branch = "main" if fork else "patch-1"
    tested = events.workflow_run(
        fed, run=9001, head=head, branch=branch, fork=fork, name="pull_request"
    )
    assert jobs.run(tested, ref=head).code == 2
    assert (jobs.indexed, jobs.symbols) == (fed, ["add"])


def test_tested_commits_are_indexed_in_the_order_of_their_pushes(jobs: Jobs) -> None:
    """Without history, although the branch has moved on. The tests of the second push end last."""
    second = jobs.repo.commit({"take.py": TAKE})
    third = jobs.repo.commit({"take.py": TAKE, "give.py": "def give(): ...\n"})
    tip = jobs.repo.commit({"take.py": None, "give.py": None})

    outcome = jobs.run(events.workflow_run(tip, run=9012, head=third), ref=third, number=21)
    assert (outcome.code, jobs.indexed) == (0, third)
    assert jobs.symbols == ["add", "give", "take"]
    outcome = jobs.run(events.workflow_run(tip, run=9011, head=second), ref=second, number=22)
    assert (outcome.code, jobs.indexed) == (75, third)
    outcome = jobs.run(events.workflow_run(tip, run=9013, head=tip), ref=tip, number=23)
    assert (outcome.code, jobs.indexed) == (0, tip)


@pytest.mark.parametrize(("depth", "code"), [(0, 75), (1, 2)])
def test_older_tag_does_not_move_the_index_back(
    jobs: Jobs, fed: str, depth: int, code: int
) -> None:
    """It is checked out by a run on the branch."""
    jobs.repo.git("tag", "-a", "-m", "v1", "v1", fed)
    tip = jobs.repo.commit({"take.py": TAKE})
    assert jobs.run(events.push(fed, tip)).code == 0
    outcome = jobs.run(events.workflow_dispatch(tip), ref="v1", fetch_depth=depth)
    assert (outcome.code, jobs.indexed, jobs.symbols) == (code, tip, ["add", "take"])
    assert fed[:10] in "".join(outcome.annotated("warning" if code == 75 else "error"))


def test_newer_tag_moves_the_index_forward(jobs: Jobs) -> None:
    """It is on the branch, which has moved on; the history shows it."""
    tagged = jobs.repo.commit({"take.py": TAKE})
    jobs.repo.git("tag", "v2", tagged)
    tip = jobs.repo.commit({"give.py": "def give(): ...\n"})
    outcome = jobs.run(events.workflow_dispatch(tip), ref="v2", fetch_depth=0)
    assert (outcome.code, jobs.indexed, jobs.symbols) == (0, tagged, ["add", "take"])


def test_run_on_a_tag_is_ignored(jobs: Jobs, fed: str) -> None:
    """As its push is."""
    jobs.repo.git("tag", "v1", fed)
    tip = jobs.repo.commit({"take.py": TAKE})
    assert jobs.run(events.push(fed, tip)).code == 0
    outcome = jobs.run(events.workflow_dispatch(fed, ref="refs/tags/v1"))
    assert (outcome.code, jobs.indexed) == (0, tip)
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
    jobs: Jobs, event: Callable[[str], events.Event], ref: str
) -> None:
    """With the default depth of the checkout. A named branch may be newer than the event."""
    second = jobs.repo.commit({"take.py": TAKE})
    newest = jobs.repo.commit({"give.py": "def give(): ...\n"}) if ref else second
    assert jobs.run(event(second), ref=ref).code == 0
    assert jobs.indexed == newest


def test_another_branch_is_followed_on_a_schedule(repo: Repo, step: Step, tmp_path: Path) -> None:
    """The event is about the default branch; the input and the checkout name the other one."""
    tip = repo.commit({"cart.py": ADD})
    repo.git("checkout", "-q", "-b", "next")
    other = repo.commit({"take.py": TAKE})
    jobs = Jobs(repo, step, tmp_path)
    assert jobs.run(events.schedule(tip), ref="next", branch="next").code == 0
    assert (jobs.indexed, jobs.symbols) == (other, ["add", "take"])


def test_release_branch_has_its_own_name_beside_the_main_branch(jobs: Jobs, fed: str) -> None:
    """A push to either branch updates its own part of the index, and is none of the other's."""
    run = partial(jobs.run, branch="release-2", repo="acme/shop@release-2")
    jobs.repo.git("branch", "release-2")
    jobs.repo.git("checkout", "-q", "release-2")
    patched = jobs.repo.commit({"take.py": TAKE})
    pushed = events.push(fed, patched, ref="refs/heads/release-2")
    assert run(pushed).code == 0
    assert jobs.symbols == ["add", "add", "take"]
    assert jobs.run(pushed).code == 0  # the job of the main branch says that it is none of its
    assert (jobs.indexed, jobs.symbols) == (fed, ["add", "add", "take"])
    assert run(events.schedule(patched), ref="release-2", command="validate").code == 0
