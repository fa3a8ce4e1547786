"""What has to be written so that a folder is the Worker's? Nothing before all is known."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

import feeder
from feeder.cloudflare import wrangler
from feeder.edge import worker_config
from feeder.edge.content import folder_contents
from feeder.edge.worker_config import WorkerSettings
from feeder.errors import UserError
from feeder.mcp.clients import text_files

Action = Literal["created", "changed", "deleted", "unchanged", "kept"]
MANIFEST_FILE = ".written.json"
"""What was written here, so that an edit is told from an older version."""
_NOT_DIFFED = ("worker.js", "worker.js.map", MANIFEST_FILE)
"""Files whose difference says nothing to a reader."""


class PlannedFile(NamedTuple):
    """A file's text before and after, None for no file; what somebody has edited is `kept`."""

    file: Path
    before: str | None
    after: str | None
    is_kept: bool = False

    @property
    def action(self) -> Action:
        if self.is_kept:
            return "kept"
        if self.before == self.after:
            return "unchanged"
        if self.before is None:
            return "created"
        return "deleted" if self.after is None else "changed"

    def diff(self) -> Iterator[str]:
        """The lines of a unified diff, without their ends; none of what is built."""
        if self.file.name not in _NOT_DIFFED and self.action not in ("kept", "unchanged"):
            yield from text_files.diff(self.file, self.before, self.after)


def plan_folder(
    folder: Path, directory: Path, settings: WorkerSettings, *, is_forced: bool
) -> list[PlannedFile]:
    """Each file of the folder, and the configuration, with what is to become of it."""
    _check_not_repository(folder)
    configured = worker_config.config_file(folder, directory)
    where = Path(os.path.relpath(configured, folder)).as_posix()
    content = folder_contents(where)
    known = _read_manifest(folder)
    plan = [
        _plan_file(folder, name, content.get(name), known.get(name), is_forced=is_forced)
        for name in [*content, *(name for name in known if name not in content)]
    ]
    return [
        *plan,
        _plan_manifest(folder, content, plan),
        _plan_config(configured, folder, settings),
    ]


def write_plan(plan: list[PlannedFile]) -> None:
    """Writes all of it; raises UserError before anything is written that cannot be."""
    changed = [one for one in plan if one.action not in ("kept", "unchanged")]
    for one in changed:
        text_files.check_writable(one.file)
    for one in changed:
        if one.after is None:
            text_files.delete(one.file)
        else:
            text_files.write(one.file, one.after)


def _plan_file(
    folder: Path, name: str, new_text: str | None, known_digest: str | None, *, is_forced: bool
) -> PlannedFile:
    """What was not written here, or is edited since, is overwritten only where that is said."""
    file = folder / name
    _check_no_symlink(file, within=folder)
    before = text_files.read(file)
    is_ours = before is None or before == new_text or _sha256(before) == known_digest
    return PlannedFile(file, before, new_text, is_kept=not is_ours and not is_forced)


def _check_not_repository(folder: Path) -> None:
    """What keeps the folder out of the index would keep all of it out; git's own is git's."""
    place = folder.resolve()
    if (place / ".git").exists() or ".git" in place.parts:
        raise UserError(f"{folder} is a repository or inside .git. Name a folder of its own.")


def _check_no_symlink(file: Path, within: Path) -> None:
    """A commit may bring a link: what is written there would land in another place."""
    parents = [one for one in file.parents if one.is_relative_to(within) and one != within]
    for one in (file, *parents):
        if one.is_symlink():
            raise UserError(f"{one} is a symbolic link. Remove it.")


def _plan_manifest(
    folder: Path, content: Mapping[str, str], plan: list[PlannedFile]
) -> PlannedFile:
    """What was written by this version; of what is kept nothing is known."""
    kept = {one.file for one in plan if one.is_kept}
    digests = {name: _sha256(text) for name, text in content.items() if folder / name not in kept}
    facts = {"feeder": feeder.__version__, "files": digests}
    file = folder / MANIFEST_FILE
    _check_no_symlink(file, within=folder)
    return PlannedFile(file, text_files.read(file), json.dumps(facts, indent=1) + "\n")


def _read_manifest(folder: Path) -> dict[str, str]:
    """The digests of what was written before, by the files' paths in the folder."""
    try:
        facts: Any = json.loads(text_files.read(folder / MANIFEST_FILE) or "{}")
        known = facts.get("files", {}).items()
        return {name: digest for name, digest in known if _is_relative_inside(name)}
    except (ValueError, AttributeError) as exc:
        raise UserError(f"{folder / MANIFEST_FILE} is not as it was written. Remove it.") from exc


def _is_relative_inside(name: str) -> bool:
    """A name that a file of the folder can have: it may be deleted by it."""
    path = Path(name)
    return not path.is_absolute() and ".." not in path.parts


def _plan_config(file: Path, folder: Path, settings: WorkerSettings) -> PlannedFile:
    before = text_files.read(file)
    after = before or wrangler.new_file_text(settings.names.database_name)
    facts = wrangler.parse_settings(file, after)
    for path, value in [*worker_config.config_changes(facts, file, folder, settings)]:
        after = wrangler.set_value(file, after, path, value)
    return PlannedFile(file, before, after)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
