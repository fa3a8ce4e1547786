"""The fixtures of the tests against the stand-in of Cloudflare's API."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# the stand-in's folder has the name of Cloudflare's SDK, so its modules are not a package's
sys.path.insert(0, str(Path(__file__).parents[1] / "cloudflare"))

from standin import StandIn
from standin_fixtures import standin, standin_process

from cloud.clouds import Cloud

__all__ = ["cloud", "standin", "standin_process"]

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loopback is reached directly, whatever this machine's settings are."""
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def cloud(standin: StandIn) -> Iterator[Cloud]:
    """An empty account whose time passes only when the program sleeps."""
    cloud = Cloud(standin)
    yield cloud
    cloud.close()
