"""Starts a missing index from an existing one: that of another worktree, or a published one.

The sync that follows writes only what differs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from feeder.cloudflare.credentials import choose_store
from feeder.config import INDEX_FOLDER, Settings
from feeder.errors import FeederError, UserError
from feeder.progress import ProgressReporter
from feeder.session.folder_index import GIVEN_NAME_KEY
from feeder.session.workspace import INDEX_FILE, Workspace, index_file

PULL_LIMIT_S = 2.0
"""Time in which the source of a published index has to answer."""
_COMMIT_ID = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")


class _Candidate(NamedTuple):
    """The index of another worktree; `differing_files` is None if its commit is not known."""

    root: Path
    file: Path
    repo: str
    commit: str
    differing_files: int | None

    @property
    def distance(self) -> tuple[bool, int]:
        return self.differing_files is None, self.differing_files or 0


def copy_nearest_index(
    workspace: Workspace, settings: Settings, progress: ProgressReporter
) -> None:
    """Copies the index of another worktree, if the workspace has none of its own; else pulls a
    published one, if the repository's settings name it.

    The index whose commit differs from HEAD in the fewest files is taken. Prints where it comes
    from, or why an index was not taken. Does nothing for an index at Cloudflare, of a folder
    (--path) or of a shard; one at --db starts only from what FEEDER_PULL names.
    """
    is_partial = bool(settings.path) or settings.shard is not None
    if is_partial or choose_store(settings).is_cloud:
        return
    # checking the folder takes a process of git, which opening the index does anyway
    if settings.db is None and (workspace.base / INDEX_FOLDER / INDEX_FILE).exists():
        return
    target = index_file(workspace.base, settings)
    # SQLite would apply the log of a deleted index to the copy
    if target.exists() or target.with_name(f"{target.name}-wal").exists():
        return
    if settings.db is None and _copy_from_worktree(workspace, settings, target, progress):
        return
    from feeder.shared_settings import index_to_pull

    place = index_to_pull(None if settings.db else workspace.base)
    if place:
        _pull(place, workspace, settings, target, progress)


def _pull(
    place: str,
    workspace: Workspace,
    settings: Settings,
    target: Path,
    progress: ProgressReporter,
) -> None:
    """Pulls a published index.

    Prints the commit that it is of, or why the index is made here. A source that does not answer
    takes `PULL_LIMIT_S`.
    """
    from feeder.share.places import open_source
    from feeder.share.pull import pull
    from feeder.share.stores import failure_at
    from feeder.store.index_folder import create_index_folder

    try:
        if settings.db is None:
            create_index_folder(target.parent)
        with closing(open_source(place, workspace.base, PULL_LIMIT_S)) as source:
            pulled = pull(source, workspace.base, target, settings)
        if pulled:
            progress.message(str(pulled))
    except (FeederError, OSError) as exc:
        progress.message(f"{failure_at(place, str(exc))} The index is built here instead.")


def _copy_from_worktree(
    workspace: Workspace, settings: Settings, target: Path, progress: ProgressReporter
) -> bool:
    """Returns whether the index of another worktree was copied."""
    from feeder.source import git
    from feeder.store.index_copy import copy_index
    from feeder.store.index_folder import create_index_folder

    roots = git.other_worktrees(workspace.base)
    head = git.head_commit_or_none(workspace.base) if roots else None
    if head is None:
        return False
    candidates = _candidates(workspace, settings, roots, head, progress)
    for candidate in sorted(candidates, key=lambda one: one.distance):
        create_index_folder(target.parent)
        try:
            is_copied = copy_index(candidate.file, target, candidate.repo)
        except (FeederError, OSError) as exc:
            _report_failure(candidate.root, str(exc), progress)
            continue
        if is_copied:
            progress.message(_success_message(candidate))
        return True
    return False


def _candidates(
    workspace: Workspace,
    settings: Settings,
    roots: list[Path],
    head: str,
    progress: ProgressReporter,
) -> Iterator[_Candidate]:
    from feeder.source import git

    for root in roots:
        try:
            index = _usable_index(workspace.repo, root, settings)
        except (FeederError, OSError) as exc:
            _report_failure(root, str(exc), progress)
            continue
        if index:
            file, repo, commit = index
            differing = git.count_differing_files(workspace.base, commit, head) if commit else None
            yield _Candidate(root, file, repo, commit, differing)


def _usable_index(repo: str, root: Path, settings: Settings) -> tuple[Path, str, str] | None:
    """The index of a worktree, with its repository's name there and the commit that it names.

    The name may be an earlier one, unless it was given: the run renames the copy. None if the
    worktree has no index. Raises UserError for an index of other files.
    """
    from feeder.store.recorded_meta import read_meta

    file = index_file(root, settings)
    if not file.is_file():
        return None
    meta = read_meta(file)
    indexed = sorted(key.removesuffix(":run") for key in meta if key.endswith(":run"))
    has_given_name = any(f"{name}:{GIVEN_NAME_KEY}" in meta for name in indexed)
    is_given = settings.repo is not None or has_given_name
    if indexed != [repo] and (is_given or len(indexed) != 1):
        names = ", ".join(indexed) or "no repository"
        raise UserError(f"it belongs to {names}, and this run to {repo}.")
    [name] = indexed
    if folder := meta.get(f"{name}:below"):
        raise UserError(f"it has only the folder {folder}.")
    commit = meta.get(f"{name}:head", "")
    return file, name, commit if _COMMIT_ID.fullmatch(commit) else ""


def _report_failure(root: Path, reason: str, progress: ProgressReporter) -> None:
    progress.message(f"The index of the worktree {root} was not copied: {reason}")


def _success_message(candidate: _Candidate) -> str:
    source = f"Copied the index of the worktree {candidate.root}"
    if candidate.differing_files is None:
        return f"{source}. Files that differ are indexed now."
    count = candidate.differing_files
    files = f"{count} {'file differs' if count == 1 else 'files differ'}"
    return f"{source}, of commit {candidate.commit[:7]}: {files} from HEAD."
