"""The routes of the page: static files, and for browsers without JavaScript the token form and a
first page of hits as HTML.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from html import escape
from typing import Any
from urllib.parse import parse_qs, urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from feeder import escaping
from feeder.mcp.http import CLIENT_CLOSED_REQUEST, ErrorResponse
from feeder.mcp.service import IndexService
from feeder.mcp.thread_pool import DISCONNECTED, ThreadPool, run_until_disconnect
from feeder.web import page_files
from feeder.web.access import SESSION_PATH, AccessControl
from feeder.web.api import run_endpoint

QUERY_INPUT = '<input id="q" name="q"'
SEARCH_FORM = 'action="./" method="get">'
START_HINT = "<p>Type words, a name or what the code does above, and press Enter.</p>"
MAX_FORM_BYTES = 4_096
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


async def read_form(request: Request) -> dict[str, list[str]]:
    """The fields of a form; raises HTTPException 413 if it is too large."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM_BYTES:
            raise HTTPException(413)
    return parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)


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


def fill_page(page: str, content: str, query: str) -> str:
    """`index.html` with the content for browsers without JavaScript and the query in its field."""
    field = f'{QUERY_INPUT} value="{escape(query)}"' if query else QUERY_INPUT
    return page.replace(QUERY_INPUT, field).replace(page_files.NOSCRIPT_PLACEHOLDER, content)


def token_form(query: str, *, is_wrong: bool = False) -> str:
    """The form for the token; `query` is the query string to go on with."""
    wrong = '<p role="alert">The token is wrong.</p>' if is_wrong else ""
    return (
        f'<form class="token" action="{SESSION_PATH}" method="post"><h1>Enter the token</h1>{wrong}'
        '<p><label for="typed">The token that <code>feeder serve</code> printed, after '
        '<code>#token=</code></label><br><input id="typed" name="token" type="password" '
        'autocomplete="off" required></p>'
        f'<input type="hidden" name="query" value="{_escape(query)}">'
        "<p><button>Continue</button></p></form>"
    )


def render_answer(
    result: dict[str, Any] | ErrorResponse, parameters: Mapping[str, Sequence[str]]
) -> str:
    """The first page of hits, or an error, as HTML."""
    query = _escape(parameters["q"][0])
    if isinstance(result, ErrorResponse):
        return _error_html(result)
    if not result["hits"]:
        return f"<h1>No hits for {query}</h1><p>Try a part of a name, or other words.</p>"
    at_least = "At least " if result["at_least"] else ""
    notes = "".join(f"<p>{_escape(note)}</p>" for note in (*result["notes"], result["note"]))
    hits = "".join(_hit_html(hit) for hit in result["hits"])
    title = f"<h1>Hits for {query}</h1><p>{at_least}{result['total']} hits, the first of them:</p>"
    return f'{title}<ol class="hits">{hits}</ol>{notes}'


def error_page(error: ErrorResponse) -> str:
    """A page for an address below `/api` that shows an error."""
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>feeder</title>'
        '<meta name="viewport" content="width=device-width"><link rel="stylesheet" '
        f'href="../page.css"><main><section class="empty">{_error_html(error)}</section></main>'
    )


def _error_html(error: ErrorResponse) -> str:
    return f"<h1>{_escape(error.error)}</h1><p>{_escape(error.remedy)}</p>"


def _hit_html(hit: Mapping[str, Any]) -> str:
    name = _escape(hit.get("symbol") or hit.get("logical_path") or "")
    place = f"{_escape(hit['path'])}:{hit['start_line']}"
    kind = _escape(hit["node_type"])
    lines = "".join(_line_html(hit["window"])) if "window" in hit else ""
    return (
        f'<li class="hit"><h2>{place} <span class="name">{name}</span> '
        f'<span class="kind">{kind}</span></h2><pre class="code" tabindex="0">{lines}</pre></li>'
    )


def _line_html(snippet: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a snippet with their numbers, those of the signature first."""
    for part in filter(None, (snippet.get("head"), snippet)):
        for number, line in enumerate(part["lines"], part["start_line"]):
            yield f"{number:>6}  {_escape(line)}\n"


def _escape(text: str) -> str:
    """Escapes HTML, control characters and marks that change the direction of text."""
    return escape(escaping.escape_line(text))
