"""Commands `mcp install` and `mcp uninstall`: add the MCP server to the configuration files of
coding agents, and remove it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from feeder.cli import console, options
from feeder.cli.command_help import ShortHelp
from feeder.cli.option_types import Command
from feeder.config import Settings
from feeder.errors import UserError

if TYPE_CHECKING:
    from feeder.mcp.clients import Scope
    from feeder.mcp.clients.installation import Change, Target
    from feeder.mcp.clients.known_clients import Client


def _client_option(purpose: str) -> Callable[[Command], Command]:
    text = f"Client to {purpose}: claude, cursor, vscode, codex, …; repeatable."
    return click.option("--client", "names", metavar="NAME", multiple=True, help=text)


def _force_option(verb: str) -> Callable[[Command], Command]:
    text = f"Also {verb} entries of the same name that feeder did not write."
    return click.option("--force", is_flag=True, help=text)


_scope_option = click.option(
    "--scope",
    type=click.Choice(["project", "user"]),
    default="user",
    show_default=True,
    help="Change your own configuration files (user), or files in this repository that you can "
    "commit (project).",
)
_FILES_WITH_ENTRIES: dict[Scope, str] = {
    "project": "Files of this repository have entries from feeder. To remove them",
    "user": "Your own configuration files have entries from feeder. To remove them",
}


class _ClientCommand(ShortHelp):
    """A command that takes clients with `--client`, and says so if one is an argument."""

    allow_extra_args = True

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Raises UsageError for any argument."""
        rest = super().parse_args(ctx, args)
        if rest and not ctx.resilient_parsing:
            example = f"{ctx.command_path} --client {rest[0]}"
            raise click.UsageError(f"'{rest[0]}' must follow --client, as in: {example}", ctx)
        return rest


@click.command(
    cls=_ClientCommand,
    examples=(
        "feeder mcp install --all-found",
        "feeder mcp install --client cursor --scope project",
    ),
)
@_client_option("set up")
@click.option("--all-found", is_flag=True, help="Change every client found on this machine.")
@_scope_option
@click.option(
    "--instructions", is_flag=True, help="Also add instructions to CLAUDE.md or AGENTS.md."
)
@click.option(
    "--skill", is_flag=True, help="Also write a skill that says which call answers which question."
)
@click.option("--agent", is_flag=True, help="Also write a sub-agent that uses the command line.")
@click.option(
    "--hook",
    is_flag=True,
    help="Also add a hook to Claude Code that suggests feeder when it greps for a symbol.",
)
@_force_option("change")
@options.dry_run_option
@options.git_options
def install(names: Sequence[str], all_found: bool, scope: Scope, **params: Any) -> None:
    """Add the MCP server to the configuration files of coding agents."""
    from feeder.mcp.clients import installation, server_entries
    from feeder.mcp.clients.known_clients import KINDS
    from feeder.mcp.clients.receipts import Receipts

    output = _InstallOutput(params)
    wanted = {"server", *(name for name, value in params.items() if value)}
    wanted |= {"script"} if "hook" in wanted else set()
    kinds = [kind for kind in KINDS if kind in wanted]
    clients = _choose_clients(names, all_found, scope, output)
    root = _project_root(params["directory"])
    missing = [*installation.unsupported_kinds(clients, scope, kinds)]
    targets = installation.install_targets(clients, scope, root, kinds)
    if not any(target.kind == "server" for target in targets):
        raise UserError(" ".join(missing), "Choose the other --scope.")
    if params["instructions"]:
        existing = installation.installed_instruction_files(scope, root)
        targets = _add_instruction_files(targets, existing)
    receipts, command = Receipts(), server_entries.server_command(scope)
    is_forced = params["force"]
    changes = [
        installation.plan_install(target, command, receipts, is_forced=is_forced)
        for target in targets
    ]
    if not output.is_dry_run:
        installation.apply_changes(changes, receipts)
    output.print_result(scope, changes, missing, command)


@click.command(
    cls=_ClientCommand,
    examples=("feeder mcp uninstall", "feeder mcp uninstall --client cursor --dry-run"),
)
@_client_option("remove feeder from")
@_scope_option
@_force_option("remove")
@options.dry_run_option
@options.git_options
def uninstall(names: Sequence[str], scope: Scope, **params: Any) -> None:
    """Remove what `install` wrote.

    Removes servers, instructions, skills, sub-agents and hooks. Changes the files of all clients,
    unless --client names some.
    """
    from feeder.mcp.clients import installation
    from feeder.mcp.clients.known_clients import CLIENTS
    from feeder.mcp.clients.receipts import Receipts

    output = _InstallOutput(params)
    receipts = Receipts()
    clients = _clients_by_name(names) or [*CLIENTS.values()]
    root = _project_root(params["directory"])

    def plan(scope: Scope, *, is_forced: bool) -> list[Change]:
        targets = installation.possible_targets(clients, scope, root)
        files = (
            installation.plan_uninstall(target, receipts, is_forced=is_forced) for target in targets
        )
        return [file for file in files if file.action != "unchanged"]

    changes = plan(scope, is_forced=params["force"])
    if not output.is_dry_run:
        installation.apply_changes(changes, receipts)
    output.print_result(scope, changes, [], None)
    other: Scope = "user" if scope == "project" else "project"
    if not changes and plan(other, is_forced=False):
        output.print_message(f"{_FILES_WITH_ENTRIES[other]}: feeder mcp uninstall --scope {other}")


