"""The commands that ask an index."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

from feeder.cli import console, options
from feeder.cli.answering import Shape, show_page
from feeder.cli.question import Question, argument
from feeder.config import Settings

ALL = 1_000_000
"""More hits than any search has: all are counted."""
LISTED = 1_000
"""Nodes that are counted where filters alone are asked."""


@click.command(cls=Question)
@argument
@click.option("-n", "--limit", type=click.IntRange(1, 100), default=10, show_default=True)
@options.narrowing
@options.showing
@options.reading
def search(query: str, limit: int, **said: Any) -> None:
    """Find nodes by word and by meaning, and show their lines as they are now.

    A question may have "phrases", /patterns/, -words to leave out, beginnings*, and lang: path:
    -path: type: symbol: repo: category: tests: and case:yes. After -- all is the question.
    """
    from feeder.assembly.opening import base_of, opened, place_of
    from feeder.search.answers import Corpus, Shaped, page, sought
    from feeder.search.models import sides
    from feeder.search.narrowing import Filters, narrowed, unranked
    from feeder.search.ranking import search

    filters = Filters(**{name: said.pop(name) for name in Filters._fields})
    shape = Shape.of(said)
    settings = Settings(**said)
    place = place_of(base_of(settings.directory), settings)
    with opened(place, settings, writes=False, create=False) as store:
        meta = store.index.state_of([]).meta
        equal = meta.get(store.index.key("head"), "")
        models = sides(store, meta, console.tell)
        asked = narrowed(store, query, filters, settings, equal)
        database = store.index.database
        found = search(database, models, asked.text, asked.scope, ALL, tell=console.tell)
        found = found if asked.text else unranked(database, asked.scope, LISTED)
        some = found[shape.offset : shape.offset + limit]
        shaped = Shaped(sought(asked.query), shape.lines, shape.offset)
        corpus = Corpus(database, place.base, place.repo, meta)
        answer = page(corpus, some, shaped, len(found), asked.notes)
    for note in asked.notes:
        console.tell(note)
    show_page(answer, shape, settings, place.base)


@click.command()
@options.reading
def stats(**said: Any) -> None:
    """Say what the index holds."""
    from feeder.assembly.opening import base_of, opened, place_of
    from feeder.store.reading import statistics

    settings = Settings(**said)
    place = place_of(base_of(settings.directory), settings)
    with opened(place, settings, writes=False, create=False) as store:
        facts = statistics(store.index.database, place.repo)
        usage = store.parts.usage()
    answer, lines = facts.as_json(), list(facts.lines())
    if usage:
        usage = replace(usage, dimensions=facts.dimensions)
        answer["usage"] = usage.as_json()
        lines += usage.lines()
    console.result(settings, answer, lines)
