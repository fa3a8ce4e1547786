"""Commands that serve an index to other programs: `mcp` (stdio) and `serve` (HTTP)."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from threading import Thread
from typing import Any

import click

from feeder.cli import console, options
from feeder.config import Settings

STDIN_IS_TERMINAL = (
    "This speaks MCP with a coding agent, on stdin and stdout. Name it in the agent's settings; "
    "here it ends with Ctrl-D."
)


_sync_option = click.option(
    "--sync/--no-sync",
    "follows",
    default=True,
    help="Keep the index equal to the working tree, looking before each answer.",
)


@click.group(invoke_without_command=True)
@_sync_option
@options.override_options
@options.query_log_option
@click.pass_context
def mcp(context: click.Context, /, follows: bool, **said: Any) -> None:
    """Answer a coding agent's questions over MCP, on stdin and stdout, until stdin ends."""
    if context.invoked_subcommand:
        return
    from feeder.mcp.service import index_service
    from feeder.mcp.stdio import serve

    if sys.stdin.isatty():
        console.print_message(STDIN_IS_TERMINAL)
    tools = index_service(Settings(**said), auto_refresh=follows)
    try:
        serve(tools.mcp_server, tools.warm_up)
    finally:
        tools.close()


@click.command()
@click.option("--port", type=click.IntRange(1, 65535), help="Else a free one near 8421.")
@click.option("--host", help="Listen there too, for other machines; needs --token.")
@click.option(
    "--token",
    envvar="FEEDER_TOKEN",
    show_envvar=True,
    help="What whoever asks has to send; else one is made.",
)
@click.option("--open/--no-open", "opens", default=False, help="Open the page in the browser.")
@options.max_document_bytes_option
@_sync_option
@options.override_options
@options.query_log_option
def serve(
    port: int | None, host: str | None, token: str | None, opens: bool, follows: bool, **said: Any
) -> None:
    """Show a page of the index, and answer over HTTP, coding agents on /mcp, until Ctrl-C."""
    from feeder.mcp.service import index_service
    from feeder.web.server import check_installed, listen, redirect_page, run_server

    check_installed()
    from feeder.web.access import AccessControl
    from feeder.web.app import create_app

    some, address = listen(host, port, token)
    tools = index_service(Settings(**said), auto_refresh=follows)
    console.print_text(str(address))
    with ExitStack() as stack:
        stack.callback(tools.close)
        if opens:
            _open_browser(stack.enter_context(redirect_page(str(address))))
        Thread(target=tools.warm_up, daemon=True).start()
        run_server(create_app(tools.mcp_server, AccessControl(*address), tools), some)


def _open_browser(page: Path) -> None:
    import webbrowser

    # click knows the desktop's own way, and the other one browsers without a desktop
    if click.launch(str(page)) and not webbrowser.open(page.as_uri()):
        console.print_message("No browser could be opened: open the address above.")
