"""Fixtures of the Worker's tests."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from standin import StandIn

from edge.indexed_worker import environment, worker_module
from edge.worker_build import built
from edge.worker_process import Worker
from edge.workerd import TOKEN, client, running
from feeder.cli.main import cli
from mcp_server.conftest import shop

__all__ = ["shop"]

DATABASE = "11111111-2222-4333-8444-555555555555"


@pytest.fixture(scope="session")
def worker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Worker]:
    """The Worker's functions, as `worker/test/peer.ts` names them."""
    process = Worker(built(tmp_path_factory.mktemp("worker") / "peer.mjs", "--test"))
    yield process
    process.stop()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `feeder worker` writes."""
    place = tmp_path_factory.mktemp("folder") / "edge"
    said = ["worker", str(place), "--database-id", DATABASE, "-q"]
    cli.main([*said, "-C", str(place.parent)], standalone_mode=False)
    return place


@pytest.fixture(scope="session")
def standin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Worker's shell with fixed answers, for tests of what runs before the index."""
    return built(tmp_path_factory.mktemp("standin") / "worker.js", "--entry", "standin", "--out")


@pytest.fixture(scope="session")
def address(folder: Path, standin: Path) -> Iterator[str]:
    """The address of a Worker that needs a token."""
    with running(folder=folder, script=standin, vars={"FEEDER_TOKEN": TOKEN}) as one:
        yield one


@pytest.fixture(scope="session")
def authorized_client(address: str) -> Iterator[httpx.Client]:
    """A client with the token."""
    with client(address) as one:
        yield one


@pytest.fixture(scope="session")
def anonymous_client(address: str) -> Iterator[httpx.Client]:
    """A client without a token."""
    with client(address, None) as one:
        yield one


@pytest.fixture(scope="module")
def account(standin_process: StandIn) -> Iterator[StandIn]:
    """Cloudflare's stand-in, emptied and set in the environment."""
    standin_process.reset()
    standin_process.change(vectorize_delay_s=0, requests_per_window=1_000_000)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment(standin_process).items():
            patch.setenv(name, value)
        yield standin_process


@pytest.fixture(scope="session")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled module of the whole Worker."""
    return worker_module(tmp_path_factory.mktemp("whole"))
