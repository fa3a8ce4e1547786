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
from feeder.cli.version import version
from feeder.config import Settings
from feeder.errors import UserError

if TYPE_CHECKING:
    from feeder.doctor import Finding
    from feeder.session.workspace import Workspace


@click.command()
@click.option("--database-name", help="Of the D1 database to find or make; else <owner>_<repo>.")
@options.init_options
def init(database_name: str | None, dry_run: bool, **said: Any) -> None:
    """Make what an index is kept in, where it is missing, or bring its schema up to date."""
    from feeder.cloudflare.credentials import choose_store
    from feeder.session.session import open_session
    from feeder.session.workspace import current_workspace

    settings = Settings(**said)
    place = current_workspace(settings)
    if choose_store(settings).is_cloud:
        _provision_cloudflare(place, settings, database_name, dry_run=dry_run)
    else:
        with open_session(place, settings, writes=not dry_run, create=True) as store:
            facts = {"index": store.index.database.place, "repo": place.repo}
        first = "An index would be made on this machine." if dry_run else "Ready."
        console.print_result(settings, facts, [first, *_local_store_note(settings)])


@click.command()
@click.option("--repair", is_flag=True, help="Make anew what disagrees, and ask again.")
@click.option(
    "--wait", is_flag=True, help="Until Vectorize shows what was written; --repair does so anyway."
)
@options.validate_options
def validate(repair: bool, wait: bool, content: bool, **said: Any) -> None:
    """Prove that the index is what HEAD's files make, all parts agreeing; exit 1 if it is not."""
    from feeder.session.session import open_comparison, open_session
    from feeder.session.workspace import current_workspace
    from feeder.store.ownership import command_lock
    from feeder.sync.validate import repair as mend
    from feeder.sync.validate import validate

    settings = Settings(**said)
    place = current_workspace(settings)
    with (
        open_session(place, settings, writes=repair, create=False, whole=False) as store,
        command_lock(store.backend.file),
        open_comparison(store, settings) as feed,
    ):
        waits = wait or repair
        verdict = validate(feed, wait=waits, content=content)
        if repair and (not verdict.passed or verdict.damage.paths):
            mend(feed, verdict)
            verdict = validate(feed, wait=waits, content=content)._replace(repaired=True)
            console.account().report = feed.report.as_json()
    console.account().verdict = verdict.as_json()
    console.print_result(settings, verdict.as_json(), verdict.lines())
    if not verdict.passed:
        raise SystemExit(1)


@click.command()
@click.option("--clear", is_flag=True, help="Forget them all, and give the disk its room back.")
@options.cache_options
def cache(clear: bool, **said: Any) -> None:
    """Say which embeddings are remembered on this machine, in which file, and how large it is."""
    from feeder.embedding.cache import MAX_BYTES, CacheFile, default_cache_file, file_bytes

    settings = Settings(**said)
    path = settings.cache or default_cache_file()
    if path is None:
        raise UserError("There is no home folder to remember embeddings in. Name a --cache.")
    with closing(CacheFile(path)) as file:
        is_there = path.exists()
        forgotten = sum(model.texts for model in file.models()) if is_there and clear else 0
        if is_there and clear:
            file.clear()
        models = file.models() if is_there else []
    size = file_bytes(path)
    facts = {"file": str(path), "bytes": size, "limit_bytes": MAX_BYTES}
    facts["models"] = [model._asdict() for model in models]
    lines = [f"{path}: {size / 1e6:,.1f} MB of at most {MAX_BYTES / 1e6:,.0f}"]
    lines += [f"{texts:,} texts by {name} ({count})" for name, count, texts in models]
    if clear:
        lines.append(f"{forgotten:,} texts were forgotten")
    console.print_result(
        settings, facts, lines if is_there else [f"{path}: nothing is remembered yet"]
    )


def _local_store_note(settings: Settings) -> Iterator[str]:
    """That a file of wrangler's was left alone, where nobody has asked for the local store."""
    from feeder.cloudflare import wrangler
    from feeder.cloudflare.credentials import choose_store

    file = wrangler.find_file(settings.directory)
    if file and not settings.store and not settings.db:
        reason = choose_store(settings).reason
        yield f"{file} was left alone ({reason}): --store cloudflare says what lacks."


def _provision_cloudflare(
    location: Workspace, settings: Settings, database_name: str | None, *, dry_run: bool
) -> None:
    """What `init` makes at Cloudflare, each line as soon as it is made."""
    from feeder.cloudflare.credentials import choose_store
    from feeder.cloudflare.provision import ProvisionRequest, provision
    from feeder.progress import ProgressReporter
    from feeder.session.model_selection import cloudflare_dimensions

    ProgressReporter(quiet=settings.quiet).message(
        f"{location.repo}: Cloudflare; {choose_store(settings).reason}"
    )
    wanted = ProvisionRequest(cloudflare_dimensions(settings), database_name)
    things = provision(location.base, location.repo, settings, wanted, dry_run=dry_run)
    if settings.json:
        console.print_result(settings, [thing._asdict() for thing in things], ())
        return
    console.print_result(settings, None, (thing.describe(dry_run=dry_run) for thing in things))
    _print_model_costs(settings, wanted.dimensions)


def _print_model_costs(settings: Settings, dimensions: int) -> None:
    """What the models cost, for who has not decided."""
    from feeder.progress import ProgressReporter
    from feeder.session.cost_estimate import price_table

    talk = ProgressReporter(quiet=settings.quiet)
    try:
        for line in price_table(settings.model, dimensions):
            talk.message(line)
    except UserError as exc:
        talk.message(f"What models cost cannot be told: {exc}")


@click.command()
@options.doctor_options
def doctor(**said: Any) -> None:
    """Look at all that a run needs, and say what to do about what is wrong; exit 1 if it stops one.

    Nothing is written. What it says has no secret in it and may be shown to others.
    """
    from feeder.doctor.checks import run_checks

    settings = Settings(**said)
    found = list(run_checks(replace(settings, quiet=True)))
    stops = any(one.stops for one in found)
    facts = {
        "version": version(),
        "stops": stops,
        "findings": [one._asdict() for one in found],
    }
    console.print_result(settings, facts, [f"feeder {version()}", *_finding_lines(found)])
    if stops:
        raise SystemExit(1)


def _finding_lines(findings: list[Finding]) -> Iterator[str]:
    width = max(len(one.name) for one in findings)
    for one in findings:
        sign = "STOPS" if one.stops else "note" if one.remedy else "-" if one.absent else "ok"
        yield f"{sign:5}  {one.name:{width}}  {one.says}"
        if one.remedy:
            yield f"{'':5}  {'':{width}}  → {one.remedy}"


@click.command()
@options.read_options
def stats(**said: Any) -> None:
    """Say what the index holds."""
    from feeder.session.session import open_session
    from feeder.session.workspace import current_workspace
    from feeder.store.inventory import statistics

    settings = Settings(**said)
    place = current_workspace(settings)
    with open_session(place, settings, writes=False, create=False) as store:
        facts = statistics(store.index.database, place.repo)
        usage = store.backend.usage()
    answer, lines = facts.as_json(), list(facts.lines())
    if usage:
        usage = replace(usage, dimensions=facts.dimensions)
        answer["usage"] = usage.as_json()
        lines += usage.lines()
    console.print_result(settings, answer, lines)
