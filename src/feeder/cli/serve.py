"""Commands that serve an index to other programs: `mcp` (stdio) and `serve` (HTTP)."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from threading import Thread
from typing import Any

import click

from feeder.cli import console, options, search_options
from feeder.cli.command_help import ShortHelp, ShortHelpGroup
from feeder.cli.option_types import WholeNumber
from feeder.config import Settings
from feeder.errors import Interrupted

STDIN_IS_TERMINAL = (
    "This command speaks MCP with a coding agent on stdin and stdout. Add it to the agent with "
    "feeder mcp install; press Ctrl-D to end it here."
)

UNENCRYPTED = (
    "Other machines reach this server without encryption: anybody on the network in between can "
    "read the token and the code. Browsers also turn off their clipboard interface for such a "
    "page, so copying may fail there. Put a server that speaks TLS in front of it."
)


_sync_option = options.refresh_option("--sync/--no-sync", "--refresh/--no-refresh", "follows")


@click.group(
    cls=ShortHelpGroup,
    invoke_without_command=True,
    examples=(
        "feeder mcp install --all-found",
        "feeder mcp",
    ),
)
@_sync_option
@options.override_options
@search_options.query_log_option
@click.pass_context
def mcp(context: click.Context, /, follows: bool, **params: Any) -> None:
    """Serve the index to a coding agent over MCP (stdio)."""
    if context.invoked_subcommand:
        return
    from feeder.mcp.service import index_service
    from feeder.mcp.stdio import serve

    if sys.stdin.isatty():
        console.print_message(STDIN_IS_TERMINAL)
    tools = index_service(Settings(**params), auto_refresh=follows)
    try:
        serve(tools.mcp_server, tools.warm_up)
    except KeyboardInterrupt as exc:
        raise Interrupted("Stopped.") from exc
    finally:
        tools.close()


mcp.add_lazy_commands(
    {
        "install": "feeder.cli.install:install",
        "uninstall": "feeder.cli.install:uninstall",
    }
)


@click.command(
    cls=ShortHelp,
    examples=(
        "feeder serve --open",
        "feeder serve --port 8421 --no-sync",
    ),
)
@click.option(
    "--port",
    type=WholeNumber(0, 65535),
    help="Port; 0 takes any free one. Default: a free one near 8421.",
)
@click.option("--host", help="Also listen on this address, for other machines; needs --token.")
@click.option(
    "--token",
    envvar="FEEDER_TOKEN",
    show_envvar=True,
    help="Token that requests must send. Default: a new random one.",
)
@click.option("--open/--no-open", "opens", default=False, help="Open the page in the browser.")
@options.max_document_bytes_option
@_sync_option
@options.override_options
@search_options.query_log_option
def serve(
    port: int | None, host: str | None, token: str | None, opens: bool, follows: bool, **params: Any
) -> None:
    """Serve a search page, a JSON API and MCP over HTTP. MCP is at /mcp."""
    from feeder.mcp.service import index_service
    from feeder.web.server import (
        check_installed,
        is_loopback,
        listen,
        redirect_page,
        run_server,
    )

    check_installed()
    from feeder.web.access import AccessControl
    from feeder.web.app import create_app

    sockets, address = listen(host, port, token)
    tools = index_service(Settings(**params), auto_refresh=follows)
    if not is_loopback(address.host):
        console.print_message(UNENCRYPTED)
    console.print_text(str(address))
    with ExitStack() as stack:
        stack.callback(tools.close)
        if opens:
            _open_browser(stack.enter_context(redirect_page(str(address))))
        Thread(target=tools.warm_up, daemon=True).start()
        run_server(create_app(tools.mcp_server, AccessControl(*address), tools), sockets)


def _open_browser(page: Path) -> None:
    import webbrowser

    # click uses the desktop's default; webbrowser also knows browsers without a desktop
    if click.launch(str(page)) and not webbrowser.open(page.as_uri()):
        console.print_message("No browser could be started. Open the address above.")
