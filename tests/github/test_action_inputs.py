"""The inputs of the action."""

import json

from program import Console

from github import events
from github.runner import FEED, Hub, Outcome
from github.workflows import Step, checkout, feeder, job

FILES = {"cart.py": "def add(): ...\n", "docs/guide.md": "# Guide\n\nHow to run the shop.\n"}


def run(hub: Hub, *steps: Step) -> Outcome:
    """Runs a first push of the files with a job of these steps."""
    commit = hub.repo.commit({**FILES, FEED: job(checkout(), *steps)})
    outcome = hub.run(events.push(events.ZERO, commit))
    assert outcome.passed, outcome.log
    return outcome


def paths(console: Console) -> list[str]:
    return [str(path) for [path] in console.sql("SELECT DISTINCT path FROM docs ORDER BY path")]


def test_repo_input(hub: Hub, console: Console) -> None:
    """The index may have another repository name than GitHub."""
    run(hub, feeder(repo="acme/market", index_name="acme_shop_code"))
    assert console.sql("SELECT DISTINCT repo FROM docs") == [["acme/market"]]


def test_path_input(hub: Hub, console: Console) -> None:
    """Only a folder of a monorepo is indexed."""
    run(hub, feeder(path="docs"))
    assert paths(console) == ["docs/guide.md"]


def test_force_input(hub: Hub, console: Console) -> None:
    """A rerun of an older event takes the index back to its commit."""
    first = hub.repo.commit({FEED: job(checkout(), feeder(force="true")), **FILES})
    assert hub.run(events.push(events.ZERO, first)).passed
    second = hub.repo.commit({"cart.py": None})
    assert hub.run(events.push(first, second)).passed
    outcome = hub.run(events.push(events.ZERO, first), number=1, attempt=2)
    assert outcome.passed, outcome.log
    assert "cart.py" in paths(console)


def test_deltas_input(hub: Hub, console: Console) -> None:
    """A workflow passes its own deltas as JSON."""
    run(hub, feeder(command="apply", deltas='[{"file": "cart.py", "action": "process"}]'))
    assert paths(console) == ["cart.py"]


def test_validate_input_and_report_output(hub: Hub) -> None:
    """The index is validated afterwards, and a later step can read the report."""
    read = {"run": 'cat "$REPORT"', "env": {"REPORT": "${{ steps.feeder.outputs.report }}"}}
    outcome = run(hub, feeder(validate="true"), read)
    report = json.loads(outcome.log[outcome.log.rindex('{\n  "report"') :])
    assert report["report"]["files_processed"] == 3
    assert report["validation"]["passed"] is True
