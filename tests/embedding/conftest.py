"""A server to ask, and a clock that nobody waits for."""

from collections.abc import Iterator

import pytest
from clouds import MovedClock

from embedding.endpoint_server import Model, Server, serving


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock(start=1_000_000)


@pytest.fixture
def model(server: Server, clock: MovedClock) -> Iterator[Model]:
    made = Model(server, clock)
    yield made
    for embedder in made.opened:
        embedder.close()
