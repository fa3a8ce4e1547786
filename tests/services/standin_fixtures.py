"""The stand-in as fixtures: one process for a run, emptied before each test that uses it."""

from collections.abc import Iterator

import httpx
import pytest
from standin import StandIn, unavailable

PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loopback is reached directly, whatever this machine's settings are."""
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture(scope="session")
def standin_process() -> Iterator[StandIn]:
    """The process, started when the first test wants it."""
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
    """A client of the account's routes that holds the token with every permission."""
    with httpx.Client(
        base_url=f"{standin.base_url}/accounts/{standin.account_id}",
        headers={"Authorization": f"Bearer {standin.token}"},
        trust_env=False,
        timeout=60,
    ) as client:
        yield client
