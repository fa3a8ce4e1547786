"""The stdio server: one message per line, until stdin ends."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from queue import SimpleQueue
from threading import Event
from typing import Any

import pytest

from feeder.mcp import MAX_CONCURRENT_CALLS, ProgressCallback, ToolResult, stdio
from feeder.mcp.protocol import McpServer
from mcp_server.stdio_client import MODERN, McpClient, call, initialize, request, start_mcp_client

pytestmark = pytest.mark.slow


class BlockingTools:
    """Tools whose calls block until each is released by its number."""

    definitions: Sequence[Mapping[str, Any]] = [{"name": "wait"}, {"name": "now"}]

    def __init__(self) -> None:
        self.begun: SimpleQueue[int] = SimpleQueue()
        self.gates = [Event() for _ in range(9)]

    def call(self, name: str, arguments: Mapping[str, Any], tell: ProgressCallback) -> ToolResult:
        if name == "wait":
            tell(f"waiting at {arguments['gate']}")
            self.begun.put(arguments["gate"])
            assert self.gates[arguments["gate"]].wait(60)
        return ToolResult(f"done {arguments.get('gate', '')}".strip())


class PipeEnds:
    """A pipe in this process that is read until it is closed."""

    def __init__(self, slow: BlockingTools) -> None:
        inward, self._in = os.pipe()
        self.pipe = stdio.StdioConnection(McpServer("n", "v", "", slow), lambda: None)
        self.pipe.start(os.fdopen(inward, "rb"))

    def send(self, *messages: object) -> None:
        for message in messages:
            os.write(self._in, json.dumps(message).encode() + b"\n")

    def next(self) -> Any:
        return self.pipe.next_message()

    def close(self) -> None:
        os.close(self._in)


@pytest.fixture
def slow() -> Iterator[BlockingTools]:
    tools = BlockingTools()
    yield tools
    for gate in tools.gates:
        gate.set()


@pytest.fixture
def ends(slow: BlockingTools) -> PipeEnds:
    return PipeEnds(slow)


def test_calls_run_concurrently(ends: PipeEnds, slow: BlockingTools) -> None:
    """While the first blocks, the second and other requests are answered."""
    ends.send(call(1, "wait", gate=1), call(2, "wait", gate=2), request(3, "ping"))
    assert {slow.begun.get(), slow.begun.get()} == {1, 2}
    assert ends.next()["id"] == 3
    slow.gates[2].set()
    assert ends.next()["id"] == 2
    slow.gates[1].set()
    assert ends.next()["id"] == 1


def test_cancelled_call_gets_no_response(ends: PipeEnds, slow: BlockingTools) -> None:
    """Neither a result nor progress; a call whose id is a string with the same number is another
    one.
    """
    first = call(1, "wait", gate=1)
    first["params"]["_meta"] = {"progressToken": "a"}
    ends.send(first, call("1", "wait", gate=2))
    assert {slow.begun.get(), slow.begun.get()} == {1, 2}
    ends.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
    ends.send(request(2, "ping"))
    assert ends.next()["id"] == 2
    slow.gates[1].set()
    slow.gates[2].set()
    assert ends.next()["id"] == "1"
    ends.close()
    assert ends.next() is None


def test_queued_call_is_cancelled_before_it_runs(ends: PipeEnds, slow: BlockingTools) -> None:
    """All threads are busy."""
    ends.send(*(call(gate, "wait", gate=gate) for gate in range(MAX_CONCURRENT_CALLS)))
    assert {slow.begun.get() for _ in range(MAX_CONCURRENT_CALLS)} == {*range(MAX_CONCURRENT_CALLS)}
    ends.send(call(8, "wait", gate=8))
    ends.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 8}})
    ends.send(request(9, "ping"))
    assert ends.next()["id"] == 9
    for gate in slow.gates:
        gate.set()
    ends.close()
    answered = {answer["id"] for answer in iter(ends.next, None)}
    assert answered == {*range(MAX_CONCURRENT_CALLS)}
    assert slow.begun.empty()


@pytest.mark.parametrize("id_", [5, "nobody", None, [1], 2.5])
def test_cancellation_of_an_unknown_call_is_ignored(ends: PipeEnds, id_: object) -> None:
    ends.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id_}})
    ends.send({"jsonrpc": "2.0", "method": "notifications/cancelled"}, call(1, "now"))
    assert ends.next()["id"] == 1


def test_cancelled_message_of_a_batch_is_left_out(ends: PipeEnds, slow: BlockingTools) -> None:
    """The others are answered together."""
    ends.send(initialize(0, "2025-03-26"))
    assert ends.next()["id"] == 0
    ends.send([call(1, "wait", gate=1), call(2, "now"), request(3, "ping")])
    assert slow.begun.get() == 1
    ends.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
    ends.send(request(4, "ping"))
    assert ends.next()["id"] == 4
    slow.gates[1].set()
    assert [answer["id"] for answer in ends.next()] == [2, 3]


def test_progress_is_sent_on_request(
    ends: PipeEnds, slow: BlockingTools, monkeypatch: pytest.MonkeyPatch
) -> None:
    """During a call, with increasing numbers and a message; never after the response."""
    monkeypatch.setattr(stdio, "PROGRESS_INTERVAL_S", 0.01)
    asked = call(1, "wait", gate=1)
    asked["params"]["_meta"] = {"progressToken": 7}
    ends.send(asked)
    told = [ends.next() for _ in range(3)]
    slow.gates[1].set()
    ends.close()
    *more, answer = iter(ends.next, None)
    assert answer["id"] == 1
    steps = [message["params"]["progress"] for message in [*told, *more]]
    assert steps == sorted({*steps})
    assert {message["method"] for message in told} == {"notifications/progress"}
    assert {message["params"]["progressToken"] for message in told} == {7}
    assert told[-1]["params"]["message"] == "waiting at 1"


def test_running_calls_are_answered_after_stdin_ends(ends: PipeEnds, slow: BlockingTools) -> None:
    """Then the server ends."""
    ends.send(call(1, "wait", gate=1))
    assert slow.begun.get() == 1
    ends.close()
    slow.gates[1].set()
    assert ends.next()["id"] == 1
    assert ends.next() is None


@pytest.mark.parametrize("last", [b"\n", b""], ids=["ended", "open"])
def test_too_long_line_is_refused_and_the_next_one_is_read(
    slow: BlockingTools, monkeypatch: pytest.MonkeyPatch, last: bytes
) -> None:
    """A line of exactly the limit is read; the last one needs no newline."""
    monkeypatch.setattr(stdio, "MAX_LINE_BYTES", 60)
    ping = b'{"jsonrpc":"2.0","id":%d,"method":"ping"}'
    fitting = (ping % 1).ljust(59) + b"\n"
    lines = fitting + (ping % 2).ljust(60) + b"\n" + (ping % 3).ljust(1000) + b"\n"
    pipe = stdio.StdioConnection(McpServer("n", "v", "", slow), lambda: None)
    pipe.start(io.BytesIO(lines + (ping % 4) + last))
    answers = list(iter(pipe.next_message, None))
    assert [answer["id"] for answer in answers] == [1, None, None, 4]  # type: ignore[index]
    assert answers[1] == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": -32600, "message": "A message may have at most 60 bytes."},
    }


def test_initialize_after_discover(server: McpClient) -> None:
    """As current clients do: server/discover, initialize, the list and a call."""
    server.send(request(0, "server/discover", MODERN))
    assert server.next()["result"]["supportedVersions"] == ["2026-07-28"]
    server.send(initialize(1, "2025-11-25"))
    assert server.next()["result"]["protocolVersion"] == "2025-11-25"
    server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    server.send(request(2, "tools/list"))
    names = [tool["name"] for tool in server.next()["result"]["tools"]]
    assert names == ["search", "grep", "read", "outline", "references", "impact"]
    assert "src/cart.py:" in server.call_tool("search", query="total of a cart")
    code, rest, _ = server.end()
    assert (code, rest) == (0, [])


def test_server_ends_with_stdin(server: McpClient) -> None:
    """With exit code 0 and no output."""
    assert server.end() == (0, [], "")


def test_server_ends_quietly_if_stdout_is_closed(server: McpClient) -> None:
    """At its next write."""
    assert server.process.stdout
    server.process.stdout.close()
    server.send(request(1, "ping"))
    assert server.process.wait(60) == 0
    assert server.process.stderr
    assert server.process.stderr.read() == b""


NOISY = """
import os, subprocess, sys
from feeder.mcp import ToolResult, stdio
from feeder.mcp.protocol import McpServer

