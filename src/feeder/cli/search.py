"""Commands that read an index: `search`, `similar`, `outline` and `show`; parsing of the query
argument and the choice of output format.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click
from click.core import ParameterSource

from feeder.cli import console, options, search_options
from feeder.cli.command_help import ShortHelp
from feeder.cli.option_types import WholeNumber
from feeder.config import Settings

if TYPE_CHECKING:
    from feeder.query.request_filters import RequestFilters
    from feeder.search.answers import Page


class OutputOptions(NamedTuple):
    """The options that set the format of a page of hits; `lines` is None for all lines."""

    lines: int | None = None
    offset: int = 0
    form: str = "text"
    files: bool = False
    null: bool = False
    explain: bool = False
    color: str = "auto"

    @classmethod
    def from_params(cls, params: dict[str, Any]) -> OutputOptions:
        """Removes the display options from a command's parameters and returns them.

        Raises UserError for options that do not belong together.
        """
        lines, full = params.pop("lines"), params.pop("full")
        output = cls(None if full else lines, *(params.pop(name) for name in cls._fields[1:]))
        search_options.check_null_option(null=output.null, files=output.files)
        return output


def print_page(page: Page, output: OutputOptions, settings: Settings, root: Path) -> None:
    """Prints a page of hits on stdout; notes go to stderr where stdout is for a program."""
    if settings.json:
        console.print_result(settings, page.as_json(), ())
        return
    from feeder.cli import rendering
    from feeder.cli.terminal import MAX_LINE_COLUMNS, stdout_terminal

    is_full = output.lines is None
    if output.files and output.null:
        shown = dict.fromkeys(
            hit.result.hit.path for hit in filter(rendering.is_in_working_tree, page.hits)
        )
        console.print_null_terminated(root, shown)
        _print_notes(page, settings)
    elif output.files:
        _print_lines(page, settings, rendering.render_paths(page, root))
    elif output.form == "vimgrep":
        longest = None if is_full else MAX_LINE_COLUMNS
        _print_lines(page, settings, rendering.render_vimgrep(page, root, longest))
    else:
        style = rendering.Style(
            stdout_terminal(output.color, full_lines=is_full), output.explain, settings.quiet
        )
        console.print_rendered(rendering.render_hits(page, style))


def _print_lines(page: Page, settings: Settings, lines: Iterable[str]) -> None:
    console.print_result(settings, None, lines)
    _print_notes(page, settings)


def _print_notes(page: Page, settings: Settings) -> None:
    from feeder.cli.rendering import omitted_hits

    if not settings.quiet:
        for note in filter(None, [*omitted_hits(page), *map(str, page.notes), page.note]):
            console.print_message(note)


@click.command(
    cls=ShortHelp,
    examples=(
        "feeder similar src/cart.py:12",
        "feeder similar Cart.add_line -n 5",
    ),
)
@search_options.symbol_argument("target", "PATH:LINE|SYMBOL|ID")
@search_options.limit_option
@search_options.filter_options
@search_options.display_options
@options.fresh_read_options
def similar(target: str, limit: int, **params: Any) -> None:
    """Find code that is similar to a given node.

    Compares vectors, or words if the index has no vectors.
    """
    from feeder.cli.fresh_index import open_fresh_index
    from feeder.query.query_plan import SearchRequest, path_from_root
    from feeder.query.request_filters import RequestFilters
    from feeder.relations.targets import resolve_target
    from feeder.search.similar import similar_page

    filters = RequestFilters.from_options(params)
    output = OutputOptions.from_params(params)
    settings = Settings(**params)
    with open_fresh_index(settings) as index:
        corpus = index.corpus
        node = resolve_target(corpus, path_from_root(target, corpus.base), index.directory)
        request = SearchRequest("", filters, limit, output.offset, output.lines)
        page = similar_page(index, node, request)
        for warning in page.warnings:
            console.print_message(str(warning))
    print_page(page, output, settings, corpus.base)


@click.command(
    cls=ShortHelp,
    examples=(
        "feeder outline",
        "feeder outline src/cart.py",
    ),
)
@click.argument("path", metavar="[PATH]", default="", shell_complete=search_options.complete_path)
@click.option(
    "--depth",
    type=WholeNumber(1),
    metavar="N",
    help="Levels of folders and of nested symbols to list.",
)
@click.option(
    "--max-lines",
    metavar="N",
    type=WholeNumber(0),
    default=400,
    help="Shorten a folder's outline to N lines; 0: no limit.",
)
@search_options.color_option
@options.wordless_options
def outline(path: str, depth: int | None, max_lines: int, color: str, **params: Any) -> None:
    """List the symbols of a file, a folder or a glob.

    Without PATH, lists the whole repository. In a glob, * also matches slashes.
    """
    from feeder.cli.fresh_index import open_fresh_index
    from feeder.cli.rendering import render_outline
    from feeder.cli.terminal import stdout_terminal
    from feeder.query.query_plan import path_from_root
    from feeder.relations.targets import files_below_path
    from feeder.snippets.outline import build_outline

    settings = Settings(**params)
    with open_fresh_index(settings) as index:
        corpus = index.corpus
        files = files_below_path(
            corpus, path_from_root(path, corpus.base), index.directory if path else ""
        )
        content = build_outline(corpus, files)
    if settings.json:
        console.print_result(settings, content.as_json(), ())
    else:
        terminal = stdout_terminal(color)
        rendered = render_outline(content, terminal, depth, max_lines, quiet=settings.quiet)
        console.print_rendered(rendered)


@click.command(
    cls=ShortHelp,
    examples=(
        "feeder show src/cart.py#Cart.add_line",
        "feeder show src/cart.py:12-40",
    ),
)
@search_options.symbol_argument("target", "ID|PATH#SYMBOL|PATH:12-40")
@search_options.color_option
@options.wordless_options
def show(target: str, color: str, **params: Any) -> None:
    """Print a node or lines of a file, as they are now."""
    from feeder.cli.fresh_index import open_fresh_index
    from feeder.query.query_plan import path_from_root
    from feeder.relations.targets import resolve_target
    from feeder.search.answers import read_target

    settings = Settings(**params)
    with open_fresh_index(settings) as index:
        corpus = index.corpus
        node = resolve_target(corpus, path_from_root(target, corpus.base), index.directory)
        page = read_target(corpus, node)
    print_page(page, OutputOptions(color=color), settings, corpus.base)


Command = TypeVar("Command", bound=Callable[..., Any])


_QUERY_WORD_MARK = "\0"
"""Prefix of a query word that begins like an option; an argument cannot contain it."""

_QUERY_WORD = re.compile(r"-(?!-|0\Z|[A-Za-z]\d*\Z).|--[^=\s]*\s")


class QueryCommand(ShortHelp):
    """A command that reads `-word` as an excluded word and not as several short options.

    After one dash, only a single letter, alone or with a number, and 0 is an option; an argument
    with a space never is.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Marks the words that are not options of this command."""
        with_values = {name for option in self.params for name in _option_names(option)}
        marked, is_value = [], False
        for at, arg in enumerate(args):
            if arg == "--":
                marked += args[at:]
                break
            is_word = not is_value and _QUERY_WORD.match(arg)
            marked.append(f"{_QUERY_WORD_MARK}{arg}" if is_word else arg)
            is_value = arg in with_values
        return super().parse_args(ctx, marked)


def _option_names(option: click.Parameter) -> list[str]:
    """Returns the names of an option that takes a value; none for a flag."""
    takes_one = isinstance(option, click.Option) and not option.is_flag and not option.count
    return [*option.opts, *option.secondary_opts] if takes_one else []


def join_words(_: click.Context, __: click.Parameter, words: tuple[str, ...]) -> str:
    """Joins the words to one query."""
    return " ".join(word.removeprefix(_QUERY_WORD_MARK) for word in words)


def query_argument(command: Command) -> Command:
    """Adds the argument that takes all words that are not options as one query."""
    return click.argument("query", nargs=-1, required=True, callback=join_words)(command)


_RANKING_OPTIONS = ("lines", "full", "explain", "prefer", "all_repos")
"""Options of `search` that have no effect on a list of every matching line."""


@click.command(
    cls=QueryCommand,
    examples=(
        'feeder search "retry after a timeout" --lang go',
        "feeder search parseConfig tests:no -n 3",
    ),
)
@query_argument
@click.option(
    "--every",
    is_flag=True,
    help="List every matching line, as `feeder grep` does.",
)
@search_options.limit_option
@search_options.filter_options
@search_options.display_options
@options.fresh_read_options
@search_options.query_log_option
@click.pass_context
def search(ctx: click.Context, /, query: str, every: bool, limit: int, **params: Any) -> None:
    """Search by words and by meaning.

    A query can have "phrases", /patterns/, -excluded words, prefixes*, OR, and filters such as
    lang: path: -path: type: symbol: calls: category: and tests:. Everything after -- is part of
    the query.
    """
    from feeder.cli.fresh_index import begin_finding_index, open_fresh_index
    from feeder.query.request_filters import RequestFilters

    filters = RequestFilters.from_options(params)
    if every:
        _search_every(ctx, query, limit, filters, params)
        return
    output = OutputOptions.from_params(params)
    settings = Settings(**params)
    wait_for_index = begin_finding_index(settings)
    # these imports take as long as git, which runs meanwhile
    from feeder.query.query_plan import SearchRequest
    from feeder.search import engine

    _reject_empty(query, filters)
    started_s = time.perf_counter()
    with open_fresh_index(settings, wait_for_index) as opened:
        index = opened.with_models(console.print_message)
        request = SearchRequest(query, filters, limit, output.offset, output.lines, is_logged=False)
        page = engine.search(index, request)
        for warning in page.warnings:
            console.print_message(str(warning))
    if settings.json:  # a reader of JSON does not see the messages
        page = page._replace(notes=[*page.notes, *page.warnings, *index.missing_notes])
    took_ms = (time.perf_counter() - started_s) * 1000
    print_page(page, output, settings, index.corpus.base)
    if settings.query_log and not output.offset:
        from feeder.search.query_log import log_query  # after the page: it imports the scanner

        log_query(index, request, page, took_ms)


def _reject_empty(query: str, filters: RequestFilters) -> None:
    from feeder.errors import UserError
    from feeder.query.query import BLANKS_AND_QUOTES, EMPTY_QUERY
    from feeder.query.request_filters import RequestFilters

    if not query.strip(BLANKS_AND_QUOTES) and filters == RequestFilters():
        raise UserError(*EMPTY_QUERY)


def _search_every(
    ctx: click.Context, query: str, limit: int, filters: RequestFilters, params: dict[str, Any]
) -> None:
    """Prints every line with the query's text; as many as `feeder grep` unless -n is given."""
    from feeder.cli.grep import LineOutput, print_matching_lines
    from feeder.errors import UserError
    from feeder.grep.exact_search import DEFAULT_LIMIT, LineRequest

    _reject_empty(query, filters)
    given = {
        name for name in ctx.params if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    if useless := [f"--{name.replace('_', '-')}" for name in _RANKING_OPTIONS if name in given]:
        raise UserError(
            "--every lists all matching lines without ranking them.",
            f"Leave out {', '.join(useless)}.",
        )
    if "limit" not in given:
        limit = DEFAULT_LIMIT
    output = OutputOptions.from_params(params)
    request = LineRequest.from_query(query, filters, limit, output.offset)
    line_output = LineOutput(
        "files" if output.files else output.form, output.color, null=output.null
    )
    request = request._replace(reads_files=not line_output.is_by_file)
    params.pop("query_log")
    print_matching_lines(request, line_output, Settings(**params))
