"""Are the action and the workflows clean by the field's own measures?"""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from github.runner import ROOT, TOOLS

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
FILES = [ROOT / "action.yml", *WORKFLOWS]
SCRIPTS = [
    ROOT / ".ci/run",
    ROOT / ".ci/try",
    *sorted(Path(__file__).parent.glob("standins/**/*.sh")),
]
READS = {"contents": "read"}
"""All that a job may do, but for these: they sign what is released, and have no checkout."""
SIGNS = {
    "attest": {"attestations": "write", "id-token": "write"},
    "publish": {"id-token": "write"},
}


def steps(file: Path) -> Iterator[dict[str, Any]]:
    """Of an action, or of all jobs of a workflow."""
    said = yaml.safe_load(file.read_text())
    for job in said["jobs"].values() if "jobs" in said else [said["runs"]]:
        yield from job["steps"]


def runs() -> list[tuple[str, str]]:
    """All scripts in the YAML: where they are, and what they are."""
    return [(file.name, step["run"]) for file in FILES for step in steps(file) if "run" in step]


def check(tool: str, *arguments: str, stdin: str = "") -> None:
    """Fails with the tool's own words when it finds something."""
    command = [str(TOOLS / tool), *arguments]
    answer = subprocess.run(
        command, cwd=ROOT, input=stdin, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_zizmor_finds_nothing() -> None:
    """No finding, by its most pedantic rules, without a network."""
    check("zizmor", "--offline", "--persona", "pedantic", "--no-progress", ".")


def test_actionlint_finds_nothing() -> None:
    """The workflows are what GitHub understands."""
    check("actionlint", "-shellcheck", str(TOOLS / "shellcheck"), *map(str, WORKFLOWS))


@pytest.mark.parametrize(("place", "script"), runs())
def test_shellcheck_finds_nothing_in_a_step(place: str, script: str) -> None:
    """Each `run` is clean bash."""
    check("shellcheck", "--shell=bash", "-", stdin=script)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_shellcheck_finds_nothing_in_a_script(script: Path) -> None:
    """What CI runs, and the stand-ins' scripts, are clean too."""
    check("shellcheck", "--shell=bash", str(script))


@pytest.mark.parametrize(("place", "script"), runs())
def test_no_expression_is_put_into_a_script(place: str, script: str) -> None:
    """What somebody else may have written reaches a script as a variable only."""
    assert "${{" not in script


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_actions_of_others_are_pinned(file: Path) -> None:
    """By their full commit, with the version that it is in a comment."""
    for line in re.findall(r"uses: (.*)", file.read_text()):
        assert re.fullmatch(r"\./|[\w-]+/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", line)


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_a_workflow_may_only_read(file: Path) -> None:
    """No permission by default, none but the checkout's in a job, an end in time, no token kept."""
    said = yaml.safe_load(file.read_text())
    assert said["permissions"] == {}
    assert "concurrency" in said
    signs = SIGNS if file.name == "release.yml" else {}
    for name, job in said["jobs"].items():
        assert job["permissions"] == signs.get(name, READS)
        assert job["timeout-minutes"] <= 360
    for step in steps(file):
        if "checkout" in step.get("uses", ""):
            assert step["with"]["persist-credentials"] is False


def test_a_feed_is_never_cut_short_by_the_next() -> None:
    """A run waits for the one before, and only a feed can take a waiting feed's place."""
    said = {file.name: yaml.safe_load(file.read_text())["concurrency"] for file in WORKFLOWS}
    assert said["feed.yml"]["cancel-in-progress"] is False
    assert "'index' || github.ref" in said["feed.yml"]["group"]
    assert said["first-feed.yml"]["group"] == "feeder-index"
    assert said["validate.yml"]["group"] != "feeder-index"


def test_the_pull_request_job_has_no_secrets() -> None:
    """What a fork wrote runs without them."""
    said = yaml.safe_load((ROOT / ".github/workflows/feed.yml").read_text())
    assert "pull_request" in said["jobs"]["plan"]["if"]
    assert "secrets" not in json.dumps(said["jobs"]["plan"])


def test_a_release_is_published_only_where_the_owner_says_so() -> None:
    """And only what was built once, then tried, then attested."""
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())["jobs"]
    assert jobs["publish"]["if"] == "vars.PUBLISH == 'true'"
    assert [jobs[name].get("needs") for name in ("build", "try", "attest", "publish")] == [
        None,
        "build",
        "try",
        "attest",
    ]
