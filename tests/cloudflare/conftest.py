"""The fixtures of the tests against the stand-in of Cloudflare's API."""

from collections.abc import Iterator

import pytest
from clouds import Cloud
from standin import StandIn
from standin_fixtures import no_proxy, standin, standin_process

__all__ = ["cloud", "no_proxy", "standin", "standin_process"]


@pytest.fixture
def cloud(standin: StandIn) -> Iterator[Cloud]:
    """An empty account whose time passes only when the program sleeps."""
    cloud = Cloud(standin)
    yield cloud
    cloud.close()
