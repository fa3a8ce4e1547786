"""Isolates tests: no network, git without user settings, no variables of a workflow."""

import gc
import os
import secrets
import signal
from collections.abc import Iterator
from pathlib import Path

import certifi
import pytest
from hypothesis import settings
from pytest_socket import socket_allow_hosts
from standin_fixtures import standin, standin_process  # noqa: F401 - fixtures

from feeder.parse import worker_pool
from feeder.retry import Clock
from feeder.session import early_start
from index_helpers import parse_once
from required_extras import require_extras
from shared_workers import end_shared_workers, no_early_start, shared_workers
from source.conftest import plain_git  # noqa: F401 - a fixture
from source.repos import Repo

# a run of the tests below nohup ignores it, and so would the programs that are tested
signal.signal(signal.SIGHUP, signal.SIG_DFL)
# as in the program; a collection in a process of 11,000 tests takes 0.3 s, a seventh of their time
gc.set_threshold(50_000)
# examples may take any time on a busy machine
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")

SLOW_FIXTURES = {"standin_process", "account", "first_outcome", "browser"}
"""They start workerd (Cloudflare's stand-in), act or Chromium."""
WORKER_TESTS = Path(__file__).parent / "edge"
"""These run the Worker in Node and workerd."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks tests of workerd, act, Chromium and Hypothesis as slow; others say so themselves."""
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        is_slow = SLOW_FIXTURES.intersection(fixtures) or item.path.is_relative_to(WORKER_TESTS)
        if is_slow or getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """Lets the garbage collector pass over the tests themselves."""
    gc.freeze()


@pytest.fixture(autouse=True)
def _closed_network() -> None:
    """Refuses connections to anything but loopback."""
    socket_allow_hosts(["127.0.0.1", "::1"], allow_unix_socket=True)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips tests marked `needs` if an extra is missing."""
    for mark in item.iter_markers("needs"):
        require_extras(*mark.args)


@pytest.fixture(autouse=True)
def _no_workflow(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(("GITHUB_", "RUNNER_"))]:
        monkeypatch.delenv(name)


@pytest.fixture(autouse=True)
def _shared_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs in the test process share parser processes; the program's own processes start theirs."""
    monkeypatch.setattr(worker_pool, "WorkerPool", shared_workers)
    monkeypatch.setattr(early_start, "started_processes", no_early_start)


@pytest.fixture(autouse=True)
def _parse_again() -> None:
    """Forgets parsed files: a test may have changed how they are parsed."""
    parse_once.cache_clear()


@pytest.fixture(autouse=True, scope="session")
def _end_shared_workers() -> Iterator[None]:
    yield
    end_shared_workers()


@pytest.fixture
def retries_without_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tries again at once where the program would wait; `tests/cloudflare/test_api.py` has the
    delays.
    """
    monkeypatch.setattr(Clock, "wait", lambda *_: None)


@pytest.fixture(autouse=True, scope="session")
def _no_home_of_fixtures(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Gives fixtures of wider scope a separate home, not the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))
        yield


@pytest.fixture(autouse=True, scope="session")
def _one_parser() -> Iterator[None]:
    """Lets a program start one process that parses, which takes 0.1 s of a core.

    `tests/parse/test_worker_pool.py` and `tests/sync/test_killed_runs.py` have several.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FEEDER_JOBS", "1")
        yield


@pytest.fixture(autouse=True, scope="session")
def _one_certificate(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Lets HTTP clients trust one authority: to load all takes 20 to 60 ms for each client.

    The tests' servers speak plain HTTP.
    """
    bundle = Path(certifi.where()).read_text("utf-8")
    first, end, _ = bundle.partition("-----END CERTIFICATE-----")
    file = tmp_path_factory.getbasetemp() / "authority.pem"
    file.write_text(f"{first}{end}\n", "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(file))
        yield


@pytest.fixture(autouse=True)
def users_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Path of the embedding cache, separate for each test; it does not exist yet."""
    folder = tmp_path_factory.getbasetemp() / f"cache-{secrets.token_hex(8)}"
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    return folder / "feeder" / "embeddings.db"


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """An empty repository."""
    return Repo(tmp_path / "repo")
