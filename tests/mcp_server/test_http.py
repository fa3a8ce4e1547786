"""MCP over HTTP: each message stands by itself, in both eras of the protocol."""

import base64
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from feeder.mcp.protocol import MAX_BODY_BYTES
from web.http_client import JSON, MODERN, VERSION, Web, modern, request, web

NOW = {"mcp_protocol_version": "2026-07-28"}
CALL = {**NOW, "mcp_method": "tools/call"}


@pytest.fixture
def asked() -> Iterator[Web]:
    with web() as one:
        yield one


def test_a_client_that_shakes_hands(asked: Web) -> None:
    """Without a session: what it agreed on comes back as a header, and nothing is remembered."""
    hello = asked.post(
        request("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={})
    )
    assert (hello.status_code, hello.json()["result"]["protocolVersion"]) == (200, "2025-06-18")
    assert "mcp-session-id" not in hello.headers
    ready = asked.post({"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert (ready.status_code, ready.content) == (202, b"")
    listed = asked.post(request("tools/list"), mcp_protocol_version="2025-06-18")
    assert listed.json()["result"]["tools"][0]["name"] == "say"
    response = asked.post(request("tools/call", "a", name="say", arguments={"x": 1}))
    assert response.headers["content-type"] == "application/json"
    assert response.json() == {
        "jsonrpc": "2.0",
        "id": "a",
        "result": {"content": [{"type": "text", "text": '{"x": 1}'}], "isError": False},
    }


def test_a_client_that_says_its_revision_each_time(asked: Web) -> None:
    """The first message may be any."""
    response = asked.post(modern("tools/call", name="say", arguments={}), **CALL, mcp_name="say")
    assert (response.status_code, response.json()["result"]["resultType"]) == (200, "complete")
    found = asked.post(modern("server/discover"), **NOW, mcp_method="server/discover")
    assert found.json()["result"]["supportedVersions"] == ["2026-07-28"]


def test_both_eras_in_any_order(asked: Web) -> None:
    """Clients there are say `initialize` after `server/discover`, with the header of that."""
    asked.post(modern("server/discover"), **NOW, mcp_method="server/discover")
    hand = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {}}
    hello = asked.post(request("initialize", **hand), **NOW)
    assert (hello.status_code, hello.json()["result"]["protocolVersion"]) == (200, "2025-11-25")


@pytest.mark.parametrize(
    ("name", "header"),
    [
        ("say", "say"),
        ("say", "=?base64?c2F5?="),
        ("größe", "=?base64?" + base64.b64encode("größe".encode()).decode() + "?="),
    ],
)
def test_a_name_may_be_written_in_base_64(asked: Web, name: str, header: str) -> None:
    """Where no header can hold it, or anyhow."""
    response = asked.post(modern("tools/call", name=name), **CALL, mcp_name=header)
    assert response.status_code == 200
    assert asked.tools.called == [name]


def test_blanks_around_a_value_are_none_of_it(asked: Web) -> None:
    """As HTTP has it, and names of headers are written as anybody likes."""
    body = json.dumps(modern("tools/call", name="say"))
    response = asked.raw(
        f"Content-Length: {len(body)}",
        "MCP-PROTOCOL-VERSION: 2026-07-28",
        "mcp-method:tools/call",
        "Mcp-Name:  \tsay \t",
        body=body,
    )
    assert response.startswith("HTTP/1.1 200 ")
    assert asked.tools.called == ["say"]


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
def test_headers_that_say_another_thing_are_refused(
    asked: Web, method: str, headers: dict[str, str]
) -> None:
    """With -32020 and the request's own id, and nothing is called."""
    response = asked.post(modern(method, 9, name="say", uri="x:y"), **headers)
    answer = response.json()
    assert (response.status_code, answer["error"]["code"], answer["id"]) == (400, -32020, 9)
    assert asked.tools.called == []


def test_a_header_that_is_there_twice_is_refused(asked: Web) -> None:
    """Each reader of the request could believe another."""
    twice = [*JSON.items(), ("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call")]
    body = json.dumps(modern("tools/call", name="say"))
    names = [("mcp-name", "say"), ("mcp-name", "wait")]
    response = asked.client.post("/mcp", content=body, headers=[*twice, *names])
    assert (response.status_code, response.json()["error"]["code"]) == (400, -32020)


def test_an_unknown_revision_is_told_the_known(asked: Web) -> None:
    """Said in both places, or in the header alone."""
    meta = {**MODERN, VERSION: "2099-01-01"}
    for params in ({"_meta": meta}, {}):
        response = asked.post(request("tools/list", **params), mcp_protocol_version="2099-01-01")
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
def test_errors_of_the_revision_have_their_statuses(
    asked: Web, meta: dict[str, object], code: int, status: int
) -> None:
    """A message that lacks what each has to say is malformed; an unknown method is not found."""
    response = asked.post(request("what/ever", 3, _meta=meta), **NOW, mcp_method="what/ever")
    assert (response.status_code, response.json()["error"]["code"], response.json()["id"]) == (
        status,
        code,
        3,
    )


def test_an_error_is_a_good_answer_for_those_who_shake_hands(asked: Web) -> None:
    """For them 404 is the end of a session."""
    response = asked.post(request("what/ever"), mcp_protocol_version="2025-11-25")
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
def test_what_is_no_message_is_refused(asked: Web, body: bytes, code: int) -> None:
    """And the next one is answered."""
    response = asked.post(body)
    assert (response.status_code, response.json()["error"]["code"], response.json()["id"]) == (
        400,
        code,
        None,
    )
    assert asked.post(request("ping")).json()["result"] == {}


def test_arrays_are_for_the_revision_that_has_them(asked: Web) -> None:
    """2025-03-26, which is that of a client without the header; no header speaks for several."""
    both = [request("ping", 1), request("ping", 2)]
    assert [one["id"] for one in asked.post(both).json()] == [1, 2]
    later = asked.post(both, mcp_protocol_version="2025-06-18")
    assert (later.status_code, later.json()["error"]["code"]) == (400, -32600)
    mixed = asked.post([request("ping"), modern("tools/call", 2, name="say")])
    assert (mixed.status_code, mixed.json()["error"]["code"]) == (400, -32600)
    assert asked.tools.called == []


def test_a_response_is_taken_and_forgotten(asked: Web) -> None:
    """As the older revisions have it; nothing was asked."""
    response = asked.post({"jsonrpc": "2.0", "id": 1, "result": {}})
    assert (response.status_code, response.content) == (202, b"")


def test_a_fault_of_ours_costs_one_answer(asked: Web) -> None:
    response = asked.post(request("tools/call", name="die"))
    assert response.json()["error"]["code"] == -32603
    assert asked.post(request("ping")).status_code == 200


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "HEAD"])
def test_there_is_no_stream_and_no_session(asked: Web, method: str) -> None:
    response = asked.client.request(method, "/mcp")
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
def test_what_is_said_to_be_sent_and_taken(
    asked: Web, header: str, value: str, status: int
) -> None:
    assert asked.post(request("ping"), **{header: value}).status_code == status


