"""The commands that read what is known of a place: what is like it, what is in it, its lines."""

from __future__ import annotations

from typing import Any

import click

from feeder.cli import console, options
from feeder.cli.answering import Shape, show_page
from feeder.config import Settings


@click.command()
@click.argument("target", metavar="PATH:LINE|SYMBOL|ID")
@click.option("-n", "--limit", type=click.IntRange(1, 100), default=10, show_default=True)
@options.narrowing
@options.showing
@options.reading
def similar(target: str, limit: int, **said: Any) -> None:
    """Find nodes that are like one, by its vector where it has one, else by its words."""
    from feeder.search.answers import Shaped, page
    from feeder.search.engine import Paging
    from feeder.search.narrowing import Filters, from_root, narrowed
    from feeder.search.opening import reading
    from feeder.search.similar import most_similar
    from feeder.search.targets import node_at, resolve

    filters = Filters.of(said)
    shape = Shape.of(said)
    settings = Settings(**said)
    with reading(settings) as (store, corpus, here):
        node = node_at(corpus, resolve(corpus, from_root(target, corpus.base), here))
        scope = narrowed(store, "", filters, settings, corpus.meta).scope
        asked_for = Paging(limit, shape.offset)
        some = most_similar(store, corpus, node, scope, asked_for, tell=console.tell)
        name = node.symbol or node.logical_path or ""
        shaped = Shaped([name], shape.lines, shape.offset)
        answer = page(corpus, some, shaped)
    show_page(answer, shape, settings, corpus.base)


@click.command()
@click.argument("path", metavar="PATH")
@options.coloring
@options.reading
def outline(path: str, color: str, **said: Any) -> None:
    """List the symbols and sections of a file or folder with their lines, without their bodies."""
    from feeder.cli.painting import terminal
    from feeder.cli.showing import as_outline
    from feeder.search.narrowing import from_root
    from feeder.search.opening import reading
    from feeder.search.outline import outline
    from feeder.search.targets import folder

    settings = Settings(**said)
    with reading(settings) as (_, corpus, here):
        found = outline(corpus, folder(corpus, from_root(path, corpus.base), here))
    if settings.json:
        console.result(settings, found.as_json(), ())
    else:
        console.painted(as_outline(found, terminal(color)))


@click.command()
@click.argument("target", metavar="ID|PATH#SYMBOL|PATH:12-40")
@options.coloring
@options.reading
def show(target: str, color: str, **said: Any) -> None:
    """Print a node or some lines of a file as they are now."""
    from feeder.search.narrowing import from_root
    from feeder.search.opening import reading
    from feeder.search.passages import passage
    from feeder.search.targets import resolve

    settings = Settings(**said)
    with reading(settings) as (_, corpus, here):
        answer = passage(corpus, resolve(corpus, from_root(target, corpus.base), here))
    show_page(answer, Shape(color=color), settings, corpus.base)
