"""What has GitHub told of an event, and is it about the branch that the index follows?"""

import json
from pathlib import Path

import pytest

from feeder.github.event import Event, current_event
from github import events

ONE, TWO = "1" * 40, "2" * 40
RUN = {
    "GITHUB_ACTIONS": "true",
    "GITHUB_REPOSITORY": "acme/shop",
    "GITHUB_RUN_ATTEMPT": "2",
    "GITHUB_RUN_ID": "9001",
    "GITHUB_RUN_NUMBER": "17",
    "GITHUB_WORKFLOW": "feed",
    "GITHUB_WORKFLOW_REF": "acme/shop/.github/workflows/feed.yml@refs/heads/main",
}


def told(folder: Path, event: events.Event, **variables: str) -> Event:
    """The event as a process of the run knows it, from variables and the payload's file."""
    file = folder / "event.json"
    file.write_text(json.dumps(event.payload))
    said = {
        "GITHUB_EVENT_NAME": event.name,
        "GITHUB_EVENT_PATH": str(file),
        "GITHUB_REF": event.ref,
        "GITHUB_SHA": event.sha,
    }
    found = current_event({**RUN, **said, **variables})
    assert found
    return found


PUSH = events.push(ONE, TWO)
QUEUED = events.merge_group(7, ONE, TWO)
QUEUE = f"gh-readonly-queue/main/pr-7-{ONE}"
TAG = events.push(events.ZERO, TWO, ref="refs/tags/v1")
OTHER = events.push(events.ZERO, TWO, ref="refs/heads/wip")


@pytest.mark.parametrize("environ", [{}, {"GITHUB_ACTIONS": "false"}, {"GITHUB_SHA": ONE}])
def test_there_is_no_event_outside_of_actions(environ: dict[str, str]) -> None:
    """The variable that GitHub always sets decides, not one that others set too."""
    assert current_event(environ) is None


def test_an_event_is_what_the_runner_says(tmp_path: Path) -> None:
    """The variables name it, and the payload's file has the rest."""
    event = told(tmp_path, PUSH)
    assert (event.name, event.ref, event.sha) == ("push", "refs/heads/main", TWO)
    assert (event.repository, event.default_branch) == ("acme/shop", "main")
    assert event.payload["before"] == ONE


def test_a_run_is_named_with_its_attempt(tmp_path: Path) -> None:
    """Its jobs share the name; when it is run again it has another one, but the same number."""
    assert told(tmp_path, PUSH).run_id == "actions-9001-2"
    assert told(tmp_path, PUSH, GITHUB_RUN_ATTEMPT="").run_id == "actions-9001-1"
    assert told(tmp_path, PUSH, GITHUB_RUN_ATTEMPT="3").number == 17


def test_a_workflow_is_its_file(tmp_path: Path) -> None:
    """On whichever branch, so that numbers are compared; a runner without it gives the name."""
    file = "acme/shop/.github/workflows/feed.yml"
    assert told(tmp_path, PUSH).workflow == file
    on_wip = told(tmp_path, OTHER, GITHUB_WORKFLOW_REF=f"{file}@refs/heads/wip")
    assert on_wip.workflow == file
    assert told(tmp_path, PUSH, GITHUB_WORKFLOW_REF="").workflow == "feed"


@pytest.mark.parametrize("number", ["", "many", "-1", "1.5"])
def test_a_number_that_is_none_is_0(tmp_path: Path, number: str) -> None:
    """Such a run is compared with no other."""
    assert told(tmp_path, PUSH, GITHUB_RUN_NUMBER=number).number == 0


@pytest.mark.parametrize(
    "content", [None, b"", b"no JSON", b"[1]", b"\xff{}", b'{"repository": 1}']
)
def test_a_payload_that_is_not_there_leaves_the_variables(
    tmp_path: Path, content: bytes | None
) -> None:
    """An odd runner is no reason to fail: nothing is known of the branch, and it is fed."""
    file = tmp_path / "event.json"
    if content is not None:
        file.write_bytes(content)
    event = current_event({**RUN, "GITHUB_EVENT_PATH": str(file), "GITHUB_SHA": TWO})
    assert event
    assert (event.sha, event.default_branch, event.base) == (TWO, "", "")
    assert event.skip_reason(event.default_branch, "main", TWO) is None


