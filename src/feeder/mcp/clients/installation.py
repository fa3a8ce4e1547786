"""Plans and applies the installation: which files change, their text before and after, and how
to revert them.

Nothing is written before every change is planned.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Literal, TypeVar

from feeder.errors import UserError
from feeder.mcp.clients import Scope, instructions, text_files
from feeder.mcp.clients.client_paths import candidate_files, config_file
from feeder.mcp.clients.known_clients import CLIENTS, Client, PathTemplates
from feeder.mcp.clients.receipts import Receipt, Receipts, make_receipt
from feeder.mcp.clients.server_entries import (
    EntryEditor,
    is_blank_config,
    is_own_entry,
    shell_command,
)

Kind = Literal["server", "instructions", "agent"]
KINDS: tuple[Kind, ...] = ("server", "instructions", "agent")
Action = Literal["created", "changed", "deleted", "unchanged"]
Result = TypeVar("Result")

_AGENTS_FILE = "AGENTS.md"
_KIND_NAMES: Mapping[Kind, str] = {
    "server": "server configuration",
    "instructions": "instruction file",
    "agent": "sub-agent file",
}


@dataclass(frozen=True)
class Target:
    """A file to be changed, and the clients that read it; the first one decides its shape."""

    kind: Kind
    clients: tuple[Client, ...]
    scope: Scope
    file: Path

    @property
    def titles(self) -> list[str]:
        return [client.title for client in self.clients]


@dataclass(frozen=True)
class Change:
    """A file's text before and after, None for no file."""

    target: Target
    before: str | None
    after: str | None
    receipt: Receipt | None = None
    """Reverts the change; None if that is not possible."""
    folders: tuple[Path, ...] = ()
    """Folders to be removed with the file if they are empty then."""

    @property
    def action(self) -> Action:
        if self.before == self.after:
            return "unchanged"
        if self.before is None:
            return "created"
        return "deleted" if self.after is None else "changed"

    def diff(self) -> Iterator[str]:
        """The lines of a unified diff, without line ends."""
        yield from text_files.diff(self.target.file, self.before, self.after)


def install_targets(
    clients: Sequence[Client], scope: Scope, root: Path, kinds: Iterable[Kind]
) -> list[Target]:
    """The files to be written for these clients; a file that clients share is there once."""

    def files(client: Client, kind: Kind) -> list[Path]:
        return _files_to_write(client, kind, scope, root)

    return _check_inside_project(_collect_targets(clients, scope, kinds, files), root)


def possible_targets(clients: Sequence[Client], scope: Scope, root: Path) -> list[Target]:
    """All files of these clients that the installation may have written."""

    def files(client: Client, kind: Kind) -> list[Path]:
        candidates = candidate_files(_path_templates(client, kind), scope, root)
        return [*filter(Path.exists, candidates), *_files_to_write(client, kind, scope, root)]

    return _check_inside_project(_collect_targets(clients, scope, KINDS, files), root)


def _collect_targets(
    clients: Sequence[Client],
    scope: Scope,
    kinds: Iterable[Kind],
    find_files: Callable[[Client, Kind], list[Path]],
) -> list[Target]:
    targets: dict[tuple[Kind, str], Target] = {}
    for kind, client in product(kinds, clients):
        for file in find_files(client, kind):
            key = kind, os.path.realpath(file)
            target = targets.get(key, Target(kind, (), scope, file))
            if client not in target.clients:
                targets[key] = replace(target, clients=(*target.clients, client))
    return list(targets.values())


def _check_inside_project(targets: list[Target], root: Path) -> list[Target]:
    """Returns the targets; raises UserError if a project's file is a link to outside of it.

    A commit may bring such a link, and the installation would write to a file elsewhere.
    """
    for target in targets:
        is_inside = Path(os.path.realpath(target.file)).is_relative_to(os.path.realpath(root))
        if target.scope == "project" and not is_inside:
            problem = f"{target.file} is a symbolic link that leads out of the project."
            raise UserError(problem, "Remove it.")
    return targets


def installed_instruction_files(scope: Scope, root: Path) -> list[Target]:
    """The instruction files of all clients that have the block already."""
    return [
        target
        for target in possible_targets(CLIENTS, scope, root)
        if target.kind == "instructions"
        and _contains(text_files.read(target.file), instructions.BLOCK_START)
    ]


def unsupported_kinds(
    clients: Sequence[Client], scope: Scope, root: Path, kinds: Iterable[Kind]
) -> Iterator[str]:
    """A sentence for each kind of file that a client does not have."""
    for kind, client in product(kinds, clients):
        if not _files_to_write(client, kind, scope, root):
            yield f"{client.title} has no {_KIND_NAMES[kind]} for a {scope}."


def _files_to_write(client: Client, kind: Kind, scope: Scope, root: Path) -> list[Path]:
    file = config_file(_path_templates(client, kind), scope, root)
    if file and kind == "instructions":
        file = _imported_file(file)
    return [file] if file else []


