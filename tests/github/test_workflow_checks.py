"""The action and the workflows pass zizmor, actionlint and shellcheck, and follow the project's
rules.
"""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
import yaml

from github.runner import CALLED, FEED, ROOT, TOOLS

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
FILES = [ROOT / "action.yml", *WORKFLOWS]
SCRIPTS = [
    ROOT / ".ci/run",
    ROOT / ".ci/try",
    *sorted(Path(__file__).parent.glob("standins/**/*.sh")),
]
READS = {"contents": "read"}
"""All that a job may do, but for these: they sign and publish a release, and have no checkout."""
SIGNS = {
    "attest": {"attestations": "write", "id-token": "write"},
    "publish": {"id-token": "write"},
    "release": {"contents": "write"},
}


def steps(file: Path) -> Iterator[dict[str, Any]]:
    """Returns the steps of an action, or of all jobs of a workflow."""
    said = yaml.safe_load(file.read_text())
    for job in said["jobs"].values() if "jobs" in said else [said["runs"]]:
        yield from job["steps"]


def scripts() -> list[tuple[str, str]]:
    """Returns all scripts in the YAML with their place."""
    return [(file.name, step["run"]) for file in FILES for step in steps(file) if "run" in step]


def check(tool: str, *arguments: str, stdin: str = "") -> None:
    """Fails with the output of a tool if it finds something."""
    command = [str(TOOLS / tool), *arguments]
    answer = subprocess.run(
        command, cwd=ROOT, input=stdin, capture_output=True, text=True, check=False
    )
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_zizmor_finds_nothing() -> None:
    """In its strictest mode, offline."""
    check("zizmor", "--offline", "--persona", "auditor", "--no-progress", ".")


def test_zizmor_finds_nothing_in_the_guides_workflows(tmp_path: Path) -> None:
    guide = (ROOT / "docs/how-to/github-action.md").read_text("utf-8")
    blocks = re.findall(r"^( *)```yaml\n(.*?)^\1```$", guide, re.MULTILINE | re.DOTALL)
    assert len(blocks) == 6
    for at, (_, text) in enumerate(blocks):
        pinned = dedent(text).replace("OWNER", "acme").replace("COMMIT", "a" * 40)
        (tmp_path / f"{at}.yml").write_text(pinned)
    files = map(str, sorted(tmp_path.iterdir()))
    check("zizmor", "--offline", "--persona", "auditor", "--no-progress", *files)


def test_actionlint_finds_nothing() -> None:
    check("actionlint", "-shellcheck", str(TOOLS / "shellcheck"), *map(str, WORKFLOWS))


@pytest.mark.parametrize(("place", "script"), scripts())
def test_shellcheck_finds_nothing_in_a_step(place: str, script: str) -> None:
    check("shellcheck", "--shell=bash", "-", stdin=script)


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_shellcheck_finds_nothing_in_a_script(script: Path) -> None:
    """Including the stand-ins' scripts."""
    check("shellcheck", "--shell=bash", str(script))


@pytest.mark.parametrize(("place", "script"), scripts())
def test_scripts_contain_no_expressions(place: str, script: str) -> None:
    """Foreign text reaches a script only as a variable."""
    assert "${{" not in script


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_third_party_actions_are_pinned(file: Path) -> None:
    """By full commit, with the version in a comment."""
    pinned = r"[\w-]+/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+"
    for line in re.findall(r"uses: (.*)", file.read_text()):
        assert re.fullmatch(rf"\./(\.feeder-action)?|{pinned}", line)


@pytest.mark.parametrize("file", WORKFLOWS, ids=lambda file: file.name)
def test_workflows_have_minimal_permissions(file: Path) -> None:
    """None by default, only the checkout's in a job; a timeout; no stored token."""
    said = yaml.safe_load(file.read_text())
    assert said["permissions"] == {}
    assert "concurrency" in said or all("concurrency" in job for job in said["jobs"].values())
    signs = SIGNS if file.name == "release.yml" else {}
    for name, job in said["jobs"].items():
        assert job["permissions"] == signs.get(name, READS)
        assert job["timeout-minutes"] <= 360
    for step in steps(file):
        if "checkout" in step.get("uses", ""):
            assert step["with"]["persist-credentials"] is False


def test_sync_workflow_is_not_cancelled_by_the_next_run() -> None:
    """A run waits for the one before; only a sync replaces a waiting sync."""
    said = {file.name: yaml.safe_load(file.read_text()).get("concurrency") for file in WORKFLOWS}
    assert said["feed.yml"]["cancel-in-progress"] is False
    assert "'index' || github.ref" in said["feed.yml"]["group"]
    assert said["first-feed.yml"]["group"] == "feeder-index"
    assert said["validate.yml"]["group"] != "feeder-index"
    called = yaml.safe_load((ROOT / CALLED).read_text())["jobs"]["index"]["concurrency"]
    assert called["cancel-in-progress"] is False
    assert called["group"].endswith("== 'schedule' && 'validate' || 'index' }}")


@pytest.mark.parametrize("file", [FEED, CALLED])
def test_pull_request_job_has_no_secrets(file: str) -> None:
    """It runs code of a fork."""
    said = yaml.safe_load((ROOT / file).read_text())
    assert "pull_request" in said["jobs"]["plan"]["if"]
    assert "environment" not in said["jobs"]["plan"]
    assert "secrets" not in json.dumps(said["jobs"]["plan"])


def test_reusable_workflow_passes_what_the_action_has() -> None:
    """Each input is used, under the action's name, and the action is the one of the same commit."""
    said = yaml.safe_load((ROOT / CALLED).read_text())
    inputs = yaml.safe_load((ROOT / "action.yml").read_text())["inputs"]
    passed: set[str] = set()
    for job in said["jobs"].values():
        action, ours = job["steps"][-2:]
        assert action["with"]["repository"] == "${{ job.workflow_repository }}"
        assert action["with"]["ref"] == "${{ job.workflow_sha }}"
        assert ours["uses"] == f"./{action['with']['path']}"
        assert ours["with"].keys() <= inputs.keys()
        passed |= {name for name, value in ours["with"].items() if "inputs." in value}
        for name in passed & ours["with"].keys():
            assert ours["with"][name] == f"${{{{ inputs.{name} }}}}"
    assert passed | {"environment"} == said[True]["workflow_call"]["inputs"].keys()


def test_release_is_published_only_with_the_owners_consent() -> None:
    """From one build that was tested and attested."""
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())["jobs"]
    assert {name: (job.get("needs"), job.get("if")) for name, job in jobs.items()} == {
        "build": (None, None),
        "try": ("build", None),
        "attest": ("try", None),
        "publish": ("attest", "vars.PUBLISH == 'true'"),
        "release": ("publish", "vars.PUBLISH == 'true'"),
    }
    assert not any(
        "checkout" in step.get("uses", "") for name in SIGNS for step in jobs[name]["steps"]
    )
