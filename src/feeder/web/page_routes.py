"""The routes of the page: static files, and the token form for browsers without JavaScript."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from feeder.mcp.http import CLIENT_CLOSED_REQUEST
from feeder.mcp.thread_pool import DISCONNECTED, ThreadPool, run_until_disconnect
from feeder.web import page_files
from feeder.web.access import SESSION_PATH, AccessControl
from feeder.web.api import run_endpoint
from feeder.web.html import fill_page, read_form, render_answer, token_form

if TYPE_CHECKING:
    from feeder.mcp.service import IndexService

SEARCH_FORM = 'action="./" method="get">'
START_HINT = "<p>Type words, a name or what the code does above, and press Enter.</p>"
# without an origin, which `no-referrer` removes, the token form would count as another site's
PAGE_HEADERS = {"cache-control": "no-cache", "referrer-policy": "same-origin"}


def routes(service: IndexService, access: AccessControl, pool: ThreadPool) -> list[Route]:
    """The routes of the page, its static files and the token form."""
    index = Route("/", _index_page, methods=["GET"])
    submit = partial(_submit_form, service, access, pool)
    session = Route(SESSION_PATH, submit, methods=["POST"])
    files = [Route(path, _static_file, methods=["GET"]) for path in page_files.file_paths()]
    return [index, session, *files]


async def _static_file(request: Request) -> Response:
    file = page_files.page_file(request.url.path)
    headers = {"etag": file.etag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == file.etag:
        return Response(status_code=304, headers=headers)
    return Response(file.content, headers=headers, media_type=file.media_type)


async def _index_page(request: Request) -> Response:
    """The page; for browsers without JavaScript with the token form."""
    return _html_response(token_form(_query_string(request)))


def _search_parameters(parameters: Mapping[str, list[str]]) -> Mapping[str, list[str]]:
    """The parameters of the page's address that the endpoint `search` has."""
    from feeder.web.endpoints import ENDPOINTS

    return {key: values for key, values in parameters.items() if key in ENDPOINTS["search"][1]}


async def _submit_form(
    service: IndexService, access: AccessControl, pool: ThreadPool, request: Request
) -> Response:
    """Checks the secret of a form, and answers with the hits of its query.

    The answer's search form has the session key, as a browser without JavaScript sends no header.
    """
    form = await read_form(request)
    query = form.get("query", [""])[0]
    if not access.is_valid(form.get("token", [""])[0].strip()):
        return _html_response(token_form(query, is_wrong=True), 401)
    parameters = {**parse_qs(query), **{key: form[key] for key in ("q",) if key in form}}
    page = _with_key(page_files.index_html(), access.session_key)
    if not parameters.get("q", [""])[0].strip():
        return _html_response(START_HINT, page=page)
    run = partial(run_endpoint, service, "search", _search_parameters(parameters))
    answer: Any = await run_until_disconnect(request, pool.run(run))
    if answer is DISCONNECTED:
        return CLIENT_CLOSED_REQUEST
    return _html_response(render_answer(answer, parameters), query=parameters["q"][0], page=page)


def _with_key(page: str, key: str) -> str:
    """`index.html` with a search form that sends the session key."""
    field = f'<input type="hidden" name="token" value="{key}">'
    return page.replace(SEARCH_FORM, f'action="{SESSION_PATH}" method="post">{field}')


def _query_string(request: Request) -> str:
    return urlencode(request.query_params.multi_items())


def _html_response(
    content: str, status: int = 200, query: str = "", page: str | None = None
) -> Response:
    filled = fill_page(page or page_files.index_html(), content, query)
    headers = {**PAGE_HEADERS, "cache-control": "no-store"} if page else PAGE_HEADERS
    return HTMLResponse(filled, status, headers)
