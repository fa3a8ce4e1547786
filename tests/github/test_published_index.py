"""A workflow publishes the local index, and the next run starts from it."""

import hashlib
import json
from pathlib import Path

import pytest

from feeder.share.manifest import Listing, decode
from github import events
from github.runner import FEED, Hub, Runner, Settings
from github.workflows import checkout, feeder, job
from source.repos import Repo

pytestmark = pytest.mark.slow

FILES = {"cart.py": "def add(): ...\n", "docs/guide.md": "# Guide\n\nHow to run the shop.\n"}


@pytest.fixture
def runner(tmp_path: Path, release: Path) -> Runner:
    """A machine without secrets."""
    environments = tmp_path / "environments"  # the one that others share stays as it is
    environments.mkdir()
    return Runner(tmp_path, release, environments)


def published(store: Path) -> list[str]:
    """The published commits, newest first."""
    return [entry.commit for entry in decode((store / "latest.json").read_bytes(), Listing).entries]


def test_later_run_and_pull_request_start_from_the_published_index(
    repo: Repo, tmp_path: Path, runner: Runner
) -> None:
    store = tmp_path / "store"
    step = feeder(
        store="local", validate="true", pull=str(store), publish=str(store), attest="true"
    )
    first = repo.commit({**FILES, FEED: job(checkout(fetch_depth=0), step)})
    hub = Hub(repo, runner, Settings({}, {}, {}))
    outcome = hub.run(events.push(events.ZERO, first))
    assert outcome.passed, outcome.log
    assert (
        "cannot be used. Nothing is published there. The index is built here instead."
        in outcome.log
    )
    assert published(store) == [first]
    digest = hashlib.sha256(next(store.glob("m-*.json")).read_bytes()).hexdigest()
    assert f"attested feeder-index sha256:{digest}" in outcome.log

    second = repo.commit({"cart.py": "def add():\n    return 1\n"})
    outcome = hub.run(events.push(first, second))
    assert outcome.passed, outcome.log
    assert f"Pulled the index of commit {first[:7]}" in outcome.log
    assert outcome.outputs()["unchanged"] == "2"
    assert published(store) == [second, first]

    repo.git("checkout", "-q", "-b", "patch")
    head = repo.commit({"cart.py": "def add():\n    return 2\n"})
    repo.git("checkout", "-q", "--detach", second)
    repo.git("merge", "-q", "--no-ff", "-m", "Merge", head)
    merged = repo.git("rev-parse", "HEAD")
    outcome = hub.run(events.pull_request(7, second, head, merged))
    assert outcome.passed, outcome.log
    assert "attested" not in outcome.log
    assert [load["name"] for load in json.loads(outcome.outputs()["changed"])] == ["add"]
    assert published(store) == [second, first]
