"""A local server with OpenAI's chat completions API that returns fixed descriptions.

It can also return errors. `python tests/services/chat_server.py PORT [LINES.json]` starts it for a
benchmark: `LINES.json` maps the names of nodes to descriptions; other nodes are described by the
words of their names.
"""

import json
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")


class ChatRequest(NamedTuple):
    """A request that the server received."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        return str(self.body["messages"][0]["content"])

    @property
    def text(self) -> str:
        """The embedding input of the node to describe."""
        return str(self.body["messages"][1]["content"])

    @property
    def name(self) -> str:
        """The name of the node to describe."""
        return (self.text.splitlines()[0].split(" ") + [""] * 3)[2]


class ChatReply(NamedTuple):
    """A response, delayed by `hangs_s` seconds."""

    status: int
    body: Any
    headers: tuple[tuple[str, str], ...] = ()
    hangs_s: float = 0


Answer = Callable[[ChatRequest], ChatReply]


def description_reply(text: str, ended: str = "stop", **message: Any) -> Answer:
    """Always responds with this description."""
    said = {"role": "assistant", "content": text, **message}
    choice = {"index": 0, "message": said, "finish_reason": ended}
    usage = {"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100}
    return lambda request: ChatReply(200, {"choices": [choice], "usage": usage})


def error_reply(status: int, message: str, **headers: str) -> Answer:
    """Always responds with this error."""
    names = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return lambda request: ChatReply(status, {"error": {"message": message}}, names)


def description_of_name(request: ChatRequest) -> ChatReply:
    """Responds with a description made of the words of the node's name."""
    words = " ".join(_WORD.findall(request.name)).lower()
    return description_reply(f"Does what is called {words or 'nothing'} here.")(request)


def description_by_name(lines: dict[str, str]) -> Answer:
    """Responds with the description of the name in `lines`, else with one made of its words."""

    def answer(request: ChatRequest) -> ChatReply:
        known = lines.get(request.name) or lines.get(request.name.rpartition(".")[2])
        return description_reply(known)(request) if known else description_of_name(request)

    return answer


class ChatServer(ThreadingHTTPServer):
    """Responds with `answers` one after the other, then with `always`.

    `log` has all requests; `refused` counts the error responses.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.answers: list[Answer] = []
        self.always: Answer = description_of_name
        self.log: list[ChatRequest] = []
        self.refused = 0
        self.lock = threading.Lock()
        self.ends = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def model_name(self) -> str:
        """The name of the model in the index."""
        return f"some-model@127.0.0.1:{self.server_port}"

    def names(self) -> list[str]:
        """Returns the sorted names of the nodes described since the last call."""
        with self.lock:
            names = sorted(one.name for one in self.log)
            self.log.clear()
        return names

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignores clients that disconnect."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ChatServer

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        request = ChatRequest(self.path, dict(self.headers), body)
        with self.server.lock:
            self.server.log.append(request)
            answer = self.server.answers.pop(0) if self.server.answers else self.server.always
            reply = answer(request)
            self.server.refused += reply.status >= 400
        self._say(reply)

    def _say(self, reply: ChatReply) -> None:
        if reply.hangs_s:
            self.server.ends.wait(reply.hangs_s)
        is_text = isinstance(reply.body, str)
        content = reply.body.encode() if is_text else json.dumps(reply.body).encode()
        self.send_response(reply.status)
        self.send_header("Content-Type", "text/html" if is_text else "application/json")
        for name, value in reply.headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Logs nothing."""


@contextmanager
def running_chat_server() -> Iterator[ChatServer]:
    """Runs the server while the block runs."""
    with ChatServer() as model:
        thread = threading.Thread(target=model.serve_forever, args=(0.01,))
        thread.start()
        yield model
        model.ends.set()
        model.shutdown()
        thread.join()


if __name__ == "__main__":
    with ChatServer(int(sys.argv[1])) as server:
        if len(sys.argv) > 2:
            server.always = description_by_name(json.loads(Path(sys.argv[2]).read_text()))
        server.serve_forever()
