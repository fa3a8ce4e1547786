"""Updates a part of the index: named files and folders (`process`, `delete`) or a list of
changes (`apply`).
"""

import os
from collections.abc import Callable, Iterable, Sequence, Set
from pathlib import Path

from feeder.errors import UserError
from feeder.source import git_files
from feeder.source.deltas import Delta
from feeder.source.exclusions import exclusion_cause
from feeder.source.paths import escape_name, is_below
from feeder.store.index_state import IndexState
from feeder.sync.context import SyncContext
from feeder.sync.sync import Target, plan_target, sync_as_owner


def process_paths(run: SyncContext, base: Path, paths: Sequence[Path], *, dry_run: bool) -> None:
    """Indexes the files at and below these paths, and removes those that no longer exist.

    Files outside of a sparse checkout stay indexed. Raises UserError for a path that neither
    exists nor is in the index.
    """
    # like the source tree: a link to a folder stands for the folder
    scopes = [_relative_path(base, path.resolve() if path.is_dir() else path) for path in paths]
    indexed = run.index.read_state({}).files or {}
    for path, scope in zip(paths, scopes, strict=True):
        if not os.path.lexists(path) and not any(_contains([scope], file) for file in indexed):
            raise UserError(
                f"{path} does not exist, and the index has no file there.", "Correct --path."
            )
    parser = {run.index.meta_key("parser"): run.parser.fingerprint}
    target = Target(run.tree.entries(), parser if "" in scopes else {})
    sparse = {escape_name(name) for name in git_files.sparse_files(base)}
    _apply_below(run, scopes, target, sparse, dry_run=dry_run)
    for path, scope in zip(paths, scopes, strict=True):
        if path.is_dir() and not any(is_below(entry.path, scope) for entry in target.entries):
            run.report.notes.append(
                f"Nothing was indexed at {path}: {exclusion_cause(base, path)}."
            )


def delete_paths(run: SyncContext, base: Path, paths: Sequence[Path], *, dry_run: bool) -> None:
    """Removes the files at and below these paths from the index."""
    scopes = [_relative_path(base, path) for path in paths]
    state = _apply_below(run, scopes, Target([], {}), dry_run=dry_run)
    if not run.report.files_deleted:
        reason = "" if run.index.meta_key("run") in state.meta else "; the index is empty"
        names = ", ".join(map(str, paths))
        run.report.notes.append(f"Nothing was deleted: the index has no file at {names}{reason}.")


def apply_deltas(run: SyncContext, deltas: Iterable[Delta], *, dry_run: bool) -> None:
    """Applies each delta; a file to process may be gone, and one to delete need not be indexed."""
    actions = {delta.file: delta.action for delta in deltas}
    entries = [entry for entry in run.tree.entries() if actions.get(entry.path) == "process"]
    _apply(run, lambda: run.index.read_state_of(actions), Target(entries, {}), dry_run=dry_run)


def _apply_below(
    run: SyncContext,
    scopes: Sequence[str],
    target: Target,
    ignored_paths: Set[str] = frozenset(),
    *,
    dry_run: bool,
) -> IndexState:
    """Applies the target to the scopes, `ignored_paths` excepted; returns the state before."""
    state = IndexState({}, {}, {})

    def read() -> IndexState:
        nonlocal state
        state = run.index.read_state({})
        files = {
            path: row
            for path, row in (state.files or {}).items()
            if path not in ignored_paths and _contains(scopes, path)
        }
        state = state._replace(files=files)
        return state

    _apply(run, read, target, dry_run=dry_run)
    return state


def _apply(
    run: SyncContext, read_state: Callable[[], IndexState], target: Target, *, dry_run: bool
) -> None:
    if dry_run:
        plan_target(run, read_state(), target)
    else:
        sync_as_owner(run, read_state, target)


def _contains(scopes: Sequence[str], path: str) -> bool:
    return any(is_below(path, scope) for scope in scopes)


def _relative_path(base: Path, path: Path) -> str:
    """The path as in the index, empty for the base itself; it need not exist."""
    place = Path(os.path.realpath(path.parent)) / path.name if path.name else path.resolve()
    place = Path(os.path.normpath(place))
    if not place.is_relative_to(base):
        raise UserError(
            f"{path} is outside of {base}.",
            "Name a path inside it, or run feeder in the repository that contains this path.",
        )
    relative = place.relative_to(base)
    return "" if relative == Path() else escape_name(os.fsencode(relative.as_posix()))
