"""Workflows that use the action: as users write them, and those that this project ships."""

import re
from typing import Any

import yaml

from github.runner import ACTION, FEED, ROOT

Step = dict[str, Any]
EVENTS = {
    **dict.fromkeys(("push", "pull_request", "merge_group", "workflow_dispatch", "schedule")),
    **dict.fromkeys(("issue_comment", "pull_request_target", "repository_dispatch")),
    "workflow_run": {"workflows": ["tests"], "types": ["completed"]},
}
SETTINGS = {
    "api-token": "${{ secrets.CLOUDFLARE_API_TOKEN }}",
    "account-id": "${{ secrets.CLOUDFLARE_ACCOUNT_ID }}",
    "database-id": "${{ vars.FEEDER_DATABASE_ID }}",
}


def shipped(name: str) -> str:
    """A workflow of this project as another repository would use it."""
    text = (ROOT / name).read_text()
    text = re.sub(r"^( +)- uses: \./$", r"\1- id: feeder\n\1  uses: ./", text, flags=re.MULTILINE)
    return text.replace("uses: ./\n", f"uses: {ACTION}\n")


def workflow(**inputs: str) -> str:
    """A job that checks out the event's commit and indexes it, for every event."""
    return job(checkout(), feeder(**inputs))


def job(*steps: Step) -> str:
    """A job with these steps that runs on every event."""
    only = {"runs-on": "ubuntu-latest", "steps": list(steps)}
    return str(yaml.safe_dump({"name": "feed", "on": EVENTS, "jobs": {"feed": only}}))


def feeder(id_: str = "feeder", **inputs: str) -> Step:
    """A step with the action, the secrets and further inputs, with `_` for `-` in their names."""
    return {"id": id_, "uses": ACTION, "with": {**SETTINGS, **_kebab(inputs)}}


def checkout(**inputs: int | str) -> Step:
    """The checkout step that the shipped workflows use."""
    text = (ROOT / FEED).read_text()
    [pin] = set(re.findall(r"uses: (actions/checkout@[0-9a-f]{40})", text))
    return {"uses": pin, "with": _kebab(inputs)}


def _kebab(inputs: dict[str, Any]) -> dict[str, Any]:
    return {name.replace("_", "-"): value for name, value in inputs.items()}
