"""The command `worker`: writes the Worker's folder and its wrangler configuration."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from feeder.cli import console, options
from feeder.config import Settings
from feeder.errors import UserError

if TYPE_CHECKING:
    from feeder.cloudflare.wrangler import BindingNames
    from feeder.edge.worker_config import WorkerSettings
    from feeder.edge.worker_folder import PlannedFile
    from feeder.session.workspace import Workspace

_NEXT_STEPS = "Next: npx wrangler deploy, and npx wrangler secret put FEEDER_TOKEN. {} tells more."


@click.command()
@click.argument("folder", metavar="[DIR]", default="feeder-worker", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Overwrite what was edited, too.")
@options.init_options
def worker(folder: Path, force: bool, dry_run: bool, **said: Any) -> None:
    """Write a Worker that answers at Cloudflare's edge into DIR, and tell wrangler of it."""
    from feeder.edge.worker_folder import plan_folder, write_plan

    settings = Settings(**said)
    place = settings.directory / folder
    plan = plan_folder(
        place, settings.directory, _worker_settings(settings, place), is_forced=force
    )
    if not dry_run:
        write_plan(plan)
    facts = {
        "folder": str(place),
        "configuration": str(plan[-1].file),
        "dry_run": dry_run,
        "files": [_file_json(one, dry_run=dry_run) for one in plan],
    }
    console.print_result(settings, facts, _result_lines(place, plan, dry_run=dry_run))
    is_new = any(one.action in ("created", "changed") for one in plan)
    if is_new and not dry_run and not settings.quiet:
        console.print_message(_NEXT_STEPS.format(folder / "README.md"))


def _worker_settings(settings: Settings, folder: Path) -> WorkerSettings:
    """What wrangler's configuration is to say."""
    from feeder.edge.worker_config import WorkerSettings
    from feeder.session.workspace import current_workspace
    from feeder.source import git

    here = current_workspace(settings)
    slug = git.origin_github_slug(here.base) if git.find_root(here.base) else None
    variables = {"REPO": here.repo, **({"GITHUB": slug} if slug else {})}
    return WorkerSettings(_binding_names(settings, folder, here), variables)


def _binding_names(settings: Settings, folder: Path, location: Workspace) -> BindingNames:
    """What the bindings are to say, the folder's own first; raises UserError without a database."""
    from feeder.cloudflare import wrangler
    from feeder.cloudflare.credentials import cloud_settings, default_names
    from feeder.config import INDEX_FOLDER
    from feeder.edge.worker_config import config_file

    configured = config_file(folder, settings.directory)
    own = wrangler.read_bindings(configured if configured.exists() else None)
    cloud, found = (
        cloud_settings(settings, location.repo),
        wrangler.read_bindings(wrangler.find_file(settings.directory)),
    )
    database_id = settings.database_id or own.database_id or cloud.database_id
    if not database_id:
        raise UserError(
            "no D1 database is known. Run feeder init, which makes it and puts its id into "
            f"{wrangler.DEFAULT_FILE}, or say --database-id."
        )
    migrations = os.path.relpath(location.base / INDEX_FOLDER / "migrations", configured.parent)
    return wrangler.BindingNames(
        own.database_name or found.database_name or default_names(location.repo)[0],
        database_id,
        settings.index_name or own.index_name or cloud.index_name,
        Path(migrations).as_posix(),
    )


def _file_json(file: PlannedFile, *, dry_run: bool) -> dict[str, Any]:
    facts = {"file": str(file.file), "action": file.action}
    return {**facts, "diff": [*file.diff()]} if dry_run else facts


def _result_lines(folder: Path, plan: Sequence[PlannedFile], *, dry_run: bool) -> Iterator[str]:
    """What becomes of the files, and of those in one folder together; of what stays how many."""
    if dry_run:
        yield from (line for one in plan if one.action == "changed" for line in one.diff())
    for one in plan:
        if one.action == "kept":
            yield f"kept {one.file}, which was edited: --force overwrites it"
    would = "would be " if dry_run else ""
    for (action, place), many in Counter(_changed_paths(folder, plan)).items():
        yield f"{would}{action} {place}" + (f": {many} files" if many > 1 else "")
    same = sum(one.action == "unchanged" for one in plan)
    if same:
        yield f"unchanged: {same} files"


def _changed_paths(folder: Path, plan: Sequence[PlannedFile]) -> Iterator[tuple[str, Path]]:
    """Of each file that changes, what becomes of it, and what of the folder it lies in."""
    for one in plan:
        if one.action not in ("kept", "unchanged"):
            inner = one.file.relative_to(folder) if one.file.is_relative_to(folder) else None
            yield one.action, folder / inner.parts[0] if inner else one.file
