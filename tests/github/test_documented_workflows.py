"""Do the workflows that the pages show to paste work as they stand there?"""

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
FEED_HEADING = "Set it up"
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
    """The workflow below a heading, of this action."""
    text = (ROOT / page).read_text("utf-8")
    _, _, below = text.partition(f"\n## {heading}\n")
    found = re.search(r"^( *)```yaml\n(.*?)^\1```$", below, re.MULTILINE | re.DOTALL)
    assert found
    workflow = dedent(found[2]).replace("OWNER/feeder@COMMIT", ACTION)
    return workflow.replace(f"- uses: {ACTION}", f"- id: feeder\n        uses: {ACTION}")


@pytest.fixture
def settled(hub: Hub, console: Console) -> dict[str, str]:
    """The files of a repository whose wrangler.toml is as `feeder init` leaves it."""
    hub.settings = hub.settings._replace(variables={})
    return {**FILES, "wrangler.toml": WRANGLER.format(database_id=console.database_id())}


def paths(console: Console) -> list[str]:
    rows = console.sql("SELECT path FROM docs WHERE language = 'python' ORDER BY path")
    return [str(path) for [path] in rows]


@pytest.mark.parametrize("branch", ["main", "master"])
def test_the_workflow_that_feeds(
    hub: Hub, console: Console, settled: dict[str, str], branch: str
) -> None:
    """With the two secrets and nothing else it feeds the first push."""
    workflow = pasted(GUIDE, FEED_HEADING)
    assert branch in yaml.safe_load(workflow)[True]["push"]["branches"]  # on is true in YAML
    commit = hub.repo.commit({**settled, FEED: workflow})
    hub.repo.git("branch", "-m", branch)
    push = events.push(events.ZERO, commit, ref=f"refs/heads/{branch}")
    repository = {**events.REPOSITORY, "default_branch": branch}
    outcome = hub.run(push._replace(payload={**push.payload, "repository": repository}))
    assert outcome.passed, outcome.log
    assert paths(console) == sorted(FILES)


def test_a_job_in_a_container(hub: Hub, console: Console, tmp_path: Path) -> None:
    """There git sees another user's checkout: the error says what the page says, which mends it."""
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


def test_a_plan(hub: Hub, console: Console, settled: dict[str, str]) -> None:
    """Of a fork's pull request: what it changes is counted, and nothing written."""
    workflow = pasted(GUIDE, "Plan pull requests")
    base = hub.repo.commit({**settled, FEED: workflow})
    head, merge = proposed(hub, {"new.py": "def new(): ...\n"})
    outcome = hub.run(events.pull_request(7, base, head, merge), secrets={})
    assert outcome.passed, outcome.log
    assert outcome.outputs()["upserted"] == "1"
    assert paths(console) == []


def test_a_proof(hub: Hub, console: Console, settled: dict[str, str]) -> None:
    """Red where nothing was fed yet, green where all was."""
    feed = pasted(GUIDE, FEED_HEADING)
    validate = pasted(GUIDE, "Validate on a schedule")
    commit = hub.repo.commit({**settled, FEED: feed, "validate.yml": validate})
    assert not hub.run(events.schedule(commit), "validate.yml").passed
    assert hub.run(events.push(events.ZERO, commit)).passed
    outcome = hub.run(events.schedule(commit), "validate.yml")
    assert outcome.passed, outcome.log


def test_a_monorepo(hub: Hub, console: Console, settled: dict[str, str]) -> None:
    """Each folder is fed under its own name, into one database."""
    workflow = pasted(GUIDE, "Index a monorepo")
    commit = hub.repo.commit({**settled, FEED: workflow})
    outcome = hub.run(events.push(events.ZERO, commit))
    assert outcome.passed, outcome.log
    assert console.sql("SELECT repo, path FROM docs ORDER BY repo") == [
        ["acme/shop/services/api", "services/api/serve.py"],
        ["acme/shop/web", "web/cart.py"],
    ]


def test_a_first_feed(hub: Hub, console: Console, settled: dict[str, str]) -> None:
    """In shards, of which there are no more than files."""
    workflow = pasted(GUIDE, "Share a large first run")
    commit = hub.repo.commit({**settled, FEED: workflow})
    outcome = hub.run(events.workflow_dispatch(commit))
    assert outcome.passed, outcome.log
    assert paths(console) == sorted(FILES)
    assert console.sql("SELECT value FROM meta WHERE key = 'acme/shop:head'") == [[commit]]
