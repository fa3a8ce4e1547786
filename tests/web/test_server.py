"""`feeder serve`: its address, its output, index updates and shutdown."""

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
from feeder.installation import install_command
from feeder.web import server as listens
from feeder.web.server import Address, listen
from required_extras import require_extras
from source.repos import Repo
from web.http_client import JSON, request, web

pytestmark = pytest.mark.slow

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


class ServerProcess:
    """A server process and its first line of output."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        assert process.stdout
        self.process = process
        self.call_tool = process.stdout.readline().strip()
        self.url, _, self.token = self.call_tool.partition("#token=")

    def search(self, query: str) -> str:
        """Returns the text of the search tool."""
        return str(self.call(query).json()["result"]["content"][0]["text"])

    def call(self, query: str) -> httpx.Response:
        message = request("tools/call", name="search", arguments={"query": query})
        headers = {**JSON, "authorization": f"Bearer {self.token}"}
        url = f"{self.url}mcp"
        return httpx.post(url, json=message, headers=headers, timeout=60, trust_env=False)


@contextmanager
def running_server(repo: Repo, *options: str, **env: str) -> Iterator[ServerProcess]:
    """Runs a server for a repository in a process of its own."""
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
            yield ServerProcess(process)
        finally:
            process.kill()


def test_server_prints_its_address_and_updates_the_index(shop: Repo) -> None:
    """The first query creates the index; edits are found soon."""
    with running_server(shop) as one:
        assert urlsplit(one.url).hostname == "127.0.0.1"
        assert len(one.token) >= 32
        assert not (shop.path / ".feeder").exists()
        assert "cart.py:1-3 class Cart" in one.search("cart")
        shop.write({"basket.py": "def basket():\n    return 2\n"})
        while "basket.py:1-2" not in one.search("basket"):
            time.sleep(0.2)


def test_ctrl_c_exits_with_0_at_once(shop: Repo) -> None:
    """Without a traceback, even with an open connection."""
    with running_server(shop, "--token", TOKEN) as one:
        assert one.call("cart").status_code == 200
        with socket.create_connection(("127.0.0.1", urlsplit(one.url).port)):
            one.process.send_signal(signal.SIGINT)
            out, err = one.process.communicate(timeout=60)
    assert (one.process.returncode, out) == (0, "")
    assert "Traceback" not in err


def test_token_may_be_given(shop: Repo) -> None:
    """Also in the environment, where no other user can read it."""
    with running_server(shop, FEEDER_TOKEN="a/token&with#signs") as one:
        assert one.token == "a%2Ftoken%26with%23signs"
        assert one.call("cart").status_code == 401
        one.token = "a/token&with#signs"
        assert one.call("cart").status_code == 200


def test_next_free_port_is_used() -> None:
    """Near the default; each of two servers has its own."""
    with web() as one, web() as other:
        ports = [one.address.port, other.address.port]
        assert ports[0] != ports[1]
        assert all(asked.post(request("ping")).status_code == 200 for asked in (one, other))


def test_any_free_port_is_used_if_the_near_ones_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setattr(listens, "DEFAULT_PORT", taken.getsockname()[1])
        monkeypatch.setattr(listens, "PORT_ATTEMPTS", 1)
        some, address = listen(None, None, None)
        some.close()
        assert address.port != taken.getsockname()[1]


@pytest.mark.needs("serve")
def test_given_port_that_is_taken_is_an_error(shop: Repo, feeder: RunFeeder) -> None:
    """No other port is used instead."""
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
        (
            ["--host", "192.0.2.1", "--token", TOKEN],
            "192.0.2.1 is not a name or address",
        ),
        (["--token", "short"], "at least 16"),
        (["--token", "with a space in the middle"], "no space"),
        (["--token", ""], "at least 16"),
        (["--token", "é" * 16], "letters, digits or symbols"),
        (["--port", "-1"], "-1 is not a whole number from 0 to 65,535"),
        (["--port", "65536"], "65536 is not a whole number from 0"),
    ],
)
def test_invalid_options_are_errors(
    shop: Repo, feeder: RunFeeder, options: list[str], output: str
) -> None:
    """The message names the remedy."""
    answer = feeder(shop, "serve", *options)
    assert (answer.code, answer.out) == (2, "")
    assert output in answer.err


def test_port_0_is_any_free_one(shop: Repo) -> None:
    """The printed address has the port that is used."""
    with running_server(shop, "--port", "0") as one:
        assert urlsplit(one.url).port not in (None, 0)
        assert one.call("cart").status_code == 200


def test_server_for_other_machines_says_what_is_not_safe(shop: Repo) -> None:
    """On stderr, and not for this machine alone."""
    for host, says in (("0.0.0.0", True), ("localhost", False), ("127.0.0.1", False)):
        with running_server(shop, "--host", host, "--token", TOKEN) as one:
            one.process.send_signal(signal.SIGINT)
            _, err = one.process.communicate(timeout=60)
        assert ("without encryption" in err, "TLS" in err, "copying" in err) == (says,) * 3


def test_host_option(shop: Repo) -> None:
    """By name; an IPv6 address has brackets."""
    with running_server(shop, "--host", "localhost", "--token", TOKEN) as one:
        assert one.url.startswith("http://localhost:")
        assert one.call("cart").status_code == 200
    assert str(Address("::1", 8421, TOKEN)) == f"http://[::1]:8421/#token={TOKEN}"


@pytest.mark.needs("serve")
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_browser_is_opened_with_a_private_file(
    shop: Repo, tmp_path: Path, end: signal.Signals
) -> None:
    """The token is in a file that only its owner can read and that is deleted with the server."""
    log = tmp_path / "log"
    for name in ("xdg-open", "open"):
        program = tmp_path / name
        program.write_text(f'#!/bin/sh\necho "$@" > {log}.part; mv {log}.part {log}\n')
        program.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    with running_server(shop, "--open", PATH=path) as one:
        while not log.exists():
            time.sleep(0.05)
        output = log.read_text().strip()
        page = Path(output)
        assert one.token not in output
        assert f'url={one.call_tool}"' in page.read_text("utf-8")
        assert (page.stat().st_mode & 0o777, page.parent.stat().st_mode & 0o777) == (0o600, 0o700)
        one.process.send_signal(end)
        one.process.communicate(timeout=60)
    assert not page.parent.exists()


LOSES_EXCEPTIONS = """
import os, signal, sys, threading, urllib.request
from feeder.cli.interrupts import InterruptMonitor
from feeder.web.server import listen, run_server

