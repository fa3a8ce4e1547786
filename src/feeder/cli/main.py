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

from feeder.cli import (
    console,
    evaluate,
    install,
    maintenance,
    queries,
    search,
    serve,
    sync,
    version,
    worker,
    workflow,
)
from feeder.cli.interrupts import INTERRUPTED, InterruptMonitor
from feeder.errors import FeederError, Interrupted, OutputClosed, UserError
from feeder.github.outputs import WorkflowReport


class CommandGroup(click.Group):
    """The program's commands, listed in sections by `--help`.

    Handles broken pipes before click does, which would end with exit code 1.
    """

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._sections: dict[str, list[str]] = {}

    def add_section(self, title: str, *commands: click.Command) -> None:
        """Adds commands under a heading of `--help`."""
        self._sections[title] = [str(command.name) for command in commands]
        for command in commands:
            self.add_command(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Writes a section of `--help` for each group of commands, in aligned columns."""
        width = max(map(len, self.commands))
        for title, names in self._sections.items():
            with formatter.section(title):
                limit = formatter.width - formatter.current_indent - width - 2
                formatter.write_dl(
                    [
                        (name.ljust(width), self.commands[name].get_short_help_str(limit))
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
    except (KeyboardInterrupt, click.Abort):
        interrupted = Interrupted(INTERRUPTED)
        monitor.announce(lambda: console.print_message(f"feeder: {interrupted}"))
        return interrupted.exit_code, interrupted
    except (FeederError, OSError, UnicodeEncodeError) as exc:
        error = _translate_error(exc)
        console.print_message(f"feeder: {error}")
        return error.exit_code, error


def _translate_error(error: FeederError | OSError | UnicodeEncodeError) -> FeederError:
    match error:
        case FeederError():
            return error
        case UnicodeEncodeError():
            return UserError("An argument is not valid UTF-8. Correct its encoding.")
    return FeederError(str(error))


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@version.version_option
def cli() -> None:
    """Keep a repository searchable by words and by meaning, in an index equal to HEAD."""


cli.add_section(
    "Index", sync.sync, sync.process, sync.delete, sync.apply, workflow.deltas, maintenance.validate
)
cli.add_section(
    "Search",
    *(search.search, search.similar, search.outline, search.show),
    *(evaluate.evaluate, queries.queries),
)
cli.add_section("Serve", serve.mcp, serve.serve)
cli.add_section("Cloud", maintenance.init, worker.worker, workflow.plan, workflow.action)
cli.add_section("Maintenance", maintenance.stats, maintenance.doctor, maintenance.cache)

for command in (install.install, install.uninstall):
    serve.mcp.add_command(command)
