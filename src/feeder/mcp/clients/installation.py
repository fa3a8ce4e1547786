"""Plans and applies the installation: which files change, their text before and after, and how
to revert them. Nothing is written before every change is planned.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
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
Result = TypeVar("Result")
_AGENTS_FILE = "AGENTS.md"
Action = Literal["created", "changed", "deleted", "unchanged"]


@dataclass(frozen=True)
class Target:
    """A file, and for which clients it is; the first one says in which shape."""

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
    """What takes it back; None where that is not known."""
    folders: tuple[Path, ...] = ()
    """That go with the file if they are empty then."""

    @property
    def action(self) -> Action:
        if self.before == self.after:
            return "unchanged"
        if self.before is None:
            return "created"
        return "deleted" if self.after is None else "changed"

    def diff(self) -> Iterator[str]:
        """The lines of a unified diff, without their ends."""
        yield from text_files.diff(self.target.file, self.before, self.after)


def install_targets(
    clients: Sequence[Client], scope: Scope, root: Path, kinds: Iterable[Kind]
) -> list[Target]:
    """The files of these clients to be written, each once, also where several share one."""
    known = _collect_targets(
        clients, scope, kinds, lambda client, kind: _files_to_write(client, kind, scope, root)
    )
    return _check_inside_project(known, root)


def possible_targets(clients: Sequence[Client], scope: Scope, root: Path) -> list[Target]:
    """All files of these clients that may have something of ours."""

    def places(client: Client, kind: Kind) -> list[Path]:
        there = [*filter(Path.exists, candidate_files(_path_templates(client, kind), scope, root))]
        return [*there, *_files_to_write(client, kind, scope, root)]

    return _check_inside_project(_collect_targets(clients, scope, KINDS, places), root)


def _collect_targets(
    clients: Sequence[Client],
    scope: Scope,
    kinds: Iterable[Kind],
    find_files: Callable[[Client, Kind], list[Path]],
) -> list[Target]:
    known: dict[tuple[Kind, str], Target] = {}
    for kind, client in product(kinds, clients):
        for file in find_files(client, kind):
            key = kind, os.path.realpath(file)
            first = known.get(key, Target(kind, (), scope, file))
            if client not in first.clients:
                known[key] = replace(first, clients=(*first.clients, client))
    return list(known.values())


def _check_inside_project(targets: list[Target], root: Path) -> list[Target]:
    """The targets; raises UserError where a project's file is a link that leads out of it.

    A commit may bring such a link: what is written there would land in another place.
    """
    for target in targets:
        inside = Path(os.path.realpath(target.file)).is_relative_to(os.path.realpath(root))
        if target.scope == "project" and not inside:
            raise UserError(
                f"{target.file} is a symbolic link that leads out of the project. Remove it."
            )
    return targets


def instructed_pages(scope: Scope, root: Path) -> list[Target]:
    """The pages that tell of the server already; all are kept in step."""
    pages = (page for page in possible_targets(CLIENTS, scope, root) if page.kind == "instructions")
    return [
        page for page in pages if _contains(text_files.read(page.file), instructions.BLOCK_START)
    ]


def unsupported_kinds(
    clients: Sequence[Client], scope: Scope, root: Path, kinds: Iterable[Kind]
) -> Iterator[str]:
    """A sentence for each file that was asked for and that a client does not have."""
    words = {
        "server": "file of servers",
        "instructions": "page of instructions",
        "agent": "file of sub-agents",
    }
    for kind, client in product(kinds, clients):
        if not _files_to_write(client, kind, scope, root):
            yield f"{client.title} has no {words[kind]} for a {scope}."


def _files_to_write(client: Client, kind: Kind, scope: Scope, root: Path) -> list[Path]:
    """The one to be written, or none."""
    file = config_file(_path_templates(client, kind), scope, root)
    if file and kind == "instructions":
        file = _imported_page(file)
    return [file] if file else []


def _path_templates(client: Client, kind: Kind) -> PathTemplates:
    by_kind = {
        "server": client.server_files,
        "instructions": client.instruction_files,
        "agent": client.agent_files,
    }
    return by_kind[kind]


def _imported_page(page: Path) -> Path:
    """The page that another only leads to: CLAUDE.md is often no more than `@AGENTS.md`."""
    text = (text_files.read(page) or "") if page.name != _AGENTS_FILE else ""
    leads = f"@{_AGENTS_FILE}" in (line.strip() for line in text.splitlines())
    other = page.with_name(_AGENTS_FILE)
    return other if leads and other.is_file() and instructions.BLOCK_START not in text else page


def plan_install(
    target: Target, command: list[str], receipts: Receipts, *, is_forced: bool
) -> Change:
    """What puts the server, or what tells of it, into a file; raises UserError where it cannot."""
    before = text_files.read(target.file)
    after = _edit_or_fail(target, lambda: _add_own(target, before or "", command, is_forced))
    if after == before:
        return Change(target, before, after)
    text_files.check_writable(target.file)
    made = tuple(map(str, text_files.missing_folders(target.file)))
    earlier = receipts.get(target.file)
    if not _has_own(target, before, is_forced=False):
        one: Receipt | None = make_receipt(before, after)._replace(folders=made)
    elif before is not None and earlier and earlier.applies_to(before):
        one = make_receipt(earlier.undo(before), after)._replace(folders=earlier.folders)
    else:
        one = None
    return Change(target, before, after, one)


def plan_uninstall(target: Target, receipts: Receipts, *, is_forced: bool) -> Change:
    """What takes out what is ours; raises UserError where the file cannot be read."""
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
    is_needless = is_blank_config(after) and (earlier is None or earlier.old is None)
    return Change(target, before, None if is_needless else after, folders=folders)


def apply_changes(changes: Sequence[Change], receipts: Receipts) -> None:
    """Writes what was planned; raises UserError for the first file that cannot be written."""
    real = [one for one in changes if one.action != "unchanged"]
    receipts.save({one.target.file: one.receipt for one in real})
    for one in real:
        if one.after is None:
            text_files.delete(one.target.file)
        else:
            text_files.write(one.target.file, one.after)
    text_files.remove_empty_folders(
        folder for one in real if one.after is None for folder in one.folders
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
        raise ValueError("it is not this program's. Rename it, or replace it with --force")
    return instructions.agent_file(client, target.file.name, shell_command(command))


def _remove_own(target: Target, text: str) -> str:
    match target.kind:
        case "server":
            return _entry_editor(target).remove(text)
        case "instructions":
            return instructions.remove_block(text)
    return ""


def _has_own(target: Target, text: str | None, is_forced: bool) -> bool:
    """Whether something of ours is in a file; by force also what only has our name."""
    if text is None:
        return False
    match target.kind:
        case "server":
            if not _contains(text, "feeder"):  # and need not be read, if it can be
                return False
            there = _edit_or_fail(target, lambda: _entry_editor(target).own_entry(text))
            return is_own_entry(there) or (is_forced and there is not None)
        case "instructions":
            return _edit_or_fail(target, lambda: instructions.has_block(text))
    return instructions.GENERATED_NOTE in text or is_forced


def _contains(text: str | None, word: str) -> bool:
    return text is not None and word in text


def _entry_editor(target: Target) -> EntryEditor:
    return EntryEditor(target.file.name, target.clients[0].server_keys)


def _edit_or_fail(target: Target, edit: Callable[[], Result]) -> Result:
    """What an edit makes; what it refuses is said with the file's name."""
    try:
        return edit()
    except ValueError as exc:
        raise UserError(f"{target.file}: {exc}. Nothing is written.") from exc
