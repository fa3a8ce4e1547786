"""The commands that ask an index."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import click

from feeder.cli import console, options
from feeder.cli.answering import OutputOptions, print_page
from feeder.cli.question import QueryCommand, query_argument
from feeder.config import Settings


@click.command(cls=QueryCommand)
@query_argument
@click.option("-n", "--limit", type=click.IntRange(1, 100), default=10, show_default=True)
@options.filter_options
@options.display_options
@options.read_options
@options.query_log_option
def search(query: str, limit: int, **said: Any) -> None:
    """Find nodes by word and by meaning, and show their lines as they are now.

    A question may have "phrases", /patterns/, -words to leave out, beginnings*, and lang: path:
    -path: type: symbol: repo: category: tests: and case:yes. After -- all is the question.
    """
    from feeder.search.answers import PageOptions, build_page, highlight_words
    from feeder.search.asking import SearchIndex, run_query
    from feeder.search.engine import Pagination
    from feeder.search.models import query_models
    from feeder.search.open_index import open_index
    from feeder.search.query_plan import RequestFilters

    began = time.perf_counter()
    filters = RequestFilters.from_options(said)
    shape = OutputOptions.from_params(said)
    settings = Settings(**said)
    with open_index(settings) as (store, corpus, _):
        models = query_models(store, corpus.meta, console.print_message)
        asker = SearchIndex(store, corpus.meta, models, settings, console.print_message)
        asked, answer = run_query(asker, query, Pagination(limit, shape.offset), filters)
        shaped = PageOptions(highlight_words(asked.query), shape.lines, shape.offset)
        shown = build_page(corpus, answer, shaped)
    took_ms = (time.perf_counter() - began) * 1000
    print_page(shown, shape, settings, corpus.base)
    if settings.query_log and not shape.offset:
        from feeder.search.query_log import log_query

        log_query(asker, query, filters, answer, took_ms)


@click.command()
@options.read_options
def stats(**said: Any) -> None:
    """Say what the index holds."""
    from feeder.session.session import current_workspace, open_session
    from feeder.store.word_search import statistics

    settings = Settings(**said)
    place = current_workspace(settings)
    with open_session(place, settings, writes=False, create=False) as store:
        facts = statistics(store.index.database, place.repo)
        usage = store.backend.usage()
    answer, lines = facts.as_json(), list(facts.lines())
    if usage:
        usage = replace(usage, dimensions=facts.dimensions)
        answer["usage"] = usage.as_json()
        lines += usage.lines()
    console.print_result(settings, answer, lines)
