"""GitHub events with their payloads, as GitHub documents them."""

from typing import Any, NamedTuple

Payload = dict[str, Any]
ZERO = "0" * 40


class Event(NamedTuple):
    """An event; `ref` and `sha` are those of the run, which may differ from the payload's."""

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
    """A push of commits or a tag; `before` is ZERO for a new ref."""
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
    """A push that deletes a branch; the run is on the tip of the default branch."""
    gone = push(before, ZERO, ref=f"refs/heads/{branch}").payload
    payload = {**gone, "created": False, "deleted": True, "commits": [], "head_commit": None}
    return Event("push", "refs/heads/main", tip, payload)


def pull_request(number: int, base: str, head: str, merge: str) -> Event:
    """A pull request from a fork; the run is on its merge into the base."""
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
    """A pull request in the merge queue."""
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


def workflow_dispatch(sha: str, *, ref: str = "refs/heads/main", **inputs: str) -> Event:
    """A manual run on the default branch, or on another branch or a tag."""
    workflow = ".github/workflows/feed.yml"
    payload = {**_COMMON, "ref": ref, "inputs": inputs, "workflow": workflow}
    return Event("workflow_dispatch", ref, sha, payload)


def schedule(sha: str) -> Event:
    """A scheduled run."""
    return Event("schedule", "refs/heads/main", sha, {**_COMMON, "schedule": "17 4 * * 1"})


def repository_dispatch(sha: str) -> Event:
    """A run that another service has asked for."""
    payload = {**_COMMON, "action": "reindex", "branch": "main", "client_payload": {}}
    return Event("repository_dispatch", "refs/heads/main", sha, payload)


def issue_comment(number: int, sha: str) -> Event:
    """A comment on a pull request; the run is on the tip of the default branch."""
    issue = {"number": number, "state": "open", "pull_request": {"url": f"…/pulls/{number}"}}
    comment = {"id": 3, "body": "/feed", "user": _SENDER}
    payload = {**_COMMON, "action": "created", "issue": issue, "comment": comment}
    return Event("issue_comment", "refs/heads/main", sha, payload)


def pull_request_target(number: int, base: str, head: str, merge: str) -> Event:
    """A pull request from a fork; the run is on the tip of the branch that it is for."""
    payload = pull_request(number, base, head, merge).payload
    return Event("pull_request_target", "refs/heads/main", base, payload)


def workflow_run(
    sha: str, *, run: int, head: str, branch: str = "main", fork: bool = False, name: str = "push"
) -> Event:
    """The end of the run with id `run`, which `name` has started for commit `head` of `branch`.

    This run is on `sha`, by now the tip of the default branch.
    """
    followed = {
        "id": run,
        "run_number": 12,
        "run_attempt": 1,
        "event": name,
        "status": "completed",
        "conclusion": "success",
        "head_branch": branch,
        "head_sha": head,
        "head_repository": FORK if fork else REPOSITORY,
        "pull_requests": [],
    }
    payload = {**_COMMON, "action": "completed", "workflow_run": followed}
    return Event("workflow_run", "refs/heads/main", sha, payload)
