"""`feeder worker --try`: the Worker on this machine, on a copy of the local index."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from standin import unavailable

from edge.worker_process import ROOT
from feeder.cli.main import cli
from feeder.edge.local_trial import running_worker
from feeder.errors import UserError
from feeder.web.server import Address
from source.repos import Repo
from web.browser_client import chromium

REPO = "acme/shop"
CART = "class Cart:\n    def add(self, item):\n        return item\n"
USER = "from cart import Cart\n\n\ndef order():\n    return Cart().add(1)\n"


OTHER_SITE = "The request comes from another site's page."


@pytest.fixture(scope="module")
def synced(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository with a local index that stores the source."""
    repo = Repo(tmp_path_factory.mktemp("trial") / "shop")
    repo.commit({"cart.py": CART, "order.py": USER})
    said = ["-C", str(repo.path), "--repo", REPO, "--model", "words", "-q"]
    cli.main(["sync", "--store", "local", "--texts", *said], standalone_mode=False)
    return repo


@pytest.fixture(scope="module")
def engine(synced: Repo) -> Repo:
    """The repository, from which miniflare is found."""
    if reason := unavailable():
        pytest.skip(reason[0])
    (synced.path / "node_modules").symlink_to(ROOT / "node_modules")
    return synced


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


@contextmanager
def command(synced: Repo, temporary: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command, with a folder for its temporary files, and the address that it prints."""
    program = [sys.executable, "-m", "feeder", "worker", "--try", "--port", "0"]
    with subprocess.Popen(
        [*program, "-C", str(synced.path), "--repo", REPO],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1", "TMPDIR": str(temporary)},
    ) as process:
        try:
            assert process.stdout
            yield process, process.stdout.readline().split(" ")[0]
        finally:
            process.kill()


@pytest.fixture(scope="module")
def trial(engine: Repo) -> Iterator[Address]:
    """The address and the token of a Worker on the index."""
    index = engine.path / ".feeder" / "index.db"
    with running_worker(index, REPO, engine.path, 0, {}) as address:
        yield address


@pytest.fixture(scope="module")
def stranger(trial: Address) -> Iterator[httpx.Client]:
    """A client that knows the address without the token."""
    origin = f"http://{trial.host}:{trial.port}"
    with httpx.Client(base_url=origin, trust_env=False, timeout=60) as client:
        yield client


def test_worker_answers_from_a_copy_of_the_index(engine: Repo, tmp_path: Path) -> None:
    """Search, relations, the page and MCP's tools; Ctrl-C ends it, and the index is as before."""
    index = engine.path / ".feeder" / "index.db"
    before = index.read_bytes()
    with command(engine, tmp_path) as (process, printed):
        address, _, token = printed.partition("/#token=")
        headers = {"authorization": f"Bearer {token}"}
        with httpx.Client(base_url=address, headers=headers, trust_env=False, timeout=60) as client:
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
    assert "`Authorization: Bearer TOKEN`" in messages
    assert "The Worker searches by words" in messages
    assert process.returncode == 130
    assert index.read_bytes() == before
    assert [*tmp_path.iterdir()] == []


def answers(client: httpx.Client, headers: dict[str, str]) -> set[tuple[int, str]]:
    """The statuses and errors of all kinds of requests with these headers."""
    requests = [
        ("GET", "/api/search?q=add"),
        ("GET", "/api/file?path=cart.py"),
        ("POST", "/mcp"),
        ("POST", "/api/session"),
        ("GET", "/api/nothing"),
    ]
    responses = [client.request(method, path, headers=headers) for method, path in requests]
    return {(response.status_code, response.json()["error"]) for response in responses}


@pytest.mark.parametrize(
    ("headers", "error"),
    [
        (
            {"host": "evil.example:8787"},
            (421, "evil.example:8787 is not an address of this server."),
        ),
        (
            {"host": "evil.example", "sec-fetch-site": "same-origin"},
            (421, "evil.example is not an address of this server."),
        ),
        (
            {"host": "evil.example", "mf-original-url": "http://127.0.0.1/api/search?q=add"},
            (421, "evil.example is not an address of this server."),
        ),
        (
            {"host": "127.0.0.1.evil.example"},
            (421, "127.0.0.1.evil.example is not an address of this server."),
        ),
        ({"origin": "http://evil.example"}, (403, OTHER_SITE)),
        ({"origin": "http://127.0.0.1:1"}, (403, OTHER_SITE)),
        ({"origin": "null"}, (403, OTHER_SITE)),
        ({"sec-fetch-site": "cross-site"}, (403, OTHER_SITE)),
        ({"sec-fetch-site": "same-site"}, (403, OTHER_SITE)),
    ],
    ids=str,
)
def test_another_site_is_refused_even_with_the_token(
    trial: Address, stranger: httpx.Client, headers: dict[str, str], error: tuple[int, str]
) -> None:
    """Also where a foreign name leads to this machine (DNS rebinding)."""
    own = {"authorization": f"Bearer {trial.token}"}
    assert answers(stranger, {**own, **headers}) == {error}


@pytest.mark.parametrize(
    "headers", [{}, {"authorization": "Bearer 0123456789abcdef"}, {"authorization": "Basic eDp5"}]
)
def test_without_the_token_nothing_is_answered(
    stranger: httpx.Client, headers: dict[str, str]
) -> None:
    """As a program of another user of this machine would ask."""
    for host in ("localhost", "127.0.0.1:8787", "[::1]:8787"):
        found = answers(stranger, {**headers, "host": host})
        assert found == {(401, "The token is missing or wrong.")}
    refused = stranger.get("/api/search?q=add", headers=headers)
    assert "`feeder worker --try` printed" in refused.json()["remedy"]
    assert refused.headers["www-authenticate"] == "Bearer"


def test_session_has_a_key_in_place_of_a_cookie(trial: Address, stranger: httpx.Client) -> None:
    """Browsers send the cookies of 127.0.0.1 to servers on all of its ports."""
    own = {"authorization": f"Bearer {trial.token}"}
    response = stranger.post("/api/session", headers=own)
    key = response.json()["key"]
    assert "set-cookie" not in response.headers
    assert trial.token not in response.text
    found = stranger.get("/api/search?q=add", headers={"authorization": f"Bearer {key}"})
    assert found.json()["hits"][0]["symbol"] == "Cart.add"
    cookie = {"cookie": f"__Host-feeder={key}"}
    assert stranger.get("/api/search?q=add", headers=cookie).status_code == 401


def test_token_leaves_the_address_bar(trial: Address) -> None:
    with chromium() as browser:
        page = browser.new_page()
        page.goto(str(trial))
        page.get_by_role("heading", name="Search this repository").wait_for()
        assert page.url == f"http://127.0.0.1:{trial.port}/"
        page.goto(f"{page.url}?q=order")
        page.get_by_text("order.py").first.wait_for()
        assert page.context.cookies() == []


def children(process: int) -> list[int]:
    return [
        int(one) for one in Path(f"/proc/{process}/task/{process}/children").read_text().split()
    ]


def listening_ports(process: int) -> set[int]:
    """The ports of 127.0.0.1 on which a process listens."""
    links = {str(one.readlink()) for one in Path(f"/proc/{process}/fd").iterdir()}
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    is_listening = "0A"
    return {
        int(row[1].partition(":")[2], 16)
        for row in rows
        if row[3] == is_listening and f"socket:[{row[9]}]" in links
    }


only_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")


@only_linux
def test_no_argument_or_file_gives_the_token_or_the_index_to_other_users(
    engine: Repo, tmp_path: Path
) -> None:
    tmp_path.chmod(0o755)
    with command(engine, tmp_path) as (process, address):
        token = address.partition("#token=")[2]
        [node] = children(process.pid)
        programs = [process.pid, node, *children(node)]
        command_lines = [Path(f"/proc/{program}/cmdline").read_bytes() for program in programs]
        places = [(one.stat().st_mode & 0o77, one) for one in tmp_path.iterdir()]
    assert b"try_worker.mjs" in command_lines[1]
    assert b"workerd" in command_lines[2]
    assert not [line for line in command_lines if token.encode() in line]
    assert places
    assert [place for mode, place in places if mode] == []


@only_linux
def test_miniflares_own_server_answers_nobody(engine: Repo, tmp_path: Path) -> None:
    """It would write a file anywhere for every user and every page."""
    target = tmp_path / "written"
    with command(engine, tmp_path) as (process, _):
        [node] = children(process.pid)
        ports = listening_ports(node)
        path = f"/core/store-temp-file?extension=x{'/..' * 12}{target}"
        for port in ports:
            address = f"http://127.0.0.1:{port}{path}"
            for headers in ({}, {"upgrade": "websocket", "connection": "upgrade"}):
                with pytest.raises(httpx.TransportError):
                    httpx.post(address, content=b"x", headers=headers, trust_env=False, timeout=60)
    assert ports
    assert not target.exists()


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_no_copy_of_the_index_is_left(engine: Repo, tmp_path: Path, end: signal.Signals) -> None:
    """It ends as with Ctrl-C; if it was killed, the Worker's own program deletes the copy."""
    with command(engine, tmp_path) as (process, _):
        assert [*tmp_path.glob("*/index.db")]
        process.send_signal(end)
        # until the Worker's program, which has the same stderr, ends too
        _, messages = process.communicate(timeout=60)
    is_killed = end == signal.SIGKILL
    assert process.returncode == (-signal.SIGKILL if is_killed else 130)
    assert (
        messages.endswith("feeder: The Worker has stopped, and its copy of the index is deleted.\n")
        != is_killed
    )
    assert [*tmp_path.iterdir()] == []


def test_missing_parts_are_named(
    synced: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = synced.path / ".feeder" / "index.db"
    with (
        pytest.raises(
            UserError,
            match=r"does not exist. Make a local index: feeder sync --store local --texts$",
        ),
        running_worker(tmp_path / "index.db", REPO, tmp_path, 0, {}),
    ):
        pass
    with (
        pytest.raises(
            UserError,
            match=r"needs miniflare, which is not installed.*npm install --no-save miniflare",
        ),
        running_worker(index, REPO, tmp_path, 0, {}),
    ):
        pass
    monkeypatch.setenv("PATH", str(tmp_path))
    with (
        pytest.raises(UserError, match=r"needs Node.js, which is not installed"),
        running_worker(index, REPO, tmp_path, 0, {}),
    ):
        pass
