"""HTML for browsers without JavaScript: the token form, a first page of hits, and errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import parse_qs

from starlette.exceptions import HTTPException
from starlette.requests import Request

from feeder import escaping
from feeder.mcp.http import ErrorResponse
from feeder.web import page_files
from feeder.web.access import SESSION_PATH

QUERY_INPUT = '<input id="q" name="q"'
MAX_FORM_BYTES = 4_096


async def read_form(request: Request) -> dict[str, list[str]]:
    """The fields of a form; raises HTTPException 413 if it is too large."""
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_FORM_BYTES:
            raise HTTPException(413)
    return parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True)


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
    """Yields the lines of a snippet with their numbers; the signature comes first."""
    for part in filter(None, (snippet.get("head"), snippet)):
        for number, line in enumerate(part["lines"], part["start_line"]):
            yield f"{number:>6}  {_escape(line)}\n"


def _escape(text: str) -> str:
    """Escapes HTML, control characters and marks that change the direction of text."""
    return escape(escaping.escape_line(text))
