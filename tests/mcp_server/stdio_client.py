"""A minimal MCP client over stdio: writes JSON lines to a server process and reads its lines."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FEEDER = Path(sys.executable).with_name("feeder")
VERSION = "io.modelcontextprotocol/protocolVersion"
MODERN = {"_meta": {VERSION: "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}


def request(id_: object, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    more = {} if params is None else {"params": params}
    return {"jsonrpc": "2.0", "id": id_, "method": method, **more}


def call(id_: object, tool: str, **arguments: Any) -> dict[str, Any]:
    return request(id_, "tools/call", {"name": tool, "arguments": arguments})


def initialize(id_: object, version: str = "2025-11-25") -> dict[str, Any]:
    client = {"name": "a client", "version": "0"}
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
    return request(id_, "initialize", params)


class McpClient:
    """An MCP client that owns a server process and its pipes."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process

    def send(self, *messages: object) -> None:
        """Writes each message as one line; bytes are written unchanged."""
        assert self.process.stdin
        for message in messages:
            line = message if isinstance(message, bytes) else json.dumps(message).encode()
            self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def next(self) -> Any:
        """Reads the next message."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, "the server has ended"
        return json.loads(line)

    def answers(self, *messages: object) -> list[Any]:
        """Sends the messages and returns one response for each, ordered by id."""
        self.send(*messages)
        return sorted((self.next() for _ in messages), key=lambda one: str(one["id"]))

    def call_tool(self, tool: str, **arguments: Any) -> str:
        """Calls a tool and returns the text of its result; fails if the result is an error."""
        [answer] = self.answers(call(0, tool, **arguments))
        assert not answer["result"]["isError"], answer
        return text_of(answer)

    def end(self) -> tuple[int, list[Any], str]:
        """Closes stdin; returns the exit code, the remaining messages and stderr."""
        out, err = self.process.communicate(timeout=60)
        return (
            self.process.returncode,
            [json.loads(line) for line in out.splitlines()],
            err.decode(),
        )


def text_of(answer: Mapping[str, Any]) -> str:
    [content] = answer["result"]["content"]
    assert answer["result"].keys() <= {"content", "isError", "resultType", "_meta"}
    assert content.keys() == {"type", "text"}
    return str(content["text"])


@contextmanager
def start_mcp_client(
    folder: Path, *options: str, command: tuple[str, ...] = (str(FEEDER), "mcp"), **env: str
) -> Iterator[McpClient]:
    """Runs `feeder mcp` in a folder while the block runs."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*command, *options],
        cwd=folder,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        env={**os.environ, "FEEDER_VECTORS": "no", **env},
    ) as process:
        try:
            yield McpClient(process)
        finally:
            process.kill()
