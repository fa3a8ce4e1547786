"""The event that started a workflow run, read from the environment of GitHub Actions."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

_BRANCH = "refs/heads/"
_VARIABLES = (
    "EVENT_NAME",
    "EVENT_PATH",
    "REF",
    "REPOSITORY",
    "RUN_ATTEMPT",
    "RUN_ID",
    "RUN_NUMBER",
    "SHA",
    "WORKFLOW",
    "WORKFLOW_REF",
)


class Tip(NamedTuple):
    """The newest commit of a branch at the time that run `order` of a workflow began.

    A tag has its whole name in place of a branch's: `refs/tags/v1`.
    """

    branch: str
    commit: str
    order: int


@dataclass(frozen=True)
class Event:
    """The event that started a workflow's run; fields are empty where GitHub sets none."""

    name: str
    ref: str
    sha: str
    repository: str
    workflow: str
    number: int
    run_id: str
    """Id of the run and its attempt, which all its jobs share."""
    payload: Mapping[str, Any] = field(default_factory=dict)

    @property
    def order(self) -> int:
        """The run's id: it grows over all workflows, and a re-run keeps it; 0 without one."""
        id_ = self.run_id.split("-")[1]
        return int(id_) if id_.isdecimal() else 0

    def order_of(self, commit: str) -> int:
        """The id of the run that began when `commit` was the newest of its branch.

        That is this run, or with `workflow_run` the one that it follows: example: the tests of an
        older push end last, and its commit does not become the newest by that.
        """
        orders = [tip.order for tip in self.tips() if tip.commit == commit]
        return orders[0] if orders else self.order

    def tips(self) -> list[Tip]:
        """The branches whose newest commit the event names, this run's own first."""
        tips = [Tip(self.ref.removeprefix(_BRANCH), self.sha, self.order)]
        followed = self.payload.get("workflow_run")
        id_ = followed.get("id") if isinstance(followed, dict) else None
        # a fork may have a branch of the same name
        is_own = _text_at(followed, "head_repository", "full_name") == self.repository
        if isinstance(id_, int) and is_own and (branch := _text_at(followed, "head_branch")):
            tips.append(Tip(branch, _text_at(followed, "head_sha"), id_))
        return tips

    @property
    def is_proposal(self) -> bool:
        """True for the commit of a pull request or of a merge queue, which may never be merged."""
        return self.name in {"pull_request", "pull_request_target", "merge_group"}

    @property
    def base(self) -> str:
        """The commit that a pull request or an entry of a merge queue is based on."""
        base = _text_at(self.payload, "pull_request", "base", "sha")
        return base or _text_at(self.payload, "merge_group", "base_sha")

    @property
    def default_branch(self) -> str:
        """The repository's default branch."""
        return _text_at(self.payload, "repository", "default_branch")

    def skip_reason(
        self, indexed_branch: str, checked_out: str | None, commit: str | None
    ) -> str | None:
        """Returns why this event does not change the index of `indexed_branch`; None if it does.

        `checked_out` is the branch in the working tree, and `commit` its commit.
        """
        if self.payload.get("deleted") is True:
            # by now the event's own ref is the default branch
            return f"{_text_at(self.payload, 'ref').removeprefix(_BRANCH)} was deleted"
        if checked_out is None and commit == self.sha:
            checked_out = self.ref.removeprefix(_BRANCH)
        if not indexed_branch or checked_out in {None, indexed_branch}:
            return None
        return f"{checked_out} is checked out, and the index follows {indexed_branch}"


def current_event(environ: Mapping[str, str] = os.environ) -> Event | None:
    """Returns the event that started this process; None outside of GitHub Actions."""
    if environ.get("GITHUB_ACTIONS") != "true":
        return None
    values = {name: environ.get(f"GITHUB_{name}", "") for name in _VARIABLES}
    workflow = values["WORKFLOW_REF"].partition("@")[0] or values["WORKFLOW"]
    number = values["RUN_NUMBER"]
    return Event(
        values["EVENT_NAME"],
        values["REF"],
        values["SHA"],
        values["REPOSITORY"],
        workflow,
        int(number) if number.isdecimal() else 0,
        f"actions-{values['RUN_ID']}-{values['RUN_ATTEMPT'] or 1}",
        _payload(values["EVENT_PATH"]),
    )


def _payload(path: str) -> dict[str, Any]:
    try:
        payload = json.loads(Path(path).read_bytes()) if path else {}
    except (OSError, ValueError):  # another runner: the environment is enough
        return {}
    return payload if isinstance(payload, dict) else {}


def _text_at(payload: Any, *keys: str) -> str:
    for key in keys:
        payload = payload.get(key) if isinstance(payload, dict) else None
    return payload if isinstance(payload, str) else ""
