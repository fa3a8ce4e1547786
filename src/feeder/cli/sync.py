"""Commands that update an index: `sync`, `process`, `delete` and `apply`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from feeder.cli import console, options
from feeder.config import Settings
from feeder.errors import FeederError, ServiceError, StoppedEarly, Superseded

if TYPE_CHECKING:
    from feeder.session.workspace import Workspace
    from feeder.source import Tree
    from feeder.sync.context import SyncContext

GIVEN_FILES = "the given files"


@click.command()
@click.option(
    "--working-tree",
    is_flag=True,
    help="The files as they lie there, less what git ignores; without it, HEAD's again.",
)
@options.sync_options
def sync(dry_run: bool, working_tree: bool, **said: Any) -> None:
    """Make the index equal to HEAD, whatever has run or died before."""
    from feeder.session import workspace
    from feeder.session.workspace import repository_of, workspace_for
    from feeder.sync.sync import sync

    settings = Settings(**said)
    repository = repository_of(settings)
    place = workspace_for(repository, settings)
    if working_tree:
        tree = workspace.working_tree(place, settings, writes=not dry_run)
    else:
        tree = workspace.commit_tree(place, settings)
    part = f"shard {settings.shard}" if settings.shard else ""
    with _writing_run(
        place, tree, settings, dry_run=dry_run, part=part or _folder_name(settings)
    ) as feed:
        sync(feed, dry_run=dry_run)


@click.command()
@options.paths_option("A file or folder, as it lies there; may be given several times.")
@options.write_options
def process(paths: tuple[Path, ...], dry_run: bool, **said: Any) -> None:
    """Index files and folders of the working tree; what is gone from them leaves the index."""
    from feeder.session.workspace import common_base_folder, folder_tree, workspace_for
    from feeder.sync.partial_sync import process_paths

    settings = Settings(**said)
    paths = tuple(settings.directory / path for path in paths)
    place = workspace_for(common_base_folder(paths, settings), settings)
    tree = folder_tree(place, paths, settings)
    with _writing_run(place, tree, settings, dry_run=dry_run, part=GIVEN_FILES) as feed:
        process_paths(feed, place.base, paths, dry_run=dry_run)


@click.command()
@options.paths_option("A file or folder of the index, which need not exist any more.")
@options.write_options
def delete(paths: tuple[Path, ...], dry_run: bool, **said: Any) -> None:
    """Take files and folders out of the index; the files themselves stay."""
    from feeder.session.workspace import current_workspace, folder_tree
    from feeder.sync.partial_sync import delete_paths

    settings = Settings(**said)
    paths = tuple(settings.directory / path for path in paths)
    place = current_workspace(settings)
    tree = folder_tree(place, (), settings)
    with _writing_run(place, tree, settings, dry_run=dry_run, part=GIVEN_FILES) as feed:
        delete_paths(feed, place.base, paths, dry_run=dry_run)


@click.command()
@click.argument("deltas", type=click.File("rb"))
@options.apply_options
def apply(deltas: IO[bytes], dry_run: bool, **said: Any) -> None:
    """Apply changes: a JSON array of {"file", "action": "process"|"delete"}; - reads stdin."""
    from feeder.session.workspace import current_workspace, folder_tree
    from feeder.source.deltas import parse_deltas
    from feeder.source.paths import is_below
    from feeder.source.paths import path_in as place_in
    from feeder.sync.partial_sync import apply_deltas

    settings = Settings(**said)
    place = current_workspace(settings)
    changes = parse_deltas(deltas.read(), place.base)
    changes = [change for change in changes if is_below(change.file, settings.path)]
    files = [place_in(place.base, change.file) for change in changes if change.action == "process"]
    tree = folder_tree(place, files, settings)
    with _writing_run(place, tree, settings, dry_run=dry_run, part=GIVEN_FILES) as feed:
        apply_deltas(feed, changes, dry_run=dry_run)


def _folder_name(settings: Settings) -> str:
    return f"the folder {settings.path}" if settings.path else ""


@contextmanager
def _writing_run(
    location: Workspace, source: Tree, settings: Settings, *, dry_run: bool, part: str
) -> Iterator[SyncContext]:
    """A run that writes, with its account at the end; `part` is what of a commit it is about."""
    from feeder.session.session import model_error, open_run, open_session
    from feeder.session.workspace import has_index
    from feeder.store.ownership import command_lock

    brings = bool(
        source.root_tree_id or source.entries()
    )  # what only takes out makes no index for it
    writes = not dry_run and (brings or has_index(location, settings))
    ended_early: FeederError | None = None
    account = console.account()
    account.base, account.part = location.base, part
    feed: SyncContext | None = None
    try:
        whole = part != GIVEN_FILES
        with open_session(location, settings, writes=writes, create=True, whole=whole) as store:
            refused = model_error(store)
            with (
                command_lock(store.backend.file),
                open_run(store, source, settings, dry_run=dry_run) as feed,
            ):
                try:
                    yield feed
                    if refused:  # words went on
                        raise refused
                except (StoppedEarly, ServiceError) as exc:
                    ended_early = exc
    finally:
        account.report = feed.report.as_json() if feed else None
    if not isinstance(ended_early, Superseded):
        console.print_result(settings, feed.report.as_json(), feed.report.lines())
    if ended_early:
        raise ended_early
