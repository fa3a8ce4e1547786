"""The event that a workflow run answers to, read from the environment of GitHub Actions."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_BRANCH = "refs/heads/"


@dataclass(frozen=True)
class Event:
    """The event that a workflow's run answers to; empty where GitHub does not say."""

    name: str
    ref: str
    sha: str
    repository: str
    workflow: str
    number: int
    run_id: str
    """The run with its attempt: what its jobs share."""
    payload: Mapping[str, Any] = field(default_factory=dict)
    """The event's payload."""

    @property
    def order(self) -> int:
        """The run's id: it grows over all workflows, and a re-run keeps it; 0 where it has none."""
        id_ = self.run_id.split("-")[1]
        return int(id_) if id_.isdecimal() else 0

    @property
    def is_pull_request(self) -> bool:
        """Whether the commit is only proposed: a pull request's."""
        return self.name in {"pull_request", "pull_request_target"}

    @property
    def base(self) -> str:
        """The commit that a pull request would change."""
        return _text_at(self.payload, "pull_request", "base", "sha")

    @property
    def default_branch(self) -> str:
        """The repository's."""
        return _text_at(self.payload, "repository", "default_branch")

    def skip_reason(
        self, indexed_branch: str, checked_out: str | None, commit: str | None
    ) -> str | None:
        """Why the index of the `followed` branch has nothing to do with this event; else None.

        `checked_out` is the branch in the working tree, and `commit` its commit.
        """
        if self.payload.get("deleted") is True:
            # by now the event's own ref is the default branch
            return f"{_text_at(self.payload, 'ref').removeprefix(_BRANCH)} was deleted"
        is_branch = self.ref.startswith(_BRANCH)
        if checked_out is None and commit == self.sha:
            checked_out = self.ref.removeprefix(_BRANCH) if is_branch else self.ref
        if not indexed_branch or checked_out in {None, indexed_branch}:
            return None
        return f"{checked_out} is checked out, and the index follows {indexed_branch}"


def current_event(environ: Mapping[str, str] = os.environ) -> Event | None:
    """The event that this process runs for; None outside of GitHub Actions."""
    if environ.get("GITHUB_ACTIONS") != "true":
        return None
    said = {name: environ.get(f"GITHUB_{name}", "") for name in _VARIABLES}
    workflow = said["WORKFLOW_REF"].partition("@")[0] or said["WORKFLOW"]
    number = said["RUN_NUMBER"]
    return Event(
        said["EVENT_NAME"],
        said["REF"],
        said["SHA"],
        said["REPOSITORY"],
        workflow,
        int(number) if number.isdecimal() else 0,
        f"actions-{said['RUN_ID']}-{said['RUN_ATTEMPT'] or 1}",
        _payload(said["EVENT_PATH"]),
    )


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


def _payload(path: str) -> dict[str, Any]:
    try:
        facts = json.loads(Path(path).read_bytes()) if path else {}
    except (OSError, ValueError):  # an odd runner: what the environment says is enough
        return {}
    return facts if isinstance(facts, dict) else {}


def _text_at(payload: Any, *keys: str) -> str:
    for key in keys:
        payload = payload.get(key) if isinstance(payload, dict) else None
    return payload if isinstance(payload, str) else ""
