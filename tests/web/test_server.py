"""`feeder serve`: where it listens, what it says first, whom it follows, and how it ends."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from command_runner import RunFeeder, command_runner
from feeder.web import server as listens
from feeder.web.server import Address, listen
from required_extras import require_extras
from source.repos import Repo
from web.http_client import JSON, request, web

FEEDER = Path(sys.executable).with_name("feeder")
TOKEN = "0123456789abcdef"
CART = "class Cart:\n    def add(self):\n        return 1\n"


@pytest.fixture
def feeder(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> RunFeeder:
    return command_runner(monkeypatch, capfd)


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit({"cart.py": CART})
    return repo


class Serving:
    """A process that serves, and its first line."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdout
        self.process = process
        self.call_tool = process.stdout.readline().strip()
        self.url, _, self.token = self.call_tool.partition("#token=")

    def search(self, query: str) -> str:
        """The text that the tool answers."""
        return str(self.call(query).json()["result"]["content"][0]["text"])

    def call(self, query: str) -> httpx.Response:
        message = request("tools/call", name="search", arguments={"query": query})
        headers = {**JSON, "authorization": f"Bearer {self.token}"}
        url = f"{self.url}mcp"
        return httpx.post(url, json=message, headers=headers, timeout=60, trust_env=False)


@contextmanager
def serving(repo: Repo, *options: str, **env: str) -> Iterator[Serving]:
    """A server of a repository, in a process of its own."""
    require_extras("serve")
    with subprocess.Popen(
        [FEEDER, "serve", *options],
        cwd=repo.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "FEEDER_MODEL": "words", "FEEDER_JOBS": "1", **env},
    ) as process:
        try:
            yield Serving(process)
        finally:
            process.kill()


def test_the_address_comes_first_and_the_index_by_itself(shop: Repo) -> None:
    """What was never fed is fed at the first question; what is edited is found soon."""
    with serving(shop) as one:
        assert urlsplit(one.url).hostname == "127.0.0.1"
        assert len(one.token) >= 32
        assert not (shop.path / ".feeder").exists()
        assert "cart.py:1-3 class Cart" in one.search("cart")
        shop.write({"basket.py": "def basket():\n    return 2\n"})
        while "basket.py:1-2" not in one.search("basket"):
            time.sleep(0.2)


def test_ctrl_c_ends_it_at_once_and_well(shop: Repo) -> None:
    """There is no other way to end it: 0, and no traceback; a connection that is open is left."""
    with serving(shop, "--token", TOKEN) as one:
        assert one.call("cart").status_code == 200
        with socket.create_connection(("127.0.0.1", urlsplit(one.url).port)):
            one.process.send_signal(signal.SIGINT)
            out, err = one.process.communicate(timeout=60)
    assert (one.process.returncode, out) == (0, "")
    assert "Traceback" not in err


def test_a_token_of_ones_own(shop: Repo) -> None:
    """From the environment too, where no other user of the machine reads it."""
    with serving(shop, FEEDER_TOKEN="a/token&with#signs") as one:
        assert one.token == "a%2Ftoken%26with%23signs"
        assert one.call("cart").status_code == 401
        one.token = "a/token&with#signs"
        assert one.call("cart").status_code == 200


def test_the_next_port_where_one_is_taken() -> None:
    """Near the usual one, and of two servers each has its own."""
    with web() as one, web() as other:
        ports = [one.address.port, other.address.port]
        assert ports[0] != ports[1]
        assert all(asked.post(request("ping")).status_code == 200 for asked in (one, other))


def test_any_port_where_all_near_ones_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setattr(listens, "DEFAULT_PORT", taken.getsockname()[1])
        monkeypatch.setattr(listens, "PORT_ATTEMPTS", 1)
        some, address = listen(None, None, None)
        some.close()
        assert address.port != taken.getsockname()[1]


@pytest.mark.needs("serve")
def test_a_port_that_was_said_and_is_taken(shop: Repo, feeder: RunFeeder) -> None:
    """No other is taken instead."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        answer = feeder(shop, "serve", "--port", port)
    assert (answer.code, answer.out) == (2, "")
    assert f"127.0.0.1 port {port}: Address already in use" in answer.err
    assert f"Use another port than {port}" in answer.err


@pytest.mark.needs("serve")
@pytest.mark.parametrize(
    ("options", "output"),
    [
        (["--host", "0.0.0.0"], "Set --token or FEEDER_TOKEN"),
        (["--host", "no.such.host.invalid", "--token", TOKEN], "is not a name or address"),
        (["--host", "192.0.2.1", "--token", TOKEN], "192.0.2.1 port"),
        (["--token", "short"], "at least 16"),
        (["--token", "with a space in the middle"], "no space"),
        (["--token", ""], "at least 16"),
        (["--token", "é" * 16], "letters, digits or signs"),
        (["--port", "0"], "0 is not in the range"),
        (["--port", "65536"], "65536 is not in the range"),
    ],
)
def test_what_cannot_be_served(
    shop: Repo, feeder: RunFeeder, options: list[str], output: str
) -> None:
    """A sentence that says what to change."""
    answer = feeder(shop, "serve", *options)
    assert (answer.code, answer.out) == (2, "")
    assert output in answer.err


def test_another_address_of_this_machine(shop: Repo) -> None:
    """Its name; an address of IPv6 has brackets."""
    with serving(shop, "--host", "localhost", "--token", TOKEN) as one:
        assert one.url.startswith("http://localhost:")
        assert one.call("cart").status_code == 200
    assert str(Address("::1", 8421, TOKEN)) == f"http://[::1]:8421/#token={TOKEN}"


@pytest.mark.needs("serve")
def test_the_browser_gets_no_token_on_its_command_line(shop: Repo, tmp_path: Path) -> None:
    """But a page that its owner alone reads, and that is there as long as the server is."""
    log = tmp_path / "log"
    for name in ("xdg-open", "open"):
        program = tmp_path / name
        program.write_text(f'#!/bin/sh\necho "$@" > {log}.part; mv {log}.part {log}\n')
        program.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    with serving(shop, "--open", PATH=path) as one:
        while not log.exists():
            time.sleep(0.05)
        output = log.read_text().strip()
        page = Path(output)
        assert one.token not in output
        assert f'url={one.call_tool}"' in page.read_text("utf-8")
        assert (page.stat().st_mode & 0o777, page.parent.stat().st_mode & 0o777) == (0o600, 0o700)
        one.process.send_signal(signal.SIGINT)
        one.process.communicate(timeout=60)
    assert not page.parent.exists()


@pytest.mark.needs("serve")
def test_where_there_is_no_browser_it_says_so(shop: Repo, tmp_path: Path) -> None:
    """And serves: the address is there."""
    git = shutil.which("git")
    assert git
    (tmp_path / "git").symlink_to(git)
    with serving(shop, "--open", PATH=str(tmp_path)) as one:
        assert one.call("cart").status_code == 200
        one.process.send_signal(signal.SIGINT)
        _, err = one.process.communicate(timeout=60)
    assert "No browser could be started. Open the address above." in err


def test_without_the_extra_it_says_how_to_install_it(
    shop: Repo, feeder: RunFeeder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    answer = feeder(shop, "serve")
    assert (answer.code, answer.out) == (2, "")
    assert "pip install 'headfeed[serve]'" in answer.err


def test_a_token_is_made_anew_each_time() -> None:
    made = []
    for _ in range(2):
        some, address = listen(None, None, None)
        some.close()
        made.append(address.token)
    assert made[0] != made[1]
