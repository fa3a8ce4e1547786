"""Entry point of the program: registers all commands, runs one, and turns errors and broken
pipes into exit codes.
"""

import os
import select
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, TextIO

import click

from feeder.cli import console
from feeder.cli.interrupts import INTERRUPTED, InterruptMonitor
from feeder.cli.lazy_group import LazyGroup
from feeder.cli.version import version_option
from feeder.errors import (
    AmbiguousTargetError,
    FeederError,
    Interrupted,
    OutputClosed,
    UserError,
    translate_os_error,
)
from feeder.github.outputs import WorkflowReport

OTHER_NAMES = {
    "find": "search",
    "index": "sync",
    "read": "show",
    "status": "stats",
    "update": "sync",
}
"""Maps names used by MCP tools and similar programs to commands."""

MAX_TARGETS_ON_A_LINE = 3
"""Targets of an ambiguous name that are listed on one line."""


class CommandGroup(LazyGroup):
    """The program's commands, listed in sections by `--help`.

    Handles broken pipes before click does, which would end with exit code 1.
    """

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._sections: dict[str, dict[str, str]] = {}

    def add_section(self, title: str, commands: Mapping[str, "LazyCommand"]) -> None:
        """Adds commands by name under a heading of `--help`."""
        self._sections[title] = {name: command.summary for name, command in commands.items()}
        self.add_lazy_commands({name: command.place for name, command in commands.items()})

    @property
    def summaries(self) -> dict[str, str]:
        """The first sentence of each command's help, by name."""
        return {name: text for texts in self._sections.values() for name, text in texts.items()}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes a section of `--help` for each group of commands, in aligned columns.

        Imports no command: that would double the time.
        """
        width = max(map(len, self.summaries))
        for title, summaries in self._sections.items():
            with formatter.section(title):
                limit = formatter.width - formatter.current_indent - width - 2
                formatter.write_dl(
                    [
                        (
                            name.ljust(width),
                            click.Command(name, help=text).get_short_help_str(limit),
                        )
                        for name, text in summaries.items()
                    ]
                )

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Adds the nearest command to the error for a name that no command has."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as exc:
            if name := self._similar_command(args[0]):
                raise click.UsageError(f"{exc.message} Did you mean {name}?", ctx) from exc
            raise

    def _similar_command(self, name: str) -> str | None:
        from difflib import get_close_matches

        lowercase = name.lower()
        nearest = get_close_matches(lowercase, self.summaries, n=1)
        return OTHER_NAMES.get(lowercase) or next(iter(nearest), None)

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        with _detect_closed_output():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: click.Context) -> Any:
        with _detect_closed_output():
            try:
                return super().invoke(ctx)
            except FeederError as exc:
                exc.remedy = console.with_place(exc.remedy)
                raise


@contextmanager
def _detect_closed_output() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError as exc:
        closed = [stream for stream in (sys.stdout, sys.stderr) if _is_closed(stream)]
        for stream in closed:
            _redirect_to_null(stream)
        raise (OutputClosed() if closed else FeederError(str(exc))) from exc


def _is_closed(stream: TextIO) -> bool:
    """Tests for a pipe or socket whose other end is closed."""
    poll = select.poll()
    poll.register(stream.fileno(), 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def _redirect_to_null(stream: TextIO) -> None:
    """Discards all further output, including the interpreter's flush at exit."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
    os.close(null)


def main() -> None:
    """Runs the program and exits; the one place where errors become exit codes."""
    workflow_report = WorkflowReport()
    title = " ".join(["feeder", *sys.argv[1:2]])
    cancelled = Interrupted(INTERRUPTED)
    monitor = InterruptMonitor(before_end=lambda: workflow_report.cut_short(title, cancelled))
    try:
        with monitor, workflow_report.job as job:
            with job.group(title):
                code, error = _run_command(workflow_report, monitor)
                monitor.finish_work()
            workflow_report.publish(title, error)
    except KeyboardInterrupt:  # before or after the command
        monitor.end_process()
    sys.exit(code)


def _run_command(
    workflow_report: WorkflowReport, monitor: InterruptMonitor
) -> tuple[int, FeederError | None]:
    """Returns the exit code and the error, after printing the error's message."""
    try:
        return cli.main(prog_name="feeder", standalone_mode=False, obj=workflow_report) or 0, None
    except SystemExit as exc:
        return int(exc.code or 0), None
    except click.ClickException as exc:
        console.print_usage_error(exc)
        return exc.exit_code, UserError(exc.format_message())
    except OutputClosed as exc:
        return exc.exit_code, None
    except (KeyboardInterrupt, RuntimeError) as exc:
        if not _is_interrupt(exc):
            raise
        interrupted = Interrupted(INTERRUPTED)
        monitor.announce(lambda: console.print_message(f"feeder: {interrupted}"))
        return interrupted.exit_code, interrupted
    except (FeederError, OSError, UnicodeEncodeError) as exc:
        error = _translate_error(exc)
        _print_error(error)
        return error.exit_code, error


