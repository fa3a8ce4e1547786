"""MCP over HTTP: each message is independent, in both eras of the protocol."""

import base64
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from feeder.mcp.protocol import MAX_BODY_BYTES
from web.http_client import JSON, MODERN, VERSION, Web, modern, request, web

pytestmark = pytest.mark.slow

NOW = {"mcp_protocol_version": "2026-07-28"}
CALL = {**NOW, "mcp_method": "tools/call"}


@pytest.fixture
def web_client() -> Iterator[Web]:
    with web() as one:
        yield one


def test_client_with_initialize(web_client: Web) -> None:
    """There is no session: the negotiated version is sent as a header and not stored."""
    hello = web_client.post(
        request("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={})
    )
    assert (hello.status_code, hello.json()["result"]["protocolVersion"]) == (200, "2025-06-18")
    assert "mcp-session-id" not in hello.headers
    ready = web_client.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (ready.status_code, ready.content) == (202, b"")
    listed = web_client.post(request("tools/list"), mcp_protocol_version="2025-06-18")
    assert listed.json()["result"]["tools"][0]["name"] == "say"
    response = web_client.post(request("tools/call", "a", name="say", arguments={"x": 1}))
    assert response.headers["content-type"] == "application/json"
    assert response.json() == {
        "jsonrpc": "2.0",
        "id": "a",
        "result": {"content": [{"type": "text", "text": '{"x": 1}'}], "isError": False},
    }


def test_client_that_sends_its_version_with_each_request(web_client: Web) -> None:
    """The first message may be any."""
    response = web_client.post(
        modern("tools/call", name="say", arguments={}), **CALL, mcp_name="say"
    )
    assert (response.status_code, response.json()["result"]["resultType"]) == (200, "complete")
    found = web_client.post(modern("server/discover"), **NOW, mcp_method="server/discover")
    assert found.json()["result"]["supportedVersions"] == ["2026-07-28"]


def test_both_eras_in_any_order(web_client: Web) -> None:
    """Some clients send `initialize` after `server/discover`, with that request's header."""
    web_client.post(modern("server/discover"), **NOW, mcp_method="server/discover")
    hand = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}
    hello = web_client.post(request("initialize", **hand), **NOW)
    assert (hello.status_code, hello.json()["result"]["protocolVersion"]) == (200, "2025-11-25")


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("say", "say"),
        ("say", "=?base64?c2F5?="),
        ("größe", "=?base64?" + base64.b64encode("größe".encode()).decode() + "?="),
    ],
)
def test_name_header_may_be_base64(web_client: Web, name: str, header: str) -> None:
    """Where no header can hold it, or anyhow."""
    response = web_client.post(modern("tools/call", name=name), **CALL, mcp_name=header)
    assert response.status_code == 200
    assert web_client.tools.called == [name]


def test_header_values_are_trimmed_and_names_ignore_case(web_client: Web) -> None:
    body = json.dumps(modern("tools/call", name="say"))
    response = web_client.raw(
        f"Content-Length: {len(body)}",
        "MCP-PROTOCOL-VERSION: 2026-07-28",
        "mcp-method:tools/call",
        "Mcp-Name:  \tsay \t",
        body=body,
    )
    assert response.startswith("HTTP/1.1 200 ")
    assert web_client.tools.called == ["say"]


@pytest.mark.parametrize(
    ("method", "headers"),
    [
        ("tools/call", {"mcp_method": "tools/call", "mcp_name": "say"}),
        ("tools/call", {**CALL, "mcp_name": "wait"}),
        ("tools/call", {**CALL, "mcp_name": "SAY"}),
        ("tools/call", {**CALL, "mcp_name": "=?base64?d2FpdA==?="}),
        ("tools/call", {**CALL, "mcp_name": "=?base64?c2F5!?="}),
        ("tools/call", {**CALL, "mcp_name": "=?base64?/w==?="}),
        ("tools/call", CALL),
        ("tools/call", {**NOW, "mcp_name": "say"}),
        ("tools/call", {**NOW, "mcp_name": "say", "mcp_method": "tools/list"}),
        ("tools/call", {**NOW, "mcp_name": "say", "mcp_method": "TOOLS/CALL"}),
        ("tools/call", {**CALL, "mcp_name": "say", "mcp_protocol_version": "2025-11-25"}),
        ("tools/call", {**CALL, "mcp_name": "say", "mcp_protocol_version": "2099-01-01"}),
        ("resources/read", {**NOW, "mcp_method": "resources/read"}),
        ("prompts/get", {**NOW, "mcp_method": "prompts/get", "mcp_name": "other"}),
    ],
)
def test_headers_that_contradict_the_body_are_refused(
    web_client: Web, method: str, headers: dict[str, str]
) -> None:
    """With -32020 and the request's id; nothing is called."""
    response = web_client.post(modern(method, 9, name="say", uri="x:y"), **headers)
    answer = response.json()
    assert (response.status_code, answer["error"]["code"], answer["id"]) == (400, -32020, 9)
    assert web_client.tools.called == []


def test_repeated_header_is_refused(web_client: Web) -> None:
    """Two readers of the request could use different values."""
    twice = [*JSON.items(), ("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call")]
    body = json.dumps(modern("tools/call", name="say"))
    names = [("mcp-name", "say"), ("mcp-name", "wait")]
    response = web_client.client.post("/mcp", content=body, headers=[*twice, *names])
    assert (response.status_code, response.json()["error"]["code"]) == (400, -32020)


