"""Types of options and arguments, whose errors say what to give."""

from pathlib import Path
from typing import Any

import click


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
