"""What do users write? Workflows with the action in them, and those that this project ships."""

import re
from typing import Any

import yaml

from github.runner import ACTION, FEED, ROOT

Step = dict[str, Any]
EVENTS = ["push", "pull_request", "merge_group", "workflow_dispatch", "schedule"]
SETTINGS = {
    "api-token": "${{ secrets.CLOUDFLARE_API_TOKEN }}",
    "account-id": "${{ secrets.CLOUDFLARE_ACCOUNT_ID }}",
    "database-id": "${{ vars.FEEDER_DATABASE_ID }}",
}


def shipped(name: str) -> str:
    """A workflow of this project as another one would have it; its steps are called feeder."""
    text = (ROOT / name).read_text()
    text = re.sub(r"^( +)- uses: \./$", r"\1- id: feeder\n\1  uses: ./", text, flags=re.MULTILINE)
    return text.replace("uses: ./\n", f"uses: {ACTION}\n")


def workflow(**inputs: str) -> str:
    """A job that checks the event's commit out and feeds it, whatever the event."""
    return job(checkout(), feeder(**inputs))


def job(*steps: Step) -> str:
    """A job of these steps that answers to every event."""
    only = {"runs-on": "ubuntu-latest", "steps": list(steps)}
    return str(yaml.safe_dump({"name": "feed", "on": EVENTS, "jobs": {"feed": only}}))


def feeder(id_: str = "feeder", **inputs: str) -> Step:
    """The action, with the secrets and more inputs, whose - is _ here."""
    return {"id": id_, "uses": ACTION, "with": {**SETTINGS, **_kebab(inputs)}}


def checkout(**inputs: int) -> Step:
    """The event's commit, with the action that the shipped workflows have."""
    text = (ROOT / FEED).read_text()
    [pin] = set(re.findall(r"uses: (actions/checkout@[0-9a-f]{40})", text))
    return {"uses": pin, "with": _kebab(inputs)}


def _kebab(inputs: dict[str, Any]) -> dict[str, Any]:
    return {name.replace("_", "-"): value for name, value in inputs.items()}
