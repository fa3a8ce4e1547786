"""The token is never visible, in whole or in part, whatever a service responds."""

import socketserver
import threading
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from clouds import FakeClock
from program import feeder
from standin import StandIn

from command_runner import RunFeeder
from feeder.cloudflare.api import Api, Call
from feeder.errors import FeederError
from index_helpers import SHOP
from source.repos import Repo

__all__ = ["feeder"]

TOKEN = "Xk29-qLmR47_vTzE81wPbN36sHcYdU05jGaF"
HALF = len(TOKEN) // 2
COMMANDS = [
    ("sync",),
    ("sync", "--json"),
    ("sync", "--dry-run"),
    ("process", "--path", "src"),
    ("delete", "--path", "src"),
    ("search", "cart"),
    ("search", "cart", "--json"),
    ("stats",),
    ("validate", "--repair"),
    ("init",),
]
ECHOES = {
    "whole": TOKEN,
    "first half": TOKEN[:HALF],
    "last half": TOKEN[-HALF:],
    "middle": TOKEN[5 : 5 + HALF],
    "cut": f"{'x' * 480}Bearer {TOKEN}",
    "in an address": quote(f"https://example.org/?token={TOKEN}", safe=""),
    "in JSON": f'{{"headers": {{"Authorization": "Bearer {TOKEN}"}}}}',
}


def leaked_parts(text: str) -> list[str]:
    """Returns the parts of a text that contain half of the token."""
    parts = (TOKEN[start : start + HALF] for start in range(len(TOKEN) - HALF + 1))
    return [part for part in parts if part in text]


@pytest.fixture
def indexed_repo(
    feeder: RunFeeder, repo: Repo, standin: StandIn, monkeypatch: pytest.MonkeyPatch
) -> Repo:
    """A repository with its index, made with a token of its own."""
    standin.grant(TOKEN, "d1", "vectorize", "ai")
    monkeypatch.setenv("CLOUDFLARE_API_TOKEN", TOKEN)
    repo.commit(SHOP)
    assert feeder(repo, "init").code == 0
    assert feeder(repo, "sync").code == 0
    return repo


@pytest.mark.parametrize("echo", ECHOES.values(), ids=ECHOES.keys())
def test_no_command_shows_the_token(
    feeder: RunFeeder, indexed_repo: Repo, standin: StandIn, echo: str
) -> None:
    """Even if an error response repeats it, in any form."""
    standin.fault("server_error", status=403, code=10000, message=f"No: {echo}.", rate=1.0)
    indexed_repo.commit({"src/cart.py": "def other(): pass\n"})
    for command in COMMANDS:
        answer = feeder(indexed_repo, *command)
        assert answer.code in {1, 2}, command
        assert leaked_parts(answer.out + answer.err) == [], command


def test_no_file_contains_the_token(indexed_repo: Repo, tmp_path: Path, users_cache: Path) -> None:
    """Neither the cache, the bindings nor other files of a run."""
    places = (*tmp_path.rglob("*"), *users_cache.parent.iterdir())
    written = [place for place in places if place.is_file()]
    assert {"embeddings.db", "wrangler.toml"} <= {place.name for place in written}
    assert [place for place in written if leaked_parts(place.read_bytes().decode("latin-1"))] == []


class _Echo(socketserver.StreamRequestHandler):
    """Responds with the received headers in a place that the test chooses."""

    def handle(self) -> None:
        while (line := self.rfile.readline()).strip():
            if line.lower().startswith(b"authorization:"):
                sent = line.split()[-1]
                self.wfile.write(self.server.answer.replace(b"%", sent))  # type: ignore[attr-defined]


@pytest.fixture
def echo_server() -> Iterator[Callable[[bytes], Api]]:
    """Starts a server that puts the token at each `%`; yields what reaches it."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Echo) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        apis = []

        def started(answer: bytes) -> Api:
            server.answer = answer  # type: ignore[attr-defined]
            address = f"http://127.0.0.1:{server.server_address[1]}"
            apis.append(Api(TOKEN, "an-account", base_url=address, clock=FakeClock()))
            return apis[-1]

        yield started
        for api in apis:
            api.close()
        server.shutdown()


JSON = b"HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\nConnection: close\r\n"
REFUSED = b'{"success": false, "errors": [{"code": 7500, "message": "%s"}]}'


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 % OK\r\n\r\n",
        b"% is not HTTP\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: %\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n% %: x\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nConnection: close\r\n\r\n%",
        JSON + b"cf-ray: %\r\n\r\n" + REFUSED,
        JSON + b"\r\n" + REFUSED.replace(b"%s", b"%"),
        JSON + b"\r\n" + REFUSED.replace(b"7500", b'"%"'),
        JSON + b'\r\n{"success": false, "errors": "%"}',
        JSON + b'\r\n{"success": false, "errors": [{"message": ["%"]}]}',
        JSON.replace(b"json", b"html") + b"\r\n<title>%</title>",
        JSON.replace(b"json", b"html") + b"\r\n" + b"x" * 60 + b"%",
        JSON.replace(b"400", b"502") + b"\r\n" + b"x" * 9_985 + b"%",
        JSON.replace(b"400", b"302") + b"Location: http://127.0.0.1:1/%\r\n\r\n",
    ],
    ids=repr,
)
def test_no_response_puts_the_token_into_an_error(
    echo_server: Callable[[bytes], Api], answer: bytes
) -> None:
    """In any place of it, even if it is not HTTP."""
    api = echo_server(answer)
    with pytest.raises(FeederError) as caught:
        api.call(Call("d1", "d1/database/x/raw", b"{}"))
    error = caught.value
    shown = [str(error), repr(error), repr(vars(error)), *traceback.format_exception(error)]
    assert leaked_parts("".join(shown)) == []
