"""Fixtures of the tests against the stand-in for Cloudflare's API."""

from collections.abc import Iterator

import pytest
from clouds import Cloud
from standin import StandIn
from standin_fixtures import no_proxy

__all__ = ["cloud", "no_proxy"]


@pytest.fixture
def cloud(standin: StandIn) -> Iterator[Cloud]:
    """An empty account with a clock that only advances when the program waits."""
    cloud = Cloud(standin)
    yield cloud
    cloud.close()
