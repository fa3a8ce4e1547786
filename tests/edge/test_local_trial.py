"""`feeder worker --try`: the Worker on this machine, on a copy of the local index."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from standin import unavailable

from edge.worker_process import ROOT
from feeder.cli.main import cli
from feeder.edge.local_trial import running_worker
from feeder.errors import UserError
from source.repos import Repo

REPO = "acme/shop"
CART = "class Cart:\n    def add(self, item):\n        return item\n"
USER = "from cart import Cart\n\n\ndef order():\n    return Cart().add(1)\n"


@pytest.fixture(scope="module")
def synced(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository with a local index that stores the source."""
    repo = Repo(tmp_path_factory.mktemp("trial") / "shop")
    repo.commit({"cart.py": CART, "order.py": USER})
    said = ["-C", str(repo.path), "--repo", REPO, "--model", "words", "-q"]
    cli.main(["sync", "--store", "local", "--texts", *said], standalone_mode=False)
    return repo


def test_port_in_use_is_an_error_of_one_line(synced: Repo) -> None:
    """It is tested before workerd starts, which would print its stack."""
    index = synced.path / ".feeder" / "index.db"
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with (
            pytest.raises(
                UserError, match=rf"port {port}: Address already in use\. Choose.*--port"
            ),
            running_worker(index, REPO, synced.path, port, {}),
        ):
            pass


def test_worker_answers_from_a_copy_of_the_index(synced: Repo) -> None:
    """Search, relations, the page and MCP's tools; Ctrl-C ends it, and the index is as before."""
    if reason := unavailable():
        pytest.skip(reason[0])
    index = synced.path / ".feeder" / "index.db"
    before = index.read_bytes()
    (synced.path / "node_modules").symlink_to(ROOT / "node_modules")
    command = [sys.executable, "-m", "feeder", "worker", "--try", "--port", "0"]
    with subprocess.Popen(
        [*command, "-C", str(synced.path), "--repo", REPO],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    ) as process:
        assert process.stdout
        address = process.stdout.readline().split(" ")[0]
        with httpx.Client(base_url=address, trust_env=False, timeout=60) as client:
            answer = client.get("/api/search", params={"q": "add"}).json()
            [found] = client.get("/api/relations", params={"place": "Cart.add"}).json()[
                "references"
            ]
            page = client.get("/").text
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=60)
    assert answer["hits"][0]["symbol"] == "Cart.add"
    assert answer["hits"][0]["window"]["lines"][0] == "    def add(self, item):"
    assert (found["path"], found["line"], found["resolved"]) == ("order.py", 5, True)
    assert "<title>" in page
    assert "It searches by words" in messages
    assert process.returncode == 130
    assert index.read_bytes() == before


def test_missing_parts_are_named(
    synced: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = synced.path / ".feeder" / "index.db"
    with (
        pytest.raises(UserError, match=r"does not exist. Make a local index: feeder sync"),
        running_worker(tmp_path / "index.db", REPO, tmp_path, 0, {}),
    ):
        pass
    with (
        pytest.raises(UserError, match=r"^miniflare is missing.*npm install --no-save miniflare"),
        running_worker(index, REPO, tmp_path, 0, {}),
    ):
        pass
    monkeypatch.setenv("PATH", str(tmp_path))
    with (
        pytest.raises(UserError, match=r"^Node.js is missing"),
        running_worker(index, REPO, tmp_path, 0, {}),
    ):
        pass
