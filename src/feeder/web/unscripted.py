"""What does the page show where scripts do not run? Hits as text, and a form for the token."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from feeder import escaping
from feeder.web import page_files
from feeder.web.access import SESSION_PATH, ErrorResponse

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
