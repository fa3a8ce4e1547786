"""The reusable workflow, called as the guide shows, does what the event asks for."""

import os
import re
import subprocess
from pathlib import Path

import pytest
from program import Console

from github import events
from github.runner import ROOT, Hub
from github.test_documented_workflows import (
    CALL_HEADING,
    GUIDE,
    initialized_files,
    pasted,
    paths,
)
from github.test_event_workflows import proposed

__all__ = ["initialized_files"]

CALLER = ".github/workflows/feeder.yml"
FILES = ["cart.py", "services/api/serve.py", "web/cart.py"]


@pytest.fixture
def first(hub: Hub, initialized_files: dict[str, str]) -> str:
    """The first commit of a repository with the workflow of the guide."""
    return hub.repo.commit({**initialized_files, CALLER: pasted(GUIDE, CALL_HEADING)})


def test_push_updates_the_index_and_the_schedule_validates_it(
    hub: Hub, console: Console, first: str
) -> None:
    """Before the first push the validation fails."""
    assert not hub.run(events.schedule(first), CALLER).passed
    outcome = hub.run(events.push(events.ZERO, first), CALLER)
    assert outcome.passed, outcome.log
    assert paths(console) == FILES
    outcome = hub.run(events.schedule(first), CALLER)
    assert outcome.passed, outcome.log
    assert "The index is correct" in outcome.log


def test_fork_pull_request_and_merge_queue_are_planned(
    hub: Hub, console: Console, first: str
) -> None:
    """Without secrets; nothing is written."""
    head, merge = proposed(hub.repo, {"new.py": "def new(): ...\n"})
    outcome = hub.run(events.pull_request(7, first, head, merge), CALLER, secrets={})
    assert outcome.passed, outcome.log
    assert outcome.outputs()["upserted"] == "1"
    hub.repo.git("checkout", "-q", "-b", f"gh-readonly-queue/main/pr-7-{first}", merge)
    outcome = hub.run(events.merge_group(7, first, merge), CALLER)
    assert outcome.passed, outcome.log
    assert outcome.outputs()["upserted"] == "1"
    assert paths(console) == []


def test_inputs_reach_the_action(
    hub: Hub, console: Console, initialized_files: dict[str, str]
) -> None:
    workflow = pasted(GUIDE, CALL_HEADING)
    workflow = workflow.replace("    secrets:\n", "    with:\n      path: web\n    secrets:\n")
    commit = hub.repo.commit({**initialized_files, CALLER: workflow})
    outcome = hub.run(events.push(events.ZERO, commit), CALLER)
    assert outcome.passed, outcome.log
    assert paths(console) == ["web/cart.py"]


@pytest.mark.parametrize(
    "origin", ["git@github.com:acme/search.git", "https://github.com/acme/search"]
)
def test_commands_of_the_guide_fill_in_the_repository_and_commit(
    tmp_path: Path, origin: str
) -> None:
    """In all workflows, for the action and the reusable workflow."""
    text = (ROOT / GUIDE).read_text("utf-8")
    [commands] = re.findall(r"^       repo=.*\n(?:       .*\n)+", text, re.MULTILINE)
    folder = tmp_path / ".github/workflows"
    folder.mkdir(parents=True)
    for at, shown in enumerate(re.findall(r"^ *(?:- )?uses: OWNER.*$", text, re.MULTILINE)):
        (folder / f"{at}.yml").write_text(f"{shown}\n")
    git = ["git", "-C", str(tmp_path / "feeder"), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for arguments in (
        ["init", "-q", str(tmp_path / "feeder")],
        [*git[1:], "commit", "-q", "--allow-empty", "-m", "x"],
        [*git[1:], "remote", "add", "origin", origin],
    ):
        subprocess.run(["git", *arguments], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    commit = head.stdout.strip()
    printed = subprocess.run(
        ["bash", "-eu", "-c", commands],
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path)},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert {line.strip().removeprefix("- ") for line in printed.splitlines()} == {
        f"uses: acme/search@{commit}",
        f"uses: acme/search/.github/workflows/index.yml@{commit}",
    }
    assert not any("OWNER" in file.read_text() for file in folder.iterdir())
    assert not list(folder.glob("*.bak"))
