"""How does a browser get the page? Its files, and without scripts a first page of hits."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, cast
from urllib.parse import parse_qs, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from feeder.mcp.heard import DISCONNECTED, run_until_disconnect
from feeder.mcp.service import IndexService
from feeder.mcp.thread_pool import ThreadPool
from feeder.web import page_files, unscripted
from feeder.web.access import SESSION_PATH, AccessControl, ErrorResponse
from feeder.web.api import run_endpoint
from feeder.web.borders import OWN_FETCH_SITES

EndpointResult = dict[str, Any] | ErrorResponse

MAX_FORM_BYTES = 4_096
# without an origin, which `no-referrer` takes away, the form's token would be another site's
PAGE_HEADERS = {"cache-control": "no-cache", "referrer-policy": "same-origin"}


def routes(service: IndexService, access: AccessControl, pool: ThreadPool) -> list[Route]:
    """The page, its files, and the form that takes the token."""
    first = Route("/", partial(_index_page, service, access, pool), methods=["GET"])
    session = Route(SESSION_PATH, partial(_submit_token, access), methods=["POST"])
    return [
        first,
        session,
        *(Route(path, _static_file, methods=["GET"]) for path in page_files.file_paths()),
    ]


async def _static_file(request: Request) -> Response:
    file = page_files.page_file(request.url.path)
    headers = {"etag": file.etag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == file.etag:
        return Response(status_code=304, headers=headers)
    return Response(file.content, headers=headers, media_type=file.media_type)


async def _index_page(
    service: IndexService, access: AccessControl, pool: ThreadPool, request: Request
) -> Response:
    """What it shows without scripts is asked only with the cookie, and by our own page or user."""
    is_own = request.headers.get("sec-fetch-site", "none") in OWN_FETCH_SITES
    if not is_own or not access.is_authenticated(request.headers):
        return _html_response(unscripted.token_form(_query_string(request)))
    said = {key: request.query_params.getlist(key) for key in request.query_params}
    if not said.get("q", [""])[0].strip():
        return _html_response(unscripted.START_HINT)
    work = pool.run(lambda tell: run_endpoint(service, "search", _search_parameters(said), tell))
    found = await run_until_disconnect(request, work)
    if found is DISCONNECTED:
        return Response(status_code=499)
    return _html_response(
        unscripted.render_answer(cast("dict[str, Any] | ErrorResponse", found), said),
        query=said["q"][0],
    )


def _search_parameters(parameters: Mapping[str, list[str]]) -> Mapping[str, list[str]]:
    """The parameters of the address that are a search's."""
    from feeder.web.endpoints import ENDPOINTS

    return {key: values for key, values in parameters.items() if key in ENDPOINTS["search"][1]}


async def _submit_token(access: AccessControl, request: Request) -> Response:
    """The cookie, to whoever has typed the token; then to what was asked."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_FORM_BYTES:
            return _html_response(unscripted.token_form("", is_wrong=True), 413)
    form = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)
    query = form.get("query", [""])[0]
    if not access.is_valid_token(form.get("token", [""])[0].strip()):
        return _html_response(unscripted.token_form(query, is_wrong=True), 401)
    response = RedirectResponse(f"/?{query}" if query else "/", 303)
    access.set_cookie(response)
    return response


def _query_string(request: Request) -> str:
    return urlencode(request.query_params.multi_items())


def _html_response(content: str, status: int = 200, query: str = "") -> Response:
    page = unscripted.fill_page(page_files.index_html(), content, query)
    return HTMLResponse(page, status, PAGE_HEADERS)
