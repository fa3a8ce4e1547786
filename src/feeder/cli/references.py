"""Commands that ask for relations: `references`, `definition` and `implementations`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from feeder.cli import console, options, search_options
from feeder.config import Settings

if TYPE_CHECKING:
    from feeder.search.references import ReferencePage

KINDS = ("call", "type", "import", "inherit", "implement", "mention")

MAX_LIMIT = 10_000
"""References of a page."""

_POSITION = re.compile(r"(?P<path>.+):(?P<line>\d+):(?P<column>\d+)", re.DOTALL)


@click.command()
@click.argument("target", metavar="PATH#SYMBOL|PATH:LINE|SYMBOL|ID")
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(KINDS),
    multiple=True,
    help="List only references of this kind; can be given more than once.",
)
@click.option(
    "--tests",
    type=click.Choice(["yes", "no", "only"]),
    help="Include tests: yes, no or only.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "vimgrep"]),
    default="text",
    help="Output format; `vimgrep` prints path:line:column:text, for editors.",
)
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, MAX_LIMIT),
    default=50,
    show_default=True,
    help="Number of references to show.",
)
@click.option(
    "--offset", type=click.IntRange(0), default=0, help="Skip this many of the first references."
)
@search_options.color_option
@options.read_options
def references(target: str, color: str, form: str, **params: Any) -> None:
    """List what refers to a class, method, function or constant.

    First come references that are resolved by imports, types and packages, then those by name only.
    """
    from feeder.search.open_index import open_index
    from feeder.search.query_plan import path_from_root
    from feeder.search.references import ReferenceFilter, find_references
    from feeder.search.targets import resolve_target

    requested = ReferenceFilter(*(params.pop(name) for name in ReferenceFilter._fields))
    settings = Settings(**params)
    with open_index(settings) as index:
        corpus = index.corpus
        text = path_from_root(target, corpus.base)
        page = find_references(
            corpus, resolve_target(corpus, text, index.directory), text, requested
        )
        status = corpus.status()
    if settings.json:
        console.print_result(settings, page.as_json(), ())
        return
    if form == "vimgrep":
        console.print_result(settings, None, _vimgrep_lines(page, corpus.base))
    else:
        console.print_rendered(_text_lines(page, color))
    if not settings.quiet:
        console.print_message(_summary(page))
        if status.note:
            console.print_message(status.note)


def _vimgrep_lines(page: ReferencePage, root: Path) -> Iterator[str]:
    for one in page.references:
        yield f"{os.path.relpath(root / one.path)}:{one.line}:{one.column or 1}:{one.text}"


def _text_lines(page: ReferencePage, color: str) -> Iterator[str]:
    from feeder.cli.terminal import DIM, PATH_STYLE, stdout_terminal, to_cells

    terminal = stdout_terminal(color)
    for (path, resolved), group in groupby(
        page.references, key=lambda one: (one.path, one.resolved)
    ):
        note = "" if resolved else "  (by name only)"
        yield terminal.render_cells([*to_cells(path, PATH_STYLE), *to_cells(note)])
        for one in group:
            spans = [(one.column - 1, one.column - 1 + len(one.name))] if one.column else []
            yield terminal.render_code_line(f"{one.line:>6}: ", one.text, spans)
            detail = "  ".join(filter(None, [one.kind, one.node.symbol]))
            yield terminal.render_cells(to_cells(f"        {detail}", DIM))


def _summary(page: ReferencePage) -> str:
    if not page.total:
        return f"Nothing in the index refers to {page.target.symbol}."
    at_least = "at least " if page.at_least else ""
    by_name = page.total - page.resolved
    counts = f"{at_least}{page.total:,} references: {page.resolved:,} resolved, {by_name:,} by name"
    after = page.offset + len(page.references)
    if len(page.references) == page.total:
        return f"{counts}."
    following = f"; the next: --offset {after}" if after < page.total else ""
    return f"{page.offset + 1} to {after} of {counts}{following}."


@click.command()
@click.argument("name", metavar="NAME|PATH:LINE:COLUMN")
@options.read_options
def definition(name: str, **params: Any) -> None:
    """List where a name is defined; of a position in a file, the name that stands there."""
    from feeder.search.definitions import definitions_at, definitions_of_name
    from feeder.search.open_index import open_index
    from feeder.search.query_plan import path_from_root

    settings = Settings(**params)
    with open_index(settings) as index:
        corpus = index.corpus
        position = _POSITION.fullmatch(name)
        if position:
            path = path_from_root(position["path"], corpus.base)
            line, column = int(position["line"]), int(position["column"])
            result = definitions_at(corpus, path, line, column, index.directory)
        else:
            result = definitions_of_name(corpus, name)
    console.print_result(
        settings,
        result.as_json(),
        (
            f"{one.path}:{one.start_line}-{one.end_line}  {one.node_type}  {one.symbol}"
            + ("" if one.resolved else "  (by name only)")
            for one in result.definitions
        ),
    )


@click.command()
@click.argument("target", metavar="PATH#TYPE|PATH:LINE|TYPE|ID")
@options.read_options
def implementations(target: str, **params: Any) -> None:
    """List the types below a type, or the members that override a member."""
    from feeder.search.open_index import open_index
    from feeder.search.query_plan import path_from_root
    from feeder.search.references import find_implementations, target_json
    from feeder.search.targets import resolve_target

    settings = Settings(**params)
    with open_index(settings) as index:
        corpus = index.corpus
        text = path_from_root(target, corpus.base)
        found_target = resolve_target(corpus, text, index.directory)
        of_definition, result, is_cut = find_implementations(corpus, found_target, text)
    facts = {
        "target": target_json(of_definition),
        "implementations": [one._asdict() for one in result],
        "total": len(result),
        "at_least": is_cut,
    }
    lines = (
        f"{'  ' * (one.depth - 1)}{one.path}:{one.start_line}-{one.end_line}  {one.symbol}"
        + ("" if one.resolved else "  (by name only)")
        for one in result
    )
    console.print_result(settings, facts, lines)
    if not result and not settings.json and not settings.quiet:
        console.print_message(f"Nothing in the index implements {of_definition.symbol}.")
