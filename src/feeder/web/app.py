"""Builds the ASGI application: the page, the JSON API, documents and `POST /mcp`, behind the
access check.
"""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from feeder.mcp import MAX_CONCURRENT_CALLS
from feeder.mcp.http import ErrorResponse, McpEndpoint
from feeder.mcp.protocol import McpServer
from feeder.mcp.service import IndexService
from feeder.mcp.thread_pool import ThreadPool
from feeder.web import api, documents, page_routes
from feeder.web.access import AccessControl, AccessMiddleware
from feeder.web.page_files import NOT_FOUND_REMEDY

ABOUT_TEXT = """\
feeder answers here: coding agents on POST /mcp, programs on GET /api/search?q=WORDS. Send
`Authorization: Bearer TOKEN` with the token that `feeder serve` said.
"""


def create_app(
    mcp_server: McpServer, access: AccessControl, service: IndexService | None = None
) -> ASGIApp:
    """All that is answered, and of a desk its JSON too; nothing of it before somebody asks."""
    crew = ThreadPool(MAX_CONCURRENT_CALLS)
    mcp = McpEndpoint(mcp_server, crew)
    routes = [Route("/mcp", mcp.handle, methods=["POST"])]
    if service:
        routes += [*page_routes.routes(service, access, crew), *api.routes(service, access, crew)]
        routes += documents.routes(service, crew)
    else:
        routes.append(Route("/", _about, methods=["GET"]))
    inner = Starlette(
        routes=routes, exception_handlers={HTTPException: _http_error, 500: _internal_error}
    )
    return AccessMiddleware(inner, access)


async def _about(_: Request) -> Response:
    """What somebody sees who opens the address."""
    return PlainTextResponse(ABOUT_TEXT)


async def _http_error(_: Request, exc: Exception) -> Response:
    """An address or a method that there is not."""
    assert isinstance(exc, HTTPException)
    refusal = ErrorResponse(exc.status_code, f"{exc.detail}.", NOT_FOUND_REMEDY)
    return refusal.to_response(dict(exc.headers or {}))


async def _internal_error(_: Request, exc: Exception) -> Response:
    """A fault of ours costs one answer, not the server."""
    return ErrorResponse(500, f"{type(exc).__name__}: {exc}", "Please report it.").to_response()
