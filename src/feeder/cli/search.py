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

from feeder.cli import console, options
from feeder.config import Settings

if TYPE_CHECKING:
    from feeder.search.answers import Page


class OutputOptions(NamedTuple):
    """What the options of showing say; `lines` are None for all."""

    lines: int | None = None
    offset: int = 0
    form: str = "text"
    files: bool = False
    explain: bool = False
    color: str = "auto"

    @classmethod
    def from_params(cls, params: dict[str, Any]) -> OutputOptions:
        """Takes its options out of those that were said."""
        lines, full = params.pop("lines"), params.pop("full")
        return cls(None if full else lines, *(params.pop(name) for name in cls._fields[1:]))


def print_page(page: Page, output: OutputOptions, settings: Settings, root: Path) -> None:
    """The answer on stdout; what it says of itself on stderr where stdout is for a program."""
    from feeder.cli import rendering
    from feeder.cli.terminal import MAX_LINE_COLUMNS, stdout_terminal

    is_full = output.lines is None
    if settings.json:
        console.print_result(settings, page.as_json(), ())
    elif output.files:
        _print_lines(page, settings, rendering.render_paths(page, root))
    elif output.form == "vimgrep":
        longest = None if is_full else MAX_LINE_COLUMNS
        _print_lines(page, settings, rendering.render_vimgrep(page, root, longest))
    else:
        look = rendering.Style(stdout_terminal(output.color, full_lines=is_full), output.explain)
        console.print_rendered(rendering.render_hits(page, look))


def _print_lines(page: Page, settings: Settings, lines: Iterable[str]) -> None:
    from feeder.cli.rendering import omitted_hits

    console.print_result(settings, None, lines)
    if not settings.quiet:
        for said in filter(None, [*omitted_hits(page), *page.notes, page.note]):
            console.print_message(said)


@click.command()
@click.argument("target", metavar="PATH:LINE|SYMBOL|ID")
@click.option("-n", "--limit", type=click.IntRange(1, 100), default=10, show_default=True)
@options.filter_options
@options.display_options
@options.read_options
def similar(target: str, limit: int, **said: Any) -> None:
    """Find nodes that are like one, by its vector where it has one, else by its words."""
    from feeder.search.open_index import open_index
    from feeder.search.query_plan import RequestFilters, SearchRequest, path_from_root
    from feeder.search.similar import similar_page
    from feeder.search.targets import resolve_target

    filters = RequestFilters.from_options(said)
    output = OutputOptions.from_params(said)
    settings = Settings(**said)
    with open_index(settings) as index:
        corpus = index.corpus
        node = resolve_target(corpus, path_from_root(target, corpus.base), index.directory)
        request = SearchRequest("", filters, limit, output.offset, output.lines)
        page = similar_page(index, node, request)
        for warning in page.warnings:
            console.print_message(warning)
    print_page(page, output, settings, corpus.base)


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
    with open_index(settings) as index:
        corpus = index.corpus
        files = files_below_path(corpus, path_from_root(path, corpus.base), index.directory)
        found = build_outline(corpus, files)
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
    from feeder.search.answers import read_target
    from feeder.search.open_index import open_index
    from feeder.search.query_plan import path_from_root
    from feeder.search.targets import resolve_target

    settings = Settings(**said)
    with open_index(settings) as index:
        corpus = index.corpus
        node = resolve_target(corpus, path_from_root(target, corpus.base), index.directory)
        page = read_target(corpus, node)
    print_page(page, OutputOptions(color=color), settings, corpus.base)


Command = TypeVar("Command", bound=Callable[..., Any])


_QUERY_WORD_MARK = "\0"
"""Before a word that begins as an option does; no argument of a program has it."""

_QUERY_WORD = re.compile(r"-(?!-|[A-Za-z]\d*\Z).|--[^=\s]*\s")


class QueryCommand(click.Command):
    """A command whose `-word` is a word to be left out, and no bundle of options.

    Of what has one dash only a single letter is an option, alone or with a number behind it; and
    none has a space in it.
    """

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Marks the words that are none of this command's options."""
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
    """The names of an option that takes a value."""
    takes_one = isinstance(option, click.Option) and not option.is_flag and not option.count
    return [*option.opts, *option.secondary_opts] if takes_one else []


def join_words(_: click.Context, __: click.Parameter, words: tuple[str, ...]) -> str:
    """The question that the words are together."""
    return " ".join(word.removeprefix(_QUERY_WORD_MARK) for word in words)


def query_argument(command: Command) -> Command:
    """All words that are no options, as one question."""
    return click.argument("query", nargs=-1, required=True, callback=join_words)(command)


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
    from feeder.search import engine
    from feeder.search.open_index import open_index
    from feeder.search.query_plan import RequestFilters, SearchRequest

    started_s = time.perf_counter()
    filters = RequestFilters.from_options(said)
    output = OutputOptions.from_params(said)
    settings = Settings(**said)
    with open_index(settings) as opened:
        index = opened.with_models(console.print_message)
        request = SearchRequest(query, filters, limit, output.offset, output.lines, is_logged=False)
        page = engine.search(index, request)
        for warning in page.warnings:
            console.print_message(warning)
    took_ms = (time.perf_counter() - started_s) * 1000
    print_page(page, output, settings, index.corpus.base)
    if settings.query_log and not output.offset:
        from feeder.search.query_log import log_query  # after the page: it imports the scanner

        log_query(index, request, page, took_ms)
