"""Builds the ASGI application: the page, the JSON API, documents and `POST /mcp`, behind the
access check.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from feeder.mcp import MAX_CONCURRENT_CALLS
from feeder.mcp.http import ErrorResponse, McpEndpoint
from feeder.mcp.protocol import McpServer
from feeder.mcp.thread_pool import ThreadPool
from feeder.web import api, documents, page_routes
from feeder.web.access import AccessControl, AccessMiddleware
from feeder.web.page_files import NOT_FOUND_REMEDY

if TYPE_CHECKING:
    from feeder.mcp.service import IndexService

ABOUT_TEXT = """\
This is feeder: coding agents use POST /mcp, programs GET /api/search?q=WORDS. Send
`Authorization: Bearer TOKEN` with the token that `feeder serve` printed.
"""


def create_app(
    mcp_server: McpServer, access: AccessControl, service: IndexService | None = None
) -> ASGIApp:
    """The application; with `service` it has the page and the JSON API besides `POST /mcp`."""
    pool = ThreadPool(MAX_CONCURRENT_CALLS)
    routes = [Route("/mcp", McpEndpoint(mcp_server, pool).handle, methods=["POST"])]
    if service:
        routes += page_routes.routes(service, access, pool)
        routes += api.routes(service, access, pool)
        routes += documents.routes(service, access, pool)
    else:
        routes.append(Route("/", _about, methods=["GET"]))
    handlers: dict[Any, Any] = {HTTPException: _http_error, 500: _internal_error}
    return AccessMiddleware(Starlette(routes=routes, exception_handlers=handlers), access)


async def _about(_: Request) -> Response:
    return PlainTextResponse(ABOUT_TEXT)


async def _http_error(_: Request, exc: Exception) -> Response:
    """The response to an unknown address or method."""
    assert isinstance(exc, HTTPException)
    error = ErrorResponse(exc.status_code, f"{exc.detail}.", NOT_FOUND_REMEDY)
    return error.to_response(dict(exc.headers or {}))


async def _internal_error(_: Request, exc: Exception) -> Response:
    """The response after a bug, which does not end the server."""
    return ErrorResponse(500, f"{type(exc).__name__}: {exc}", "Please report it.").to_response()
