"""The commands that ask an index."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import click

from feeder.cli import console, options
from feeder.config import Settings


@click.command()
@click.argument("query")
@click.option("-n", "--limit", type=click.IntRange(1, 100), default=10, show_default=True)
@options.narrowing
@click.option("--lines", type=click.IntRange(0), default=6, show_default=True, help="Of each node.")
@options.reading
def search(query: str, limit: int, lines: int, **said: Any) -> None:
    """Find nodes by word and by meaning, and show their lines as they are now."""
    from feeder.assembly.opening import base_of, opened, place_of
    from feeder.cli.showing import as_json, as_text
    from feeder.search.models import sides
    from feeder.search.ranking import search
    from feeder.store.scope import Scope
    from feeder.tree.names import escape

    path, language, node_type = (said.pop(name) for name in ("path", "language", "node_type"))
    settings = Settings(**said)
    place = place_of(base_of(settings.directory), settings)
    with opened(place, settings, writes=False, create=False) as store:
        glob = escape(os.fsencode(path)) if path else None
        scope = Scope.of(place.repo, glob, language, node_type)
        meta = store.index.state_of([]).meta
        models = sides(store, meta, console.tell)
        found = search(store.index.database, models, query, scope, limit, tell=console.tell)
        equal = meta.get(store.index.key("head"), "")
    facts = as_json(found, place.base, equal) if settings.json else None
    console.result(settings, facts, as_text(found, place.base, lines, equal))


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
