"""Opens the index for a command that reads it, after bringing it up to date with the working tree.

A missing index is made. The work is that of `feeder.session.index_update`; this module decides
which index follows which files, and says on stderr what takes long or fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple

from feeder.cli import console
from feeder.config import Settings
from feeder.errors import FeederError, UserError
from feeder.escaping import count_of
from feeder.notes import Note, update_failed_note
from feeder.progress import ProgressReporter, ProgressStep
from feeder.session.workspace import Workspace, find_workspace

if TYPE_CHECKING:
    from feeder.search.open_index import SearchIndex
    from feeder.session.index_update import RefreshTarget
    from feeder.source import Tree

WAIT_S = 10.0
"""Time to wait for another program that is writing the index."""

MANY_FILES = 2_000
"""Changed files from which a command says what takes long."""


class _Found(NamedTuple):
    """A workspace, and the index to be updated before it is read; None if it is not updated.

    `tree` is the source tree; None if it could not be read, which the update reports.
    """

    workspace: Workspace
    target: RefreshTarget | None = None
    tree: Tree | None = None


class _Progress(ProgressReporter):
    """Shows only work that takes long: a first index, or many changed files."""

    def __init__(self, *, quiet: bool, is_first: bool) -> None:
        super().__init__(quiet=quiet)
        self._is_first = is_first
        self._is_announced = False

    @contextmanager
    def step(self, label: str, total: int) -> Iterator[ProgressStep]:
        from feeder.session.index_update import FEW_FILES

        # a copy of another worktree's index may lack nothing
        if not total or (total <= FEW_FILES and not self._is_first):
            yield lambda done: None
            return
        if not self._is_announced and (self._is_first or total > MANY_FILES):
            self._is_announced = True
            self.message(self._announcement(total))
        with super().step(label, total) as progress_step:
            yield progress_step

    def _announcement(self, files: int) -> str:
        if self._is_first:
            indexed = count_of(files, "file")
            return f"Indexing {indexed}. Press Ctrl-C to stop; the next command continues."
        return (
            f"{files:,} files have changed and are indexed first. Press Ctrl-C to stop, or use "
            "--no-refresh to answer without them."
        )


@contextmanager
def open_fresh_index(
    settings: Settings, wait_for_index: Callable[[], _Found] | None = None
) -> Iterator[SearchIndex]:
    """Opens the index as `open_index` does, after bringing it up to date.

    With `--no-refresh` it is opened as it is, and a message says how far it is behind.
    `wait_for_index` is that of `begin_finding_index`, if the caller has begun to find it.
    """
    found = wait_for_index() if wait_for_index else _find(settings)
    tree, note = _update(found.target, found.tree, settings) if found.target else ("", None)
    from feeder.search.open_index import open_index

    with open_index(settings, found.workspace, seen_tree=tree, update=note) as index:
        if note and not settings.quiet:  # an index that cannot be opened either has its own error
            console.print_message(f"{note} This answer is from the index as it is.")
        yield index


def begin_finding_index(settings: Settings) -> Callable[[], _Found]:
    """Finds the index and the state of its files on a thread, while the caller imports modules.

    Most of the time is that of git's processes. The returned function waits for the result, and
    raises the errors of finding it.
    """
    outcomes: list[_Found | BaseException] = []

    def find() -> None:
        try:
            outcomes.append(_find(settings))
        except BaseException as exc:  # raised where the result is awaited
            outcomes.append(exc)

    thread = Thread(target=find, name="find-index", daemon=True)
    thread.start()

    def wait() -> _Found:
        thread.join()
        [outcome] = outcomes
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome

    return wait


def _find(settings: Settings) -> _Found:
    workspace, checkout = find_workspace(settings)
    if checkout is None or workspace.index_file is None or not settings.refresh:
        return _Found(workspace)
    from feeder.session.index_update import followed_target

    target = followed_target(workspace, settings, checkout)
    if target is None:
        return _Found(workspace)
    try:
        return _Found(workspace, target, target.read_tree(checkout))
    except (FeederError, OSError):
        return _Found(workspace, target)


def _update(
    target: RefreshTarget, tree: Tree | None, settings: Settings
) -> tuple[str, Note | None]:
    """Updates the index; returns the root tree that it equals, or why it may be behind the files.

    Raises the error of an update that leaves no index.
    """
    from feeder.session.index_update import IndexUpdate, refuse_home_folder

    if tree and target.is_synced(tree):
        return tree.root_tree_id, None
    is_first = not target.index_path.exists()
    if is_first:
        refuse_home_folder(target.place.base, "To index all of it: feeder sync --working-tree")
    progress = _Progress(quiet=settings.quiet, is_first=is_first)
    update = IndexUpdate(target, progress, needs_vectors=False, tree=tree)
    try:
        note = update.update_words(WAIT_S)
    except (FeederError, OSError) as exc:
        if not target.index_path.exists():
            raise
        return "", update_failed_note(exc)
    finally:
        target.close_parser()
    if note and not target.index_path.exists():
        raise UserError("There is no index yet.", f"{note} Run the command again soon.")
    return update.tree_id, note
