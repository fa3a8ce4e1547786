"""The HTTP transport of MCP, stateless: `POST /mcp` with one JSON answer.

Checks the MCP headers against the message and chooses the HTTP status. Defines the JSON error
response, which the web application uses too.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from types import MappingProxyType
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
    missing_version,
    parse_message,
    request_id,
    unsupported_version,
)
from feeder.mcp.thread_pool import DISCONNECTED, ThreadPool, run_until_disconnect

JSON_TYPE = "application/json"
HEADER_MISMATCH = -32020
NAME_PARAMETERS = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""The parameter that the header `Mcp-Name` repeats, by method."""

_BASE64_PREFIX, _BASE64_SUFFIX = "=?base64?", "?="
_STATUS_BY_CODE = {
    METHOD_NOT_FOUND: 404,
    **dict.fromkeys(
        (PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS, HEADER_MISMATCH, UNSUPPORTED_VERSION), 400
    ),
}

HeaderValues = Callable[[str], list[str]]
"""Returns all values of the header of a name."""


class ErrorResponse(NamedTuple):
    """An HTTP error: status, what is wrong, what to do, and further JSON fields."""

    status: int
    error: str
    remedy: str
    details: Mapping[str, Any] = MappingProxyType({})

    def to_response(self, headers: dict[str, str] | None = None) -> JSONResponse:
        """The error as a JSON response."""
        content = {"error": self.error, "remedy": self.remedy, **self.details}
        return JSONResponse(content, self.status, headers)


CLIENT_CLOSED_REQUEST = Response(status_code=499)
"""The response after the client has disconnected; nobody reads it."""

_BODY_TOO_LARGE = ErrorResponse(
    413, f"A message may have at most {MAX_BODY_BYTES:,} bytes.", "Send a smaller message."
).to_response({"connection": "close"})


class McpEndpoint:
    """Handles `POST /mcp`, without state between requests."""

    def __init__(self, server: McpServer, pool: ThreadPool) -> None:
        self._server = server
        self._pool = pool

    async def handle(self, request: Request) -> Response:
        """The answer to one HTTP request; status 202 without a body for a notification."""
        if error := _header_error(request):
            return error.to_response({"connection": "close"})
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
        except ProtocolError as exc:
            return _json_response(error_response(exc, request_id(message)), 400)
        handler = MessageHandler(self._server, revision)
        if is_long_running(message):
            work = self._pool.run(lambda on_progress: handler.handle(message, on_progress))
            answer = await run_until_disconnect(request, work)
            if answer is DISCONNECTED:
                return CLIENT_CLOSED_REQUEST
        else:
            answer = handler.handle(message)
        return _json_response(answer, http_status(message, answer))


