"""Commands `mcp install` and `mcp uninstall`: add the MCP server to the configuration files of
coding agents, and remove it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from feeder.cli import console, options
from feeder.config import Settings
from feeder.errors import UserError

if TYPE_CHECKING:
    from feeder.mcp.clients import Scope
    from feeder.mcp.clients.installation import Change, Target
    from feeder.mcp.clients.known_clients import Client

_client_option = click.option(
    "--client", "names", metavar="NAME", multiple=True, help="Of which client; several times."
)
_scope_option = click.option(
    "--scope",
    type=click.Choice(["project", "user"]),
    default="user",
    show_default=True,
    help="For all projects of this user, or in this project's files, which its git knows.",
)
_force_option = click.option(
    "--force", is_flag=True, help="Also what has the name but is not this program's."
)


@click.command()
@_client_option
@click.option("--all-found", is_flag=True, help="Of each client that is found on this machine.")
@_scope_option
@click.option("--instructions", is_flag=True, help="Tell the model too, in CLAUDE.md or AGENTS.md.")
@click.option("--agent", is_flag=True, help="Write a sub-agent too, that uses the command line.")
@_force_option
@options.dry_run_option
@options.git_options
def install(names: Sequence[str], all_found: bool, scope: Scope, **said: Any) -> None:
    """Write this server into the files of coding agents' clients."""
    from feeder.mcp.clients import installation, server_entries
    from feeder.mcp.clients.receipts import Receipts

    talk = _InstallOutput(said)
    kinds = [kind for kind in installation.KINDS if kind == "server" or said[kind]]
    clients = _choose_clients(names, all_found, scope, talk)
    root = _project_root(said["directory"])
    missing = [*installation.unsupported_kinds(clients, scope, root, kinds)]
    targets = installation.install_targets(clients, scope, root, kinds)
    if not any(target.kind == "server" for target in targets):
        raise UserError(" ".join([*missing, "Say the other --scope."]))
    if said["instructions"]:
        targets = _add_instruction_files(targets, installation.instructed_pages(scope, root))
    known, command = Receipts(), server_entries.server_command(scope)
    is_forced = said["force"]
    changes = [
        installation.plan_install(one, command, known, is_forced=is_forced) for one in targets
    ]
    if not talk.is_dry_run:
        installation.apply_changes(changes, known)
    talk.print_result(scope, changes, missing, command)


@click.command()
@_client_option
@_scope_option
@_force_option
@options.dry_run_option
@options.git_options
def uninstall(names: Sequence[str], scope: Scope, **said: Any) -> None:
    """Take out of clients' files what `install` has written: servers, instructions and sub-agents.

    Of all clients, unless --client names some.
    """
    from feeder.mcp.clients import installation
    from feeder.mcp.clients.known_clients import CLIENTS
    from feeder.mcp.clients.receipts import Receipts

    talk = _InstallOutput(said)
    known = Receipts()
    targets = installation.possible_targets(
        _clients_by_name(names) or CLIENTS, scope, _project_root(said["directory"])
    )
    found = [installation.plan_uninstall(one, known, is_forced=said["force"]) for one in targets]
    changes = [one for one in found if one.action != "unchanged"]
    if not talk.is_dry_run:
        installation.apply_changes(changes, known)
    talk.print_result(scope, changes, [], None)


def _project_root(directory: Path) -> Path:
    from feeder.session.workspace import base_folder

    return base_folder(directory)


def _clients_by_name(names: Sequence[str]) -> list[Client]:
    """The clients of these names; raises UserError for one that is not known."""
    from feeder.mcp.clients.known_clients import CLIENT_NAMES, client_by_name

    for name in names:
        if name not in CLIENT_NAMES:
            raise UserError(f"no client is called {name!r}. Say one of {', '.join(CLIENT_NAMES)}.")
    return [client_by_name(name) for name in dict.fromkeys(names)]


def _choose_clients(
    names: Sequence[str], all_found: bool, scope: Scope, output: _InstallOutput
) -> list[Client]:
    """Those that were named, or are found; without either, those that a person agrees to."""
    from feeder.mcp.clients.client_paths import detect_client
    from feeder.mcp.clients.known_clients import CLIENTS

    if names and all_found:
        raise UserError("--client and --all-found were said. Say one of them.")
    if names:
        return _clients_by_name(names)
    here = [(client, by) for client in CLIENTS if (by := detect_client(client))]
    for client, by in here:
        output.print_message(f"{client.title} is here: {by}")
    if not here:
        raise UserError("no client is found on this machine. Name one with --client.")
    chosen = [client for client, _ in here]
    if not all_found and not output.is_dry_run and not output.confirm(scope):
        known = ", ".join(client.name for client in chosen)
        raise UserError(f"nothing is written. Say --all-found, or --client with one of {known}.")
    return chosen


def _add_instruction_files(targets: list[Target], instruction_files: list[Target]) -> list[Target]:
    known = {target.file.resolve() for target in targets}
    return [*targets, *(page for page in instruction_files if page.file.resolve() not in known)]


class _InstallOutput:
    """What is said while clients' files are written."""

    def __init__(self, params: dict[str, Any]) -> None:
        self.is_dry_run: bool = params["dry_run"]
        self._settings = Settings(
            directory=params["directory"], json=params["json"], quiet=params["quiet"]
        )

    def print_message(self, line: str) -> None:
        """A line on stderr, unless the user wants none."""
        if not self._settings.quiet:
            console.print_message(line)

    def confirm(self, scope: Scope) -> bool:
        """Whether a person at the terminal wants these; nobody else is asked."""
        is_person = sys.stdin.isatty() and sys.stderr.isatty() and not self._settings.json
        question = f"Write the {scope}'s files of these?"
        return is_person and click.confirm(question, default=True, err=True)

    def print_result(
        self,
        scope: Scope,
        changes: Sequence[Change],
        missing: Sequence[str],
        command: list[str] | None,
    ) -> None:
        """The result: what was written, or would be."""
        for sentence in missing:
            self.print_message(sentence)
        facts: dict[str, Any] = {"scope": scope, "dry_run": self.is_dry_run}
        facts |= {"command": command} if command else {}
        facts["changes"] = [self._change_json(one) for one in changes]
        facts["missing"] = list(missing)
        console.print_result(self._settings, facts, self._change_lines(changes))
        if command and any(one.action != "unchanged" for one in changes) and not self.is_dry_run:
            self.print_message("Start the client anew; it may ask whether you trust the server.")

    def _change_json(self, change: Change) -> dict[str, Any]:
        target = change.target
        facts: dict[str, Any] = {
            "kind": target.kind,
            "clients": [client.name for client in target.clients],
            "file": str(target.file),
            "action": change.action,
        }
        return facts | ({"diff": [*change.diff()]} if self.is_dry_run else {})

    def _change_lines(self, changes: Sequence[Change]) -> Iterator[str]:
        if not changes:
            yield "nothing of this program is there"
        for change in changes:
            if self.is_dry_run:
                yield from change.diff()
            titles = ", ".join(change.target.titles)
            target = change.target
            yield f"{self._action_label(change)} {target.file} ({target.kind}: {titles})"

    def _action_label(self, change: Change) -> str:
        is_done = change.action == "unchanged" or not self.is_dry_run
        return change.action if is_done else f"would be {change.action}:"
