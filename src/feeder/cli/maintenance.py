"""Commands that create, check and describe an index and what it needs: `init`, `validate`,
`cache`, `doctor` and `stats`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from feeder.cli import console, options
from feeder.cli.command_help import ShortHelp
from feeder.cli.version import version
from feeder.config import Settings
from feeder.errors import UserError

if TYPE_CHECKING:
    from feeder.doctor import Finding
    from feeder.session.workspace import Workspace


@click.command(
    cls=ShortHelp,
    examples=(
        "feeder init --dry-run",
        "feeder init --store cloudflare",
    ),
)
@click.option(
    "--database-name",
    help="Name of the D1 database to find or create. Default: <owner>_<repo>.",
)
@click.option(
    "--shared",
    metavar="NAME",
    help="Share a database and a Vectorize index of this name with other repositories.",
)
@options.init_options
def init(database_name: str | None, shared: str | None, dry_run: bool, **params: Any) -> None:
    """Create missing databases and indexes, or update the schema."""
    from feeder.cloudflare.credentials import choose_new_store, default_names
    from feeder.session.opening import open_session
    from feeder.session.workspace import current_workspace

    settings = Settings(**params)
    if shared:
        if database_name:
            raise UserError(
                "--shared and --database-name both name the database.", "Use only one of them."
            )
        database_name, index_name = default_names(shared)
        settings = replace(settings, index_name=settings.index_name or index_name)
    store = choose_new_store(settings)
    chosen = replace(settings, store="cloudflare" if store.is_cloud else settings.store)
    place = current_workspace(chosen)
    if store.is_cloud:
        _provision_cloudflare(place, chosen, store.reason, database_name, dry_run=dry_run)
    else:
        with open_session(place, settings, writes=not dry_run, create=True) as session:
            facts = {"index": session.index.database.place, "repo": place.repo}
        first = "An index would be created on this machine." if dry_run else "Ready."
        print_done = console.print_result if dry_run else console.print_report
        print_done(settings, facts, [first, *_local_store_note(settings, store.reason)])


@click.command(
    cls=ShortHelp,
    examples=(
        "feeder validate",
        "feeder validate --repair",
    ),
)
@click.option("--repair", is_flag=True, help="Rewrite what differs, then validate again.")
@click.option(
    "--wait",
    is_flag=True,
    help="Wait until Vectorize shows all writes; --repair implies it.",
)
@options.validate_options
def validate(repair: bool, wait: bool, content: bool, **params: Any) -> None:
    """Check that the index is correct.

    It is compared with what it was built from: HEAD, or the working tree. The exit code is 1 if it
    is not correct.
    """
    from feeder.session.opening import open_session
    from feeder.session.runs import open_comparison
    from feeder.session.workspace import current_workspace
    from feeder.store.ownership import command_lock
    from feeder.sync.validate import repair as repair_index
    from feeder.sync.validate import validate

    settings = Settings(**params)
    place = current_workspace(settings)
    with (
        open_session(place, settings, writes=repair, create=False, whole=False) as store,
        command_lock(store.backend.file),
        open_comparison(store, settings) as run,
    ):
        waits = wait or repair
        verdict = validate(run, wait=waits, content=content)
        if repair and (not verdict.passed or verdict.damage.paths):
            console.account().running = run.report
            repair_index(run, verdict)
            verdict = validate(run, wait=waits, content=content)._replace(repaired=True)
            console.account().report = run.report.as_json()
    console.account().verdict = verdict.as_json()
    console.print_result(settings, verdict.as_json(), verdict.lines())
    if not verdict.passed:
        raise SystemExit(1)


@click.command(
    cls=ShortHelp,
    examples=(
        "feeder cache",
        "feeder cache --clear",
    ),
)
@click.option("--clear", is_flag=True, help="Delete all cached embeddings and free the disk space.")
@options.cache_options
def cache(clear: bool, **params: Any) -> None:
    """Show or clear the embedding cache of this machine."""
    from feeder.config import default_cache_file
    from feeder.embedding.cache import MAX_BYTES, CacheFile, file_bytes

    settings = Settings(**params)
    path = settings.cache or default_cache_file()
    if path is None:
        raise UserError("There is no home folder for the embedding cache.", "Set --cache FILE.")
    with closing(CacheFile(path)) as file:
        exists = path.exists()
        deleted = sum(model.texts for model in file.models()) if exists and clear else 0
        if exists and clear:
            file.clear()
        models = file.models() if exists else []
    size = file_bytes(path)
    facts = {"file": str(path), "bytes": size, "limit_bytes": MAX_BYTES}
    facts["models"] = [model._asdict() for model in models]
    lines = [f"{path}: {size / 1e6:,.1f} MB of at most {MAX_BYTES / 1e6:,.0f}"]
    lines += [f"{texts:,} texts by {name} ({count})" for name, count, texts in models]
    if clear:
        lines.append(f"{deleted:,} embeddings deleted")
    console.print_result(settings, facts, lines if exists else [f"{path}: no embeddings cached"])


def _local_store_note(settings: Settings, reason: str) -> Iterator[str]:
    """Yields a note that a wrangler file was not used, unless the user chose the local store."""
    from feeder.cloudflare import wrangler

    file = wrangler.find_file(settings.directory)
    if file and not settings.store and not settings.db:
        yield f"{file} was not used ({reason}). --store cloudflare says what is missing."


def _provision_cloudflare(
    location: Workspace,
    settings: Settings,
    reason: str,
    database_name: str | None,
    *,
    dry_run: bool,
) -> None:
    """Creates the resources at Cloudflare and prints each one as soon as it is done."""
    from feeder.cloudflare.provision import ProvisionRequest, provision
    from feeder.progress import ProgressReporter
    from feeder.session.model_selection import (
        cloudflare_dimensions,
        needs_workers_ai,
        recordable_model,
    )

    ProgressReporter(quiet=settings.quiet).message(f"{location.repo}: Cloudflare ({reason})")
    is_chosen = bool(settings.model or settings.dimensions)
    request = ProvisionRequest(
        cloudflare_dimensions(settings),
        database_name,
        is_chosen,
        recordable_model(settings),
        needs_workers_ai(settings),
    )
    resources = provision(location.base, location.repo, settings, request, dry_run=dry_run)
    if settings.json:
        console.print_result(settings, [resource._asdict() for resource in resources], ())
        return
    console.print_result(
        settings, None, (resource.describe(dry_run=dry_run) for resource in resources)
    )
    _print_model_costs(settings, request.dimensions)


def _print_model_costs(settings: Settings, dimensions: int) -> None:
    """Prints the models' prices, for users who have not chosen one."""
    from feeder.progress import ProgressReporter
    from feeder.session.cost_estimate import price_table

    progress = ProgressReporter(quiet=settings.quiet)
    try:
        for line in price_table(settings.model, dimensions):
            progress.message(line)
    except UserError as exc:
        progress.message(f"The models' prices are unknown: {exc}")


