"""How does a server answer over HTTP? A page, MCP on `POST /mcp` and JSON below `/api`, guarded."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from feeder.serve import CALLS, api, originals, page_routes
from feeder.serve.borders import ELSEWHERE
from feeder.serve.crew import Crew
from feeder.serve.desk import Desk
from feeder.serve.guard import Access, Guard, Refusal
from feeder.serve.posted import Mcp
from feeder.serve.protocol import Server

ABOUT = """\
feeder answers here: coding agents on POST /mcp, programs on GET /api/search?q=WORDS. Send
`Authorization: Bearer TOKEN` with the token that `feeder serve` said.
"""


def app(server: Server, access: Access, desk: Desk | None = None) -> ASGIApp:
    """All that is answered, and of a desk its JSON too; nothing of it before somebody asks."""
    crew = Crew(CALLS)
    mcp = Mcp(server, crew)
    routes = [Route("/mcp", mcp.answer, methods=["POST"])]
    if desk:
        routes += [*page_routes.routes(desk, access, crew), *api.routes(desk, access, crew)]
        routes += originals.routes(desk, crew)
    else:
        routes.append(Route("/", _about, methods=["GET"]))
    inner = Starlette(routes=routes, exception_handlers={HTTPException: _refused, 500: _fault})
    return Guard(inner, access)


async def _about(_: Request) -> Response:
    """What somebody sees who opens the address."""
    return PlainTextResponse(ABOUT)


async def _refused(_: Request, exc: Exception) -> Response:
    """An address or a method that there is not."""
    assert isinstance(exc, HTTPException)
    refusal = Refusal(exc.status_code, f"{exc.detail}.", ELSEWHERE)
    return refusal.response(dict(exc.headers or {}))


async def _fault(_: Request, exc: Exception) -> Response:
    """A fault of ours costs one answer, not the server."""
    return Refusal(500, f"{type(exc).__name__}: {exc}", "Please report it.").response()
