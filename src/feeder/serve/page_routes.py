"""How does a browser get the page? Its files, and without scripts a first page of hits."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, cast
from urllib.parse import parse_qs, urlencode

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from feeder.serve import bundle, unscripted
from feeder.serve.api import answer_of
from feeder.serve.borders import OWN_SITES
from feeder.serve.crew import Crew
from feeder.serve.desk import Desk
from feeder.serve.guard import SESSION, Access, Refusal
from feeder.serve.heard import GONE, while_heard

Found = dict[str, Any] | Refusal

FORM_BYTES = 4_096
# without an origin, which `no-referrer` takes away, the form's token would be another site's
HEADERS = {"cache-control": "no-cache", "referrer-policy": "same-origin"}


def routes(desk: Desk, access: Access, crew: Crew) -> list[Route]:
    """The page, its files, and the form that takes the token."""
    first = Route("/", partial(_first, desk, access, crew), methods=["GET"])
    session = Route(SESSION, partial(_session, access), methods=["POST"])
    return [first, session, *(Route(path, _file, methods=["GET"]) for path in bundle.paths())]


async def _file(request: Request) -> Response:
    file = bundle.file(request.url.path)
    headers = {"etag": file.etag, "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == file.etag:
        return Response(status_code=304, headers=headers)
    return Response(file.content, headers=headers, media_type=file.media_type)


async def _first(desk: Desk, access: Access, crew: Crew, request: Request) -> Response:
    """What it shows without scripts is asked only with the cookie, and by our own page or user."""
    is_own = request.headers.get("sec-fetch-site", "none") in OWN_SITES
    if not is_own or not access.is_known(request.headers):
        return _page(unscripted.token_form(_query(request)))
    said = {key: request.query_params.getlist(key) for key in request.query_params}
    if not said.get("q", [""])[0].strip():
        return _page(unscripted.BEGINNING)
    work = crew.do(lambda tell: answer_of(desk, "search", _searched(said), tell))
    found = await while_heard(request, work)
    if found is GONE:
        return Response(status_code=499)
    return _page(unscripted.answer(cast("Found", found), said), question=said["q"][0])


def _searched(said: Mapping[str, list[str]]) -> Mapping[str, list[str]]:
    """The parameters of the address that are a search's."""
    from feeder.serve.questions import QUESTIONS

    return {key: values for key, values in said.items() if key in QUESTIONS["search"][1]}


async def _session(access: Access, request: Request) -> Response:
    """The cookie, to whoever has typed the token; then to what was asked."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > FORM_BYTES:
            return _page(unscripted.token_form("", is_wrong=True), 413)
    form = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)
    query = form.get("query", [""])[0]
    if not access.is_token(form.get("token", [""])[0].strip()):
        return _page(unscripted.token_form(query, is_wrong=True), 401)
    response = RedirectResponse(f"/?{query}" if query else "/", 303)
    access.remember(response)
    return response


def _query(request: Request) -> str:
    return urlencode(request.query_params.multi_items())


def _page(content: str, status: int = 200, question: str = "") -> Response:
    page = unscripted.filled(bundle.index(), content, question)
    return HTMLResponse(page, status, HEADERS)
