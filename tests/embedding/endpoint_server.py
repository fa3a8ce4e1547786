"""A server with OpenAI's interface for embeddings, over real HTTP, that refuses as such ones do."""

import base64
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

import numpy as np
import pytest
from clouds import MovedClock

from feeder.embedding.endpoint import Endpoint, Timeouts, parse_address
from feeder.embedding.endpoint_embedder import EndpointEmbedder
from feeder.errors import FeederError
from hash_embedder import HashedEmbedder

DIMENSIONS = 64
PATIENT = Timeouts(5, 5)


class Asked(NamedTuple):
    """A request that arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def texts(self) -> list[str]:
        texts: list[str] = self.body["input"]
        return texts


class Said(NamedTuple):
    """An answer; `length` promises more or fewer bytes than there are."""

    status: int
    body: bytes | Iterator[bytes]
    headers: dict[str, str]
    length: int | None = None


Answer = Callable[[Asked], Said]


def said(status: int, answer: Any, **headers: str) -> Answer:
    """Always that, as JSON unless it is text."""
    is_text = isinstance(answer, str)
    body = answer.encode() if is_text else json.dumps(answer).encode()
    kind = "text/html" if is_text else "application/json"
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda asked: Said(status, body, {"Content-Type": kind, **names})


def with_vectors(
    asked: Asked, dimensions: int = DIMENSIONS, *, as_base64: bool = False
) -> dict[str, Any]:
    """What a working server answers: the vectors are twice too long, and the last comes first."""
    vectors = HashedEmbedder(dimensions).embed(asked.texts)
    data = [
        {"object": "embedding", "index": at, "embedding": _written(2 * vector, as_base64)}
        for at, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": len(vectors), "total_tokens": 7 * len(vectors)}
    return {"object": "list", "data": data[::-1], "usage": usage}


def answering(**how: Any) -> Answer:
    return lambda asked: said(200, with_vectors(asked, **how))(asked)


def _written(vector: Any, as_base64: bool) -> Any:
    if as_base64:
        return base64.b64encode(vector.astype("<f4").tobytes()).decode()
    return np.asarray(vector, dtype=float).tolist()


class Server(ThreadingHTTPServer):
    """`answers` are given first, one a request; then `always`. `log` has what arrived.

    While somebody holds its `lock`, it is silent; that it is `asked` can be waited for.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: list[Answer] = []
        self.always: Answer = answering()
        self.log: list[Asked] = []
        self.lock = threading.Lock()
        self.asked = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def place(self) -> str:
        return f"127.0.0.1:{self.server_port}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is none of ours."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked = Asked(self.path, dict(self.headers), body)
        self.server.asked.set()
        with self.server.lock:
            self.server.log.append(asked)
            answer = self.server.answers.pop(0) if self.server.answers else self.server.always
        self._say(answer(asked))

    def _say(self, answer: Said) -> None:
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
        """Nothing."""


@contextmanager
def serving() -> Iterator[Server]:
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


class Model:
    """A model at the server, and what it has been asked."""

    def __init__(self, server: Server, clock: MovedClock) -> None:
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
        """What an index says that was made with `some-model`."""
        return {"model": f"some-model@{self.server.place}", "dimensions": str(dimensions)}

    def refusal(self, kind: type[FeederError], *answers: Answer, **how: Any) -> str:
        """What the model's error says when the server answers so, and nothing else."""
        self.server.always = answers[-1]
        self.server.answers = list(answers[:-1])
        with pytest.raises(kind) as raised:
            self("bge-m3", **how).embed(["one", "two"])
        assert isinstance(raised.value, kind)
        return str(raised.value)


def hashed(*texts: str, dimensions: int = DIMENSIONS) -> list[Any]:
    return HashedEmbedder(dimensions).embed(texts)


def of_bge_m3(asked: Asked) -> Said:
    return answering(dimensions=1024)(asked)