def _path_templates(client: Client, kind: Kind) -> PathTemplates:
    by_kind = {
        "server": client.server_files,
        "instructions": client.instruction_files,
        "agent": client.agent_files,
    }
    return by_kind[kind]


def _imported_file(file: Path) -> Path:
    """The AGENTS.md that an instruction file imports: CLAUDE.md is often only `@AGENTS.md`."""
    text = (text_files.read(file) or "") if file.name != _AGENTS_FILE else ""
    imports = f"@{_AGENTS_FILE}" in (line.strip() for line in text.splitlines())
    agents_file = file.with_name(_AGENTS_FILE)
    is_used = imports and agents_file.is_file() and instructions.BLOCK_START not in text
    return agents_file if is_used else file


def plan_install(
    target: Target, command: list[str], receipts: Receipts, *, is_forced: bool
) -> Change:
    """Plans the installation into one file; raises UserError if it cannot be edited.

    `is_forced` replaces an entry or a sub-agent of the same name that is not this program's.
    """
    before = text_files.read(target.file)
    after = _edit_or_fail(target, lambda: _add_own(target, before or "", command, is_forced))
    if after == before:
        return Change(target, before, after)
    text_files.check_writable(target.file)
    return Change(target, before, after, _install_receipt(target, before, after, receipts))


def _install_receipt(
    target: Target, before: str | None, after: str, receipts: Receipts
) -> Receipt | None:
    """The receipt of an installation; one over an earlier one reverts both."""
    if not _has_own(target, before, is_forced=False):
        created = tuple(map(str, text_files.missing_folders(target.file)))
        return make_receipt(before, after)._replace(folders=created)
    earlier = receipts.get(target.file)
    if before is not None and earlier and earlier.applies_to(before):
        return make_receipt(earlier.undo(before), after)._replace(folders=earlier.folders)
    return None


def plan_uninstall(target: Target, receipts: Receipts, *, is_forced: bool) -> Change:
    """Plans the removal from one file; raises UserError if it cannot be edited.

    `is_forced` removes also an entry or a sub-agent of the same name that is not this program's.
    """
    before = text_files.read(target.file)
    if before is None or not _has_own(target, before, is_forced):
        return Change(target, before, before)
    text_files.check_writable(target.file)
    earlier = receipts.get(target.file)
    folders = tuple(map(Path, earlier.folders)) if earlier else ()
    if earlier and earlier.applies_to(before):
        after = earlier.undo(before)
        if not _has_own(target, after, is_forced=False):
            return Change(target, before, after, folders=folders)
    after = _edit_or_fail(target, lambda: _remove_own(target, before))
    is_empty = is_blank_config(after) and (earlier is None or earlier.old is None)
    return Change(target, before, None if is_empty else after, folders=folders)


def apply_changes(changes: Sequence[Change], receipts: Receipts) -> None:
    """Writes the planned changes; raises UserError for the first file that cannot be written."""
    changes = [change for change in changes if change.action != "unchanged"]
    receipts.save({change.target.file: change.receipt for change in changes})
    for change in changes:
        if change.after is None:
            text_files.delete(change.target.file)
        else:
            text_files.write(change.target.file, change.after)
    text_files.remove_empty_folders(
        folder for change in changes if change.after is None for folder in change.folders
    )


def _add_own(target: Target, text: str, command: list[str], is_forced: bool) -> str:
    client = target.clients[0]
    match target.kind:
        case "server":
            entry = client.entry(target.scope, command)
            return _entry_editor(target).add(text, entry, force=is_forced)
        case "instructions":
            return instructions.add_block(text, shell_command(command))
    if text and instructions.GENERATED_NOTE not in text and not is_forced:
        raise ValueError("this program did not write it. Rename it, or replace it with --force")
    return instructions.agent_file(client, target.file.name, shell_command(command))


def _remove_own(target: Target, text: str) -> str:
    match target.kind:
        case "server":
            return _entry_editor(target).remove(text)
        case "instructions":
            return instructions.remove_block(text)
    return ""


def _has_own(target: Target, text: str | None, is_forced: bool) -> bool:
    """True if the file has an entry of this program; if forced, also of only its name."""
    if text is None:
        return False
    match target.kind:
        case "server":
            if not _contains(text, "feeder"):  # even a file that cannot be parsed
                return False
            entry = _edit_or_fail(target, lambda: _entry_editor(target).own_entry(text))
            return is_own_entry(entry) or (is_forced and entry is not None)
        case "instructions":
            return _edit_or_fail(target, lambda: instructions.has_block(text))
    return instructions.GENERATED_NOTE in text or is_forced


def _contains(text: str | None, word: str) -> bool:
    return text is not None and word in text


def _entry_editor(target: Target) -> EntryEditor:
    return EntryEditor(target.file.name, target.clients[0].server_keys)


def _edit_or_fail(target: Target, edit: Callable[[], Result]) -> Result:
    """The result of an edit; a ValueError becomes a UserError with the file's name."""
    try:
        return edit()
    except ValueError as exc:
        raise UserError(f"{target.file}: {exc}.", "Nothing was written.") from exc
