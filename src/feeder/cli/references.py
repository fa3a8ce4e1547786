"""Commands that ask for relations: `references`, `definition` and `implementations`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from feeder.cli import console, options, search_options
from feeder.cli.command_help import ShortHelp
from feeder.cli.option_types import WholeNumber
from feeder.config import Settings
from feeder.corpus.index_status import index_status
from feeder.escaping import count_of

if TYPE_CHECKING:
    from feeder.relations.callers import Caller, CallerTree
    from feeder.relations.references import ReferencePage
    from feeder.relations.sites import Reference
    from feeder.relations.uses import Use, UsePage

KINDS = ("call", "type", "import", "inherit", "implement", "override", "mention")

MAX_LIMIT = 10_000
"""References of a page."""

MAX_DEPTH = 10
"""Levels of `--depth`; `search.callers` has the same."""


@click.command(
    cls=ShortHelp,
    examples=(
        "feeder references Cart.add_line",
        "feeder references src/cart.py:12 --depth 3",
    ),
)
@search_options.symbol_argument("target", "PATH#SYMBOL|PATH:LINE[:COLUMN]|SYMBOL|ID")
@click.option(
    "--in/--out",
    "incoming",
    default=True,
    help="List what refers to the target (default), or what the target itself refers to.",
)
@click.option(
    "--depth",
    type=WholeNumber(1, MAX_DEPTH),
    default=1,
    show_default=True,
    help="With 2 or more, list callers, their callers and so on, as a tree.",
)
@click.option(
    "--kind",
    "kinds",
    type=click.Choice(KINDS),
    multiple=True,
    help="List only references of this kind; repeatable.",
)
@search_options.tests_option
@search_options.line_format_option
@click.option(
    "-n",
    "--limit",
    type=WholeNumber(1, MAX_LIMIT),
    default=50,
    show_default=True,
    help="Maximum number of references to show.",
)
@click.option(
    "--offset",
    type=WholeNumber(0),
    default=0,
    help="Skip the first N references.",
)
@click.option(
    "--all",
    "with_left_out",
    is_flag=True,
    help="Also list lines where the name means something else, and what it means there.",
)
@search_options.color_option
@options.wordless_options
def references(  # noqa: PLR0913 - the options
    *,
    target: str,
    color: str,
    form: str,
    incoming: bool,
    depth: int,
    with_left_out: bool,
    **params: Any,
) -> None:
    """List what refers to a symbol, or what it refers to.

    References resolved by imports, types and packages come first, then matches by name only.
    """
    from feeder.cli.fresh_index import open_fresh_index
    from feeder.relations.callers import find_callers
    from feeder.relations.definitions import resolve_definition
    from feeder.relations.references import find_references
    from feeder.relations.sites import ReferenceFilter
    from feeder.relations.uses import find_uses

    if depth > 1 and (not incoming or form == "vimgrep"):
        raise click.UsageError("--depth lists callers as a tree: leave out --out and --format.")
    requested = ReferenceFilter(*(params.pop(name) for name in ReferenceFilter._fields))
    settings = Settings(**params)
    with open_fresh_index(settings) as index:
        corpus = index.corpus
        resolved_target, text = resolve_definition(corpus, target, index.directory)
        page: ReferencePage | UsePage | CallerTree
        if depth > 1:
            page = find_callers(corpus, resolved_target, text, requested, depth)
        elif incoming:
            page = find_references(corpus, resolved_target, text, requested)
        else:
            page = find_uses(corpus, resolved_target, requested)
        status = index_status(corpus, is_empty=not page.total, searched=corpus.scope)
    if settings.json:
        console.print_result(settings, _as_json(page, with_left_out), ())
        return
    if form == "vimgrep":
        console.print_result(settings, None, _vimgrep_lines(_sites(page), corpus.base))
    else:
        console.print_rendered(_rendered(page, color))
        if with_left_out:
            console.print_rendered(_left_out_lines(page, color))
    if not settings.quiet or _is_cut(page):
        console.print_message(_summary(page, with_left_out))
    if status.note and not settings.quiet:
        console.print_message(status.note)


def _is_cut(page: ReferencePage | UsePage | CallerTree) -> bool:
    """Tells whether a page that begins the list does not have all of it."""
    from feeder.relations.callers import CallerTree
    from feeder.relations.uses import UsePage

    if isinstance(page, CallerTree):
        return page.at_least
    shown = len(page.uses) if isinstance(page, UsePage) else len(page.references)
    return page.at_least or page.offset + shown < page.total


def _as_json(page: ReferencePage | UsePage | CallerTree, with_left_out: bool) -> dict[str, Any]:
    from feeder.relations.references import ReferencePage

    left_out = page.left_out if with_left_out and isinstance(page, ReferencePage) else ()
    return page.as_json() | (
        {"elsewhere": [site.as_json() for site in left_out]} if left_out else {}
    )


def _left_out_lines(page: ReferencePage | UsePage | CallerTree, color: str) -> Iterator[str]:
    from feeder.cli.terminal import DIM, PATH_STYLE, stdout_terminal, to_cells
    from feeder.relations.references import ReferencePage

    terminal = stdout_terminal(color)
    for site in page.left_out if isinstance(page, ReferencePage) else ():
        other = site.resolution.definition
        place = f", {other.path}#{other.symbol}" if other else ""
        note = f"  {site.kind}: {site.resolution.because}{place}"
        yield terminal.render_cells(
            [*to_cells(f"{site.path}:{site.line}", PATH_STYLE), *to_cells(note, DIM)]
        )


def _sites(page: ReferencePage | UsePage | CallerTree) -> list[Reference]:
    """The references of a page; of uses each site once."""
    from feeder.relations.references import ReferencePage
    from feeder.relations.uses import UsePage

    if isinstance(page, ReferencePage):
        return page.references
    return (
        list(dict.fromkeys(use.reference for use in page.uses)) if isinstance(page, UsePage) else []
    )


def _rendered(page: ReferencePage | UsePage | CallerTree, color: str) -> Iterator[str]:
    from feeder.relations.name_lines import name_line_texts
    from feeder.relations.references import ReferencePage
    from feeder.relations.uses import UsePage

    if isinstance(page, ReferencePage):
        return _text_lines(page, color) if page.total else name_line_texts(page.name_lines)
    if isinstance(page, UsePage):
        return _use_lines(page.uses, color)
    if not page.total:
        return name_line_texts(page.name_lines)
    return _tree_lines(page.callers, page.omitted, color)


def _vimgrep_lines(sites: Iterable[Reference], root: Path) -> Iterator[str]:
    for site in sites:
        yield f"{os.path.relpath(root / site.path)}:{site.line}:{site.column or 1}:{site.text}"


def _text_lines(page: ReferencePage, color: str) -> Iterator[str]:
    from feeder.cli.terminal import DIM, PATH_STYLE, stdout_terminal, to_cells

    terminal = stdout_terminal(color)
    for (path, resolved), group in groupby(
        page.references, key=lambda one: (one.path, one.resolved)
    ):
        note = "" if resolved else "  (by name only)"
        yield terminal.render_cells([*to_cells(path, PATH_STYLE), *to_cells(note)])
        for site in group:
            spans = [(site.column - 1, site.column - 1 + len(site.name))] if site.column else []
            yield terminal.render_code_line(f"{site.line:>6}: ", site.text, spans)
            detail = "  ".join(filter(None, [site.detail, site.node.symbol]))
            yield terminal.render_cells(to_cells(f"        {detail}", DIM))


def _use_lines(uses: Sequence[Use], color: str) -> Iterator[str]:
    """Each definition with the lines that refer to it; resolved ones first."""
    from feeder.cli.terminal import DIM, PATH_STYLE, stdout_terminal, to_cells

    terminal = stdout_terminal(color)
    grouped: dict[Any, list[Reference]] = {}
    for use in uses:
        grouped.setdefault(use.definition, []).append(use.reference)
    for definition, sites in grouped.items():
        place = f"{definition.path}:{definition.start_line}-{definition.end_line}"
        note = "" if definition.resolved else "  (by name only)"
        cells = to_cells(f"  {definition.node_type}  {definition.symbol}{note}")
        yield terminal.render_cells([*to_cells(place, PATH_STYLE), *cells])
        detail = ", ".join(dict.fromkeys(f"{site.detail} in line {site.line}" for site in sites))
        yield terminal.render_cells(to_cells(f"        {detail}", DIM))


def _tree_lines(
    callers: Sequence[Caller], omitted: int, color: str, level: int = 0
) -> Iterator[str]:
    from feeder.cli.terminal import DIM, PATH_STYLE, stdout_terminal, to_cells

    terminal = stdout_terminal(color)
    indent = "  " * level
    for caller in callers:
        node = caller.node
        lines = ",".join(map(str, caller.lines))
        note = "" if caller.resolved else "  (by name only)"
        symbol = f"  {node.symbol}" if node.symbol else ""
        yield terminal.render_cells(
            [*to_cells(f"{indent}{node.path}:{lines}", PATH_STYLE), *to_cells(f"{symbol}{note}")]
        )
        yield from _tree_lines(caller.callers, caller.omitted, color, level + 1)
    if omitted:
        yield terminal.render_cells(to_cells(f"{indent}… {omitted:,} more", DIM))


def _summary(page: ReferencePage | UsePage | CallerTree, with_left_out: bool) -> str:
    from feeder.relations.callers import CallerTree
    from feeder.relations.modules import say_left_out, say_unindexed
    from feeder.relations.uses import UsePage

    if isinstance(page, CallerTree):
        return _tree_summary(page)
    if isinstance(page, UsePage):
        if not page.total:
            return page.reason
        shown, left_out = len(page.uses), ""
    else:
        if not page.total:
            return page.reason()
        shown = len(page.references)
        left_out = say_left_out(len(page.left_out))
        left_out += " (--all lists them)" if left_out and not with_left_out else ""
        left_out += say_unindexed(page.target)
    at_least = "at least " if page.at_least else ""
    by_name = page.total - page.resolved
    total = count_of(page.total, "reference")
    counts = f"{at_least}{total}: {page.resolved:,} resolved, {by_name:,} by name{left_out}"
    after = page.offset + shown
    if not shown:
        return f"Offset {page.offset} is past the end ({counts})."
    if shown == page.total:
        return f"{counts}."
    following = f"; more: --offset {after}" if after < page.total else ""
    return f"{page.offset + 1} to {after} of {counts}{following}."


def _tree_summary(tree: CallerTree) -> str:
    if not tree.total:
        return tree.reason()
    at_least = "at least " if tree.at_least else ""
    more = " For more: -n NUMBER" if tree.is_limited else ""
    return f"{at_least}{count_of(tree.total, 'caller')}.{more}"


@click.command(
    cls=ShortHelp,
    examples=(
        "feeder definition Cart",
        "feeder definition src/shop.py:12:8",
    ),
)
@search_options.symbol_argument("name", "NAME|PATH:LINE:COLUMN")
@options.wordless_options
def definition(name: str, **params: Any) -> None:
    """List where a name is defined.

    PATH:LINE:COLUMN means the name at that position.
    """
    from feeder.cli.fresh_index import open_fresh_index
    from feeder.relations.definitions import find_definitions

    settings = Settings(**params)
    with open_fresh_index(settings) as index:
        result = find_definitions(index.corpus, name, index.directory)
        status = index_status(index.corpus)
    # of a name alone all are listed, and none is less sure than another
    marks_names = any(definition.resolved for definition in result.definitions)
    console.print_result(
        settings,
        result.as_json(),
        (
            f"{definition.place}  {definition.node_type}  {definition.symbol}"
            + ("  (by name only)" if marks_names and not definition.resolved else "")
            for definition in result.definitions
        ),
    )
    if settings.json:
        return
    if result.at_least:
        count = count_of(len(result.definitions), "definition")
        console.print_message(f"At least {count}: more nodes have this name and were not read.")
    if status.changed_files and not settings.quiet:
        console.print_message(str(status.changed_files))


@click.command(
    cls=ShortHelp,
    examples=(
        "feeder implementations Store",
        "feeder implementations src/store.py:7",
    ),
)
@search_options.symbol_argument("target", "PATH#TYPE|PATH:LINE[:COLUMN]|TYPE|ID")
@options.wordless_options
def implementations(target: str, **params: Any) -> None:
    """List the subtypes of a type or the overrides of a member."""
    from feeder.cli.fresh_index import open_fresh_index
    from feeder.relations.definitions import resolve_definition
    from feeder.relations.modules import say_nothing_implements
    from feeder.relations.references import find_implementations, target_json

    settings = Settings(**params)
    with open_fresh_index(settings) as index:
        corpus = index.corpus
        found_target, text = resolve_definition(corpus, target, index.directory)
        of_definition, result, is_cut = find_implementations(corpus, found_target, text)
        status = index_status(corpus, is_empty=not result, searched=corpus.scope)
    facts = {
        "target": target_json(of_definition),
        "implementations": [implementation._asdict() for implementation in result],
        "total": len(result),
        "at_least": is_cut,
        "reason": None if result else say_nothing_implements(of_definition),
    }
    lines = (
        f"{'  ' * (implementation.depth - 1)}{implementation.place}  {implementation.title}"
        + ("" if implementation.resolved else "  (by name only)")
        for implementation in result
    )
    console.print_result(settings, facts, lines)
    if settings.json:
        return
    if result and is_cut:
        count = count_of(len(result), "implementation")
        console.print_message(f"At least {count}: some types below this one were not read.")
    if settings.quiet:
        return
    if not result:
        console.print_message(say_nothing_implements(of_definition))
    if note := status.changed_files if result else status.note:
        console.print_message(str(note))
