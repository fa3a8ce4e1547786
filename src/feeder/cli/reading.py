"""The commands that read what is known of a place: what is like it, what is in it, its lines."""

from __future__ import annotations

from typing import Any

import click

from feeder.cli import console, options
from feeder.cli.answering import OutputOptions, print_page
from feeder.config import Settings


@click.command()
@click.argument("target", metavar="PATH:LINE|SYMBOL|ID")
@click.option("-n", "--limit", type=click.IntRange(1, 100), default=10, show_default=True)
@options.filter_options
@options.display_options
@options.read_options
def similar(target: str, limit: int, **said: Any) -> None:
    """Find nodes that are like one, by its vector where it has one, else by its words."""
    from feeder.search.answers import PageOptions, build_page
    from feeder.search.engine import Pagination
    from feeder.search.open_index import open_index
    from feeder.search.query_plan import RequestFilters, path_from_root, plan_query
    from feeder.search.similar import similar_page
    from feeder.search.targets import resolve_target, target_node

    filters = RequestFilters.from_options(said)
    shape = OutputOptions.from_params(said)
    settings = Settings(**said)
    with open_index(settings) as (store, corpus, here):
        node = target_node(
            corpus, resolve_target(corpus, path_from_root(target, corpus.base), here)
        )
        scope = plan_query(store, "", filters, settings, corpus.meta).scope
        asked_for = Pagination(limit, shape.offset)
        some = similar_page(store, corpus, node, scope, asked_for, on_warning=console.print_message)
        name = node.symbol or node.logical_path or ""
        shaped = PageOptions([name], shape.lines, shape.offset)
        answer = build_page(corpus, some, shaped)
    print_page(answer, shape, settings, corpus.base)


@click.command()
@click.argument("path", metavar="PATH")
@options.color_option
@options.read_options
def outline(path: str, color: str, **said: Any) -> None:
    """List the symbols and sections of a file or folder with their lines, without their bodies."""
    from feeder.cli.rendering import render_outline
    from feeder.cli.terminal import stdout_terminal
    from feeder.search.open_index import open_index
    from feeder.search.outline import build_outline
    from feeder.search.query_plan import path_from_root
    from feeder.search.targets import files_below_path

    settings = Settings(**said)
    with open_index(settings) as (_, corpus, here):
        found = build_outline(
            corpus, files_below_path(corpus, path_from_root(path, corpus.base), here)
        )
    if settings.json:
        console.print_result(settings, found.as_json(), ())
    else:
        console.print_rendered(render_outline(found, stdout_terminal(color)))


@click.command()
@click.argument("target", metavar="ID|PATH#SYMBOL|PATH:12-40")
@options.color_option
@options.read_options
def show(target: str, color: str, **said: Any) -> None:
    """Print a node or some lines of a file as they are now."""
    from feeder.search.open_index import open_index
    from feeder.search.passages import read_target
    from feeder.search.query_plan import path_from_root
    from feeder.search.targets import resolve_target

    settings = Settings(**said)
    with open_index(settings) as (_, corpus, here):
        answer = read_target(
            corpus, resolve_target(corpus, path_from_root(target, corpus.base), here)
        )
    print_page(answer, OutputOptions(color=color), settings, corpus.base)
