"""The commands that ask an index."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import click

from feeder.cli import console, options
from feeder.cli.answering import Shape, show_page
from feeder.cli.question import Question, argument
from feeder.config import Settings


@click.command(cls=Question)
@argument
@click.option("-n", "--limit", type=click.IntRange(1, 100), default=10, show_default=True)
@options.narrowing
@options.showing
@options.reading
@options.noting
def search(query: str, limit: int, **said: Any) -> None:
    """Find nodes by word and by meaning, and show their lines as they are now.

    A question may have "phrases", /patterns/, -words to leave out, beginnings*, and lang: path:
    -path: type: symbol: repo: category: tests: and case:yes. After -- all is the question.
    """
    from feeder.search.answers import Shaped, page, sought
    from feeder.search.asking import Asker, ask
    from feeder.search.engine import Paging
    from feeder.search.models import sides
    from feeder.search.narrowing import Filters
    from feeder.search.opening import reading

    began = time.perf_counter()
    filters = Filters.of(said)
    shape = Shape.of(said)
    settings = Settings(**said)
    with reading(settings) as (store, corpus, _):
        models = sides(store, corpus.meta, console.tell)
        asker = Asker(store, corpus.meta, models, settings, console.tell)
        asked, answer = ask(asker, query, Paging(limit, shape.offset), filters)
        shaped = Shaped(sought(asked.query), shape.lines, shape.offset)
        shown = page(corpus, answer, shaped)
    took_ms = (time.perf_counter() - began) * 1000
    show_page(shown, shape, settings, corpus.base)
    if settings.query_log and not shape.offset:
        from feeder.search.noting import note

        note(asker, query, filters, answer, took_ms)


@click.command()
@options.reading
def stats(**said: Any) -> None:
    """Say what the index holds."""
    from feeder.assembly.opening import opened, place_here
    from feeder.store.reading import statistics

    settings = Settings(**said)
    place = place_here(settings)
    with opened(place, settings, writes=False, create=False) as store:
        facts = statistics(store.index.database, place.repo)
        usage = store.parts.usage()
    answer, lines = facts.as_json(), list(facts.lines())
    if usage:
        usage = replace(usage, dimensions=facts.dimensions)
        answer["usage"] = usage.as_json()
        lines += usage.lines()
    console.result(settings, answer, lines)
