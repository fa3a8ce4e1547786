"""A group of commands whose modules are imported only when a command is run or listed."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class LazyGroup(click.Group):
    """A group that knows its commands by name and imports each when it is run or listed.

    Importing the modules of all commands takes longer than most of what one command does.
    """

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        self._places: dict[str, str] = {}

    def add_lazy_commands(self, places: Mapping[str, str]) -> None:
        """Adds commands: names, each with its function as `package.module:function`."""
        self._places.update(places)

    def load_commands(self) -> dict[str, click.Command]:
        """Imports and returns all commands by name, in the order in which they were added."""
        return {name: self._load(name) for name in self._places}

    def list_commands(self, ctx: click.Context) -> list[str]:
        added = [name for name in super().list_commands(ctx) if name not in self._places]
        return [*self._places, *added]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        is_lazy = cmd_name in self._places
        return self._load(cmd_name) if is_lazy else super().get_command(ctx, cmd_name)

    def _load(self, name: str) -> click.Command:
        if name not in self.commands:
            module, _, function = self._places[name].partition(":")
            self.add_command(getattr(import_module(module), function), name)
        return self.commands[name]
