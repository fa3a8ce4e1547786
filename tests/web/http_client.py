"""A server on loopback in this process, and an HTTP client for it."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from socket import create_connection, socket
from threading import Event, Thread
from typing import Any

import httpx

from feeder.mcp import ProgressCallback, ToolResult
from feeder.mcp.protocol import McpServer
from feeder.mcp.service import IndexService
from feeder.web.server import Address, listen, uvicorn_server
from required_extras import require_extras

TOKEN = "a-token-of-this-test"
VERSION = "io.modelcontextprotocol/protocolVersion"
MODERN = {VERSION: "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
JSON = {"content-type": "application/json", "accept": "application/json, text/event-stream"}


class Tools:
    """Tools that return their arguments; `wait` blocks until it is released or cancelled."""

    definitions: Sequence[Mapping[str, Any]] = [
        {"name": name} for name in ("say", "wait", "größe", "die")
    ]

    def __init__(self) -> None:
        self.called: list[str] = []
        self.waits, self.may_end, self.ended = Event(), Event(), Event()
        self.server = McpServer("n", "v", "told", self)

    def call(self, name: str, arguments: Mapping[str, Any], tell: ProgressCallback) -> ToolResult:
        self.called.append(name)
        if name == "die":
            raise LookupError("a fault")
        if name == "wait":
            self._wait(tell)
        return ToolResult(json.dumps(arguments))

    def _wait(self, tell: ProgressCallback) -> None:
        self.waits.set()
        try:
            while not self.may_end.wait(0.01):
                tell("waiting")
        finally:
            self.ended.set()


class Web:
    """An HTTP client that sends the server's token."""

    def __init__(self, address: Address, tools: Tools) -> None:
        self.address, self.tools = address, tools
        self.base = f"http://{address.host}:{address.port}"
        bearer = {"authorization": f"Bearer {address.token}"}
        self.client = httpx.Client(base_url=self.base, headers=bearer, trust_env=False, timeout=60)

    def post(self, message: object, **headers: str) -> httpx.Response:
        """Posts a message; bytes are sent unchanged. Underscores in header names become hyphens."""
        body = message if isinstance(message, bytes) else json.dumps(message).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.client.post("/mcp", content=body, headers={**JSON, **named})

    @contextmanager
    def sent(self, *headers: str, body: str = "", host: str = "localhost") -> Iterator[socket]:
        """Sends a raw request and yields the open connection."""
        with create_connection((self.address.host, self.address.port), 60) as connection:
            first = ("POST /mcp HTTP/1.1", f"Host: {host}", "Content-Type: application/json")
            bearer = f"Authorization: Bearer {self.address.token}"
            connection.sendall("\r\n".join([*first, bearer, *headers, "", body]).encode())
            yield connection

    def raw(self, *headers: str, body: str = "", host: str = "localhost") -> str:
        """Sends a raw request and returns the status line of the response."""
        with self.sent(*headers, body=body, host=host) as connection:
            return connection.makefile("rb").readline().decode()


def request(method: str, id_: object = 1, **params: Any) -> dict[str, Any]:
    """A request of a client that has sent `initialize`."""
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


def modern(method: str, id_: object = 1, **params: Any) -> dict[str, Any]:
    """A request that names its protocol version in `_meta`."""
    return request(method, id_, _meta=MODERN, **params)


@contextmanager
def web(index_service: IndexService | None = None) -> Iterator[Web]:
    """Runs a server with the tools of `Tools` or of an index service, and yields a client."""
    require_extras("serve")
    from feeder.web.access import AccessControl
    from feeder.web.app import create_app

    tools = Tools()
    some, address = listen(None, None, TOKEN)
    served = index_service.mcp_server if index_service else tools.server
    running = uvicorn_server(create_app(served, AccessControl(*address), index_service))
    thread = Thread(target=running.run, args=([some],), daemon=True)
    thread.start()
    one = Web(address, tools)
    try:
        yield one
    finally:
        tools.may_end.set()
        one.client.close()
        running.should_exit = True
        thread.join(60)
