"""Entry point of the program: registers all commands, runs one, turns errors and broken pipes
into exit codes.
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
    """A group whose broken pipes click does not take for itself: it would end with 1 at any."""

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
        unread = [stream for stream in (sys.stdout, sys.stderr) if _is_closed(stream)]
        for stream in unread:
            _redirect_to_null(stream)
        raise (OutputClosed() if unread else FeederError(str(exc))) from exc


def _is_closed(stream: TextIO) -> bool:
    """Whether it is a pipe, or a socket, whose other end is closed."""
    poll = select.poll()
    poll.register(stream.fileno(), 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def _redirect_to_null(stream: TextIO) -> None:
    """What is still to be written, the interpreter's last flush too, goes nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def main() -> None:
    """Runs the program; the one place where errors become exit codes."""
    account = WorkflowReport()
    title = " ".join(["feeder", *sys.argv[1:2]])
    monitor = InterruptMonitor()
    try:
        with monitor, account.job as job:
            with job.group(title):
                code, error = _run_command(account, monitor)
            account.publish(title, error)
    except KeyboardInterrupt:  # it came before or after the command
        monitor.end_process()
    sys.exit(code)


def _run_command(
    account: WorkflowReport, monitor: InterruptMonitor
) -> tuple[int, FeederError | None]:
    """Returns the exit code and the error, after printing the error's message."""
    try:
        return cli.main(prog_name="feeder", standalone_mode=False, obj=account) or 0, None
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
            return UserError("an argument is not UTF-8. Write it so.")
    return FeederError(str(error))


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"]})
@version.version_option
def cli() -> None:
    """Keeps a search index of a repository, by word and by meaning, equal to its HEAD."""


for command in (
    *(sync.sync, sync.process, sync.delete, sync.apply),
    *(workflow.deltas, workflow.plan, workflow.action),
    *(maintenance.init, maintenance.validate, maintenance.cache, maintenance.doctor),
    *(search.search, search.similar, search.outline, search.show),
    *(evaluate.evaluate, queries.queries, maintenance.stats),
    *(serve.mcp, serve.serve, worker.worker),
):
    cli.add_command(command)


for command in (install.install, install.uninstall):
    serve.mcp.add_command(command)
