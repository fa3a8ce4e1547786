"""What does the page show where scripts do not run? Hits as text, and a form for the token."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from feeder import shown
from feeder.serve import bundle
from feeder.serve.guard import SESSION, Refusal

FIELD = '<input id="q" name="q"'
BEGINNING = "<p>Type words, a name or what the code does above, and press Enter.</p>"


def filled(page: str, content: str, question: str) -> str:
    """The page with what it shows without scripts, and the question where that is typed."""
    typed = f'{FIELD} value="{escape(question)}"' if question else FIELD
    return page.replace(FIELD, typed).replace(bundle.PLACE, content)


def token_form(query: str, *, is_wrong: bool = False) -> str:
    """Who has no cookie types the token; `query` is what is asked then."""
    wrong = '<p role="alert">That is not the token.</p>' if is_wrong else ""
    return (
        f'<form class="token" action="{SESSION}" method="post"><h1>Who asks?</h1>{wrong}'
        '<p><label for="typed">The token that <code>feeder serve</code> said, what stands behind '
        '<code>#token=</code></label><br><input id="typed" name="token" type="password" '
        f'autocomplete="off" required></p><input type="hidden" name="query" value="{_text(query)}">'
        "<p><button>Go on</button></p></form>"
    )


def answer(found: dict[str, Any] | Refusal, said: Mapping[str, Sequence[str]]) -> str:
    """A page of hits, or why there is none."""
    question = _text(said["q"][0])
    if isinstance(found, Refusal):
        return _refused(found)
    if not found["hits"]:
        return f"<h1>Nothing found for {question}</h1><p>Try a part of a name, or other words.</p>"
    least = "At least " if found["at_least"] else ""
    notes = "".join(f"<p>{_text(note)}</p>" for note in (*found["notes"], found["note"]))
    hits = "".join(_hit(hit) for hit in found["hits"])
    title = f"<h1>Answers to {question}</h1><p>{least}{found['total']} hits, the first of them:</p>"
    return f'{title}<ol class="hits">{hits}</ol>{notes}'


def alone(refusal: Refusal) -> str:
    """A page of its own, below `/api`, which says why there is nothing else."""
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>feeder</title>'
        '<meta name="viewport" content="width=device-width"><link rel="stylesheet" '
        f'href="../page.css"><main><section class="empty">{_refused(refusal)}</section></main>'
    )


def _refused(refusal: Refusal) -> str:
    return f"<h1>{_text(refusal.error)}</h1><p>{_text(refusal.remedy)}</p>"


def _hit(hit: Mapping[str, Any]) -> str:
    name = _text(hit["symbol"] or hit["logical_path"] or "")
    place = f"{_text(hit['path'])}:{hit['start_line']}"
    kind = _text(hit["node_type"])
    lines = "".join(_lines(hit["window"])) if hit["window"] else ""
    return (
        f'<li class="hit"><h2>{place} <span class="name">{name}</span> '
        f'<span class="kind">{kind}</span></h2><pre class="code" tabindex="0">{lines}</pre></li>'
    )


def _lines(window: Mapping[str, Any]) -> Iterator[str]:
    """Numbered, those of the signature first."""
    for part in filter(None, (window["head"], window)):
        for number, line in enumerate(part["lines"], part["start_line"]):
            yield f"{number:>6}  {_text(line)}\n"


def _text(text: str) -> str:
    """Nothing in it is HTML, or turns the direction of writing."""
    return escape(shown.escape_line(text))
