"""The command `worker`: writes the Worker's folder and its wrangler configuration."""

from __future__ import annotations

import os
import shlex
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from feeder.cli import console, options
from feeder.cli.command_help import ShortHelp
from feeder.cli.option_types import WholeNumber
from feeder.config import Settings
from feeder.errors import Interrupted, UserError

if TYPE_CHECKING:
    from feeder.cloudflare.wrangler import BindingNames
    from feeder.edge.worker_config import WorkerSettings
    from feeder.edge.worker_folder import PlannedFile
    from feeder.session.workspace import Workspace
    from feeder.web.server import Address

_NEXT_STEPS = "Next: npx wrangler deploy, then npx wrangler secret put FEEDER_TOKEN. See {}."
_OAUTH_STEPS = (
    "For sign-in with GitHub, set OAUTH_GITHUB_ID and OAUTH_USERS in the configuration and the "
    "secret OAUTH_GITHUB_SECRET: see {}."
)
_SEVERAL_WORKERS = (
    "A Worker of this name in the account is replaced: if it is another one, add --name NAME to "
    "both commands."
)


@click.command(
    cls=ShortHelp,
    examples=(
        "feeder worker worker-folder",
        "feeder worker worker-folder --dry-run",
    ),
)
@click.argument("folder", metavar="[DIR]", default="feeder-worker", type=click.Path(path_type=Path))
@click.option("--force", is_flag=True, help="Also overwrite edited files.")
@click.option(
    "--try",
    "is_trial",
    is_flag=True,
    help="Run the Worker on this machine, with a copy of the local index; write nothing.",
)
@click.option(
    "--port",
    type=WholeNumber(0, 65_535),
    default=8787,
    show_default=True,
    help="Port of --try; 0 for a free one.",
)
@click.option(
    "--oauth",
    type=click.Choice(["github"]),
    help="Let people sign in with GitHub, for MCP clients that cannot send a header: claude.ai, "
    "ChatGPT and others.",
)
@options.worker_options
def worker(
    folder: Path,
    force: bool,
    dry_run: bool,
    repo: tuple[str, ...],
    folders: tuple[Path, ...],
    **params: Any,
) -> None:
    """Write a Cloudflare Worker that serves the index."""
    from feeder.edge.worker_folder import plan_folder, write_plan

    is_trial, port, oauth = (params.pop(name) for name in ("is_trial", "port", "oauth"))
    is_several = len(repo) > 1 or bool(folders)
    settings = Settings(**params, repo=None if is_several else next(iter(repo), None))
    if is_trial:
        if oauth:
            raise UserError(
                "--try runs the Worker on this machine, where hosted clients cannot reach it.",
                "Leave out --oauth, and give the printed token to a client on this machine.",
            )
        if is_several:
            raise UserError(
                "--try serves the index of one repository, but several are named.",
                "Leave out --from, and name at most one with --repo.",
            )
        _try_worker(settings, port)
        return
    place = settings.directory / folder
    if is_several:
        _check_unnamed(settings, "Several repositories are named")
    worker_settings = (
        _settings_of_several(settings, repo, folders)
        if is_several
        else _worker_settings(settings, place)
    )
    worker_settings = worker_settings._replace(has_oauth=oauth is not None)
    plan = plan_folder(place, settings.directory, worker_settings, is_forced=force)
    if not dry_run:
        write_plan(plan)
    facts = {
        "folder": str(place),
        "configuration": str(plan[-1].file),
        "dry_run": dry_run,
        "files": [_file_json(file, dry_run=dry_run) for file in plan],
    }
    print_done = console.print_result if dry_run else console.print_report
    print_done(settings, facts, _result_lines(place, plan, dry_run=dry_run))
    is_new = any(file.action in ("created", "changed") for file in plan)
    if is_new and not dry_run and not settings.quiet:
        console.print_message(_NEXT_STEPS.format(folder / "README.md"))
        if oauth:
            console.print_message(_OAUTH_STEPS.format(folder / "README.md"))
        if is_several:
            console.print_message(_SEVERAL_WORKERS)


def _try_worker(settings: Settings, port: int) -> None:
    """Serves the local index until Ctrl-C."""
    from feeder.edge.local_trial import running_worker
    from feeder.session.workspace import current_workspace, index_file

    workspace = current_workspace(settings)
    index = index_file(workspace.base, settings)
    variables = _github_variable(workspace)
    try:
        with running_worker(index, workspace.repo, settings.directory, port, variables) as address:
            _announce(settings, address)
            threading.Event().wait()
    except KeyboardInterrupt as exc:
        raise Interrupted("The Worker has stopped, and its copy of the index is deleted.") from exc


def _announce(settings: Settings, address: Address) -> None:
    """Prints the addresses of the Worker."""
    origin = f"http://{address.host}:{address.port}"
    facts = {"address": origin, "page": str(address), "token": address.token}
    console.print_result(settings, facts, [f"{address} (MCP: {origin}/mcp)"])
    console.print_message(
        "Agents and programs send the header `Authorization: Bearer TOKEN`; the token is the part "
        "of the address after #token=. The Worker searches by words, without Vectorize, and shows "
        "the lines that the index stores (feeder sync --store local --texts). Press Ctrl-C to stop."
    )
    sys.stdout.flush()


