"""How does the action come to what it runs, and what of the machine does it touch?"""

from pathlib import Path

import pytest

from actions import events
from actions.runner import FEED, Hub, Outcome, Runner, Settings
from actions.workflows import checkout, feeder, job, workflow
from tree.repos import Repo


def test_it_works_on_a_machine_that_has_nothing_installed(installed: Outcome) -> None:
    """From nothing, pinned packages with hashes make an environment, and feeder runs in it."""
    assert installed.passed, installed.log
    assert installed.outputs()["matrix"] == '{"shard": ["1/2", "2/2"]}'


def test_a_second_step_of_the_job_finds_it(installed: Outcome) -> None:
    """Used twice in a job, the action installs once: the mark put there meanwhile is not gone."""
    assert installed.passed, installed.log
    assert installed.outputs("again")["matrix"] == '{"shard": ["1/3", "2/3", "3/3"]}'


def test_the_local_store_brings_a_model_along(
    repo: Repo, tmp_path: Path, release: Path, installed: Outcome
) -> None:
    """With store: local no secret is needed, and the embedding model on the CPU is installed."""
    find = {"run": '"$RUNNER_TEMP/feeder-venv/bin/python" -c "import onnxruntime"'}
    commit = repo.commit({FEED: job(checkout(), feeder(store="local", validate="true"), find)})
    hub = Hub(repo, Runner(tmp_path, release, tmp_path / "none"), Settings({}, {}, {}))
    outcome = hub.run(events.push(events.ZERO, commit))
    assert outcome.passed, outcome.log
    assert int(outcome.outputs()["embedded"]) > 0


@pytest.mark.parametrize("module", ["signal", "click", "feeder/__init__"])
def test_nothing_of_the_checkout_is_imported(hub: Hub, tmp_path: Path, module: str) -> None:
    """A file of the repository that is called as a module of Python is indexed, never run."""
    mark = tmp_path / "imported"
    code = f"open({str(mark)!r}, 'w').close()\n"
    commit = hub.repo.commit({FEED: workflow(), f"{module}.py": code})
    outcome = hub.run(events.push(events.ZERO, commit))
    assert outcome.passed, outcome.log
    assert not mark.exists()
