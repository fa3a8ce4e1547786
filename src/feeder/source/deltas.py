"""Parses deltas, the contract `[{"file", "action"}]`, and computes them for two commits."""

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
    """One change; `file` is a path as in `Entry`."""

    file: str
    action: Action


class TreeChange(NamedTuple):
    """A file that differs between two commits, with both modes; zeros if it does not exist."""

    name: bytes
    before: str
    after: str


class DeltaSet(NamedTuple):
    """The changes between two commits.

    If there is no base, `note` says why, and the deltas name every file of the head commit; they do
    not name files to delete.
    """

    deltas: list[Delta]
    note: str | None = None


_INVALID_PATHS = (
    (re.compile(r"\0"), "contains a NUL character, which no file name can; write its real name"),
    (re.compile(r"\A(?:[A-Za-z]:)?/"), "is absolute; write it relative to the repository's root"),
    (re.compile(rf"(?!{paths.ESCAPE_PATTERN})\\"), "uses a backslash; write / between folders"),
    (re.compile(r"(?:\A|/)\.\.(?:/|\Z)"), "contains ..; write the path without it"),
    (re.compile(r"(?i)(?:\A|/)\.git(?:/|\Z)"), "is inside .git; name files of the working tree"),
    (re.compile(r"\A[./]*\Z"), "names no file; write its path from the repository's root"),
)

_EXPECTED = 'Write [{"file": "src/cart.py", "action": "process"}].'

_COMMIT_ID = re.compile(r"[0-9a-f]{7,64}")
_DELETIONS_NOTE = "Deleted files are not listed; `feeder sync` removes them from the index."


def parse_deltas(text: str | bytes, root: Path | None = None) -> list[Delta]:
    """Parses a JSON array of deltas; of two for the same file the later one counts.

    `root` is the working tree, if there is one: no path may leave it through a symbolic link.
    Raises UserError for the first invalid entry.
    """
    latest: dict[str, Delta] = {}
    for number, item in enumerate(_parse_array(text), start=1):
        try:
            delta = _parse_delta(item, root)
        except ValueError as exc:
            raise UserError(
                f"Entry {number} of the deltas {exc}: {json.dumps(item)[:200]}."
            ) from exc
        latest[delta.file] = delta
    return list(latest.values())


def _parse_array(text: str | bytes) -> list[object]:
    try:
        items = json.loads(text.removeprefix("\ufeff") if isinstance(text, str) else text)
    except (ValueError, RecursionError) as exc:
        raise UserError(f"The deltas are not JSON ({exc}).", _EXPECTED) from exc
    if not isinstance(items, list):
        raise UserError("The deltas are not a JSON array.", _EXPECTED)
    return items


def _parse_delta(item: object, root: Path | None) -> Delta:
    """Raises ValueError with a predicate whose subject is the entry."""
    if not isinstance(item, dict):
        raise ValueError('is not an object; write {"file": …, "action": …}')
    action = next((name for name in ACTIONS if name == item.get("action")), None)
    if action is None:
        raise ValueError('has no valid action; write "process" or "delete"')
    file = item.get("file")
    if not isinstance(file, str) or not file:
        raise ValueError("has no file; write its path as a string")
    return Delta(_checked_path(file, root), action)


def _checked_path(file: str, root: Path | None) -> str:
    for pattern, reason in _INVALID_PATHS:
        if pattern.search(file):
            raise ValueError(reason)
    try:
        path = paths.escape_name(paths.unescape_path(posixpath.normpath(file)))
    except UnicodeEncodeError as exc:
        raise ValueError("contains a lone surrogate; write the file's name as UTF-8") from exc
    if root is not None and _leaves_repository(root, path):
        raise ValueError("leaves the repository through a symbolic link; name the file itself")
    return path


def _leaves_repository(root: Path, path: str) -> bool:
    real_path = os.path.realpath(paths.path_in(root, path))
    return not Path(real_path).is_relative_to(os.path.realpath(root))


def deltas_as_json(deltas: Iterable[Delta]) -> str:
    """The deltas as a JSON array, the input of `parse_deltas`."""
    return json.dumps([delta._asdict() for delta in deltas], ensure_ascii=False)


def checked_folder(text: str) -> str:
    """The folder of `--path` as in `Entry.path`, empty for the root; or raises UserError."""
    if posixpath.normpath(text) == ".":
        return ""
    try:
        return _checked_path(text, None)
    except ValueError as exc:
        raise UserError(f"--path {text!r} {exc}.") from exc


def compute_deltas(
    repository: Path, base: str, head: str = "HEAD", *, from_merge_base: bool = False
) -> DeltaSet:
    """The changes from `base`, or from its merge base with `head`, to `head`.

    A rename is a delete and a process; symbolic links and submodules count as deleted. Lists every
    file if the commit of an id is not here, as after a force push. Raises UserError if there is no
    commit `head`, or none of the name `base`.
    """
    head_id = git.commit_id(repository, head)
    if head_id is None:
        raise git.unknown_commit_error(repository, head)
    base_id, reason = _base_commit(repository, base, head_id, from_merge_base)
    if base_id is None:
        note = f"{reason}, so every file of {head_id} is listed. {_DELETIONS_NOTE}"
        return DeltaSet(_all_files(repository, head_id), note)
    changes = (_delta_of_change(change) for change in changed_files(repository, base_id, head_id))
    return DeltaSet([delta for delta in changes if delta])


def _base_commit(
    repository: Path, base: str, head_id: str, from_merge_base: bool
) -> tuple[str | None, str]:
    """The commit to compare with, or None and the reason."""
    if not base.strip("0"):
        return None, "There is no base to compare with"
    base_id = git.commit_id(repository, base)
    if base_id is None and git.is_shallow(repository):
        return None, f"The base {base} is not in this shallow clone"
    if base_id is None and not _COMMIT_ID.fullmatch(base):
        raise git.unknown_commit_error(repository, base)
    if base_id is None:
        return None, f"The base {base} is not in this repository"
    if not from_merge_base:
        return base_id, ""
    merge_base = git.merge_base(repository, base_id, head_id)
    return merge_base, f"{base} and {head_id} have no common commit here"


def _all_files(repository: Path, commit: str) -> list[Delta]:
    files = git_files.ls_tree(repository, commit)
    return [
        Delta(paths.escape_name(file.name), "process")
        for file in files
        if git_files.is_regular(file.mode)
    ]


def changed_files(repository: Path, base: str, head: str) -> Iterator[TreeChange]:
    """The files that differ between two commits; a renamed file counts twice."""
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
