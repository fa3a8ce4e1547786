"""Commands that update an index: `sync`, `process`, `delete` and `apply`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from feeder.cli import console, options
from feeder.cli.command_help import ShortHelp
from feeder.config import Settings
from feeder.errors import FeederError, ServiceError, StoppedEarly, Superseded
from feeder.progress import ProgressReporter

if TYPE_CHECKING:
    from feeder.parse.worker_process import WorkerProcess
    from feeder.session.workspace import Workspace
    from feeder.source import Tree
    from feeder.sync.context import SyncContext

GIVEN_FILES = "the given files"


@click.command(
    cls=ShortHelp,
    examples=(
        "feeder sync",
        "feeder sync --working-tree --dry-run",
    ),
)
@click.option(
    "--working-tree",
    is_flag=True,
    help="Index the files on disk instead of HEAD, except those that git ignores.",
)
@options.sync_options
def sync(dry_run: bool, working_tree: bool, **params: Any) -> None:
    """Bring the index up to date with HEAD.

    Continues an interrupted run.
    """
    from feeder.session import early_start, workspace

    settings = Settings(**params)
    checkout = workspace.checkout_of(settings)
    place = workspace.workspace_for(checkout.root.resolve(), settings, checkout)
    # of a working tree or a folder the id is not known yet
    is_whole_commit = not (working_tree or dry_run or settings.path)
    tree_id = checkout.tree if is_whole_commit else None
    with early_start.started_processes(place, settings, tree_id) as processes:
        from feeder.sync.sync import sync

        if working_tree:
            tree = workspace.working_tree(place, settings, checkout, writes=not dry_run)
        else:
            tree = workspace.commit_tree(place, settings, checkout)
        part = f"shard {settings.shard}" if settings.shard else _folder_name(settings)
        with _writing_run(
            place, tree, settings, dry_run=dry_run, part=part, processes=processes
        ) as run:
            sync(run, dry_run=dry_run)
        if is_whole_commit and run.report.finished and run.report.files_processed:
            from feeder.session.index_update import record_clean_checkout

            # after the run, whose end still writes to the index
            record_clean_checkout(place, settings, checkout, run.report)


@click.command(
    cls=ShortHelp,
    examples=(
        "feeder process --path src/cart.py",
        "feeder process --path .",
    ),
)
@options.paths_option("File or folder to index; repeatable.")
@options.write_options
def process(paths: tuple[Path, ...], dry_run: bool, **params: Any) -> None:
    """Index files and folders as they are on disk.

    Files that no longer exist are removed from the index.
    """
    from feeder.session.workspace import common_base_folder, folder_tree, workspace_for
    from feeder.sync.partial_sync import process_paths

    settings = Settings(**params)
    paths = tuple(settings.directory / path for path in paths)
    place = workspace_for(common_base_folder(paths, settings), settings)
    tree = folder_tree(place, paths, settings)
    with _writing_run(place, tree, settings, dry_run=dry_run, part=GIVEN_FILES) as run:
        process_paths(run, place.base, paths, dry_run=dry_run)


@click.command(
    cls=ShortHelp,
    examples=(
        "feeder delete --path src/old.py",
        "feeder delete --path docs --dry-run",
    ),
)
@options.paths_option("File or folder to remove; it need not exist on disk. Repeatable.")
@options.write_options
def delete(paths: tuple[Path, ...], dry_run: bool, **params: Any) -> None:
    """Remove files and folders from the index only.

    The files on disk are kept.
    """
    from feeder.session.workspace import current_workspace, folder_tree
    from feeder.sync.partial_sync import delete_paths

    settings = Settings(**params)
    paths = tuple(settings.directory / path for path in paths)
    place = current_workspace(settings)
    tree = folder_tree(place, (), settings)
    with _writing_run(place, tree, settings, dry_run=dry_run, part=GIVEN_FILES) as run:
        delete_paths(run, place.base, paths, dry_run=dry_run)


@click.command(
    cls=ShortHelp,
    examples=(
        "feeder apply changes.json",
        "feeder deltas --base main~1 | feeder apply -",
    ),
)
@click.argument("deltas", type=click.File("rb"))
@options.apply_options
def apply(deltas: IO[bytes], dry_run: bool, **params: Any) -> None:
    """Apply a list of changes to the index. DELTAS is a file, or - for stdin.

    The file contains a JSON array of {"file", "action": "process"|"delete"}, as
    `feeder deltas` prints it.
    """
    from feeder.session.workspace import current_workspace, folder_tree
    from feeder.source.deltas import parse_deltas
    from feeder.source.paths import is_below, path_in
    from feeder.sync.partial_sync import apply_deltas

    settings = Settings(**params)
    place = current_workspace(settings)
    changes = parse_deltas(deltas.read(), place.base)
    changes = [change for change in changes if is_below(change.file, settings.path)]
    files = [path_in(place.base, change.file) for change in changes if change.action == "process"]
    tree = folder_tree(place, files, settings)
    with _writing_run(place, tree, settings, dry_run=dry_run, part=GIVEN_FILES) as run:
        apply_deltas(run, changes, dry_run=dry_run)


def _folder_name(settings: Settings) -> str:
    return f"the folder {settings.path}" if settings.path else ""


@contextmanager
def _writing_run(  # noqa: PLR0913 - what a run works on
    location: Workspace,
    source: Tree,
    settings: Settings,
    *,
    dry_run: bool,
    part: str,
    processes: list[WorkerProcess] | None = None,
) -> Iterator[SyncContext]:
    """Opens a run that writes, and prints its report at the end.

    `processes` are those of its parser that have been started.
    `part` names the part of the commit that the run covers. A run that only deletes creates no
    index. After StoppedEarly, ServiceError or a model's error the report is printed before the
    error is raised.
    """
    from feeder.session.folder_index import record_options
    from feeder.session.opening import open_session
    from feeder.session.runs import open_run
    from feeder.session.session import model_error
    from feeder.session.workspace import has_index
    from feeder.session.worktree_copy import copy_nearest_index
    from feeder.store.ownership import command_lock
    from feeder.store.sqlite import SQLite

    has_files = bool(source.root_tree_id or source.entries())
    writes = not dry_run and (has_files or has_index(location, settings))
    ended_early: FeederError | None = None
    account = console.account()
    account.base, account.part = location.base, part
    run: SyncContext | None = None
    try:
        whole = part != GIVEN_FILES
        if whole and writes:
            copy_nearest_index(location, settings, ProgressReporter(quiet=settings.quiet))
        with open_session(location, settings, writes=writes, create=True, whole=whole) as store:
            failed_model = model_error(store)
            with (
                command_lock(store.backend.file),
                open_run(store, source, settings, dry_run=dry_run, processes=processes) as run,
            ):
                run.model_failed = failed_model is not None
                account.running = run.report
                # a grammar that cannot be read has failed by now: later commands would fail too
                if whole and writes and isinstance(store.backend.database, SQLite):
                    record_options(store.backend.database, store.workspace.repo, settings)
                try:
                    yield run
                    ended_early = failed_model  # words were indexed without it
                except (StoppedEarly, ServiceError) as exc:
                    ended_early = exc
    finally:
        account.report = run.report.as_json() if run else None
    if not isinstance(ended_early, Superseded):
        print_done = console.print_result if dry_run else console.print_report
        print_done(settings, run.report.as_json(), run.report.lines())
    if ended_early:
        raise ended_early
