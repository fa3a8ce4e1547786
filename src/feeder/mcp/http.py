"""The HTTP transport of MCP, stateless: `POST /mcp` with one JSON answer.

Checks the MCP headers against the message and chooses the HTTP status. Defines the JSON error
response, which the web application uses too.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from feeder.mcp.protocol import (
    DEFAULT_REVISION,
    INVALID_PARAMS,
    INVALID_REQUEST,
    LEGACY_REVISIONS,
    MAX_BODY_BYTES,
    METHOD_NOT_FOUND,
    MODERN_REVISIONS,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    VERSION_KEY,
    McpServer,
    MessageHandler,
    ProtocolError,
    error_response,
    is_long_running,
    is_request,
    parse_message,
    request_id,
)
from feeder.mcp.thread_pool import DISCONNECTED, ThreadPool, run_until_disconnect

HEADER_MISMATCH = -32020

NAME_PARAMETERS = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""Which parameter the header `Mcp-Name` repeats."""


_BASE64_PREFIX, _BASE64_SUFFIX = "=?base64?", "?="

_STATUS_BY_CODE = {
    METHOD_NOT_FOUND: 404,
    **dict.fromkeys(
        (PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS, HEADER_MISMATCH, UNSUPPORTED_VERSION), 400
    ),
}


HeaderValues = Callable[[str], list[str]]
"""The values of a header; none where it is not there."""


def negotiated_revision(message: object, header: HeaderValues) -> str:
    """The revision that a message is said in; raises Refused where its headers say another thing.

    A client that shakes hands says its revision in a header only; one of 2026-07-28 in both.
    """
    if isinstance(message, list):
        return _batch_revision(message, header)
    said, own = _single_header("MCP-Protocol-Version", header), message_revision(message)
    if own is None:
        return _handshake_revision(message, said)
    if said != own:
        raise _mismatch_error("MCP-Protocol-Version", said, own)
    if own in MODERN_REVISIONS and is_request(message):
        _check_name_headers(message, header)
    return own


def message_revision(message: object) -> str | None:
    """The revision that the message itself says; None where it says none."""
    params = message.get("params") if isinstance(message, Mapping) else None
    meta = params.get("_meta") if isinstance(params, Mapping) else None
    own = meta.get(VERSION_KEY) if isinstance(meta, Mapping) else None
    return own if isinstance(own, str) else None


def http_status(message: object, answer: object) -> int:
    """The HTTP status of an answer; before 2026-07-28 an error of a request is a good answer."""
    if not isinstance(answer, Mapping) or "error" not in answer:
        return 200
    code: Any = answer["error"]["code"]
    if code in (PARSE_ERROR, INVALID_REQUEST) or message_revision(message) is not None:
        return _STATUS_BY_CODE.get(code, 200)
    return 200


def _batch_revision(messages: list[object], header: HeaderValues) -> str:
    """No header speaks for several messages of the revision that has to have them."""
    if any(message_revision(message) is not None for message in messages):
        raise ProtocolError(INVALID_REQUEST, "Send one message, not an array of them.")
    return _handshake_revision(messages, _single_header("MCP-Protocol-Version", header))


def _handshake_revision(message: object, header_value: str | None) -> str:
    """That of a client that shakes hands: today's say `initialize` after `server/discover` too."""
    is_hand = isinstance(message, Mapping) and message.get("method") == "initialize"
    if header_value in LEGACY_REVISIONS or (header_value in MODERN_REVISIONS and is_hand):
        return str(header_value)
    if header_value in MODERN_REVISIONS and is_request(message):
        raise ProtocolError(INVALID_PARAMS, f"`params._meta[{VERSION_KEY}]` is missing.")
    if header_value is not None and header_value not in MODERN_REVISIONS:
        known = {"supported": list(MODERN_REVISIONS), "requested": header_value}
        raise ProtocolError(UNSUPPORTED_VERSION, "Unsupported protocol version", known)
    return header_value or DEFAULT_REVISION


def _check_name_headers(message: Mapping[str, Any], header: HeaderValues) -> None:
    method = message["method"]
    if (said := _single_header("Mcp-Method", header)) != method:
        raise _mismatch_error("Mcp-Method", said, method)
    if method in NAME_PARAMETERS:
        name = message["params"].get(NAME_PARAMETERS[method])
        if (said := _decode_header(_single_header("Mcp-Name", header))) != name:
            raise _mismatch_error("Mcp-Name", said, name)


