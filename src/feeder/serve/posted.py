"""What does a server answer to a message of MCP that was posted? One JSON, and no session."""

from __future__ import annotations

import json
from collections.abc import Mapping

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from feeder.serve.borders import BODY_BYTES
from feeder.serve.crew import Crew
from feeder.serve.guard import Refusal
from feeder.serve.heard import GONE, HUNG_UP, while_heard
from feeder.serve.mirrored import agreed, status
from feeder.serve.protocol import Conversation, Refused, Server, error, id_of, is_call, parsed

JSON = "application/json"
_TOO_LARGE = Refusal(
    413, f"A message has at most {BODY_BYTES:,} bytes.", "Ask for less at once."
).response({"connection": "close"})


class Mcp:
    """`POST /mcp`: each request stands by itself."""

    def __init__(self, server: Server, crew: Crew) -> None:
        self._server = server
        self._crew = crew

    async def answer(self, request: Request) -> Response:
        """202 without a body for what waits for no answer."""
        if refusal := _unfit(request):
            return refusal.response({"connection": "close"})
        try:
            body = await _body(request)
        except ClientDisconnect:
            return HUNG_UP
        return _TOO_LARGE if body is None else await self._answer(request, body)

    async def _answer(self, request: Request, body: bytes) -> Response:
        message: object = None
        try:
            message = parsed(body)
            revision = agreed(message, request.headers.getlist)
        except Refused as refused:
            return _sent(error(refused, id_of(message)), 400)
        conversation = Conversation(self._server, revision)
        if not is_call(message):
            answer = conversation.answer(message)
            return _sent(answer, status(message, answer))
        work = self._crew.do(lambda tell: conversation.answer(message, tell))
        answer = await while_heard(request, work)
        return HUNG_UP if answer is GONE else _sent(answer, status(message, answer))


def _unfit(request: Request) -> Refusal | None:
    """Why its headers make it none of ours, whatever its body is."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        return Refusal(415, "The message is not said to be JSON.", f"Send Content-Type: {JSON}.")
    if not _takes_json(request.headers.get("accept", "*/*")):
        return Refusal(406, "The answer is JSON.", f"Send Accept: {JSON}, text/event-stream.")
    return None


def _takes_json(accept: str) -> bool:
    kinds = {kind.partition(";")[0].strip().lower() for kind in accept.split(",")}
    return bool(kinds & {JSON, "application/*", "*/*"})


async def _body(request: Request) -> bytes | None:
    """None for one that is too large, of which no more is read."""
    if int(request.headers.get("content-length", 0)) > BODY_BYTES:
        return None
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > BODY_BYTES:
            return None
    return bytes(body)


def _sent(answer: object, status_code: int) -> Response:
    if answer is None:
        return Response(status_code=202)
    text = json.dumps(answer, separators=(",", ":"))
    is_error = isinstance(answer, Mapping) and "error" in answer
    return Response(text, status_code if is_error else 200, media_type=JSON)
