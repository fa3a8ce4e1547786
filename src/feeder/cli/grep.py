"""The command `grep`: options, and the choice of output format."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from feeder.cli import console, options, search_options
from feeder.config import Settings

if TYPE_CHECKING:
    from feeder.grep.exact_search import LinePage, LineRequest

MAX_LIMIT = 10_000
"""Matching lines of a page."""


OPTION_HINTS = {
    "directory": "-C is the folder to run in; for lines of context: --context N",
    "limit": "-n is the number of lines to show; line numbers are always shown.",
}
"""Explains the options that mean something else in other programs of this name."""


class GrepCommand(click.Command):
    """A command that explains how to search for a pattern that begins with a dash."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Adds to the error for an unknown or misused option what to write."""
        given = list(args)
        try:
            return super().parse_args(ctx, args)
        except click.BadParameter as exc:
            if hint := OPTION_HINTS.get((exc.param and exc.param.name) or ""):
                raise click.BadParameter(f"{exc.message} {hint}", exc.ctx, exc.param) from exc
            raise
        except click.NoSuchOption as exc:
            name = exc.option_name
            pattern = next((arg for arg in given if arg.startswith(name)), name)
            remedy = f"To search for it, put -- before it: feeder grep -- {quote(pattern)}"
            message = f"{exc.message} {remedy}"
            raise click.NoSuchOption(name, message, ctx=exc.ctx) from exc


@click.command(cls=GrepCommand)
@click.argument("pattern")
@click.argument("places", metavar="[PATH]...", nargs=-1)
@click.option("-F", "--fixed-strings", is_flag=True, help="Search for PATTERN as literal text.")
@click.option("-i", "--ignore-case", is_flag=True, help="Ignore the case of letters.")
@click.option("-w", "--word", "whole_words", is_flag=True, help="Match whole words only.")
@click.option(
    "--context",
    "context_lines",
    type=click.IntRange(0, 100),
    default=0,
    help="Lines to show before and after each match.",
)
@click.option("--count", is_flag=True, help="Print only the number of matching lines of each file.")
@click.option("-l", "--files", is_flag=True, help="Print only the paths of the files.")
@search_options.line_format_option
@click.option(
    "-n",
    "--limit",
    type=click.IntRange(1, MAX_LIMIT),
    default=100,
    show_default=True,
    help="Number of lines to show.",
)
@click.option(
    "--offset", type=click.IntRange(0), default=0, help="Skip this many of the first lines."
)
@search_options.node_filter_options
@search_options.color_option
@options.fresh_read_options
def grep(pattern: str, places: tuple[str, ...], **params: Any) -> None:
    """List every line that matches a regular expression.

    Searches the indexed files of this machine, as they were indexed, in the files and folders PATH
    or in all. PATTERN has the syntax of /patterns/ in queries. Everything after -- is no option.
    """
    from feeder.errors import UserError
    from feeder.grep.exact_search import LineRequest
    from feeder.query.request_filters import RequestFilters
    from feeder.source.grep import PatternOptions

    if not pattern:
        raise UserError("The pattern is empty.", "Write a pattern; `.` finds every line with text.")
    pattern_options = PatternOptions(*(params.pop(name) for name in PatternOptions._fields))
    limit, offset, context_lines = (params.pop(key) for key in ("limit", "offset", "context_lines"))
    count, files, form, color = (params.pop(key) for key in ("count", "files", "form", "color"))
    output = LineOutput("count" if count else "files" if files else form, color)
    filters = RequestFilters.from_options(params)

    request = LineRequest(
        pattern,
        pattern_options,
        filters._replace(path=(*filters.path, *places)),
        limit,
        offset,
        context_lines,
        reads_files=not output.is_by_file,
    )
    print_matching_lines(request, output, Settings(**params))


class LineOutput(NamedTuple):
    """The format of a page of matching lines: text, vimgrep, count or files."""

    form: str = "text"
    color: str = "auto"

    @property
    def is_by_file(self) -> bool:
        """True for a format that has no lines."""
        return self.form in ("count", "files")


def print_matching_lines(request: LineRequest, output: LineOutput, settings: Settings) -> None:
    """Runs a search for lines and prints its page."""
    from feeder.cli.fresh_index import open_fresh_index
    from feeder.cloudflare.credentials import choose_store
    from feeder.errors import UserError
    from feeder.grep.exact_search import NOT_LOCAL, search_lines

    if choose_store(settings).is_cloud:
        raise UserError(*NOT_LOCAL)
    with open_fresh_index(settings) as index:
        base = index.corpus.base
        page = search_lines(index, request)
    if settings.json:
        console.print_result(settings, page.as_json(counts_only=output.is_by_file), ())
    elif not page.total:
        _print_notes(settings, [f"No line matches {request.pattern}.", *_all_notes(page)])
    elif output.form == "text":
        _print_lines(page, output.color)
    else:
        _print_rows(page, settings, base, output.form)


def _print_rows(page: LinePage, settings: Settings, root: Path, form: str) -> None:
    """Prints rows for a program; notes go to stderr."""
    from feeder.cli import grep_rendering

    render = {
        "count": grep_rendering.render_counts,
        "files": grep_rendering.render_paths,
        "vimgrep": grep_rendering.render_vimgrep,
    }[form]
    console.print_result(settings, None, render(page, root))
    summary = grep_rendering.page_summary(page) if form == "vimgrep" else None
    _print_notes(settings, [*filter(None, [summary]), *_all_notes(page)])


def _print_lines(page: LinePage, color: str) -> None:
    from feeder.cli import grep_rendering
    from feeder.cli.terminal import stdout_terminal

    terminal = stdout_terminal(color)
    console.print_rendered(grep_rendering.render_matches(page, terminal))
    for text in (grep_rendering.page_summary(page), *_all_notes(page)):
        console.print_rendered(terminal.wrap(text))


def _all_notes(page: LinePage) -> Iterator[str]:
    """The notes on skipped files, on the search and on the state of the index."""
    notes = [*map(str, page.search_notes), page.status.note]
    yield from map(console.with_place, filter(None, notes))


def _print_notes(settings: Settings, notes: list[str]) -> None:
    for note in () if settings.quiet else notes:
        console.print_message(note)