def test_unknown_version_lists_the_known_ones(web_client: Web) -> None:
    """In header and body, or in the header alone."""
    meta = {**MODERN, VERSION: "2099-01-01"}
    for params in ({"_meta": meta}, {}):
        response = web_client.post(
            request("tools/list", **params), mcp_protocol_version="2099-01-01"
        )
        assert response.status_code == 400
        assert response.json()["error"]["code"] == -32022
        known = {"supported": ["2026-07-28"], "requested": "2099-01-01"}
        assert response.json()["error"]["data"] == known


@pytest.mark.parametrize(
    ("meta", "code", "status"),
    [
        ({}, -32602, 400),
        ({VERSION: "2026-07-28"}, -32602, 400),
        (MODERN, -32601, 404),
    ],
)
def test_errors_have_http_statuses_in_the_newer_version(
    web_client: Web, meta: dict[str, object], code: int, status: int
) -> None:
    """A message without a required field is malformed; an unknown method is not found."""
    response = web_client.post(request("what/ever", 3, _meta=meta), **NOW, mcp_method="what/ever")
    assert (response.status_code, response.json()["error"]["code"], response.json()["id"]) == (
        status,
        code,
        3,
    )


def test_errors_have_status_200_after_initialize(web_client: Web) -> None:
    """To these clients 404 means the end of the session."""
    response = web_client.post(request("what/ever"), mcp_protocol_version="2025-11-25")
    assert (response.status_code, response.json()["error"]["code"]) == (200, -32601)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", -32700),
        (b"", -32700),
        (b"\xff", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b"7", -32600),
        (b"{}", -32600),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600),
    ],
)
def test_invalid_message_is_refused(web_client: Web, body: bytes, code: int) -> None:
    """The next one is answered."""
    response = web_client.post(body)
    assert (response.status_code, response.json()["error"]["code"], response.json()["id"]) == (
        400,
        code,
        None,
    )
    assert web_client.post(request("ping")).json()["result"] == {}


def test_batches_are_accepted_only_in_version_2025_03_26(web_client: Web) -> None:
    """The version of a client without the header; a batch may not have it."""
    both = [request("ping", 1), request("ping", 2)]
    assert [message["id"] for message in web_client.post(both).json()] == [1, 2]
    later = web_client.post(both, mcp_protocol_version="2025-06-18")
    assert (later.status_code, later.json()["error"]["code"]) == (400, -32600)
    mixed = web_client.post([request("ping"), modern("tools/call", 2, name="say")])
    assert (mixed.status_code, mixed.json()["error"]["code"]) == (400, -32600)
    assert web_client.tools.called == []


def test_response_of_a_client_is_accepted_and_ignored(web_client: Web) -> None:
    """As the older versions require."""
    response = web_client.post({"jsonrpc": "2.0", "id": 1, "result": {}})
    assert (response.status_code, response.content) == (202, b"")


def test_internal_error_affects_one_request(web_client: Web) -> None:
    response = web_client.post(request("tools/call", name="die"))
    assert response.json()["error"]["code"] == -32603
    assert web_client.post(request("ping")).status_code == 200


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "HEAD"])
def test_get_and_delete_are_not_supported(web_client: Web, method: str) -> None:
    response = web_client.client.request(method, "/mcp")
    assert (response.status_code, response.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("content_type", "text/plain", 415),
        ("content_type", "application/json; charset=utf-8", 200),
        ("accept", "text/event-stream", 406),
        ("accept", "text/html, */*;q=0.1", 200),
        ("accept", "application/json", 200),
    ],
)
def test_content_type_and_accept_are_checked(
    web_client: Web, header: str, value: str, status: int
) -> None:
    assert web_client.post(request("ping"), **{header: value}).status_code == status


def test_large_declared_body_is_refused_before_it_is_read(web_client: Web) -> None:
    for length in ("1048577", "9" * 20):
        assert web_client.raw(f"Content-Length: {length}").startswith("HTTP/1.1 413 ")


def test_chunked_body_is_refused_above_the_limit(web_client: Web) -> None:
    """No more than the largest message is kept in memory."""
    empty = len(json.dumps(request("tools/call", name="say", arguments={"x": ""})))
    longest = request("tools/call", name="say", arguments={"x": "x" * (MAX_BODY_BYTES - empty)})
    assert web_client.post(longest).status_code == 200

    def parts() -> Iterator[bytes]:
        yield json.dumps(longest).encode()
        yield b" "

    response = web_client.client.post("/mcp", content=parts(), headers=JSON)
    assert response.status_code == 413
    assert web_client.tools.called == ["say"]


def test_disconnect_cancels_the_call(web_client: Web) -> None:
    """The tool learns it at its next step, and the server keeps running."""
    body = json.dumps(request("tools/call", name="wait"))
    with web_client.sent(f"Content-Length: {len(body)}", body=body):
        assert web_client.tools.waits.wait(60)
        assert not web_client.tools.ended.is_set()
    assert web_client.tools.ended.wait(60)
    assert web_client.post(request("ping")).json()["result"] == {}


def test_calls_run_concurrently(web_client: Web) -> None:
    """While one blocks, other calls and requests are answered."""
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(web_client.post, request("tools/call", name="wait"))
        assert web_client.tools.waits.wait(60)
        assert web_client.post(request("tools/call", name="say")).status_code == 200
        assert web_client.post(request("tools/list")).status_code == 200
        web_client.tools.may_end.set()
        assert waiting.result(60).json()["result"]["isError"] is False
