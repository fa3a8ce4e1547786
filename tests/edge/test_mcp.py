"""MCP over HTTP in the Worker equals the program: statuses, headers and invalid messages."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from edge.test_access import refused
from feeder.mcp.tool_schemas import TOOL_DEFINITIONS
from web.http_client import JSON, MODERN, VERSION, Web, modern, request, web

NEW, OLD = {"mcp-protocol-version": "2026-07-28"}, {"mcp-protocol-version": "2025-11-25"}
PING = request("ping")
LIST = modern("tools/list")
CALL = modern("tools/call", name="say")
FUTURE = {"_meta": {**MODERN, VERSION: "2030-01-01"}}
CASES: dict[str, tuple[object, dict[str, str]]] = {
    "a ping": (PING, {}),
    "a ping of an old revision": (PING, OLD),
    "a ping of one that is not known": (PING, {"mcp-protocol-version": "1999-01-01"}),
    "a ping that says no revision": (PING, {"mcp-protocol-version": ""}),
    "a ping of the new one, which has none": (PING, NEW),
    "a notification": ({"jsonrpc": "2.0", "method": "notifications/initialized"}, {}),
    "one of the new revision": ({"jsonrpc": "2.0", "method": "notifications/initialized"}, NEW),
    "an answer": ({"jsonrpc": "2.0", "id": 1, "result": {}}, {}),
    "no JSON": (b"{", {}),
    "not UTF-8": (b'"\xff"', {}),
    "a mark": (b"\xef\xbb\xbf{}", {}),
    "deep": (b"[" * 100_000, {}),
    "a number": (b"1", {}),
    "no method": ({"jsonrpc": "2.0", "id": 1}, {}),
    "an unknown method": (request("nothing"), OLD),
    "one of an object's own": (request("constructor"), OLD),
    "one of the new revision's": (modern("nothing"), {**NEW, "mcp-method": "nothing"}),
    "an array": ([PING], {}),
    "an array of the revision that knows it": ([PING], {"mcp-protocol-version": "2025-03-26"}),
    "an array of too many": ([PING] * 21, {"mcp-protocol-version": "2025-03-26"}),
    "an array of a later one": ([PING], OLD),
    "an empty array": ([], {}),
    "an array of notifications": (
        [{"jsonrpc": "2.0", "method": "notifications/initialized"}],
        {"mcp-protocol-version": "2025-03-26"},
    ),
    "an array of the new revision's": ([LIST], {"mcp-protocol-version": "2025-03-26"}),
    "without its headers": (LIST, {}),
    "without its method": (LIST, NEW),
    "with another method": (LIST, {**NEW, "mcp-method": "tools/call"}),
    "with another revision": (LIST, {**OLD, "mcp-method": "tools/list"}),
    "without its name": (CALL, {**NEW, "mcp-method": "tools/call"}),
    "with another name": (CALL, {**NEW, "mcp-method": "tools/call", "mcp-name": "read"}),
    "with no base 64": (CALL, {**NEW, "mcp-method": "tools/call", "mcp-name": "=?base64?*?="}),
    "with short base 64": (CALL, {**NEW, "mcp-method": "tools/call", "mcp-name": "=?base64?a?="}),
    "of another name in base 64": (
        CALL,
        {**NEW, "mcp-method": "tools/call", "mcp-name": "=?base64?cmVhZA==?="},
    ),
    "a future revision": (
        request("tools/list", **FUTURE),
        {"mcp-protocol-version": "2030-01-01", "mcp-method": "tools/list"},
    ),
    "no capabilities": (
        request("tools/list", _meta={VERSION: "2026-07-28"}),
        {**NEW, "mcp-method": "tools/list"},
    ),
    "a name that is no text": (
        modern("tools/call", name=7),
        {**NEW, "mcp-method": "tools/call", "mcp-name": "7"},
    ),
    "an unknown tool": (
        modern("tools/call", name="nothing"),
        {**NEW, "mcp-method": "tools/call", "mcp-name": "=?base64?bm90aGluZw==?="},
    ),
    "an unknown tool, of before": (request("tools/call", name="nothing"), OLD),
    "a cursor": (request("tools/list", cursor="x"), OLD),
    "a kind with a parameter": (PING, {"content-type": "Application/JSON; charset=utf-8"}),
    "a client of anything": (PING, {"accept": "*/*;q=0.1"}),
}


@pytest.fixture(scope="module")
def program() -> Iterator[Web]:
    with web() as one:
        yield one


def sent(some: httpx.Client, body: object, headers: dict[str, str]) -> httpx.Response:
    if isinstance(body, bytes):
        return some.post("/mcp", content=body, headers={**JSON, **headers})
    return some.post("/mcp", json=body, headers={**JSON, **headers})


def facts(response: httpx.Response) -> tuple[int, Any]:
    """Returns the status and the message."""
    return response.status_code, response.json() if response.content else None


@pytest.mark.parametrize("name", CASES)
def test_message_has_the_same_response(
    authorized_client: httpx.Client, program: Web, name: str
) -> None:
    body, headers = CASES[name]
    assert facts(sent(authorized_client, body, headers)) == facts(
        sent(program.client, body, headers)
    )


def test_other_bodies_and_clients_are_refused(authorized_client: httpx.Client) -> None:
    told = sent(authorized_client, PING, {"content-type": "text/plain"})
    assert refused(told, 415)["remedy"] == "Send Content-Type: application/json."
    told = sent(authorized_client, PING, {"accept": "text/event-stream"})
    assert refused(told, 406)["remedy"] == "Send Accept: application/json, text/event-stream."


def test_tools_equal_the_programs_except_for_files(authorized_client: httpx.Client) -> None:
    """No text mentions local files."""
    headers = {**NEW, "mcp-method": "tools/list"}
    tools = sent(authorized_client, LIST, headers).json()["result"]["tools"]
    assert [tool["name"] for tool in tools] == [
        "search",
        "read",
        "outline",
        "references",
    ]
    definitions = {tool["name"]: tool for tool in TOOL_DEFINITIONS}
    for tool in tools:
        own = definitions[tool["name"]]
        properties = dict(own["inputSchema"]["properties"])
        properties.pop("ranked", None)
        assert tool["inputSchema"] == {**own["inputSchema"], "properties": properties}
        assert "on disk now" not in tool["description"]
        assert len(tool["description"]) < 2_048
    headers = {**NEW, "mcp-method": "server/discover"}
    found = sent(authorized_client, modern("server/discover"), headers).json()["result"]
    assert "on disk now" not in found["instructions"]
    assert "- impact" not in found["instructions"]  # the Worker has no git
    assert "- grep" not in found["instructions"]  # nor the files
    assert "For what a change touches, run `feeder impact` in a clone" in found["instructions"]
    assert "as of the indexed commit" in found["instructions"]
    assert len(found["instructions"]) < 2_048


def answered(authorized_client: httpx.Client, tool: str, **arguments: object) -> dict[str, Any]:
    call = request("tools/call", name=tool, arguments=arguments)
    result: dict[str, Any] = sent(authorized_client, call, {}).json()["result"]
    return result


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search", {"query": "exchange", "path": "src", "language": "python, go", "tests": "no"}),
        ("read", {"target": "src/money.py#exchange"}),
        ("search", {"like": "exchange", "limit": 2}),
    ],
)
def test_tool_returns_text_only(
    authorized_client: httpx.Client, tool: str, arguments: dict[str, object]
) -> None:
    """Its last line has the freshness of the index."""
    result = answered(authorized_client, tool, **arguments)
    assert set(result) == {"content", "isError"}
    [content] = result["content"]
    assert not result["isError"]
    first, *_, last = content["text"].split("\n")
    assert first == "src/money.py:4-5 method exchange"
    assert last == "The index matches 2457e5e."


def test_argument_errors_are_tool_results(authorized_client: httpx.Client) -> None:
    result = answered(authorized_client, "search", query="x", lmit=1)
    assert result["isError"]
    assert "Did you mean `limit`?" in result["content"][0]["text"]
    result = answered(authorized_client, "search", query=' ""')
    assert result["isError"]
    assert result["content"][0]["text"].startswith("The query is empty. Write words")
    result = answered(authorized_client, "read", target=["a"] * 51)
    assert result["content"][0]["text"] == "`target` has 51 targets; at most 50 are allowed."


def test_arguments_become_api_parameters(authorized_client: httpx.Client) -> None:
    """The stand-in returns them."""
    text = answered(authorized_client, "search", query="ten chars.")["content"][0]["text"]
    assert "search: 10 characters" in text
