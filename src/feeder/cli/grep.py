"""The command `grep`: options, and the choice of output format."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from feeder.cli import console, options, search_options
from feeder.cli.command_help import ShortHelp
from feeder.cli.option_types import Command, WholeNumber
from feeder.config import Settings

if TYPE_CHECKING:
    from feeder.grep.exact_search import LinePage, LineRequest

MAX_LIMIT = 10_000
"""Matching lines of a page."""


NO_MATCH = 1
"""Exit code if no line matches, as with grep and ripgrep."""

OPTION_HINTS = {
    "limit": "-n is the number of lines to show; line numbers are always shown.",
}
"""Explains the options that mean something else in other programs of this name."""


class GrepCommand(ShortHelp):
    """A command that explains how to search for a pattern that begins with a dash."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Adds to the error for an unknown or misused option what to write."""
        given = list(args)
        args = _context_for_numbers(args)
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


_NUMBER_AFTER_C = re.compile(r"-C(\d+)\Z")


def _context_for_numbers(args: list[str]) -> list[str]:
    """Reads -C as in ripgrep if a number follows, and else as in git: the folder to run in.

    -C 3 and -C3 → --context 3; -C ../shop and -C ./3 stay.
    """
    result: list[str] = []
    for at, arg in enumerate(args):
        if arg == "--":
            return [*result, *args[at:]]
        if joined := _NUMBER_AFTER_C.match(arg):
            result += ["--context", joined[1]]
        else:
            is_context = arg == "-C" and "".join(args[at + 1 : at + 2]).isdecimal()
            result.append("--context" if is_context else arg)
    return result


def _lines_option(*names: str, help: str) -> Callable[[Command], Command]:
    return click.option(*names, metavar="N", type=WholeNumber(0, 100), default=None, help=help)


@click.command(
    cls=GrepCommand,
    examples=(
        "feeder grep -i 'todo|fixme' src",
        "feeder grep -w -l parse_config",
    ),
)
@click.argument("pattern")
@click.argument(
    "places", metavar="[PATH]...", nargs=-1, shell_complete=search_options.complete_path
)
@click.option("-F", "--fixed-strings", is_flag=True, help="Search for PATTERN as literal text.")
@click.option("-i", "--ignore-case", is_flag=True, help="Ignore case.")
@click.option("-w", "--word", "whole_words", is_flag=True, help="Match whole words only.")
@_lines_option("-A", "--after-context", help="Lines to show after each match.")
@_lines_option("-B", "--before-context", help="Lines to show before each match.")
@_lines_option("--context", help="Lines to show before and after; also -C N.")
@click.option("-c", "--count", is_flag=True, help="Print only the number of lines for each file.")
@click.option("-l", "--files", is_flag=True, help="Print only paths.")
@search_options.null_option
@search_options.line_format_option
@click.option(
    "-n",
    "--limit",
    metavar="N",
    type=WholeNumber(1, MAX_LIMIT),
    default=100,
    help="Maximum number of lines to show.",
)
@click.option(
    "--offset", metavar="N", type=WholeNumber(0), default=0, help="Skip the first N lines."
)
@click.option("--ok", is_flag=True, help="Exit with 0, not 1, if no line matches.")
@search_options.node_filter_options
@search_options.color_option
@options.wordless_options
def grep(pattern: str, places: tuple[str, ...], **params: Any) -> None:
    """List every line that matches a regular expression.

    Searches all indexed files, or only the files and folders in PATH. PATTERN is a Perl
    regular expression. Arguments after -- are never options.
    """
    from feeder.errors import UserError
    from feeder.grep.exact_search import LineRequest
    from feeder.query.request_filters import RequestFilters
    from feeder.source.grep import PatternOptions

    if not pattern:
        raise UserError("The pattern is empty.", "Write a pattern; `.` finds every line with text.")
    pattern_options = PatternOptions(*(params.pop(name) for name in PatternOptions._fields))
    limit, offset, ok, null = (params.pop(key) for key in ("limit", "offset", "ok", "null"))
    count, files, form, color = (params.pop(key) for key in ("count", "files", "form", "color"))
    search_options.check_null_option(null=null, files=files)
    around, *sides = (params.pop(f"{key}context") for key in ("", "before_", "after_"))
    before, after = (around if side is None else side for side in sides)
    output = LineOutput("count" if count else "files" if files else form, color, null=null)
    filters = RequestFilters.from_options(params)

    request = LineRequest(
        pattern,
        pattern_options,
        filters._replace(path=(*filters.path, *places)),
        limit,
        offset,
        before or 0,
        after or 0,
        reads_files=not output.is_by_file,
    )
    has_matches = print_matching_lines(request, output, Settings(**params))
    if not (has_matches or ok):
        click.get_current_context().exit(NO_MATCH)


class LineOutput(NamedTuple):
    """The format of a page of matching lines: text, vimgrep, count or files."""

    form: str = "text"
    color: str = "auto"
    null: bool = False

    @property
    def is_by_file(self) -> bool:
        """True for a format that has no lines."""
        return self.form in ("count", "files")


def print_matching_lines(request: LineRequest, output: LineOutput, settings: Settings) -> bool:
    """Runs a search for lines and prints its page; returns whether a line matches."""
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
        _print_lines(page, output.color, quiet=settings.quiet)
    elif output.null and output.form == "files":
        console.print_null_terminated(base, [file.path for file in page.files])
        _print_notes(settings, list(_all_notes(page)))
    else:
        _print_rows(page, settings, base, output.form)
    return bool(page.total)


def _print_rows(page: LinePage, settings: Settings, root: Path, form: str) -> None:
    """Prints rows for a program; notes go to stderr."""
    from feeder.cli import grep_rendering

    render = {
        "count": grep_rendering.render_counts,
        "files": grep_rendering.render_paths,
        "vimgrep": grep_rendering.render_vimgrep,
    }[form]
    console.print_result(settings, None, render(page, root))
    # --quiet hides notes, but not that lines or files are missing
    is_cut = page.at_least or (form == "vimgrep" and page.offset + len(page.matches) < page.total)
    if is_cut or (form == "vimgrep" and not settings.quiet):
        console.print_message(grep_rendering.page_summary(page))
    _print_notes(settings, list(_all_notes(page)))


def _print_lines(page: LinePage, color: str, *, quiet: bool) -> None:
    from feeder.cli import grep_rendering
    from feeder.cli.terminal import stdout_terminal

    terminal = stdout_terminal(color)
    console.print_rendered(grep_rendering.render_matches(page, terminal))
    for text in (grep_rendering.page_summary(page), *_all_notes(page, quiet=quiet)):
        console.print_rendered(terminal.wrap(text))


def _all_notes(page: LinePage, *, quiet: bool = False) -> Iterator[str]:
    """The notes on skipped files, on the search and on the state of the index."""
    notes = [*map(str, page.search_notes), page.status.note_for(quiet=quiet)]
    yield from map(console.with_place, filter(None, notes))


def _print_notes(settings: Settings, notes: list[str]) -> None:
    for note in () if settings.quiet else notes:
        console.print_message(note)
