"""Fixtures that run the action: a runner, a repository on GitHub and an account."""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from program import Console, console
from standin import StandIn
from standin_fixtures import no_proxy

from feeder.cloudflare.api import Api
from feeder.cloudflare.d1 import D1
from feeder.store.migrations import migrate
from github import events
from github.program_step import step
from github.runner import ACTION, CALLED, FEED, ROOT, WHEELS, Hub, Outcome, Runner, Settings
from github.workflows import checkout, feeder, job
from source.repos import Repo

__all__ = ["console", "no_proxy", "step"]

PUBLISHED = ("action.yml", "requirements/", "src/", CALLED)
DIMENSIONS = 1024
"""Of the vectors of the model that is taken where none is named."""


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all processes of a test run share."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published files of the action: those that git tracks."""
    place = tmp_path_factory.mktemp("release")
    listing = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, cwd=ROOT, capture_output=True, check=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        if name.startswith(PUBLISHED) and (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, place / name)
    called = (place / CALLED).read_text()
    for fact, value in zip(("repository", "sha"), ACTION.split("@"), strict=True):
        expression = f"${{{{ job.workflow_{fact} }}}}"
        assert expression in called
        called = called.replace(expression, value)  # act does not know it
    (place / CALLED).write_text(called)
    return place


@pytest.fixture(scope="session")
def venv_cache(shared: Path) -> Path:
    """The folder of the virtual environments that the first job made; later jobs reuse it."""
    return shared / "feeder-venv"


@pytest.fixture(scope="session")
def first_outcome(shared: Path, venv_cache: Path, release: Path, plain_git: None) -> Outcome:
    """The outcome of the first job, which installs the program, plans twice and keeps its venv."""
    if sys.platform != "linux":
        pytest.skip("the stand-in of GitHub's runner is one of Linux")
    if not WHEELS.is_dir():
        pytest.fail(f"The action is installed from {WHEELS}: run `make .venv/wheels`.")
    log = shared / "first-job.log"
    with (shared / "first-job.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not log.exists():
            log.write_text(_first_job(shared / "first-job", release, venv_cache).text)
    return Outcome(log.read_text())


@pytest.fixture
def first_cache(shared: Path, first_outcome: Outcome) -> Path:
    """The Actions cache after the first job."""
    assert first_outcome.passed, first_outcome.log
    return shared / "first-job/cache"


def _first_job(folder: Path, release: Path, venv_cache: Path) -> Outcome:
    file = job(
        checkout(),
        feeder(command="plan", shards="2"),
        {"run": 'for venv in "$RUNNER_TEMP"/feeder-venv/*; do touch "$venv/mark"; done'},
        feeder("again", command="plan", shards="3"),
        {"run": 'rm "$RUNNER_TEMP"/feeder-venv/*/mark'},
        {"run": 'mv "$RUNNER_TEMP/feeder-venv" "$VENV_HERE"'},
    )
    repo = Repo(folder / "shop")
    commit = repo.commit({FEED: file, "a.txt": "a\n", "b.txt": "b\n"})
    hub = Hub(repo, Runner(folder, release, venv_cache), Settings({}, {}, {}))
    return hub.run(events.push(events.ZERO, commit))


@pytest.fixture
def runner(tmp_path: Path, release: Path, venv_cache: Path, first_outcome: Outcome) -> Runner:
    """A machine on which a job has run before."""
    assert first_outcome.passed, first_outcome.log
    return Runner(tmp_path / "runner", release, venv_cache)


@pytest.fixture
def hub(standin: StandIn, console: Console, repo: Repo, runner: Runner) -> Hub:
    """An empty repository whose secrets lead to an empty index at the stand-in."""
    standin.change(vectorize_delay_s=0)
    database_id = console.make_database("acme_shop")
    console.make_index("acme_shop_code", DIMENSIONS)
    api = Api(standin.token, standin.account_id, base_url=standin.base_url)
    migrate(D1(api, database_id))
    api.close()
    settings = Settings(
        secrets={
            "CLOUDFLARE_API_TOKEN": standin.token,
            "CLOUDFLARE_ACCOUNT_ID": standin.account_id,
        },
        variables={"FEEDER_DATABASE_ID": database_id},
        env={"CLOUDFLARE_BASE_URL": standin.base_url, "FEEDER_JOBS": "1"},
    )
    return Hub(repo, runner, settings)