@pytest.mark.parametrize(
    ("name", "is_proposal"),
    [
        ("pull_request", True),
        ("pull_request_target", True),
        ("pull_request_review", False),
        ("push", False),
        ("merge_group", False),
        ("", False),
    ],
)
def test_only_a_pull_request_is_a_proposal(tmp_path: Path, name: str, is_proposal: bool) -> None:
    """Its commit is checked out, but on no branch yet."""
    assert told(tmp_path, PUSH._replace(name=name)).is_pull_request is is_proposal


def test_a_pull_request_names_the_commit_that_it_would_change(tmp_path: Path) -> None:
    """Its base, not its head; the followed branch is the base's, not the fork's."""
    event = told(tmp_path, events.pull_request(7, ONE, TWO, "3" * 40))
    assert (event.base, event.default_branch) == (ONE, "main")


@pytest.mark.parametrize(
    ("happened", "checked_out"),
    [
        (PUSH, "main"),
        (events.push(events.ZERO, TWO), "main"),
        (events.push(ONE, TWO, forced=True), "main"),
        (events.workflow_dispatch(TWO), "main"),
        (events.schedule(TWO), "main"),
        (PUSH, None),
        (QUEUED, "main"),
        (OTHER, "main"),
        (TAG, "main"),
    ],
    ids=[
        "push",
        "first push",
        "forced push",
        "by hand",
        "schedule",
        "the branch's commit, detached",
        "merge queue, but the branch is checked out",
        "other branch, but the branch is checked out",
        "tag, but the branch is checked out",
    ],
)
def test_the_followed_branch_is_fed(
    tmp_path: Path, happened: events.Event, checked_out: str | None
) -> None:
    """Whatever has happened to it; and what is checked out counts, not what has happened."""
    assert told(tmp_path, happened).skip_reason("main", checked_out, TWO) is None


@pytest.mark.parametrize(
    ("happened", "checked_out", "named"),
    [
        (OTHER, "wip", "wip"),
        (OTHER, None, "wip"),
        (events.workflow_dispatch(TWO)._replace(ref="refs/heads/wip"), "wip", "wip"),
        (QUEUED, QUEUE, QUEUE),
        (QUEUED, None, QUEUE),
        (TAG, None, "refs/tags/v1"),
        (PUSH, "wip", "wip"),
    ],
    ids=[
        "other branch",
        "other branch, detached",
        "by hand on another branch",
        "merge queue",
        "merge queue, detached",
        "tag",
        "another branch is checked out",
    ],
)
def test_what_is_on_no_followed_branch_is_left_alone(
    tmp_path: Path, happened: events.Event, checked_out: str | None, named: str
) -> None:
    """The reason names both what is there and what is followed."""
    why = told(tmp_path, happened).skip_reason("main", checked_out, TWO)
    assert why == f"{named} is checked out, and the index follows main"


def test_a_commit_that_the_workflow_chose_is_fed(tmp_path: Path) -> None:
    """Detached at another commit than the event's: that was meant."""
    assert told(tmp_path, TAG).skip_reason("main", None, ONE) is None


def test_a_branch_of_the_users_choice_is_followed(tmp_path: Path) -> None:
    """Then the default branch is another one."""
    assert told(tmp_path, OTHER).skip_reason("wip", "wip", TWO) is None
    assert told(tmp_path, PUSH).skip_reason("wip", "main", TWO) == (
        "main is checked out, and the index follows wip"
    )


def test_the_end_of_a_branch_is_not_about_the_index(tmp_path: Path) -> None:
    """GitHub gives such a run the default branch's tip; the payload has the name that is gone."""
    event = told(tmp_path, events.branch_deleted("wip", ONE, TWO))
    assert event.skip_reason("main", "main", TWO) == "wip was deleted"
