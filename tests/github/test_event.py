"""Reading GitHub's event, and deciding whether it is about the followed branch."""

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


def read_event(folder: Path, event: events.Event, **variables: str) -> Event:
    """Returns the event from variables and the payload's file."""
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
    """Only the variable that GitHub always sets decides."""
    assert current_event(environ) is None


def test_event_is_read_from_variables_and_payload(tmp_path: Path) -> None:
    event = read_event(tmp_path, PUSH)
    assert (event.name, event.ref, event.sha) == ("push", "refs/heads/main", TWO)
    assert (event.repository, event.default_branch) == ("acme/shop", "main")
    assert event.payload["before"] == ONE


def test_run_id_includes_the_attempt(tmp_path: Path) -> None:
    """All jobs of a run share it; a rerun has another id but the same number."""
    assert read_event(tmp_path, PUSH).run_id == "actions-9001-2"
    assert read_event(tmp_path, PUSH, GITHUB_RUN_ATTEMPT="").run_id == "actions-9001-1"
    assert read_event(tmp_path, PUSH, GITHUB_RUN_ATTEMPT="3").number == 17


def test_workflow_is_identified_by_its_file(tmp_path: Path) -> None:
    """On any branch; an older runner gives only the name."""
    file = "acme/shop/.github/workflows/feed.yml"
    assert read_event(tmp_path, PUSH).workflow == file
    on_wip = read_event(tmp_path, OTHER, GITHUB_WORKFLOW_REF=f"{file}@refs/heads/wip")
    assert on_wip.workflow == file
    assert read_event(tmp_path, PUSH, GITHUB_WORKFLOW_REF="").workflow == "feed"


@pytest.mark.parametrize("number", ["", "many", "-1", "1.5"])
def test_invalid_run_number_is_0(tmp_path: Path, number: str) -> None:
    """Such a run is compared with no other."""
    assert read_event(tmp_path, PUSH, GITHUB_RUN_NUMBER=number).number == 0


@pytest.mark.parametrize(
    "content", [None, b"", b"no JSON", b"[1]", b"\xff{}", b'{"repository": 1}']
)
def test_missing_payload_is_no_error(tmp_path: Path, content: bytes | None) -> None:
    """The branch is unknown, and it is indexed."""
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
        ("merge_group", True),
        ("", False),
    ],
)
def test_events_of_commits_that_may_never_be_merged_are_recognized(
    tmp_path: Path, name: str, is_proposal: bool
) -> None:
    """Their commit is checked out, but is not on a branch yet."""
    assert read_event(tmp_path, PUSH._replace(name=name)).is_proposal is is_proposal


def test_pull_request_has_its_base_commit(tmp_path: Path) -> None:
    """And the branch of the base, not of the fork."""
    event = read_event(tmp_path, events.pull_request(7, ONE, TWO, "3" * 40))
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
def test_event_of_the_followed_branch_is_indexed(
    tmp_path: Path, happened: events.Event, checked_out: str | None
) -> None:
    """The checked-out commit counts, not that of the event."""
    assert read_event(tmp_path, happened).skip_reason("main", checked_out, TWO) is None


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
def test_event_of_another_branch_is_ignored(
    tmp_path: Path, happened: events.Event, checked_out: str | None, named: str
) -> None:
    """The reason names both branches."""
    why = read_event(tmp_path, happened).skip_reason("main", checked_out, TWO)
    assert why == f"{named} is checked out, and the index follows main"


def test_detached_checkout_of_another_commit_is_indexed(tmp_path: Path) -> None:
    """The workflow has chosen it."""
    assert read_event(tmp_path, TAG).skip_reason("main", None, ONE) is None


def test_configured_branch_is_followed(tmp_path: Path) -> None:
    """Instead of the default branch."""
    assert read_event(tmp_path, OTHER).skip_reason("wip", "wip", TWO) is None
    assert read_event(tmp_path, PUSH).skip_reason("wip", "main", TWO) == (
        "main is checked out, and the index follows wip"
    )


def test_deleted_branch_is_ignored(tmp_path: Path) -> None:
    """The run is on the default branch; the payload has the deleted name."""
    event = read_event(tmp_path, events.branch_deleted("wip", ONE, TWO))
    assert event.skip_reason("main", "main", TWO) == "wip was deleted"
