"""The workflows of the pages on pull requests and shared indexes, and the comment's script."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from github.runner import ROOT

PAGES = [ROOT / "docs/how-to" / name for name in ("pull-requests.md", "share-an-index.md")]
TOOLS = Path(sys.executable).parent
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
WORKFLOWS = [
    workflow
    for page in PAGES
    for workflow in re.findall(
        r"^```yaml\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
]
# answers as GitHub does, and keeps what is sent, the comment in a file of its own
GH = """\
#!{python}
import json, os, shutil, sys
arguments = sys.argv[1:]
with open(os.environ["CALLS"], "a") as stream:
    stream.write(json.dumps(arguments) + "\\n")
for one in arguments:
    if one.startswith("body=@") and os.path.exists(one[6:]):
        shutil.copy(one[6:], os.environ["CALLS"] + ".md")
address = next(one for one in arguments if one.startswith("repos/"))
print(json.loads(os.environ["ANSWERS"]).get(address.rpartition("/")[2], ""))
"""


def workflow_steps(text: str) -> Iterator[dict[str, Any]]:
    for job in yaml.safe_load(text)["jobs"].values():
        yield from job["steps"]


@pytest.mark.parametrize(
    "text", WORKFLOWS, ids=["tests", "plan", "comment", "release", "artifact", "publish"]
)
def test_workflow_is_clean_and_uses_what_the_action_has(tmp_path: Path, text: str) -> None:
    file = tmp_path / ".github/workflows/pull.yml"
    file.parent.mkdir(parents=True)
    file.write_text(text.replace("COMMIT", "0" * 40))
    for check in (
        ["actionlint", "-shellcheck=", str(file)],
        ["zizmor", "--offline", "--no-progress", "--persona", "auditor", str(tmp_path)],
    ):
        answer = subprocess.run(
            [TOOLS / check[0], *check[1:]], capture_output=True, text=True, check=False
        )
        assert answer.returncode == 0, answer.stdout
    [ours] = [step for step in workflow_steps(text) if step.get("id") == "feeder"]
    assert ours["with"].keys() <= ACTION["inputs"].keys()
    assert {*re.findall(r"steps\.feeder\.outputs\.([\w-]+)", text)} <= ACTION["outputs"].keys()
    assert yaml.safe_load(text)["permissions"] == {}


@pytest.mark.parametrize(
    ("answers", "sent"),
    [
        ({"pulls": "7"}, ["POST", "repos/acme/shop/issues/7/comments"]),
        ({"pulls": "7", "comments": "31\n32"}, ["PATCH", "repos/acme/shop/issues/comments/31"]),
        ({}, []),
    ],
    ids=["first", "later", "closed"],
)
def test_comment_is_created_once_and_then_replaced(
    tmp_path: Path, answers: dict[str, str], sent: list[str]
) -> None:
    """The branch's name is a stranger's: it stays one argument."""
    [publish] = [step for step in workflow_steps(WORKFLOWS[2]) if step.get("name") == "Publish"]
    stub = tmp_path / "gh"
    stub.write_text(GH.format(python=sys.executable))
    stub.chmod(0o755)
    calls = tmp_path / "calls"
    environment = {
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "CALLS": str(calls),
        "ANSWERS": json.dumps(answers),
        "REPO": "acme/shop",
        "HEAD": 'evil:x"; touch pwned; $(touch pwned)',
        "HEAD_SHA": "1" * 40,
        "COMMENT": str(tmp_path / "comment.md"),
    }
    subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", publish["run"]],
        cwd=tmp_path,
        env=environment,
        check=True,
    )
    made = [json.loads(line) for line in calls.read_text().splitlines()]
    assert f"head={environment['HEAD']}" in made[0]
    assert not (tmp_path / "pwned").exists()
    writes = [call for call in made if "POST" in call or "PATCH" in call]
    assert [call[call.index("--method") + 1 :][:2] for call in writes] == ([sent] if sent else [])
    assert all(call[-1] == f"body=@{environment['COMMENT']}" for call in writes)
