"""What does a server answer to a message of MCP that was posted? One JSON, and no session."""

from __future__ import annotations

import json
from collections.abc import Mapping

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from feeder.mcp.heard import CLIENT_CLOSED_REQUEST, DISCONNECTED, run_until_disconnect
from feeder.mcp.mirrored import http_status, negotiated_revision
from feeder.mcp.protocol import (
    McpServer,
    MessageHandler,
    ProtocolError,
    error_response,
    is_long_running,
    parse_message,
    request_id,
)
from feeder.mcp.thread_pool import ThreadPool
from feeder.web.access import ErrorResponse
from feeder.web.borders import MAX_BODY_BYTES

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