class Tools:
    definitions = [{"name": "noisy"}]
    def call(self, name, arguments, tell):
        print("printed")
        os.write(1, b"written\\n")
        subprocess.run(["echo", "by a child"], check=True)
        read = subprocess.run(["cat"], check=True, capture_output=True).stdout
        return ToolResult(f"read {read!r} and {sys.stdin.read()!r}")

stdio.serve(McpServer("n", "v", "", Tools()), lambda: print("warm"))
"""


def test_output_of_libraries_does_not_reach_stdout(tmp_path: Path) -> None:
    """Neither they nor child processes read stdin."""
    with start_mcp_client(tmp_path, command=(sys.executable, "-c", NOISY)) as some:
        [answer] = some.answers(call(1, "noisy"))
        assert answer["result"]["content"][0]["text"] == "read b'' and ''"
        some.send(request(2, "ping"))
        code, rest, err = some.end()
    assert (code, [message["id"] for message in rest]) == (0, [2])
    assert {"printed", "written", "by a child"} <= {*err.split("\n")}


def test_initialize_does_not_open_the_index(tmp_path: Path) -> None:
    """The folder of the index is unusable: only a call reports it."""
    (tmp_path / ".feeder").mkdir()
    (tmp_path / ".feeder/index.db").write_text("no database at all, and longer than its head" * 9)
    with start_mcp_client(tmp_path) as some:
        some.answers(initialize(1), request(2, "tools/list"), request(3, "ping"))
        [answer] = some.answers(call(4, "search", query="x"))
        assert answer["result"]["isError"]
        assert "is not an index" in answer["result"]["content"][0]["text"]
        assert some.end()[0] == 0


IMPORTS = """
import sys
from feeder.cli.main import cli
try:
    cli.main(["mcp"], standalone_mode=False)
finally:
    heavy = {"apsw", "numpy", "httpx", "tree_sitter", "rich", "feeder.search", "feeder.session"}
    print(*sorted(heavy & {*sys.modules}), file=sys.stderr)
"""


def test_initialize_imports_no_heavy_modules(tmp_path: Path) -> None:
    """Neither database, models, parsers nor network clients."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS],
        cwd=tmp_path,
        input=json.dumps(initialize(1)).encode() + b"\n",
        capture_output=True,
        check=True,
    )
    assert json.loads(done.stdout)["id"] == 1
    assert done.stderr.decode().strip() == ""


def test_many_concurrent_calls_are_answered(server: McpClient) -> None:
    """Each with its own result, from one index and several threads."""
    names = ["Cart", "exchange", "test_exchange", "money"] * 5
    answers = server.answers(*(call(at, "search", query=name) for at, name in enumerate(names)))
    texts = {answer["id"]: answer["result"]["content"][0]["text"] for answer in answers}
    assert all(texts[at] == texts[at % 4] for at in range(len(names)))
    assert len({*texts.values()}) == 4
