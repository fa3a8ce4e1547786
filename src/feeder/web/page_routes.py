"""The routes of the page: static files, the token form, and a first page of hits as HTML for
browsers without JavaScript.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from html import escape
from typing import Any, cast
from urllib.parse import parse_qs, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from feeder import escaping
from feeder.mcp.http import ErrorResponse
from feeder.mcp.service import IndexService
from feeder.mcp.thread_pool import DISCONNECTED, ThreadPool, run_until_disconnect
from feeder.web import page_files
from feeder.web.access import SESSION_PATH, AccessControl
from feeder.web.api import run_endpoint
from feeder.web.page_files import OWN_FETCH_SITES

QUERY_INPUT = '<input id="q" name="q"'

START_HINT = "<p>Type words, a name or what the code does above, and press Enter.</p>"


def fill_page(page: str, content: str, query: str) -> str:
    """The page with what it shows without scripts, and the question where that is typed."""
    typed = f'{QUERY_INPUT} value="{escape(query)}"' if query else QUERY_INPUT
    return page.replace(QUERY_INPUT, typed).replace(page_files.NOSCRIPT_PLACEHOLDER, content)


def token_form(query: str, *, is_wrong: bool = False) -> str:
    """Who has no cookie types the token; `query` is what is asked then."""
    wrong = '<p role="alert">That is not the token.</p>' if is_wrong else ""
    return (
        f'<form class="token" action="{SESSION_PATH}" method="post"><h1>Who asks?</h1>{wrong}'
        '<p><label for="typed">The token that <code>feeder serve</code> said, what stands behind '
        '<code>#token=</code></label><br><input id="typed" name="token" type="password" '
        'autocomplete="off" required></p>'
        f'<input type="hidden" name="query" value="{_escape(query)}">'
        "<p><button>Go on</button></p></form>"
    )


def render_answer(
    result: dict[str, Any] | ErrorResponse, parameters: Mapping[str, Sequence[str]]
) -> str:
    """A page of hits, or why there is none."""
    question = _escape(parameters["q"][0])
    if isinstance(result, ErrorResponse):
        return _error_html(result)
    if not result["hits"]:
        return f"<h1>Nothing found for {question}</h1><p>Try a part of a name, or other words.</p>"
    least = "At least " if result["at_least"] else ""
    notes = "".join(f"<p>{_escape(note)}</p>" for note in (*result["notes"], result["note"]))
    hits = "".join(_hit_html(hit) for hit in result["hits"])
    title = (
        f"<h1>Answers to {question}</h1><p>{least}{result['total']} hits, the first of them:</p>"
    )
    return f'{title}<ol class="hits">{hits}</ol>{notes}'


def error_page(error: ErrorResponse) -> str:
    """A page of its own, below `/api`, which says why there is nothing else."""
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>feeder</title>'
        '<meta name="viewport" content="width=device-width"><link rel="stylesheet" '
        f'href="../page.css"><main><section class="empty">{_error_html(error)}</section></main>'
    )


def _error_html(error: ErrorResponse) -> str:
    return f"<h1>{_escape(error.error)}</h1><p>{_escape(error.remedy)}</p>"


def _hit_html(hit: Mapping[str, Any]) -> str:
    name = _escape(hit["symbol"] or hit["logical_path"] or "")
    place = f"{_escape(hit['path'])}:{hit['start_line']}"
    kind = _escape(hit["node_type"])
    lines = "".join(_line_html(hit["window"])) if hit["window"] else ""
    return (
        f'<li class="hit"><h2>{place} <span class="name">{name}</span> '
        f'<span class="kind">{kind}</span></h2><pre class="code" tabindex="0">{lines}</pre></li>'
    )


def _line_html(snippet: Mapping[str, Any]) -> Iterator[str]:
    """Numbered, those of the signature first."""
    for part in filter(None, (snippet["head"], snippet)):
        for number, line in enumerate(part["lines"], part["start_line"]):
            yield f"{number:>6}  {_escape(line)}\n"


def _escape(text: str) -> str:
    """Nothing in it is HTML, or turns the direction of writing."""
    return escape(escaping.escape_line(text))


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
        return _html_response(token_form(_query_string(request)))
    said = {key: request.query_params.getlist(key) for key in request.query_params}
    if not said.get("q", [""])[0].strip():
        return _html_response(START_HINT)
    work = pool.run(lambda tell: run_endpoint(service, "search", _search_parameters(said), tell))
    found = await run_until_disconnect(request, work)
    if found is DISCONNECTED:
        return Response(status_code=499)
    return _html_response(
        render_answer(cast("dict[str, Any] | ErrorResponse", found), said),
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
            return _html_response(token_form("", is_wrong=True), 413)
    form = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)
    query = form.get("query", [""])[0]
    if not access.is_valid_token(form.get("token", [""])[0].strip()):
        return _html_response(token_form(query, is_wrong=True), 401)
    response = RedirectResponse(f"/?{query}" if query else "/", 303)
    access.set_cookie(response)
    return response


def _query_string(request: Request) -> str:
    return urlencode(request.query_params.multi_items())


def _html_response(content: str, status: int = 200, query: str = "") -> Response:
    page = fill_page(page_files.index_html(), content, query)
    return HTMLResponse(page, status, PAGE_HEADERS)
