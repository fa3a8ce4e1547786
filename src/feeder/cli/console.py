"""Writes results to stdout and messages to stderr, with terminal control characters escaped."""

import json
import os
import re
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from feeder import escaping
from feeder.cli.lazy_group import LazyGroup
from feeder.config import Settings
from feeder.github.outputs import WorkflowReport

MAX_COMMANDS_WITH_OPTION = 2
"""Commands named in the error for an option that another command has."""
_PLACE_KEY = "feeder.place"
_SYNC = re.compile(r"\bfeeder (?:sync|process --path \.)(?! in (?:that|its) folder)(?=[^\w-]|$)")


def remember_place(context: click.Context, parameter: click.Parameter, value: Any) -> Any:
    """Keeps a typed option that says where the index is, for commands in messages; a callback."""
    source = context.get_parameter_source(parameter.name or "")
    if source is click.core.ParameterSource.COMMANDLINE:
        option = min(parameter.opts, key=len)
        context.meta.setdefault(_PLACE_KEY, {})[option] = shlex.quote(str(value))
    return value


def with_place(text: str) -> str:
    """Returns a message with the options of `remember_place` in its commands to sync.

    "It is behind: feeder sync" → "It is behind: feeder sync -C ../shop"
    """
    context = click.get_current_context(silent=True)
    place: dict[str, str] = context.meta.get(_PLACE_KEY, {}) if context else {}
    options = [f" {option} {value}" for option, value in place.items() if f"{option} " not in text]
    return _SYNC.sub(lambda match: match[0] + "".join(options), text) if options else text


def account() -> WorkflowReport:
    """Returns the report for GitHub Actions that `main` publishes at the end."""
    return click.get_current_context().ensure_object(WorkflowReport)


def print_result(settings: Settings, facts: Any, lines: Iterable[str]) -> None:
    """Prints a result on stdout: `facts` as JSON with `--json`, else the lines."""
    if settings.json:
        print_text(json.dumps(facts, ensure_ascii=False, indent=2))
    else:
        for line in lines:
            print_text(escaping.escape_line(line))


def print_report(settings: Settings, facts: Any, lines: Iterable[str]) -> None:
    """Prints what a command has done as `print_result` does; with `--quiet` only as JSON."""
    print_result(settings, facts, () if settings.quiet else lines)


def print_null_terminated(root: Path, paths: Iterable[str]) -> None:
    """Prints paths as they are on disk, relative to the current folder, for `xargs -0`."""
    from feeder.source.paths import path_in

    for path in paths:
        click.echo(os.fsencode(os.path.relpath(path_in(root, path))) + b"\0", nl=False)


def print_rendered(lines: Iterable[str]) -> None:
    """Prints lines on stdout whose control characters were escaped before they were colored."""
    for line in lines:
        click.echo(account().job.neutralize_commands(line), color=True)


def print_text(text: str) -> None:
    """Prints a text on stdout; escaping does not change the meaning of JSON."""
    click.echo(account().job.neutralize_commands(escaping.escape_lines(text)))


def print_message(message: str) -> None:
    """Prints a line on stderr."""
    click.echo(escaping.escape_line(with_place(message)), err=True)


def _commands_with(option: str, context: click.Context) -> str:
    """Names the commands that have an option, if few do: it may be meant for one of them."""
    group = context.find_root().command
    commands = group.load_commands() if isinstance(group, LazyGroup) else {}
    having = [
        f"feeder {name}"
        for name, command in commands.items()
        if any(option in parameter.opts for parameter in command.params)
    ]
    is_few = 0 < len(having) <= MAX_COMMANDS_WITH_OPTION
    return f" It is an option of {' and '.join(having)}." if is_few else ""


def print_usage_error(error: click.ClickException) -> None:
    """Prints an error as click does, with control characters of arguments escaped."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.ctx.get_help(), err=True)
        return
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context:
        hint = f"Try '{context.command_path} --help' for help."
        click.echo(f"{context.get_usage()}\n{hint}\n", err=True)
    message = error.format_message()
    if isinstance(error, click.MissingParameter):
        message = " ".join(message.split())  # click lists choices on lines of their own
    if isinstance(error, click.NoSuchOption) and context and context.parent is None:
        message += " Options come after the command, as in: feeder sync -C FOLDER"
    elif (
        isinstance(error, click.NoSuchOption)
        and context
        and (commands := _commands_with(error.option_name, context))
    ):
        # without the options of this command that are spelled alike
        message = f"{click.NoSuchOption(error.option_name).format_message()}{commands}"
    print_message(f"Error: {message}")
