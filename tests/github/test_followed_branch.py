"""The place of the checked-out commit in the history of the followed branch."""

from pathlib import Path

import pytest

from feeder.errors import UserError
from feeder.github.event import Event
from feeder.github.followed_branch import Position, position_on_branch
from github import events
from source.repos import Repo

MAIN = "refs/remotes/origin/main"
ELSEWHERE = "1" * 40


def event_of(happened: events.Event) -> Event:
    """Returns the event of run 9100."""
    name, ref, sha, payload = happened
    return Event(name, ref, sha, "acme/shop", "feed.yml", 1, "actions-9100-1", payload)


@pytest.fixture
def commits(repo: Repo) -> list[str]:
    """Three commits of main, the third one fetched, and a fourth one beside the third."""
    commits = [repo.commit({"a.py": f"A = {number}\n"}) for number in range(3)]
    repo.git("update-ref", MAIN, commits[2])
    repo.git("checkout", "-q", "--detach", commits[1])
    commits.append(repo.commit({"b.py": "B = 1\n"}))
    repo.git("checkout", "-q", "main")
    return commits


def position(repo: Repo, happened: events.Event, branch: str = "main") -> Position:
    return position_on_branch(event_of(happened), repo.path, branch)


def test_fetched_branch_is_the_newest_whatever_the_event(repo: Repo, commits: list[str]) -> None:
    """Also after an older event, and if the clone has no history."""
    assert position(repo, events.push(events.ZERO, commits[0])) is Position.NEWEST
    assert position(repo, events.schedule(ELSEWHERE)) is Position.NEWEST
    shallow = repo.clone(repo.path.with_name("shallow"), "--depth", "1", "--branch", "main")
    assert position(shallow, events.schedule(ELSEWHERE)) is Position.NEWEST


def test_commit_of_the_event_was_the_newest(repo: Repo, commits: list[str]) -> None:
    """A force push may go back to it; the order of the events decides about a re-run."""
    repo.git("checkout", "-q", "--detach", commits[0])
    assert position(repo, events.push(commits[2], commits[0], forced=True)) is Position.NEWEST
    assert position(repo, events.issue_comment(7, commits[0])) is Position.NEWEST


@pytest.mark.parametrize("ref", ["refs/tags/v1", "refs/heads/wip", "refs/pull/7/merge", ""])
def test_commit_of_an_event_elsewhere_is_not_the_newest(
    repo: Repo, commits: list[str], ref: str
) -> None:
    """But may be an earlier one of the branch."""
    repo.git("checkout", "-q", "--detach", commits[0])
    happened = events.push(events.ZERO, commits[0], ref=ref)
    assert position(repo, happened) is Position.EARLIER
    repo.git("checkout", "-q", "--detach", commits[3])
    with pytest.raises(UserError, match="it is not a commit of main"):
        position(repo, happened._replace(sha=commits[3]))


def test_detached_commit_of_the_fetched_branch_may_be_out_of_date(
    repo: Repo, commits: list[str]
) -> None:
    """Another job may have left the branch in a workspace that is used again."""
    repo.git("checkout", "-q", "--detach", commits[2])
    assert position(repo, events.schedule(ELSEWHERE)) is Position.EARLIER


def test_commit_that_a_job_has_made_is_refused_until_it_is_pushed(
    repo: Repo, commits: list[str]
) -> None:
    """The push moves the branch of origin in the checkout too."""
    made = repo.commit({"version.py": "V = 2\n"})
    with pytest.raises(UserError, match=rf"{made[:10]} is checked out, and it is not a commit"):
        position(repo, events.push(commits[1], commits[2]))
    repo.git("update-ref", MAIN, made)
    assert position(repo, events.push(commits[1], commits[2])) is Position.NEWEST


def test_local_branch_alone_is_no_evidence(repo: Repo, commits: list[str]) -> None:
    """A job may give any commit the name of the followed branch."""
    repo.git("checkout", "-q", "-B", "main", commits[3])
    with pytest.raises(UserError, match="it is not a commit of main"):
        position(repo, events.issue_comment(7, commits[2]))
    repo.git("update-ref", "-d", MAIN)
    with pytest.raises(UserError, match="the checkout does not show that it is a commit of main"):
        position(repo, events.issue_comment(7, commits[2]))


def test_earlier_commit_without_history_is_refused(
    repo: Repo, commits: list[str], tmp_path: Path
) -> None:
    """Nothing shows that it is one; the message names both remedies."""
    shallow = repo.clone(tmp_path / "shallow", "--depth", "1", "--branch", "main")
    repo.git("config", "uploadpack.allowAnySHA1InWant", "true")
    shallow.git("fetch", "-q", "--depth", "1", "origin", commits[0])
    shallow.git("checkout", "-q", "--detach", commits[0])
    with pytest.raises(UserError) as refused:
        position(shallow, events.workflow_dispatch(commits[2]))
    assert str(refused.value) == (
        f"Commit {commits[0][:10]} is checked out, and the checkout does not show that it is a "
        "commit of main, which the index follows. Nothing was changed. Let actions/checkout check "
        "out main (ref: main), or all its history (fetch-depth: 0). To index this commit "
        'anyway, set force: "true".'
    )


@pytest.mark.parametrize(
    ("branch", "fork", "is_evidence"),
    [("main", False, True), ("main", True, False), ("patch-1", False, False)],
)
def test_tested_commit_was_the_newest_of_its_branch(
    repo: Repo, commits: list[str], branch: str, *, fork: bool, is_evidence: bool
) -> None:
    """A fork's branch may have any name."""
    repo.git("checkout", "-q", "--detach", commits[3])
    tested = events.workflow_run(commits[2], run=9050, head=commits[3], branch=branch, fork=fork)
    if is_evidence:
        assert position(repo, tested) is Position.NEWEST
        return
    with pytest.raises(UserError, match="it is not a commit of main"):
        position(repo, tested)


def test_tested_commit_has_the_order_of_the_run_that_it_came_with(commits: list[str]) -> None:
    """The tip of the default branch has that of its own run."""
    tested = event_of(events.workflow_run(commits[2], run=9050, head=commits[1]))
    assert [tested.order_of(commit) for commit in commits] == [9100, 9050, 9100, 9100]


def test_followed_branch_need_not_be_the_default(repo: Repo, commits: list[str]) -> None:
    repo.git("checkout", "-q", "-b", "next", commits[3])
    repo.git("update-ref", "refs/remotes/origin/next", commits[3])
    assert position(repo, events.schedule(commits[2]), "next") is Position.NEWEST
    repo.git("checkout", "-q", "main")
    with pytest.raises(UserError, match="it is not a commit of next"):
        position(repo, events.schedule(commits[2]), "next")


def test_tag_may_be_followed(repo: Repo, commits: list[str]) -> None:
    """By its whole name, as the event has it: `branch: ${{ github.ref }}`."""
    repo.git("checkout", "-q", "--detach", commits[3])
    tag = "refs/tags/v1"
    assert position(repo, events.push(events.ZERO, commits[3], ref=tag), tag) is Position.NEWEST
    with pytest.raises(UserError, match="it is"):
        position(repo, events.push(events.ZERO, commits[2], ref=tag), tag)
