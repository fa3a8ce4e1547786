"""The JSON interface, `GET /api/…` with parameters; docs/reference/http-api.md describes it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from feeder.errors import FeederError, ServiceError, UserError, wrong_and_remedy
from feeder.nearby import meant
from feeder.serve import Tell
from feeder.serve.crew import Crew
from feeder.serve.desk import Desk
from feeder.serve.guard import Access, Refusal
from feeder.serve.heard import GONE, HUNG_UP, while_heard

if TYPE_CHECKING:
    from feeder.serve.library import Opened

JSON = "application/json"
PRIVATE = {"cache-control": "private, no-cache"}
"""It may be kept, and is asked again each time whether it is still so."""
NAMES = ("search", "similar", "node", "file", "outline", "map", "history", "status")


def routes(desk: Desk, access: Access, crew: Crew) -> list[Route]:
    """Each question, and the exchange of the token for a cookie."""
    session = Route("/api/session", partial(_session, access), methods=["POST"])
    asked = [
        Route(f"/api/{name}", partial(_answer, desk, crew, name), methods=["GET"]) for name in NAMES
    ]
    proof = Route("/api/proof", partial(_proof, desk, crew), methods=["GET", "POST"])
    return [session, proof, *asked]


async def _session(access: Access, _: Request) -> Response:
    """Whoever has come so far has the token."""
    response = Response(status_code=204)
    access.remember(response)
    return response


async def _proof(desk: Desk, crew: Crew, request: Request) -> Response:
    """How far the checks are, and what they said last; a POST begins them."""

    def asked(_: Tell) -> dict[str, Any]:
        proof = desk.proof
        if request.method == "POST":
            proof.begin()
        return proof.as_json()

    facts = await crew.do(asked)
    return _unless_known(request, json.dumps(facts, ensure_ascii=False).encode())


async def _answer(desk: Desk, crew: Crew, name: str, request: Request) -> Response:
    said = {key: request.query_params.getlist(key) for key in request.query_params}
    is_new = "if-none-match" not in request.headers  # else it was answered to this one before
    work = crew.do(lambda tell: answer_of(desk, name, said, tell, notes=is_new))
    answer = await while_heard(request, work)
    if answer is GONE:
        return HUNG_UP
    if isinstance(answer, Refusal):
        return answer.response()
    return _unless_known(request, json.dumps(answer, ensure_ascii=False).encode())


def _unless_known(request: Request, body: bytes) -> Response:
    """Only that it is the same, to whoever has it."""
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    known = [one.strip() for one in request.headers.get("if-none-match", "").split(",")]
    headers = {"etag": tag, **PRIVATE}
    if tag in known or "*" in known:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=JSON)


def answer_of(
    desk: Desk, name: str, said: Mapping[str, list[str]], tell: Tell, *, notes: bool = False
) -> dict[str, Any] | Refusal:
    """The answer, or why there is none, with the status that says whose fault it is.

    With `notes` a question is noted where the settings say so.
    """
    from feeder.serve.questions import QUESTIONS

    question, known = QUESTIONS[name]
    if unknown := next((key for key in said if key not in known), None):
        return _unknown(name, unknown, sorted(known))
    try:
        return desk.ask(partial(_told, question, said, notes), tell)
    except ServiceError as exc:
        return refusal(502, exc)
    except (FeederError, OSError) as exc:
        return refusal(503, exc)


def _noting(opened: Opened, notes: bool) -> Opened:
    settings = opened.asker.settings
    settings = replace(settings, query_log=settings.query_log and notes)
    return opened._replace(asker=opened.asker._replace(settings=settings))


def _told(
    question: Callable[[Opened, Mapping[str, list[str]]], dict[str, Any]],
    said: Mapping[str, list[str]],
    notes: bool,
    opened: Opened,
    says: str | None,
) -> dict[str, Any] | Refusal:
    """What is to be known of the index' age is said where an answer has its note."""
    from feeder.serve.questions import NotThere

    try:
        facts = question(_noting(opened, notes), said)
    except UserError as exc:
        return refusal(404 if isinstance(exc, NotThere) else 400, exc)
    return {**facts, "note": says} if says else facts


def refusal(status: int, exc: Exception) -> Refusal:
    """What is wrong and what to do, with whose fault it is."""
    return Refusal(status, *wrong_and_remedy(exc))


def _unknown(name: str, key: str, known: list[str]) -> Refusal:
    has = f"It has {', '.join(known)}." if known else "It has none."
    remedy = " ".join(filter(None, [meant(key, known), has]))
    return Refusal(400, f"/api/{name} has no parameter `{key[:60]}`.", remedy)
