"""A language model that is none: OpenAI's interface for answers on this machine, with fixed lines.

It can refuse as such servers do. `python tests/services/chatting.py PORT [LINES.json]` runs it by
itself, for a bench: `LINES.json` has a line by the name of what is described, else the name's own
words are the line.
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


class Question(NamedTuple):
    """A request that arrived."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def prompt(self) -> str:
        return str(self.body["messages"][0]["content"])

    @property
    def text(self) -> str:
        """What the model is asked about."""
        return str(self.body["messages"][1]["content"])

    @property
    def name(self) -> str:
        """What it is called."""
        return (self.text.splitlines()[0].split(" ") + [""] * 3)[2]


class Reply(NamedTuple):
    """An answer; with `hangs_s` it comes as late."""

    status: int
    body: Any
    headers: tuple[tuple[str, str], ...] = ()
    hangs_s: float = 0


Answer = Callable[[Question], Reply]


def line(text: str, ended: str = "stop", **message: Any) -> Answer:
    """Always that line."""
    said = {"role": "assistant", "content": text, **message}
    choice = {"index": 0, "message": said, "finish_reason": ended}
    usage = {"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100}
    return lambda asked: Reply(200, {"choices": [choice], "usage": usage})


def refusal(status: int, message: str, **headers: str) -> Answer:
    """Always that no."""
    names = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return lambda asked: Reply(status, {"error": {"message": message}}, names)


def about(asked: Question) -> Reply:
    """A line of the words of the name: the same for the same question."""
    words = " ".join(_WORD.findall(asked.name)).lower()
    return line(f"Does what is called {words or 'nothing'} here.")(asked)


def by_name(lines: dict[str, str]) -> Answer:
    """The line that is known of a name, else one of its words."""

    def answer(asked: Question) -> Reply:
        known = lines.get(asked.name) or lines.get(asked.name.rpartition(".")[2])
        return line(known)(asked) if known else about(asked)

    return answer


class Model(ThreadingHTTPServer):
    """`answers` are given first, one a request; then `always`.

    `log` has what arrived, `refused` how many of them were.
    """

    daemon_threads = True
    block_on_close = False

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.answers: list[Answer] = []
        self.always: Answer = about
        self.log: list[Question] = []
        self.refused = 0
        self.lock = threading.Lock()
        self.ends = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def named(self) -> str:
        """What the index calls it."""
        return f"some-model@127.0.0.1:{self.server_port}"

    def names(self) -> list[str]:
        """What was asked about, in the order of names; forgotten then."""
        with self.lock:
            names = sorted(one.name for one in self.log)
            self.log.clear()
        return names

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is none of ours."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Model

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        asked = Question(self.path, dict(self.headers), body)
        with self.server.lock:
            self.server.log.append(asked)
            answer = self.server.answers.pop(0) if self.server.answers else self.server.always
            reply = answer(asked)
            self.server.refused += reply.status >= 400
        self._say(reply)

    def _say(self, reply: Reply) -> None:
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
        """Nothing."""


@contextmanager
def chatting() -> Iterator[Model]:
    """The model while the block runs."""
    with Model() as model:
        thread = threading.Thread(target=model.serve_forever, args=(0.01,))
        thread.start()
        yield model
        model.ends.set()
        model.shutdown()
        thread.join()


if __name__ == "__main__":
    with Model(int(sys.argv[1])) as server:
        if len(sys.argv) > 2:
            server.always = by_name(json.loads(Path(sys.argv[2]).read_text()))
        server.serve_forever()
