"""Entry point of the program: registers all commands, runs one, and turns errors and broken
pipes into exit codes.
"""

import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

import click

from feeder.cli import console
from feeder.cli.interrupts import INTERRUPTED, InterruptMonitor
from feeder.cli.lazy_group import LazyGroup
from feeder.cli.version import version_option
from feeder.errors import FeederError, Interrupted, OutputClosed, UserError
from feeder.github.outputs import WorkflowReport


class CommandGroup(LazyGroup):
    """The program's commands, listed in sections by `--help`.

    Handles broken pipes before click does, which would end with exit code 1.
    """

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._sections: dict[str, list[str]] = {}

    def add_section(self, title: str, places: dict[str, str]) -> None:
        """Adds commands under a heading of `--help`; `places` as for `add_lazy_commands`."""
        self._sections[title] = list(places)
        self.add_lazy_commands(places)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes a section of `--help` for each group of commands, in aligned columns."""
        commands = self.load_commands()
        width = max(map(len, commands))
        for title, names in self._sections.items():
            with formatter.section(title):
                limit = formatter.width - formatter.current_indent - width - 2
                formatter.write_dl(
                    [
                        (name.ljust(width), commands[name].get_short_help_str(limit))
                        for name in names
                    ]
                )

    def make_context(self, *arguments: Any, **more: Any) -> click.Context:
        with _detect_closed_output():
            return super().make_context(*arguments, **more)

    def invoke(self, ctx: click.Context) -> Any:
        with _detect_closed_output():
            return super().invoke(ctx)


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
    monitor = InterruptMonitor()
    try:
        with monitor, workflow_report.job as job:
            with job.group(title):
                code, error = _run_command(workflow_report, monitor)
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
        console.print_message(f"feeder: {error}")
        return error.exit_code, error


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
            return UserError("An argument is not valid UTF-8. Correct its encoding.")
    return FeederError(str(error))


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@version_option
def cli() -> None:
    """Keep a repository searchable by words and by meaning, in an index equal to HEAD."""


def _in_module(module: str, *names: str) -> dict[str, str]:
    """Returns where each command is defined: a function of its name in a module of this package."""
    return {name: f"feeder.cli.{module}:{name}" for name in names}


cli.add_section(
    "Index",
    {
        **_in_module("sync", "sync", "process", "delete", "apply"),
        **_in_module("workflow", "deltas"),
        **_in_module("maintenance", "validate"),
    },
)
cli.add_section(
    "Search",
    {
        **_in_module("search", "search"),
        **_in_module("grep", "grep"),
        **_in_module("search", "similar", "outline", "show"),
        **_in_module("references", "references", "definition", "implementations"),
        **_in_module("impact", "impact"),
        **_in_module("overview", "overview"),
        **_in_module("evaluate", "evaluate"),
        **_in_module("queries", "queries"),
    },
)
cli.add_section("Serve", _in_module("serve", "mcp", "serve"))
cli.add_section(
    "Cloud",
    {
        **_in_module("maintenance", "init"),
        **_in_module("worker", "worker"),
        **_in_module("workflow", "plan", "action"),
    },
)
cli.add_section("Maintenance", _in_module("maintenance", "stats", "doctor", "cache"))
