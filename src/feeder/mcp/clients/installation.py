"""Plans and applies the installation: which files change, their text before and after, and how
to revert them.

Nothing is written before every change is planned.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Literal, NamedTuple

from feeder.errors import UserError
from feeder.mcp.clients import Scope, hook_entries, instructions, text_files
from feeder.mcp.clients.known_clients import CLIENTS, KINDS, Client, Kind
from feeder.mcp.clients.receipts import Receipt, Receipts, make_receipt
from feeder.mcp.clients.server_entries import EntryEditor, is_own_entry, shell_command

Action = Literal["created", "changed", "deleted", "unchanged"]

_AGENTS_FILE = "AGENTS.md"
_KIND_NAMES: Mapping[Kind, str] = {
    "server": "server configuration",
    "instructions": "instruction file",
    "agent": "sub-agent file",
    "skill": "skill",
    "hook": "hook",
    "script": "hook",
}


class Target(NamedTuple):
    """A file to be changed, and the clients that read it; the first one decides its shape."""

    kind: Kind
    clients: tuple[Client, ...]
    scope: Scope
    file: Path


class Change(NamedTuple):
    """A file's text before and after, None for no file."""

    target: Target
    before: str | None
    after: str | None
    receipt: Receipt | None = None
    """Reverts the change; None if that is not possible."""
    folders: tuple[str, ...] = ()
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
    clients: Iterable[Client], scope: Scope, root: Path, kinds: Iterable[Kind]
) -> list[Target]:
    """The files to be written for these clients; a file that clients share is there once."""
    return _collect_targets(clients, scope, root, kinds, _file_to_write)


def possible_targets(clients: Iterable[Client], scope: Scope, root: Path) -> list[Target]:
    """All files of these clients that the installation may have written."""

    def files(client: Client, kind: Kind, scope: Scope, root: Path) -> list[Path]:
        existing = filter(Path.exists, client.candidate_files(kind, scope, root))
        return [*existing, *_file_to_write(client, kind, scope, root)]

    return _collect_targets(clients, scope, root, KINDS, files)


def _collect_targets(
    clients: Iterable[Client],
    scope: Scope,
    root: Path,
    kinds: Iterable[Kind],
    find_files: Callable[[Client, Kind, Scope, Path], list[Path]],
) -> list[Target]:
    """Raises UserError if a project's file is a link to outside of it.

    A commit may bring such a link, and the installation would write to a file elsewhere.
    """
    targets: dict[tuple[Kind, str], Target] = {}
    for kind, client in product(kinds, clients):
        for file in find_files(client, kind, scope, root):
            real = os.path.realpath(file)
            if scope == "project" and not Path(real).is_relative_to(os.path.realpath(root)):
                problem = f"{file} is a symbolic link that leads out of the project."
                raise UserError(problem, "Remove it.")
            target = targets.setdefault((kind, real), Target(kind, (), scope, file))
            if client not in target.clients:
                targets[kind, real] = target._replace(clients=(*target.clients, client))
    return list(targets.values())


def installed_instruction_files(scope: Scope, root: Path) -> list[Target]:
    """The instruction files of all clients that have the block already."""
    return [
        target
        for target in possible_targets(CLIENTS.values(), scope, root)
        if target.kind == "instructions"
        and instructions.BLOCK_START in (text_files.read(target.file) or "")
    ]


def unsupported_kinds(
    clients: Iterable[Client], scope: Scope, kinds: Iterable[Kind]
) -> Iterator[str]:
    """A sentence for each kind of file that a client does not have."""
    for name, client in product(dict.fromkeys(_KIND_NAMES[kind] for kind in kinds), clients):
        if not any(scope in client.files[kind] for kind in KINDS if _KIND_NAMES[kind] == name):
            yield f"{client.title} has no {name} at {scope} level, so none was written."


def _file_to_write(client: Client, kind: Kind, scope: Scope, root: Path) -> list[Path]:
    """The first candidate that exists, else the first one, if there is any."""
    files = client.candidate_files(kind, scope, root)
    chosen = [*filter(Path.exists, files), *files][:1]
    return [*map(_imported_file, chosen)] if kind == "instructions" else chosen


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
    with _naming_the_file(target.file):
        after = _add_own(target, before or "", command, is_forced)
        if after == before:
            return Change(target, before, after)
        text_files.check_writable(target.file)
        has_own = _has_own(target, before)
    earlier = receipts.get(target.file)
    if not has_own:
        receipt = make_receipt(before, after, text_files.missing_folders(target.file))
    elif earlier and before is not None and earlier.applies_to(before):
        receipt = make_receipt(earlier.undo(before), after, earlier.folders)  # reverts both
    else:
        receipt = None
    return Change(target, before, after, receipt)


def plan_uninstall(target: Target, receipts: Receipts, *, is_forced: bool) -> Change:
    """Plans the removal from one file; raises UserError if it cannot be edited.

    `is_forced` removes also an entry or a sub-agent of the same name that is not this program's.
    """
    before = text_files.read(target.file)
    with _naming_the_file(target.file):
        if before is None or not _has_own(target, before, is_forced):
            return Change(target, before, before)
        text_files.check_writable(target.file)
        earlier = receipts.get(target.file)
        folders = earlier.folders if earlier else ()
        if earlier and earlier.applies_to(before):
            after = earlier.undo(before)
            if not _has_own(target, after):
                return Change(target, before, after, folders=folders)
        after = _remove_own(target, before)
        is_blank = not after.strip("\ufeff \t\r\n{}")
    is_empty = is_blank and (earlier is None or earlier.old is None)
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
    deleted = [change for change in changes if change.after is None]
    text_files.remove_empty_folders(folder for change in deleted for folder in change.folders)


def _add_own(target: Target, text: str, command: list[str], is_forced: bool) -> str:
    client = target.clients[0]
    if target.kind == "server":
        entry = client.server_entry(target.scope, command)
        return _entry_editor(target).add(text, entry, force=is_forced)
    if target.kind == "hook":
        return hook_entries.add(text, target.scope)
    if target.kind == "instructions":
        return instructions.add_block(text, shell_command(command))
    if text and instructions.GENERATED_NOTE not in text and not is_forced:
        raise ValueError("feeder did not write it. Rename it, or replace it with --force")
    generate = instructions.GENERATED_FILES[target.kind]
    return generate(client, target.file.name, shell_command(command))


def _remove_own(target: Target, text: str) -> str:
    if target.kind == "server":
        return _entry_editor(target).remove(text)
    if target.kind == "hook":
        return hook_entries.remove(text)
    return instructions.remove_block(text) if target.kind == "instructions" else ""


def _has_own(target: Target, text: str | None, is_forced: bool = False) -> bool:
    """True if the file has an entry of this program; if forced, also of only its name."""
    if text is None:
        return False
    if target.kind == "instructions":
        return instructions.has_block(text)
    if target.kind in instructions.GENERATED_FILES:
        return instructions.GENERATED_NOTE in text or is_forced
    if "feeder" not in text:  # even a file that cannot be parsed
        return False
    if target.kind == "hook":
        return hook_entries.has_own(text)
    entry = _entry_editor(target).own_entry(text)
    return is_own_entry(entry) or (is_forced and entry is not None)


def _entry_editor(target: Target) -> EntryEditor:
    return EntryEditor(target.file.name, target.clients[0].servers_key)


@contextmanager
def _naming_the_file(file: Path) -> Iterator[None]:
    """Raises a ValueError of an edit as a UserError with the file's name."""
    try:
        yield
    except ValueError as exc:
        raise UserError(f"{file}: {exc}.", "Nothing was written.") from exc
