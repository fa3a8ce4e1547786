"""Writes results to stdout and messages to stderr, with terminal control characters escaped."""

import json
from collections.abc import Iterable
from typing import Any

import click

from feeder import escaping
from feeder.config import Settings
from feeder.github.outputs import WorkflowReport


def account() -> WorkflowReport:
    """What the process will say of itself when it ends."""
    return click.get_current_context().ensure_object(WorkflowReport)


def print_result(settings: Settings, facts: Any, lines: Iterable[str]) -> None:
    """The result on stdout: for a machine, or for a person."""
    if settings.json:
        print_text(json.dumps(facts, ensure_ascii=False, indent=2))
    else:
        for line in lines:
            print_text(escaping.escape_line(line))


def print_rendered(lines: Iterable[str]) -> None:
    """Lines on stdout that have been made harmless where they were given their colours."""
    for line in lines:
        click.echo(account().job.neutralize_commands(line), color=True)


def print_text(text: str) -> None:
    """Text on stdout as it is; JSON means the same after it."""
    click.echo(account().job.neutralize_commands(escaping.escape_lines(text)))


def print_message(message: str) -> None:
    """A line for a person on stderr."""
    click.echo(escaping.escape_line(message), err=True)


def print_usage_error(error: click.ClickException) -> None:
    """As click does it, but what was said comes back as one line."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.ctx.get_help(), err=True)
        return
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context:
        hint = f"Try '{context.command_path} --help' for help."
        click.echo(f"{context.get_usage()}\n{hint}\n", err=True)
    print_message(f"Error: {error.format_message()}")
