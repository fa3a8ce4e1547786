"""The workflows shown in the documentation work when pasted."""

import re
import shutil
from pathlib import Path
from textwrap import dedent

import pytest
import yaml
from program import Console

from github import events
from github.runner import ACTION, FEED, ROOT, Hub
from github.test_event_workflows import proposed
from github.workflows import checkout, feeder, job

GUIDE = "docs/how-to/github-action.md"
FEED_HEADING = "Write the steps yourself"
CALL_HEADING = "Set it up"
FILES = {
    "web/cart.py": "def add(): ...\n",
    "services/api/serve.py": "def serve(): ...\n",
    "cart.py": "def take(): ...\n",
}
WRANGLER = """\
[[d1_databases]]
binding = "CODE_DB"
database_id = "{database_id}"

[[vectorize]]
binding = "CODE_INDEX"
index_name = "acme_shop_code"
"""


def pasted(page: str, heading: str) -> str:
    """Returns the workflow below a heading, with this version of the action."""
    text = (ROOT / page).read_text("utf-8")
    _, _, below = text.partition(f"\n## {heading}\n")
    found = re.search(r"^( *)```yaml\n(.*?)^\1```$", below, re.MULTILINE | re.DOTALL)
    assert found
    name, version = ACTION.split("@")
    workflow = re.sub(r"OWNER/feeder(.*)@COMMIT", rf"{name}\1@{version}", dedent(found[2]))
    return workflow.replace(f"- uses: {ACTION}", f"- id: feeder\n        uses: {ACTION}")


@pytest.fixture
def initialized_files(hub: Hub, console: Console) -> dict[str, str]:
    """The files of a repository after `feeder init` has written wrangler.toml."""
    hub.settings = hub.settings._replace(variables={})
    return {**FILES, "wrangler.toml": WRANGLER.format(database_id=console.database_id())}


def paths(console: Console) -> list[str]:
    rows = console.sql("SELECT path FROM docs WHERE language = 'python' ORDER BY path")
    return [str(path) for [path] in rows]


@pytest.mark.parametrize("branch", ["main", "master"])
def test_sync_workflow(
    hub: Hub, console: Console, initialized_files: dict[str, str], branch: str
) -> None:
    """With the two secrets it indexes the first push."""
    workflow = pasted(GUIDE, FEED_HEADING)
    assert branch in yaml.safe_load(workflow)[True]["push"]["branches"]  # on is true in YAML
    commit = hub.repo.commit({**initialized_files, FEED: workflow})
    hub.repo.git("branch", "-m", branch)
    push = events.push(events.ZERO, commit, ref=f"refs/heads/{branch}")
    repository = {**events.REPOSITORY, "default_branch": branch}
    outcome = hub.run(push._replace(payload={**push.payload, "repository": repository}))
    assert outcome.passed, outcome.log
    assert paths(console) == sorted(FILES)


def test_workflow_in_a_container(hub: Hub, console: Console, tmp_path: Path) -> None:
    """git sees a checkout of another user: the error and its remedy are those of the page."""
    page = (ROOT / GUIDE).read_text("utf-8")
    [allow] = re.findall(r"^ +- run: (git config .*safe\.directory.*)$", page, re.MULTILINE)
    real = shutil.which("git")
    distrusting = tmp_path / "bin/git"
    distrusting.parent.mkdir()
    distrusting.write_text(f'#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec "{real}" "$@"\n')
    distrusting.chmod(0o755)
    enter = {"run": f'echo "{distrusting.parent}" >> "$GITHUB_PATH"'}
    own = {"GIT_CONFIG_GLOBAL": str(tmp_path / "gitconfig")}
    hub.settings = hub.settings._replace(env={**hub.settings.env, **own})

    refused = hub.repo.commit(
        {FEED: job(checkout(), enter, feeder()), "cart.py": "def add(): ...\n"}
    )
    outcome = hub.run(events.push(events.ZERO, refused))
    assert outcome.exit_codes == [2]
    assert "belongs to another user. Allow it with `git config --global" in outcome.log

    allowed = hub.repo.commit({FEED: job(checkout(), enter, {"run": allow}, feeder())})
    outcome = hub.run(events.push(refused, allowed))
    assert outcome.passed, outcome.log
    assert paths(console) == ["cart.py"]


def test_pull_request_workflow(
    hub: Hub, console: Console, initialized_files: dict[str, str]
) -> None:
    """The changes of a fork's pull request are counted, and nothing is written."""
    workflow = pasted(GUIDE, "Plan pull requests")
    base = hub.repo.commit({**initialized_files, FEED: workflow})
    head, merge = proposed(hub.repo, {"new.py": "def new(): ...\n"})
    outcome = hub.run(events.pull_request(7, base, head, merge), secrets={})
    assert outcome.passed, outcome.log
    assert outcome.outputs()["upserted"] == "1"
    assert paths(console) == []


def test_validate_workflow(hub: Hub, console: Console, initialized_files: dict[str, str]) -> None:
    """It fails without an index and passes after a sync."""
    feed = pasted(GUIDE, FEED_HEADING)
    validate = pasted(GUIDE, "Validate on a schedule")
    commit = hub.repo.commit({**initialized_files, FEED: feed, "validate.yml": validate})
    assert not hub.run(events.schedule(commit), "validate.yml").passed
    assert hub.run(events.push(events.ZERO, commit)).passed
    outcome = hub.run(events.schedule(commit), "validate.yml")
    assert outcome.passed, outcome.log


def test_monorepo_workflow(hub: Hub, console: Console, initialized_files: dict[str, str]) -> None:
    """Each folder is indexed under its own name, in one database."""
    workflow = pasted(GUIDE, "Index a monorepo")
    commit = hub.repo.commit({**initialized_files, FEED: workflow})
    outcome = hub.run(events.push(events.ZERO, commit))
    assert outcome.passed, outcome.log
    assert console.sql("SELECT repo, path FROM docs ORDER BY repo") == [
        ["acme/shop/services/api", "services/api/serve.py"],
        ["acme/shop/web", "web/cart.py"],
    ]


def test_first_sync_workflow(hub: Hub, console: Console, initialized_files: dict[str, str]) -> None:
    """In shards, at most one per file."""
    workflow = pasted(GUIDE, "Share a large first run")
    commit = hub.repo.commit({**initialized_files, FEED: workflow})
    outcome = hub.run(events.workflow_dispatch(commit))
    assert outcome.passed, outcome.log
    assert paths(console) == sorted(FILES)
    assert console.sql("SELECT value FROM meta WHERE key = 'acme/shop:head'") == [[commit]]
