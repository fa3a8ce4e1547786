"""Parses the `[{"file", "action"}]` contract and computes it for two commits."""

import json
import os
import posixpath
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from feeder.errors import UserError
from feeder.source import git, git_files, paths
from feeder.source.git_command import git_output

Action = Literal["process", "delete"]
ACTIONS: tuple[Action, ...] = ("process", "delete")


class Delta(NamedTuple):
    """One entry of the contract; `file` is a path as in `Entry`."""

    file: str
    action: Action


class TreeChange(NamedTuple):
    """A name that differs between two commits; a mode of zeros says that it is not there."""

    name: bytes
    before: str
    after: str


class DeltaSet(NamedTuple):
    """What leads from one commit to another.

    With a `note`, a sentence that says why, there is nothing to start from: every file of the other
    commit is named, and what else an index holds is to be deleted.
    """

    deltas: list[Delta]
    note: str | None = None


_INVALID_PATHS = (
    (re.compile(r"\0"), "holds a NUL character; no file is named so"),
    (re.compile(r"\A(?:[A-Za-z]:)?/"), "is absolute; write it relative to the repository's root"),
    (re.compile(rf"(?!{paths.ESCAPE_PATTERN})\\"), "uses a backslash; write / between folders"),
    (re.compile(r"(?:\A|/)\.\.(?:/|\Z)"), "leads upwards; write it without .."),
    (re.compile(r"(?i)(?:\A|/)\.git(?:/|\Z)"), "is git's own; name files of the working tree"),
    (re.compile(r"\A[./]*\Z"), "names no file; write its path from the repository's root"),
)


def parse_deltas(text: str | bytes, root: Path | None = None) -> list[Delta]:
    """The entries of a JSON array; of two for the same file the later one counts.

    `root` is the working tree, where there is one: no path may leave it through a symbolic link.
    Raises UserError for the first entry that cannot be followed.
    """
    latest: dict[str, Delta] = {}
    for number, item in enumerate(_parse_array(text), start=1):
        try:
            delta = _parse_delta(item, root)
        except ValueError as exc:
            shown = json.dumps(item)[:200]
            raise UserError(f"Entry {number} of the deltas {exc}: {shown}.") from exc
        latest[delta.file] = delta
    return list(latest.values())


def _parse_array(text: str | bytes) -> list[object]:
    try:
        items = json.loads(text.removeprefix("\ufeff") if isinstance(text, str) else text)
    except (ValueError, RecursionError) as exc:
        raise UserError(f"The deltas are not JSON ({exc}). {_EXPECTED}") from exc
    if not isinstance(items, list):
        raise UserError(f"The deltas are not a JSON array. {_EXPECTED}")
    return items


_EXPECTED = 'Write [{"file": "src/cart.py", "action": "process"}].'


def _parse_delta(item: object, root: Path | None) -> Delta:
    """Raises ValueError with the end of a sentence that begins with the entry."""
    if not isinstance(item, dict):
        raise ValueError('is not an object; write {"file": …, "action": …}')
    action = next((known for known in ACTIONS if known == item.get("action")), None)
    if action is None:
        raise ValueError('has no known action; write "process" or "delete"')
    file = item.get("file")
    if not isinstance(file, str) or not file:
        raise ValueError("has no file; write its path as a string")
    return Delta(_checked_path(file, root), action)


def _checked_path(file: str, root: Path | None) -> str:
    for pattern, why in _INVALID_PATHS:
        if pattern.search(file):
            raise ValueError(why)
    try:
        path = paths.escape_name(paths.unescape_path(posixpath.normpath(file)))
    except UnicodeEncodeError as exc:
        raise ValueError("holds half a character; write the file's name as UTF-8") from exc
    if root is not None and _leaves_repository(root, path):
        raise ValueError("leaves the repository through a symbolic link; name the file itself")
    return path


def _leaves_repository(root: Path, path: str) -> bool:
    place = os.path.realpath(paths.path_in(root, path))
    return not Path(place).is_relative_to(os.path.realpath(root))


def deltas_as_json(deltas: Iterable[Delta]) -> str:
    """The contract's text, as `parse` reads it."""
    return json.dumps([delta._asdict() for delta in deltas], ensure_ascii=False)


def checked_folder(text: str) -> str:
    """A folder's name as in `Entry.path`, empty for the root; raises UserError for what is none."""
    if posixpath.normpath(text) == ".":
        return ""
    try:
        return _checked_path(text, None)
    except ValueError as exc:
        raise UserError(f"The path {text!r} {exc}.") from exc


def compute_deltas(
    repository: Path, base: str, head: str = "HEAD", *, from_merge_base: bool = False
) -> DeltaSet:
    """What leads from `base`, or from where `head` left it, to `head`.

    A rename is a delete and a process; symbolic links and submodules count as absent. Raises
    UserError when `head` is not here.
    """
    tip = git.commit_id(repository, head)
    if tip is None:
        raise UserError(f"There is no commit {head!r} in {repository}. Fetch it first.")
    start, note = _base_commit(repository, base, tip, from_merge_base)
    if start is None:
        return DeltaSet(
            _all_files(repository, tip), f"{note}; every file of {tip} is named. {_DELETIONS_NOTE}"
        )
    changes = (_delta_of_change(change) for change in changed_files(repository, start, tip))
    return DeltaSet([delta for delta in changes if delta])


_DELETIONS_NOTE = "What is gone since is not: feeder sync takes it out."


def _base_commit(
    repository: Path, base: str, tip: str, from_merge_base: bool
) -> tuple[str | None, str]:
    """The commit to compare with, else None and the reason."""
    if not base.strip("0"):
        return None, "There is no base to compare with"
    start = git.commit_id(repository, base)
    if start is None and git.is_shallow(repository):
        return None, f"The base {base} is not in this shallow clone"
    if start is None:
        return None, f"The base {base} is not in this repository"
    if not from_merge_base:
        return start, ""
    return git.merge_base(repository, start, tip), f"{base} and {tip} have no common commit here"


def _all_files(repository: Path, tip: str) -> list[Delta]:
    files = git_files.ls_tree(repository, tip)
    return [
        Delta(paths.escape_name(f.name), "process") for f in files if git_files.is_regular(f.mode)
    ]


def changed_files(repository: Path, base: str, head: str) -> Iterator[TreeChange]:
    """The names that differ between two commits; a rename is two of them."""
    out = git_output(repository, "diff-tree", "-r", "-z", "--raw", "--no-renames", base, head)
    fields = iter(out.split(b"\0")[:-1])
    for status, name in zip(fields, fields, strict=True):
        before, after = status.decode().lstrip(":").split()[:2]
        yield TreeChange(name, before, after)


def _delta_of_change(change: TreeChange) -> Delta | None:
    path = paths.escape_name(change.name)
    if git_files.is_regular(change.after):
        return Delta(path, "process")
    return Delta(path, "delete") if git_files.is_regular(change.before) else None
