"""The commands that serve an index to other programs."""

from __future__ import annotations

import sys
from typing import Any

import click

from feeder.cli import console, options
from feeder.config import Settings

ALONE = (
    "This speaks MCP with a coding agent, on stdin and stdout. Name it in the agent's settings; "
    "here it ends with Ctrl-D."
)


@click.group(invoke_without_command=True)
@options.instead
@options.noting
@click.pass_context
def mcp(context: click.Context, /, **said: Any) -> None:
    """Answer a coding agent's questions over MCP, on stdin and stdout, until stdin ends."""
    if context.invoked_subcommand:
        return
    from feeder.serve.desk import Desk
    from feeder.serve.stdio import serve

    if sys.stdin.isatty():
        console.tell(ALONE)
    desk = Desk(Settings(**said))
    try:
        serve(desk.server, desk.warm)
    finally:
        desk.close()
