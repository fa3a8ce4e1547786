"""The recipes of the page on pull requests, run with act, also for a hostile fork."""

import json
import re
import sys
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from github import events
from github.runner import ACTION, Hub
from github.test_change_impact import CHANGED, FILES
from github.test_event_workflows import Files, proposed
from github.test_pull_request_page import GH, WORKFLOWS

TESTS, PLAN, COMMENT = (text.replace("OWNER/feeder@COMMIT", ACTION) for text in WORKFLOWS[:3])
PLACE = ".github/workflows"
EVIL = "evil.example"
NAMES = (
    f"![x](http://{EVIL}/a.png)",
    f"<img src=http://{EVIL}>",
    f"x </details> [y](http://{EVIL})",
    f"`` ` http://{EVIL}",
    "$(touch pwned)",
)
HOSTILE_CLASS = "".join(f"  [{json.dumps(name)}]() {{ return 1 }}\n" for name in NAMES)
HOSTILE_FILES = {
    f"`](http:/{EVIL}) @team <b>/a.js": f"class A {{\n{HOSTILE_CLASS}}}\n",
    "tests/$(touch pwned)/test_a.py": "def test_add(): ...\n",
}


@pytest.fixture
def base(hub: Hub) -> str:
    """The first commit of a repository with the three workflows."""
    run = TESTS.replace("run: python -m", f"run: {sys.executable} -m")
    assert run != TESTS
    workflows = {"tests.yml": run, "plan.yml": PLAN, "comment.yml": COMMENT}
    return hub.repo.commit({f"{PLACE}/{name}": text for name, text in workflows.items()} | FILES)


def test_only_the_tests_that_can_break_are_run(hub: Hub, base: str) -> None:
    """The other test file would fail."""
    other = {"conftest.py": "", "tests/test_other.py": "def test_other():\n    assert False\n"}
    base = hub.repo.commit(other)
    head, merge = proposed(hub.repo, CHANGED)
    outcome = hub.run(events.pull_request(7, base, head, merge), f"{PLACE}/tests.yml", secrets={})
    assert outcome.outputs()["tests-list"] == "tests/test_cart.py"
    assert outcome.passed, outcome.log
    assert "1 passed" in outcome.log


def test_comment_on_a_hostile_pull_request(hub: Hub, base: str, tmp_path: Path) -> None:
    """No name of the fork becomes a link, an image, HTML, a mention or a command."""
    text = comment_on(hub, base, tmp_path, {**CHANGED, **HOSTILE_FILES})
    assert "`tests/test_cart.py`" in text
    assert sum(name.replace("`", "") in text.replace("`", "") for name in NAMES) == len(NAMES)
    assert "@team" in text
    tags: set[str] = set()
    for token in MarkdownIt("commonmark").parse(text):
        tags |= {*re.findall(r"</?[a-z]+", token.content)} if token.type == "html_block" else {""}
        for part in token.children or ():
            assert part.type in {"text", "code_inline", "softbreak", "strong_open", "strong_close"}
            if part.type == "text":
                assert EVIL not in part.content
                assert "@team" not in part.content
    assert tags == {"", "<details", "<summary", "</summary", "</details"}
    assert not [*hub.repo.path.parent.rglob("pwned")]


def comment_on(hub: Hub, base: str, folder: Path, files: Files) -> str:
    """The comment that is published after a pull request of a fork with these files."""
    head, merge = proposed(hub.repo, files)
    outcome = hub.run(events.pull_request(7, base, head, merge), f"{PLACE}/plan.yml", secrets={})
    assert outcome.passed, outcome.log
    stub = folder / "gh-bin/gh"
    stub.parent.mkdir()
    stub.write_text(GH.format(python=sys.executable))
    stub.chmod(0o755)
    calls = folder / "calls"
    hub.settings = hub.settings._replace(
        env={**hub.settings.env, "CALLS": str(calls), "ANSWERS": json.dumps({"pulls": "7"})}
    )
    enter = f'      - run: echo "{stub.parent}" >> "$GITHUB_PATH"\n'
    tip = hub.repo.commit(
        {f"{PLACE}/comment.yml": COMMENT.replace("    steps:\n", f"    steps:\n{enter}")}
    )
    done = events.workflow_run(
        tip, run=9001, head=head, branch="patch-1", fork=True, name="pull_request"
    )
    outcome = hub.run(done, f"{PLACE}/comment.yml")
    assert outcome.passed, outcome.log
    assert "POST" in json.loads(calls.read_text().splitlines()[-1])
    return calls.with_name("calls.md").read_text("utf-8")