def _single_header(name: str, header: HeaderValues) -> str | None:
    values = header(name)
    if len(values) > 1:
        raise ProtocolError(
            HEADER_MISMATCH, f"Header mismatch: {name} is there {len(values)} times"
        )
    return values[0].strip(" \t") if values else None


def _decode_header(value: str | None) -> str | None:
    """A name that no header can hold is written in base 64."""
    if value is None or not (value.startswith(_BASE64_PREFIX) and value.endswith(_BASE64_SUFFIX)):
        return value
    text = value.removeprefix(_BASE64_PREFIX).removesuffix(_BASE64_SUFFIX)
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError) as exc:
        raise ProtocolError(
            HEADER_MISMATCH, "Header mismatch: Mcp-Name is not what base 64 makes"
        ) from exc


def _mismatch_error(name: str, header_value: str | None, body_value: object) -> ProtocolError:
    if header_value is None:
        return ProtocolError(HEADER_MISMATCH, f"Header mismatch: {name} is missing")
    text = (
        f"Header mismatch: {name} header value {header_value!r} does not match body value "
        f"{body_value!r}"
    )
    return ProtocolError(HEADER_MISMATCH, text)


class ErrorResponse(NamedTuple):
    """Why a request is not answered, and what to do about it."""

    status: int
    error: str
    remedy: str

    def to_response(self, headers: dict[str, str] | None = None) -> JSONResponse:
        """As it is sent."""
        facts = {"error": self.error, "remedy": self.remedy}
        return JSONResponse(facts, self.status, headers)


CLIENT_CLOSED_REQUEST = Response(status_code=499)
"""What is answered then; nobody reads it."""


JSON_TYPE = "application/json"

_BODY_TOO_LARGE = ErrorResponse(
    413, f"A message has at most {MAX_BODY_BYTES:,} bytes.", "Ask for less at once."
).to_response({"connection": "close"})


class McpEndpoint:
    """`POST /mcp`: each request stands by itself."""

    def __init__(self, server: McpServer, pool: ThreadPool) -> None:
        self._server = server
        self._pool = pool

    async def handle(self, request: Request) -> Response:
        """202 without a body for what waits for no answer."""
        if refusal := _header_error(request):
            return refusal.to_response({"connection": "close"})
        try:
            body = await _read_body(request)
        except ClientDisconnect:
            return CLIENT_CLOSED_REQUEST
        return _BODY_TOO_LARGE if body is None else await self._handle_body(request, body)

    async def _handle_body(self, request: Request, body: bytes) -> Response:
        message: object = None
        try:
            message = parse_message(body)
            revision = negotiated_revision(message, request.headers.getlist)
        except ProtocolError as refused:
            return _json_response(error_response(refused, request_id(message)), 400)
        conversation = MessageHandler(self._server, revision)
        if not is_long_running(message):
            answer = conversation.handle(message)
            return _json_response(answer, http_status(message, answer))
        work = self._pool.run(lambda tell: conversation.handle(message, tell))
        answer = await run_until_disconnect(request, work)
        return (
            CLIENT_CLOSED_REQUEST
            if answer is DISCONNECTED
            else _json_response(answer, http_status(message, answer))
        )


def _header_error(request: Request) -> ErrorResponse | None:
    """Why its headers make it none of ours, whatever its body is."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON_TYPE:
        return ErrorResponse(
            415, "The message is not said to be JSON.", f"Send Content-Type: {JSON_TYPE}."
        )
    if not _accepts_json(request.headers.get("accept", "*/*")):
        return ErrorResponse(
            406, "The answer is JSON.", f"Send Accept: {JSON_TYPE}, text/event-stream."
        )
    return None


def _accepts_json(accept: str) -> bool:
    kinds = {kind.partition(";")[0].strip().lower() for kind in accept.split(",")}
    return bool(kinds & {JSON_TYPE, "application/*", "*/*"})


async def _read_body(request: Request) -> bytes | None:
    """None for one that is too large, of which no more is read."""
    if int(request.headers.get("content-length", 0)) > MAX_BODY_BYTES:
        return None
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY_BYTES:
            return None
    return bytes(body)


def _json_response(answer: object, status_code: int) -> Response:
    if answer is None:
        return Response(status_code=202)
    text = json.dumps(answer, separators=(",", ":"))
    is_error = isinstance(answer, Mapping) and "error" in answer
    return Response(text, status_code if is_error else 200, media_type=JSON_TYPE)
