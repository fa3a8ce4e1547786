"""Options with environment variables, and types of values whose errors say what to give."""

from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])


class NamedPath(click.Path):
    """A path that rejects an empty name, which an unset shell variable leaves."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Raises BadParameter for an empty name."""
        return super().convert(value, param, ctx) if value else self.fail(_EMPTY, param, ctx)


_EMPTY = "it is empty. Write a path, or leave the option out."
EXISTING_FOLDER = NamedPath(exists=True, file_okay=False, path_type=Path)
FILE_PATH = NamedPath(dir_okay=False, path_type=Path)


class WholeNumber(click.IntRange):
    """A whole number from `min` to `max`, whose error says what to give."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Raises BadParameter for a text that is no number, and for one out of range."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            limits = f"from {self.min} to {self.max:,}" if self.max else f"of at least {self.min}"
            self.fail(f"{value} is not a whole number {limits}.", param, ctx)


class _OnOrOff(click.types.BoolParamType):
    """A switch; a variable that is neither on nor off gets an error that says what to set."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> bool:
        """Raises BadParameter for any other text."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter:
            self.fail(f"{value} is neither on nor off. Set on or off.", param, ctx)


ON_OR_OFF = _OnOrOff()


class FileOrFolder(click.ParamType[Path]):
    """A file or a folder; rejects an empty name, which an unset shell variable leaves."""

    name = "path"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        return (
            Path(value)
            if value
            else self.fail("it is empty. Write . for the whole folder.", param, ctx)
        )


def env_option(
    name: str, help_text: str, *other_variables: str, **more: Any
) -> Callable[[Command], Command]:
    """An option with an environment variable of the same name, and other names for it."""
    variable = "FEEDER_" + name.partition("/")[0].lstrip("-").replace("-", "_").upper()
    variables = [variable, *other_variables]
    if "/" in name or more.get("is_flag"):
        more["type"] = ON_OR_OFF
    return click.option(name, help=help_text, envvar=variables, show_envvar=True, **more)


def max_bytes_option(name: str, files: str, default: int) -> Callable[[Command], Command]:
    """An option that limits the size of indexed files."""
    return env_option(
        f"--max-{name}-bytes",
        f"Skip {files} above this size in bytes.",
        default=default,
        type=WholeNumber(1),
        show_default=True,
    )


def add_options(command: Command, *options: Callable[[Command], Command]) -> Command:
    """Adds the options in the order in which `--help` lists them."""
    return reduce(lambda changed, option: option(changed), reversed(options), command)
