"""The command `overview`: packages, entry points and the most-referenced symbols."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from feeder.cli import console, options, search_options
from feeder.cli.command_help import ShortHelp
from feeder.cli.option_types import WholeNumber
from feeder.config import Settings
from feeder.corpus.index_status import index_status

if TYPE_CHECKING:
    from feeder.relations.overview import Overview

MAX_TOKENS = 50_000


@click.command(
    cls=ShortHelp,
    examples=(
        "feeder overview",
        "feeder overview src --budget 500",
    ),
)
@click.argument("path", default=".", shell_complete=search_options.complete_path)
@click.option(
    "--budget",
    metavar="TOKENS",
    type=WholeNumber(100, MAX_TOKENS),
    default=2_000,
    show_default=True,
    help="Maximum length of the symbol list in tokens of 3.2 bytes.",
)
@options.wordless_options
def overview(path: str, budget: int, **params: Any) -> None:
    """Show packages, entry points and most-used symbols.

    Symbols come with their signatures, the most referenced first.
    """
    from feeder.cli.fresh_index import open_fresh_index
    from feeder.mcp.token_budget import budget_bytes
    from feeder.query.query_plan import path_from_root
    from feeder.relations.overview import build_overview, fit_symbols, overview_cost

    settings = Settings(**params)
    with open_fresh_index(settings) as index:
        corpus = index.corpus
        if (cost := overview_cost(corpus)) and not settings.quiet:
            console.print_message(cost)
        result = build_overview(corpus, path_from_root(path, corpus.base), index.directory)
        status = index_status(corpus)
    fitting = fit_symbols(result.symbols, budget_bytes(budget))
    shown = {(symbol.path, symbol.symbol) for ones in fitting.values() for symbol in ones}
    symbols = [symbol for symbol in result.symbols if (symbol.path, symbol.symbol) in shown]
    facts = {
        **result._replace(symbols=symbols).as_json(),
        "total": len(result.symbols),
        "index": status.as_json(),
    }
    console.print_result(settings, facts, _lines(result, budget))
    is_cut = result.at_least or len(symbols) < len(result.symbols)
    if not settings.json and (is_cut or not settings.quiet):
        at_least = "at least " if result.at_least else ""
        console.print_message(
            f"{len(symbols):,} of {at_least}{len(result.symbols):,} symbols."
            + (" For more: --budget TOKENS, or a folder." if is_cut else "")
        )
    if status.note and not settings.json and not settings.quiet:
        console.print_message(status.note)


def _lines(result: Overview, budget: int) -> Iterator[str]:
    from feeder.mcp.token_budget import budget_bytes
    from feeder.relations.overview import fit_symbols, overview_sections, symbol_line

    for title, lines in overview_sections(result):
        yield title
        yield from (f"  {line}" for line in lines)
        yield ""
    yield "Most-referenced symbols"
    for path, ones in fit_symbols(result.symbols, budget_bytes(budget)).items():
        yield path
        yield from map(symbol_line, ones)
