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
from feeder.edge import configuration
from feeder.edge.configuration import Wanted
from feeder.edge.content import contents
from feeder.errors import UserError
from feeder.serve.install import files

Action = Literal["created", "changed", "deleted", "unchanged", "kept"]
WRITTEN = ".written.json"
"""What was written here, so that an edit is told from an older version."""
_UNSHOWN = ("worker.js", "worker.js.map", WRITTEN)
"""Files whose difference says nothing to a reader."""


class Written(NamedTuple):
    """A file's text before and after, None for no file; what somebody has edited is `kept`."""

    file: Path
    before: str | None
    after: str | None
    kept: bool = False

    @property
    def action(self) -> Action:
        if self.kept:
            return "kept"
        if self.before == self.after:
            return "unchanged"
        if self.before is None:
            return "created"
        return "deleted" if self.after is None else "changed"

    def diff(self) -> Iterator[str]:
        """The lines of a unified diff, without their ends; none of what is built."""
        if self.file.name not in _UNSHOWN and self.action not in ("kept", "unchanged"):
            yield from files.diff(self.file, self.before, self.after)


def planned(folder: Path, directory: Path, wanted: Wanted, *, is_forced: bool) -> list[Written]:
    """Each file of the folder, and the configuration, with what is to become of it."""
    _refuse_repository(folder)
    configured = configuration.place(folder, directory)
    where = Path(os.path.relpath(configured, folder)).as_posix()
    content = contents(where)
    known = _known(folder)
    plan = [
        _written(folder, name, content.get(name), known.get(name), is_forced=is_forced)
        for name in [*content, *(name for name in known if name not in content)]
    ]
    return [*plan, _manifest(folder, content, plan), _configured(configured, folder, wanted)]


def applied(plan: list[Written]) -> None:
    """Writes all of it; raises UserError before anything is written that cannot be."""
    changed = [one for one in plan if one.action not in ("kept", "unchanged")]
    for one in changed:
        files.check_writable(one.file)
    for one in changed:
        if one.after is None:
            files.delete(one.file)
        else:
            files.write(one.file, one.after)


def _written(
    folder: Path, name: str, after: str | None, known: str | None, *, is_forced: bool
) -> Written:
    """What was not written here, or is edited since, is overwritten only where that is said."""
    file = folder / name
    _refuse_link(file, within=folder)
    before = files.read(file)
    is_ours = before is None or before == after or _digest(before) == known
    return Written(file, before, after, kept=not is_ours and not is_forced)


def _refuse_repository(folder: Path) -> None:
    """What keeps the folder out of the index would keep all of it out; git's own is git's."""
    place = folder.resolve()
    if (place / ".git").exists() or ".git" in place.parts:
        raise UserError(f"{folder} is a repository or inside .git. Name a folder of its own.")


def _refuse_link(file: Path, within: Path) -> None:
    """A commit may bring a link: what is written there would land in another place."""
    parents = [one for one in file.parents if one.is_relative_to(within) and one != within]
    for one in (file, *parents):
        if one.is_symlink():
            raise UserError(f"{one} is a symbolic link. Remove it.")


def _manifest(folder: Path, content: Mapping[str, str], plan: list[Written]) -> Written:
    """What was written by this version; of what is kept nothing is known."""
    kept = {one.file for one in plan if one.kept}
    digests = {name: _digest(text) for name, text in content.items() if folder / name not in kept}
    facts = {"feeder": feeder.__version__, "files": digests}
    file = folder / WRITTEN
    _refuse_link(file, within=folder)
    return Written(file, files.read(file), json.dumps(facts, indent=1) + "\n")


def _known(folder: Path) -> dict[str, str]:
    """The digests of what was written before, by the files' paths in the folder."""
    try:
        facts: Any = json.loads(files.read(folder / WRITTEN) or "{}")
        known = facts.get("files", {}).items()
        return {name: digest for name, digest in known if _is_inside(name)}
    except (ValueError, AttributeError) as exc:
        raise UserError(f"{folder / WRITTEN} is not as it was written. Remove it.") from exc


def _is_inside(name: str) -> bool:
    """A name that a file of the folder can have: it may be deleted by it."""
    path = Path(name)
    return not path.is_absolute() and ".." not in path.parts


def _configured(file: Path, folder: Path, wanted: Wanted) -> Written:
    before = files.read(file)
    after = before or wrangler.new_file_text(wanted.names.database_name)
    facts = wrangler.parse_settings(file, after)
    for path, value in [*configuration.changes(facts, file, folder, wanted)]:
        after = wrangler.set_value(file, after, path, value)
    return Written(file, before, after)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