@click.command(
    cls=ShortHelp,
    examples=(
        "feeder doctor",
        "feeder doctor --json",
    ),
)
@options.doctor_options
def doctor(**params: Any) -> None:
    """Check your setup, and say how to fix problems.

    Exits with 1 if a sync or search would fail. Changes nothing. The output contains no secrets, so
    you can share it.
    """
    from feeder.doctor.checks import run_checks

    settings = Settings(**params)
    findings = list(run_checks(replace(settings, quiet=True)))
    stops = any(finding.stops for finding in findings)
    facts = {
        "version": version(),
        "stops": stops,
        "findings": [finding._asdict() for finding in findings],
    }
    console.print_result(settings, facts, [f"feeder {version()}", *_finding_lines(findings)])
    if stops:
        raise SystemExit(1)


def _finding_lines(findings: list[Finding]) -> Iterator[str]:
    width = max(len(finding.name) for finding in findings)
    for finding in findings:
        status = (
            "ERROR"
            if finding.stops
            else "note"
            if finding.remedy
            else "-"
            if finding.absent
            else "ok"
        )
        yield f"{status:5}  {finding.name:{width}}  {console.with_place(finding.says)}"
        if finding.remedy:
            yield f"{'':5}  {'':{width}}  → {console.with_place(finding.remedy)}"


@click.command(
    cls=ShortHelp,
    examples=(
        "feeder stats",
        "feeder stats --json",
    ),
)
@options.read_options
def stats(**params: Any) -> None:
    """Show what the index contains."""
    from feeder.session.opening import open_session
    from feeder.session.workspace import current_workspace
    from feeder.store.inventory import statistics

    settings = Settings(**params)
    place = current_workspace(settings)
    with open_session(place, settings, writes=False, create=False) as store:
        facts = statistics(store.index.database, place.repo)
        usage = store.backend.usage()
    more = {"models": facts.models, "unfinished": facts.is_unfinished}
    answer, lines = facts.as_json() | more, list(facts.lines())
    if usage:
        usage = replace(usage, dimensions=facts.dimensions)
        answer["usage"] = usage.as_json()
        lines += usage.lines()
    console.print_result(settings, answer, lines)
