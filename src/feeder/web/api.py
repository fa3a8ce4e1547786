"""The routes of the JSON API, `GET /api/…`: checks parameters, runs the endpoint, maps errors
to HTTP status codes, and answers conditional requests (ETag).

Reference: docs/reference/http-api.md.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from feeder.errors import FeederError, ServiceError, UserError, problem_and_remedy
from feeder.mcp import IndexingProgress, ProgressCallback
from feeder.mcp.http import CLIENT_CLOSED_REQUEST, JSON_TYPE, ErrorResponse
from feeder.mcp.thread_pool import DISCONNECTED, ThreadPool, run_until_disconnect
from feeder.notes import Note
from feeder.suggestions import UnknownNameError, did_you_mean
from feeder.web.access import AccessControl

if TYPE_CHECKING:
    from feeder.mcp.service import IndexService
    from feeder.search.open_index import SearchIndex
    from feeder.web.validation import IndexValidation

CACHE_HEADERS = {"cache-control": "private, no-cache"}
"""A browser may cache an answer, and has to ask each time whether it is still valid."""
GET_ENDPOINTS = (
    "search",
    "complete",
    "relations",
    "similar",
    "node",
    "file",
    "outline",
    "files",
    "map",
    "history",
    "overview",
    "status",
)


def routes(service: IndexService, access: AccessControl, pool: ThreadPool) -> list[Route]:
    """The routes below `/api`, and of the exchange of the token for a session key."""
    from feeder.web.validation import IndexValidation  # heavy

    session = Route("/api/session", partial(_create_session, access), methods=["POST"])
    handler = partial(_validation, IndexValidation(service.settings), pool)
    validation = Route("/api/proof", handler, methods=["GET", "POST"])
    progress = Route("/api/progress", partial(_progress, service, pool), methods=["GET"])
    endpoints = [
        Route(f"/api/{name}", partial(_handle, service, pool, name), methods=["GET"])
        for name in GET_ENDPOINTS
    ]
    return [session, validation, progress, *endpoints]


async def _create_session(access: AccessControl, _: Request) -> Response:
    return JSONResponse({"key": access.session_key})


async def _validation(validation: IndexValidation, pool: ThreadPool, request: Request) -> Response:
    """Progress and last verdict of the checks; a POST starts them."""

    def run(_: ProgressCallback) -> dict[str, Any]:
        if request.method == "POST":
            validation.start()
        return validation.as_json()

    content = await pool.run(run)
    return _conditional_response(request, json.dumps(content, ensure_ascii=False).encode())


async def _progress(service: IndexService, pool: ThreadPool, request: Request) -> Response:
    """Begins to update the index and says how far that is, without waiting for it."""

    def run(_: ProgressCallback) -> dict[str, Any] | ErrorResponse:
        try:
            progress = service.begin_refresh()
        except (FeederError, OSError) as exc:
            return error_response(503, exc)
        fields = (progress or IndexingProgress(has_index=True))._asdict()
        return {"running": progress is not None, **fields}

    answer = await pool.run(run)
    if isinstance(answer, ErrorResponse):
        return answer.to_response()
    return _conditional_response(request, json.dumps(answer, ensure_ascii=False).encode())


async def _handle(service: IndexService, pool: ThreadPool, name: str, request: Request) -> Response:
    parameters = query_parameters(request)
    is_new = "if-none-match" not in request.headers  # else the same client sent the query before

    def run(on_progress: ProgressCallback) -> dict[str, Any] | ErrorResponse:
        return run_endpoint(service, name, parameters, on_progress, logs_query=is_new)

    answer = await run_until_disconnect(request, pool.run(run))
    if answer is DISCONNECTED:
        return CLIENT_CLOSED_REQUEST
    if isinstance(answer, ErrorResponse):
        return answer.to_response()
    return _conditional_response(request, json.dumps(answer, ensure_ascii=False).encode())


def query_parameters(request: Request) -> dict[str, list[str]]:
    """The parameters of the address, each with all of its values."""
    return {key: request.query_params.getlist(key) for key in request.query_params}


def _conditional_response(request: Request, body: bytes) -> Response:
    """The body, or status 304 if the client has it already."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    etags = [value.strip() for value in request.headers.get("if-none-match", "").split(",")]
    headers = {"etag": etag, **CACHE_HEADERS}
    if etag in etags or "*" in etags:
        return Response(status_code=304, headers=headers)
    return Response(body, headers=headers, media_type=JSON_TYPE)


def run_endpoint(
    service: IndexService,
    name: str,
    parameters: Mapping[str, list[str]],
    on_progress: ProgressCallback,
    *,
    logs_query: bool = False,
) -> dict[str, Any] | ErrorResponse:
    """The answer of an endpoint, or an error response.

    With `logs_query` a search is written to the query log, if the settings allow it.
    """
    from feeder.web.endpoints import ENDPOINTS

    endpoint, allowed = ENDPOINTS[name]
    if unknown := next((key for key in parameters if key not in allowed), None):
        return _unknown_parameter(name, unknown, sorted(allowed))
    try:
        return service.run_on_index(
            partial(_call_endpoint, endpoint, parameters, logs_query), on_progress
        )
    except ServiceError as exc:
        return error_response(502, exc)
    except (FeederError, OSError) as exc:
        return error_response(503, exc)


def _with_query_log(index: SearchIndex, logs_query: bool) -> SearchIndex:
    query_log = index.settings.query_log and logs_query
    return index._replace(settings=replace(index.settings, query_log=query_log))


def _call_endpoint(
    endpoint: Callable[[SearchIndex, Mapping[str, list[str]]], dict[str, Any]],
    parameters: Mapping[str, list[str]],
    logs_query: bool,
    index: SearchIndex,
    freshness_note: Note | None,
) -> dict[str, Any] | ErrorResponse:
    from feeder.web.endpoints import NotFound

    try:
        content = endpoint(_with_query_log(index, logs_query), parameters)
    except UserError as exc:
        return error_response(404 if isinstance(exc, NotFound) else 400, exc)
    return {**content, "note": str(freshness_note)} if freshness_note else content


def error_response(status: int, exc: FeederError | OSError) -> ErrorResponse:
    """The error response of an exception; of an unknown name it has the nearest ones."""
    details: dict[str, Any] = {}
    if isinstance(exc, UnknownNameError) and exc.nearest:
        details = {"unknown": exc.name, "nearest": [*exc.nearest]}
    return ErrorResponse(status, *problem_and_remedy(exc), details)


def _unknown_parameter(name: str, key: str, allowed: list[str]) -> ErrorResponse:
    has = f"It has {', '.join(allowed)}." if allowed else "It takes no parameters."
    remedy = " ".join(filter(None, [did_you_mean(key, allowed), has]))
    return ErrorResponse(400, f"/api/{name} has no parameter `{key[:60]}`.", remedy)