def _header_error(request: Request) -> ErrorResponse | None:
    """The error of a request whose headers do not fit, whatever its body is; else None."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON_TYPE:
        return ErrorResponse(
            415, "The request's Content-Type is not JSON.", f"Send Content-Type: {JSON_TYPE}."
        )
    if not _accepts_json(request.headers.get("accept", "*/*")):
        return ErrorResponse(
            406,
            "The request does not accept JSON.",
            f"Send Accept: {JSON_TYPE}, text/event-stream.",
        )
    return None


def _accepts_json(accept: str) -> bool:
    kinds = {kind.partition(";")[0].strip().lower() for kind in accept.split(",")}
    return bool(kinds & {JSON_TYPE, "application/*", "*/*"})


async def _read_body(request: Request) -> bytes | None:
    """The body of a request; None, without reading the rest, if it is too large."""
    if int(request.headers.get("content-length", 0)) > MAX_BODY_BYTES:
        return None
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BODY_BYTES:
            return None
    return bytes(body)


def _json_response(answer: object, status_code: int) -> Response:
    if answer is None:
        return Response(status_code=202)
    text = json.dumps(answer, separators=(",", ":"))
    is_error = isinstance(answer, Mapping) and "error" in answer
    return Response(text, status_code if is_error else 200, media_type=JSON_TYPE)


def negotiated_revision(message: object, header: HeaderValues) -> str:
    """The revision of a message; raises ProtocolError if the headers contradict the message.

    A client that calls `initialize` names its revision in a header only; from 2026-07-28 on,
    clients name it in both.
    """
    if isinstance(message, list):
        return _batch_revision(message, header)
    in_header = _single_header("MCP-Protocol-Version", header)
    in_message = message_revision(message)
    if in_message is None:
        return _handshake_revision(message, in_header)
    if in_header != in_message:
        raise _mismatch_error("MCP-Protocol-Version", in_header, in_message)
    if in_message in MODERN_REVISIONS and is_request(message):
        _check_name_headers(message, header)
    return in_message


def message_revision(message: object) -> str | None:
    """The revision that the message itself names; None if it names none."""
    params = message.get("params") if isinstance(message, Mapping) else None
    meta = params.get("_meta") if isinstance(params, Mapping) else None
    revision = meta.get(VERSION_KEY) if isinstance(meta, Mapping) else None
    return revision if isinstance(revision, str) else None


def http_status(message: object, answer: object) -> int:
    """The HTTP status of an answer; before 2026-07-28 the error of a request is sent with 200."""
    if not isinstance(answer, Mapping) or "error" not in answer:
        return 200
    code: Any = answer["error"]["code"]
    if code in (PARSE_ERROR, INVALID_REQUEST) or message_revision(message) is not None:
        return _STATUS_BY_CODE.get(code, 200)
    return 200


def _batch_revision(messages: list[object], header: HeaderValues) -> str:
    """The revision of an array, which no revision that messages name themselves has."""
    if any(message_revision(message) is not None for message in messages):
        raise ProtocolError(INVALID_REQUEST, "Send one message, not an array of them.")
    return _handshake_revision(messages, _single_header("MCP-Protocol-Version", header))


def _handshake_revision(message: object, header_value: str | None) -> str:
    """The revision of a client that calls `initialize`, also after a `server/discover`."""
    is_initialize = isinstance(message, Mapping) and message.get("method") == "initialize"
    if header_value in LEGACY_REVISIONS or (header_value in MODERN_REVISIONS and is_initialize):
        return str(header_value)
    if header_value in MODERN_REVISIONS and is_request(message):
        raise missing_version()
    if header_value is not None and header_value not in MODERN_REVISIONS:
        raise unsupported_version(header_value)
    return header_value or DEFAULT_REVISION


def _check_name_headers(message: Mapping[str, Any], header: HeaderValues) -> None:
    method = message["method"]
    if (value := _single_header("Mcp-Method", header)) != method:
        raise _mismatch_error("Mcp-Method", value, method)
    if method in NAME_PARAMETERS:
        name = message["params"].get(NAME_PARAMETERS[method])
        if (value := _decode_header(_single_header("Mcp-Name", header))) != name:
            raise _mismatch_error("Mcp-Name", value, name)


def _single_header(name: str, header: HeaderValues) -> str | None:
    values = header(name)
    if len(values) > 1:
        text = f"Header mismatch: {name} appears {len(values)} times"
        raise ProtocolError(HEADER_MISMATCH, text)
    return values[0].strip(" \t") if values else None


def _decode_header(value: str | None) -> str | None:
    """The value of a header, which is base64 if the name has characters that no header allows."""
    if value is None or not (value.startswith(_BASE64_PREFIX) and value.endswith(_BASE64_SUFFIX)):
        return value
    text = value.removeprefix(_BASE64_PREFIX).removesuffix(_BASE64_SUFFIX)
    try:
        return base64.b64decode(text, validate=True).decode()
    except (binascii.Error, UnicodeDecodeError) as exc:
        text = "Header mismatch: Mcp-Name is not valid base64"
        raise ProtocolError(HEADER_MISMATCH, text) from exc


def _mismatch_error(name: str, header_value: str | None, body_value: object) -> ProtocolError:
    if header_value is None:
        return ProtocolError(HEADER_MISMATCH, f"Header mismatch: {name} is missing")
    text = (
        f"Header mismatch: {name} header value {header_value!r} does not match body value "
        f"{body_value!r}"
    )
    return ProtocolError(HEADER_MISMATCH, text)
