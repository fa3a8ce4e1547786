"""A real HTTP server with OpenAI's embeddings API that can return errors."""

import base64
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import numpy as np
import pytest
from clouds import FakeClock

from feeder.embedding.endpoint import Endpoint, Timeouts, parse_address
from feeder.embedding.endpoint_embedder import EndpointEmbedder
from feeder.errors import FeederError
from hash_embedder import HashedEmbedder

DIMENSIONS = 64
PATIENT = Timeouts(5, 5)


class EmbeddingRequest(NamedTuple):
    """A request that the server received."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def texts(self) -> list[str]:
        texts: list[str] = self.body["input"]
        return texts


class EmbeddingResponse(NamedTuple):
    """A response; `length` overrides the Content-Length header."""

    status: int
    body: bytes | Iterator[bytes]
    headers: dict[str, str]
    length: int | None = None


Answer = Callable[[EmbeddingRequest], EmbeddingResponse]


def respond_with(status: int, answer: Any, **headers: str) -> Answer:
    """Always responds with this answer; a string is sent as text, anything else as JSON."""
    is_text = isinstance(answer, str)
    body = answer.encode() if is_text else json.dumps(answer).encode()
    kind = "text/html" if is_text else "application/json"
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda request: EmbeddingResponse(status, body, {"Content-Type": kind, **names})


def embeddings_body(
    request: EmbeddingRequest, dimensions: int = DIMENSIONS, *, as_base64: bool = False
) -> dict[str, Any]:
    """The body of a valid response, with unnormalized vectors in reverse order."""
    vectors = HashedEmbedder(dimensions).embed(request.texts)
    data = [
        {"object": "embedding", "index": at, "embedding": _written(2 * vector, as_base64)}
        for at, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": len(vectors), "total_tokens": 7 * len(vectors)}
    return {"object": "list", "data": data[::-1], "usage": usage}


def respond_with_vectors(**how: Any) -> Answer:
    return lambda request: respond_with(200, embeddings_body(request, **how))(request)


def _written(vector: Any, as_base64: bool) -> Any:
    if as_base64:
        return base64.b64encode(vector.astype("<f4").tobytes()).decode()
    return np.asarray(vector, dtype=float).tolist()


class Server(ThreadingHTTPServer):
    """Responds with `answers` one after the other, then with `always`; `log` has all requests.

    Blocks while its `lock` is held; the event `asked` is set when a request arrives.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: list[Answer] = []
        self.always: Answer = respond_with_vectors()
        self.log: list[EmbeddingRequest] = []
        self.lock = threading.Lock()
        self.asked = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignores clients that disconnect."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        request = EmbeddingRequest(self.path, dict(self.headers), body)
        self.server.asked.set()
        with self.server.lock:
            self.server.log.append(request)
            answer = self.server.answers.pop(0) if self.server.answers else self.server.always
        self._say(answer(request))

    def _say(self, answer: EmbeddingResponse) -> None:
        parts = [answer.body] if isinstance(answer.body, bytes) else answer.body
        length = len(answer.body) if isinstance(answer.body, bytes) else 0
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(answer.length or length))
        self.end_headers()
        for part in parts:
            self.wfile.write(part)
            self.wfile.flush()
        self.close_connection = answer.length is not None

    def log_message(self, *_: Any) -> None:
        """Logs nothing."""


@contextmanager
def running_server() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


class Model:
    """Opens embedders for the server and remembers them."""

    def __init__(self, server: Server, clock: FakeClock) -> None:
        self.server = server
        self.clock = clock
        self.opened: list[EndpointEmbedder] = []

    def __call__(
        self,
        name: str = "some-model",
        dimensions: int | None = None,
        *,
        known: dict[str, str] | None = None,
        key: str = "",
        timeouts: Timeouts = PATIENT,
    ) -> EndpointEmbedder:
        endpoint = Endpoint(parse_address(f"{self.server.url}#{name}"), key, timeouts, self.clock)
        self.opened.append(EndpointEmbedder(endpoint, dimensions, known or {}))
        return self.opened[-1]

    def known(self, dimensions: int = DIMENSIONS) -> dict[str, str]:
        """Returns the `meta` values of an index that was made with `some-model`."""
        return {"model": f"some-model@{self.server.place}", "dimensions": str(dimensions)}

    def error_message(self, kind: type[FeederError], *answers: Answer, **how: Any) -> str:
        """Returns the message of the error that these answers cause."""
        self.server.always = answers[-1]
        self.server.answers = list(answers[:-1])
        with pytest.raises(kind) as raised:
            self("bge-m3", **how).embed(["one", "two"])
        assert isinstance(raised.value, kind)
        return str(raised.value)


def hashed_vectors(*texts: str, dimensions: int = DIMENSIONS) -> list[Any]:
    return HashedEmbedder(dimensions).embed(texts)


def respond_as_bge_m3(request: EmbeddingRequest) -> EmbeddingResponse:
    return respond_with_vectors(dimensions=1024)(request)
