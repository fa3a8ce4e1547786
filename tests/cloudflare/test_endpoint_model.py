"""An index at Cloudflare with vectors of a model behind an address."""

from collections.abc import Iterator

import pytest
from program import Console, console, feeder
from standin import StandIn

from command_runner import RunFeeder
from embedding.endpoint_server import Server, respond_as_bge_m3, respond_with, running_server
from index_helpers import SHOP
from source.repos import Repo

__all__ = ["console", "feeder"]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server for bge-m3, whose requests do not count against the account's limits."""
    with running_server() as server:
        server.always = respond_as_bge_m3
        monkeypatch.setenv("FEEDER_MODEL", f"{server.url}#bge-m3")
        yield server


def test_sync_validate_and_search(
    feeder: RunFeeder, standin: StandIn, server: Server, repo: Repo
) -> None:
    """Vectorize has its dimensions, Workers AI is not called, and requests to the model are
    counted.
    """
    repo.commit(SHOP)
    assert feeder(repo, "init").code == 0
    fed = feeder(repo, "sync", "--json")
    assert fed.code == 0
    assert {len(vector["values"]) for vector in standin.vectors("acme_shop_code").values()} == {
        1024
    }
    assert "ai" not in fed.json["usage"]["requests"]
    assert fed.json["usage"]["requests"]["model"] == len(server.log)
    assert feeder(repo, "validate", "--wait").code == 0

    server.always = respond_with(503, {"error": "loading"})
    found = feeder(repo, "search", "Cart.add")
    assert found.code == 0
    assert found.out.startswith("src/cart.py")
    assert f"Searched by words only: bge-m3@{server.place}: loading (HTTP 503)." in found.err


def test_failed_requests_leave_files_pending_for_the_next_run(
    feeder: RunFeeder, console: Console, server: Server, repo: Repo
) -> None:
    """A dry run names the requests to the model."""
    repo.commit(SHOP)
    feeder(repo, "init")
    server.always = respond_with(402, {"detail": "Payment Required"})
    refused = feeder(repo, "sync")
    assert refused.code == 1
    assert "Wait, or raise the quota there; then run again." in refused.err
    assert console.sql("SELECT count(*) FROM files WHERE state = 'pending'") != [[0]]
    plan = feeder(repo, "sync", "--dry-run", "--json").json
    assert plan["usage"]["requests"]["model"] == 1
    server.always = respond_as_bge_m3
    assert feeder(repo, "sync").code == 0
    assert feeder(repo, "validate", "--wait").code == 0