def _print_error(error: FeederError) -> None:
    """Prints the message; several targets, and reasons to doubt it, have lines of their own."""
    if isinstance(error, AmbiguousTargetError) and len(error.lines) > MAX_TARGETS_ON_A_LINE:
        remedy = f"{error.statement}. {error.remedy.rstrip('.')}:"
        lines = [f"  {line}" for line in error.lines]
    else:
        remedy, *lines = error.remedy.rsplit("\n", error.reason_count)
        remedy = f"{error.problem} {remedy}".rstrip()
    for line in (f"feeder: {remedy}", *lines):
        console.print_message(line)


def _is_interrupt(exc: BaseException) -> bool:
    """Python 3.11 wraps what is raised while a class sets the names of its attributes."""
    return isinstance(exc, KeyboardInterrupt | click.Abort) or isinstance(
        exc.__cause__, KeyboardInterrupt
    )


def _translate_error(error: FeederError | OSError | UnicodeEncodeError) -> FeederError:
    match error:
        case FeederError():
            return error
        case UnicodeEncodeError():
            return UserError("An argument is not valid UTF-8.", "Correct its encoding.")
    return translate_os_error(error)


@click.group(
    cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"], "show_default": True}
)
@version_option
def cli() -> None:
    """Search a repository by words, names and meaning.

    Start with: feeder search "what the code does"
    """


class LazyCommand(NamedTuple):
    """A command's place, `package.module:function`, and the first sentence of its help."""

    place: str
    summary: str


def _in_module(module: str, **summaries: str) -> dict[str, LazyCommand]:
    """Returns commands by name: functions of their names in a module of this package."""
    return {
        name: LazyCommand(f"feeder.cli.{module}:{name}", summary)
        for name, summary in summaries.items()
    }


cli.add_section(
    "Index",
    {
        **_in_module(
            "sync",
            sync="Bring the index up to date with HEAD.",
            process="Index files and folders as they are on disk.",
            delete="Remove files and folders from the index only.",
            apply="Apply a list of changes to the index.",
        ),
        **_in_module(
            "workflow",
            deltas="Print the changes between two commits as JSON.",
        ),
        **_in_module(
            "maintenance",
            validate="Check that the index is correct.",
        ),
        **_in_module(
            "share",
            publish="Publish the index for other clones to pull.",
            pull="Pull the published index nearest to HEAD, and update it.",
        ),
    },
)
cli.add_section(
    "Search",
    {
        **_in_module(
            "search",
            search="Search by words and by meaning.",
        ),
        **_in_module(
            "grep",
            grep="List every line that matches a regular expression.",
        ),
        **_in_module(
            "search",
            similar="Find code that is similar to a given node.",
            outline="List the symbols of a file, a folder or a glob.",
            show="Print a node or lines of a file, as they are now.",
        ),
        **_in_module(
            "references",
            references="List what refers to a symbol, or what it refers to.",
            definition="List where a name is defined.",
            implementations="List the subtypes of a type or the overrides of a member.",
        ),
        **_in_module(
            "impact",
            impact="List what a change touches, and the tests to run.",
        ),
        **_in_module(
            "overview",
            overview="Show packages, entry points and most-used symbols.",
        ),
        **_in_module(
            "evaluate",
            evaluate="Measure search quality with queries and their answers.",
        ),
        **_in_module(
            "queries",
            queries="Show frequent, slow, unanswered and reworded queries.",
        ),
    },
)
cli.add_section(
    "Serve and share",
    {
        **_in_module(
            "serve",
            mcp="Serve the index to a coding agent over MCP (stdio).",
            serve="Serve a search page, a JSON API and MCP over HTTP.",
        ),
        **_in_module(
            "maintenance",
            init="Create missing databases and indexes, or update the schema.",
        ),
        **_in_module(
            "worker",
            worker="Write a Cloudflare Worker that serves the index.",
        ),
        **_in_module(
            "workflow",
            plan="Print a job matrix that splits a first sync into shards.",
            action="Run what a GitHub Actions event needs.",
        ),
    },
)
cli.add_section(
    "Maintenance",
    {
        **_in_module(
            "maintenance",
            stats="Show what the index contains.",
            doctor="Check your setup, and say how to fix problems.",
            cache="Show or clear the embedding cache of this machine.",
        ),
        **_in_module("skipped", skipped="List the files that are not in the index, and why."),
        **_in_module("completion", completion="Print a script for Tab completion in a shell."),
        **_in_module("languages", languages="Test the definition of a language on a file."),
    },
)