def _project_root(directory: Path) -> Path:
    from feeder.session.workspace import base_folder

    return base_folder(directory)


def _clients_by_name(names: Sequence[str]) -> list[Client]:
    """Returns the clients with these names; raises UserError for an unknown name."""
    from feeder.mcp.clients.known_clients import CLIENTS

    for name in names:
        if name not in CLIENTS:
            raise UserError(f"There is no client {name!r}.", f"Choose one of {', '.join(CLIENTS)}.")
    return [CLIENTS[name] for name in dict.fromkeys(names)]


def _choose_clients(
    names: Sequence[str], all_found: bool, scope: Scope, output: _InstallOutput
) -> list[Client]:
    """Returns the named clients, or all found ones after `--all-found` or a confirmation."""
    from feeder.mcp.clients.known_clients import CLIENTS

    if names and all_found:
        raise UserError("--client and --all-found cannot be used together.", "Use one of them.")
    if names:
        return _clients_by_name(names)
    evidence = [(client, by) for client in CLIENTS.values() if (by := client.detected_by())]
    for client, by in evidence:
        output.print_message(f"Found {client.title}: {by}")
    if not evidence:
        remedy = f"Use --client with one of: {', '.join(CLIENTS)}."
        raise UserError("No client was found on this machine.", remedy)
    clients = [client for client, _ in evidence]
    if not all_found and not output.is_dry_run and not output.confirm(scope):
        listed = ", ".join(client.name for client in clients)
        raise UserError(
            "Nothing was written.", f"Use --all-found, or --client with one of: {listed}."
        )
    return clients


def _add_instruction_files(targets: list[Target], instruction_files: list[Target]) -> list[Target]:
    files = {target.file.resolve() for target in targets}
    return [*targets, *(page for page in instruction_files if page.file.resolve() not in files)]


class _InstallOutput:
    """Prints messages and the result of `mcp install` and `mcp uninstall`."""

    def __init__(self, params: dict[str, Any]) -> None:
        self.is_dry_run: bool = params["dry_run"]
        self._settings = Settings(
            directory=params["directory"], json=params["json"], quiet=params["quiet"]
        )

    def print_message(self, line: str) -> None:
        """Prints a line on stderr, unless `--quiet` is set."""
        if not self._settings.quiet:
            console.print_message(line)

    def confirm(self, scope: Scope) -> bool:
        """Asks the user for confirmation; returns False without a terminal."""
        is_interactive = sys.stdin.isatty() and sys.stderr.isatty() and not self._settings.json
        prompt = f"Change the {scope} files of these clients?"
        return is_interactive and click.confirm(prompt, default=True, err=True)

    def print_result(
        self,
        scope: Scope,
        changes: Sequence[Change],
        missing: Sequence[str],
        command: list[str] | None,
    ) -> None:
        """Prints what was changed, or would be."""
        for sentence in missing:
            self.print_message(sentence)
        facts: dict[str, Any] = {"scope": scope, "dry_run": self.is_dry_run}
        facts |= {"command": command} if command else {}
        facts["changes"] = [self._change_json(change) for change in changes]
        facts["missing"] = list(missing)
        console.print_result(self._settings, facts, self._change_lines(scope, changes))
        if (
            command
            and any(change.action != "unchanged" for change in changes)
            and not self.is_dry_run
        ):
            self.print_message("Restart the client. It may ask whether you trust the server.")

    def _change_json(self, change: Change) -> dict[str, Any]:
        target = change.target
        facts: dict[str, Any] = {
            "kind": target.kind,
            "clients": [client.name for client in target.clients],
            "file": str(target.file),
            "action": change.action,
        }
        return facts | ({"diff": [*change.diff()]} if self.is_dry_run else {})

    def _change_lines(self, scope: Scope, changes: Sequence[Change]) -> Iterator[str]:
        if not changes:
            yield f"Nothing to remove: no {scope} file has entries from feeder."
        for change in changes:
            if self.is_dry_run:
                yield from change.diff()
            titles = ", ".join(client.title for client in change.target.clients)
            target = change.target
            yield f"{self._action_label(change)} {target.file} ({target.kind} for {titles})"

    def _action_label(self, change: Change) -> str:
        is_done = change.action == "unchanged" or not self.is_dry_run
        return change.action if is_done else f"would be {change.action}:"
