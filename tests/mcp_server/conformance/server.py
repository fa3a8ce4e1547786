"""A server on the protocol core for the official conformance suite, which sends no token.

`python -m mcp_server.conformance.server` prints its address on stdout and serves until it is
killed.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from feeder.mcp import ProgressCallback, ToolResult
from feeder.mcp.protocol import McpServer
from feeder.web.access import AccessControl
from feeder.web.app import create_app
from feeder.web.server import listen, run_server

NOTHING = {"type": "object", "properties": {}, "additionalProperties": False}
NAMES = (
    *("test_simple_text", "test_error_handling"),
    # with these it looks for what a server may not send by itself
    *("test_logging_tool", "test_streaming_elicitation"),
)
TEXT = "This is a simple text response for testing."
ERROR = "This tool intentionally returns an error for testing"


class Tools:
    """The tools of the conformance suite that return text."""

    definitions: Sequence[Mapping[str, Any]] = [
        {"name": name, "description": f"For the suite: {name}.", "inputSchema": NOTHING}
        for name in NAMES
    ]

    def call(self, name: str, arguments: Mapping[str, Any], tell: ProgressCallback) -> ToolResult:
        is_error = name == "test_error_handling"
        return ToolResult(ERROR if is_error else TEXT, is_error)


class WithToken:
    """Adds the token to requests that have none; other requests are checked as usual."""

    def __init__(self, inner: ASGIApp, token: str) -> None:
        self._inner = inner
        self._header = (b"authorization", f"Bearer {token}".encode())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = [*scope["headers"], self._header]
        await self._inner({**scope, "headers": headers}, receive, send)


def main() -> None:
    some, address = listen(None, None, None)
    print(f"http://{address.host}:{address.port}/mcp", flush=True)
    inner = create_app(McpServer("conformance", "1", "", Tools()), AccessControl(*address))
    run_server(WithToken(inner, address.token), some)


if __name__ == "__main__":
    main()
