"""Fixtures for the stand-in: one process per test run, reset before each test that uses it."""

from collections.abc import Iterator

import httpx
import pytest
from standin import StandIn, unavailable

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Removes proxy settings, so that loopback is reached directly."""
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture(scope="session")
def standin_process() -> Iterator[StandIn]:
    """The stand-in's process, started when the first test needs it."""
    why = unavailable()
    if why is not None:
        reason, may_skip = why
        (pytest.skip if may_skip else pytest.fail)(reason)
    with StandIn.start() as running:
        yield running


@pytest.fixture
def standin(standin_process: StandIn) -> StandIn:
    """The stand-in, empty and with the live service's limits."""
    standin_process.reset()
    return standin_process


@pytest.fixture
def api(standin: StandIn) -> Iterator[httpx.Client]:
    """An HTTP client for the account's routes, with a token that has every permission."""
    with httpx.Client(
        base_url=f"{standin.base_url}/accounts/{standin.account_id}",
        headers={"Authorization": f"Bearer {standin.token}"},
        trust_env=False,
        timeout=60,
    ) as client:
        yield client