async def app(scope, receive, send):
    try:
        os.kill(os.getpid(), int(sys.argv[1]))
        for _ in range(1000):  # a signal is handled here
            pass
    except BaseException:
        pass
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body"})

sock, address = listen(None, None, None)
caller = urllib.request.build_opener(urllib.request.ProxyHandler({}))
url = f"http://127.0.0.1:{address.port}/"
threading.Thread(target=caller.open, args=[url], daemon=True).start()
with InterruptMonitor(grace_s=3600):
    run_server(app, sock)
print("ended")
"""


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_code_that_loses_exceptions_does_not_keep_the_server(end: signal.Signals) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOSES_EXCEPTIONS, str(int(end))],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (0, "ended\n"), done.stderr


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGHUP])
def test_another_end_is_as_ctrl_c(shop: Repo, end: signal.Signals) -> None:
    with running_server(shop) as one:
        assert one.call("cart").status_code == 200
        one.process.send_signal(end)
        _, err = one.process.communicate(timeout=60)
    assert one.process.returncode == 0
    assert "Traceback" not in err


@pytest.mark.needs("serve")
def test_missing_browser_is_reported(shop: Repo, tmp_path: Path) -> None:
    """The server runs and prints its address."""
    git = shutil.which("git")
    assert git
    (tmp_path / "git").symlink_to(git)
    with running_server(shop, "--open", PATH=str(tmp_path)) as one:
        assert one.call("cart").status_code == 200
        one.process.send_signal(signal.SIGINT)
        _, err = one.process.communicate(timeout=60)
    assert "No browser could be started. Open the address above." in err


def test_without_the_extra_the_remedy_is_named(
    shop: Repo, feeder: RunFeeder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    answer = feeder(shop, "serve")
    assert (answer.code, answer.out) == (2, "")
    assert install_command("serve") in answer.err


def test_each_server_has_a_new_token() -> None:
    made = []
    for _ in range(2):
        some, address = listen(None, None, None)
        some.close()
        made.append(address.token)
    assert made[0] != made[1]
