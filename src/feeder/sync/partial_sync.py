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
    """Indexes what lies at these paths; what the index holds below them and is gone, leaves it.

    What a sparse checkout leaves out is not gone. Raises UserError for a path that neither exists
    nor is in the index.
    """
    # as the tree does: a link to a folder stands for the folder
    scopes = [_relative_path(base, path.resolve() if path.is_dir() else path) for path in paths]
    known = run.index.read_state({}).files or {}
    for path, scope in zip(paths, scopes, strict=True):
        if not os.path.lexists(path) and not any(_contains([scope], file) for file in known):
            raise UserError(f"{path} does not exist, and the index has nothing of it. Mend --path.")
    made_by = {run.index.meta_key("parser"): run.parser.fingerprint}
    goal = Target(run.tree.entries(), made_by if "" in scopes else {})
    absent = {escape_name(name) for name in git_files.sparse_files(base)}
    _apply_below(run, scopes, goal, absent, dry_run=dry_run)
    for path, scope in zip(paths, scopes, strict=True):
        if path.is_dir() and not any(is_below(entry.path, scope) for entry in goal.entries):
            run.report.notes.append(
                f"Nothing was indexed at {path}: {exclusion_cause(base, path)}."
            )


def delete_paths(run: SyncContext, base: Path, paths: Sequence[Path], *, dry_run: bool) -> None:
    """Takes what the index holds at these paths and below them out of it."""
    scopes = [_relative_path(base, path) for path in paths]
    state = _apply_below(run, scopes, Target([], {}), dry_run=dry_run)
    if not run.report.files_deleted:
        is_fed = run.index.meta_key("run") in state.meta
        what = "The index has nothing at" if is_fed else "Nothing was ever indexed, so nothing at"
        run.report.notes.append(f"{what} {', '.join(map(str, paths))}.")


def apply_deltas(run: SyncContext, deltas: Iterable[Delta], *, dry_run: bool) -> None:
    """Follows each delta; to process what is gone, or delete what is not there, is fine."""
    actions = {delta.file: delta.action for delta in deltas}
    wanted = [entry for entry in run.tree.entries() if actions.get(entry.path) == "process"]
    _apply(run, lambda: run.index.read_state_of(actions), Target(wanted, {}), dry_run=dry_run)


def _apply_below(
    run: SyncContext,
    scopes: Sequence[str],
    target: Target,
    ignored_paths: Set[str] = frozenset(),
    *,
    dry_run: bool,
) -> IndexState:
    """What the index held there before; files at the paths `kept` are left as they are."""
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
    """The path as the index writes it, empty for the base itself; it need not exist."""
    place = Path(os.path.realpath(path.parent)) / path.name if path.name else path.resolve()
    place = Path(os.path.normpath(place))
    if not place.is_relative_to(base):
        raise UserError(f"{path} is outside of {base}. Name a path inside, or go there with -C.")
    relative = place.relative_to(base)
    return "" if relative == Path() else escape_name(os.fsencode(relative.as_posix()))
