"""What does GitHub tell a workflow? Events with their payloads, as its documentation has them."""

from typing import Any, NamedTuple

Payload = dict[str, Any]
ZERO = "0" * 40


class Event(NamedTuple):
    """Something that has happened; `ref` and `sha` are the run's, not always the payload's."""

    name: str
    ref: str
    sha: str
    payload: Payload


REPOSITORY: Payload = {
    "id": 17,
    "name": "shop",
    "full_name": "acme/shop",
    "private": False,
    "fork": False,
    "default_branch": "main",
    "owner": {"login": "acme", "id": 5, "type": "Organization"},
}
FORK: Payload = {**REPOSITORY, "id": 18, "full_name": "mallory/shop", "fork": True}
_SENDER: Payload = {"login": "ada", "id": 1, "type": "User"}
_COMMON: Payload = {"repository": REPOSITORY, "sender": _SENDER}


def push(before: str, after: str, *, ref: str = "refs/heads/main", forced: bool = False) -> Event:
    """Commits or a tag that arrived; `before` is ZERO where the ref is new."""
    payload = {
        **_COMMON,
        "ref": ref,
        "before": before,
        "after": after,
        "created": before == ZERO,
        "deleted": False,
        "forced": forced,
        "base_ref": None,
        "commits": [] if before == ZERO else [{"id": after, "message": "a commit"}],
        "head_commit": {"id": after, "message": "a commit"},
        "pusher": {"name": "ada", "email": "ada@example.org"},
    }
    return Event("push", ref, after, payload)


def branch_deleted(branch: str, before: str, tip: str) -> Event:
    """A push that takes a branch away; the run is of the default branch's tip."""
    gone = push(before, ZERO, ref=f"refs/heads/{branch}").payload
    payload = {**gone, "created": False, "deleted": True, "commits": [], "head_commit": None}
    return Event("push", "refs/heads/main", tip, payload)


def pull_request(number: int, base: str, head: str, merge: str) -> Event:
    """One from a fork; the run is of its merge into the base."""
    payload = {
        **_COMMON,
        "action": "synchronize",
        "number": number,
        "pull_request": {
            "number": number,
            "state": "open",
            "merge_commit_sha": merge,
            "head": {"ref": "patch-1", "sha": head, "label": "mallory:patch-1", "repo": FORK},
            "base": {"ref": "main", "sha": base, "label": "acme:main", "repo": REPOSITORY},
        },
    }
    return Event("pull_request", f"refs/pull/{number}/merge", merge, payload)


def merge_group(number: int, base: str, head: str) -> Event:
    """A pull request whose turn in the merge queue has come."""
    ref = f"refs/heads/gh-readonly-queue/main/pr-{number}-{base}"
    payload = {
        **_COMMON,
        "action": "checks_requested",
        "merge_group": {
            "head_sha": head,
            "head_ref": ref,
            "base_sha": base,
            "base_ref": "refs/heads/main",
            "head_commit": {"id": head, "message": "a merge"},
        },
    }
    return Event("merge_group", ref, head, payload)


def workflow_dispatch(sha: str, **inputs: str) -> Event:
    """Somebody pressed the button on the default branch."""
    ref = "refs/heads/main"
    workflow = ".github/workflows/feed.yml"
    payload = {**_COMMON, "ref": ref, "inputs": inputs, "workflow": workflow}
    return Event("workflow_dispatch", ref, sha, payload)


def schedule(sha: str) -> Event:
    """Its time has come."""
    return Event("schedule", "refs/heads/main", sha, {**_COMMON, "schedule": "17 4 * * 1"})