def _github_variable(workspace: Workspace) -> dict[str, str]:
    """The variable with the repository at GitHub, if it has one."""
    from feeder.source import git

    slug = git.origin_github_slug(workspace.base) if git.find_root(workspace.base) else None
    return {"GITHUB": slug} if slug else {}


def _worker_settings(settings: Settings, folder: Path) -> WorkerSettings:
    """Collects the values of the Worker's wrangler configuration."""
    from feeder.edge.several_repositories import repositories_of
    from feeder.edge.worker_config import WorkerSettings, config_file
    from feeder.session.workspace import current_workspace

    workspace = current_workspace(settings)
    configuration = config_file(folder, settings.directory)
    if configuration.exists() and (several := repositories_of(configuration)):
        problem = f"{configuration} belongs to a Worker of several repositories"
        _check_unnamed(settings, problem)
        if settings.repo and settings.repo not in several:
            repos = (word for repo in (*several, settings.repo) for word in ("--repo", repo))
            command = shlex.join(["feeder", "worker", str(folder), *repos])
            raise UserError(
                f"{problem}.",
                "Name all of them; for a repository whose database has a name of its own, name the "
                f"clone (--from) instead: {command}",
            )
        return WorkerSettings(None, {})
    variables = {"REPO": workspace.repo, **_github_variable(workspace)}
    return WorkerSettings(_binding_names(settings, folder, workspace), variables)


def _check_unnamed(settings: Settings, problem: str) -> None:
    """Raises UserError for a database or an index that is named: it would be of one repository."""
    if settings.database_id or settings.index_name:
        raise UserError(
            f"{problem}, but --database-id and --index-name are for one.",
            "Leave them out, and unset their variables: each repository uses the ones that feeder "
            "init created, or with --from the ones in the wrangler file of its clone.",
        )


def _settings_of_several(
    settings: Settings, repos: Sequence[str], folders: Sequence[Path]
) -> WorkerSettings:
    """Collects the repositories of a Worker over several databases."""
    from feeder.edge import several_repositories
    from feeder.edge.worker_config import WorkerSettings

    places = [*several_repositories.places_in_folders(folders, settings)]
    missing = [repo for repo in repos if repo not in {place.repo for place in places}]
    if missing:
        places += several_repositories.places_in_account(missing, settings)
    several_repositories.check_distinct(places)
    return WorkerSettings(None, {}, places)


def _binding_names(settings: Settings, folder: Path, location: Workspace) -> BindingNames:
    """Returns the bindings' values, those in the folder first; raises UserError if no database."""
    from feeder.cloudflare import wrangler
    from feeder.cloudflare.credentials import cloud_settings, default_names
    from feeder.config import INDEX_FOLDER
    from feeder.edge.worker_config import config_file

    configured = config_file(folder, settings.directory)
    own = wrangler.read_bindings(configured if configured.exists() else None)
    project = wrangler.read_bindings(wrangler.find_file(settings.directory))
    cloud = cloud_settings(settings, location.repo)
    database_id = settings.database_id or own.database_id or cloud.database_id
    if not database_id:
        raise UserError(
            "No D1 database is configured.",
            "Run feeder init --store cloudflare, which creates one and writes its id into "
            f"{wrangler.DEFAULT_FILE}, or set --database-id.",
        )
    migrations = os.path.relpath(location.base / INDEX_FOLDER / "migrations", configured.parent)
    return wrangler.BindingNames(
        own.database_name or project.database_name or default_names(location.repo)[0],
        database_id,
        settings.index_name or own.index_name or cloud.index_name,
        Path(migrations).as_posix(),
    )


def _file_json(file: PlannedFile, *, dry_run: bool) -> dict[str, Any]:
    facts = {"file": str(file.file), "action": file.action}
    return {**facts, "diff": [*file.diff()]} if dry_run else facts


def _result_lines(folder: Path, plan: Sequence[PlannedFile], *, dry_run: bool) -> Iterator[str]:
    """Formats the plan: edited files, changes by top-level folder, number of unchanged files."""
    if dry_run:
        yield from (line for file in plan if file.action == "changed" for line in file.diff())
    for file in plan:
        if file.action == "kept":
            yield f"kept {file.file}, which was edited: --force overwrites it"
    would = "would be " if dry_run else ""
    for (action, path), count in Counter(_changed_paths(folder, plan)).items():
        yield f"{would}{action} {path}" + (f": {count} files" if count > 1 else "")
    unchanged = sum(file.action == "unchanged" for file in plan)
    if unchanged:
        yield f"unchanged: {unchanged} files"


def _changed_paths(folder: Path, plan: Sequence[PlannedFile]) -> Iterator[tuple[str, Path]]:
    """Yields the action of each changed file, with its top-level entry in the folder."""
    for file in plan:
        if file.action not in ("kept", "unchanged"):
            inner = file.file.relative_to(folder) if file.file.is_relative_to(folder) else None
            yield file.action, folder / inner.parts[0] if inner else file.file