def test_a_large_body_is_refused_before_it_is_read(asked: Web) -> None:
    """Its length is said, and none of it is sent."""
    for length in ("1048577", "9" * 20):
        assert asked.raw(f"Content-Length: {length}").startswith("HTTP/1.1 413 ")


def test_a_body_of_no_said_length_is_counted(asked: Web) -> None:
    """No more than a message may have is kept in memory; one byte less is one."""
    empty = len(json.dumps(request("tools/call", name="say", arguments={"x": ""})))
    longest = request("tools/call", name="say", arguments={"x": "x" * (MAX_BODY_BYTES - empty)})
    assert asked.post(longest).status_code == 200

    def parts() -> Iterator[bytes]:
        yield json.dumps(longest).encode()
        yield b" "

    response = asked.client.post("/mcp", content=parts(), headers=JSON)
    assert response.status_code == 413
    assert asked.tools.called == ["say"]


def test_whoever_hangs_up_ends_the_call(asked: Web) -> None:
    """The tool learns at its next step that nobody waits, and the server lives on."""
    body = json.dumps(request("tools/call", name="wait"))
    with asked.sent(f"Content-Length: {len(body)}", body=body):
        assert asked.tools.waits.wait(60)
        assert not asked.tools.ended.is_set()
    assert asked.tools.ended.wait(60)
    assert asked.post(request("ping")).json()["result"] == {}


def test_calls_run_beside_each_other(asked: Web) -> None:
    """While one waits another is answered, and so is what is no call."""
    with ThreadPoolExecutor() as threads:
        waiting = threads.submit(asked.post, request("tools/call", name="wait"))
        assert asked.tools.waits.wait(60)
        assert asked.post(request("tools/call", name="say")).status_code == 200
        assert asked.post(request("tools/list")).status_code == 200
        asked.tools.may_end.set()
        assert waiting.result(60).json()["result"]["isError"] is False
