"""An embedding server on loopback, and a clock that does not wait."""

from collections.abc import Iterator

import pytest
from clouds import FakeClock

from embedding.endpoint_server import Model, Server, running_server


@pytest.fixture
def server() -> Iterator[Server]:
    with running_server() as server:
        yield server


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(start=1_000_000)


@pytest.fixture
def model(server: Server, clock: FakeClock) -> Iterator[Model]:
    made = Model(server, clock)
    yield made
    for embedder in made.opened:
        embedder.close()
