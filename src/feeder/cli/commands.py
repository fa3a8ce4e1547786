"""The commands: what a user says becomes a run, and an error an exit code."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from feeder.actions.account import Account
from feeder.cli import console, options
from feeder.config import Settings
from feeder.errors import FeederError, Interrupted, Overtaken, ServiceError, Stopped, UserError

SOME = "the given files"

if TYPE_CHECKING:
    from feeder.assembly.opening import Place
    from feeder.run.feed import Feed
    from feeder.tree import Tree


def main() -> None:
    """Runs the program; the one place where errors become exit codes."""
    account = Account()
    title = " ".join(["feeder", *sys.argv[1:2]])
    with account.job as job:
        with job.group(title):
            code, error = _run_to_its_end(account)
        account.close(title, error)
    sys.exit(code)


def _interrupt(*_: object) -> None:
    """Raises KeyboardInterrupt once: another Ctrl-C does not disturb what closes the stores."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def _run_to_its_end(account: Account) -> tuple[int, FeederError | None]:
    """The exit code, and what went wrong, which has been said on stderr."""
    try:
        signal.signal(signal.SIGINT, _interrupt)
        return cli.main(prog_name="feeder", standalone_mode=False, obj=account) or 0, None
    except SystemExit as exc:
        return int(exc.code or 0), None
    except click.ClickException as exc:
        console.refuse(exc)
        return exc.exit_code, UserError(exc.format_message())
    except (FeederError, KeyboardInterrupt, click.Abort, OSError, UnicodeEncodeError) as exc:
        error = _in_our_words(exc)
        console.tell(f"feeder: {error}")
        return error.exit_code, error


def _in_our_words(error: BaseException) -> FeederError:
    match error:
        case FeederError():
            return error
        case UnicodeEncodeError():
            return UserError("an argument is not UTF-8. Write it so.")
        case OSError():
            return FeederError(str(error))
    return Interrupted("interrupted; what is done is kept, run it again to go on.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="feeder")
def cli() -> None:
    """Keeps a search index of a repository, by word and by meaning, equal to its HEAD."""


@cli.command()
@options.syncing
def sync(dry_run: bool, **said: Any) -> None:
    """Make the index equal to HEAD, whatever has run or died before."""
    from feeder.assembly.opening import place_of, repository_of
    from feeder.run.sync import sync
    from feeder.tree.commit import Commit

    settings = Settings(**said)
    repository = repository_of(settings)
    tree = Commit(repository, below=settings.path, max_bytes=settings.max_file_bytes)
    part = f"shard {settings.shard}" if settings.shard else ""
    place = place_of(repository, settings)
    with _run(place, tree, settings, dry_run=dry_run, part=part or _folder_name(settings)) as feed:
        sync(feed, dry_run=dry_run)


@cli.command()
@options.paths("A file or folder, as it lies there; may be given several times.")
@options.writing
def process(paths: tuple[Path, ...], dry_run: bool, **said: Any) -> None:
    """Index files and folders of the working tree; what is gone from them leaves the index."""
    from feeder.assembly.opening import base_for, place_of
    from feeder.run.scope import process_paths

    settings = Settings(**said)
    paths = tuple(settings.directory / path for path in paths)
    place = place_of(base_for(paths, settings), settings)
    tree = _folder(place, paths, settings)
    with _run(place, tree, settings, dry_run=dry_run, part=SOME) as feed:
        process_paths(feed, place.base, paths, dry_run=dry_run)


@cli.command()
@options.paths("A file or folder of the index, which need not exist any more.")
@options.writing
def delete(paths: tuple[Path, ...], dry_run: bool, **said: Any) -> None:
    """Take files and folders out of the index; the files themselves stay."""
    from feeder.assembly.opening import base_of, place_of
    from feeder.run.scope import delete_paths

    settings = Settings(**said)
    paths = tuple(settings.directory / path for path in paths)
    place = place_of(base_of(settings.directory), settings)
    tree = _folder(place, (), settings)
    with _run(place, tree, settings, dry_run=dry_run, part=SOME) as feed:
        delete_paths(feed, place.base, paths, dry_run=dry_run)


@cli.command()
@click.argument("deltas", type=click.File("rb"))
@options.applying
def apply(deltas: IO[bytes], dry_run: bool, **said: Any) -> None:
    """Apply changes: a JSON array of {"file", "action": "process"|"delete"}; - reads stdin."""
    from feeder.assembly.opening import base_of, place_of
    from feeder.run.scope import apply_deltas
    from feeder.tree.deltas import parse
    from feeder.tree.names import is_below
    from feeder.tree.names import place as place_in

    settings = Settings(**said)
    place = place_of(base_of(settings.directory), settings)
    changes = parse(deltas.read(), place.base)
    changes = [change for change in changes if is_below(change.file, settings.path)]
    files = [place_in(place.base, change.file) for change in changes if change.action == "process"]
    tree = _folder(place, files, settings)
    with _run(place, tree, settings, dry_run=dry_run, part=SOME) as feed:
        apply_deltas(feed, changes, dry_run=dry_run)


@cli.command()
@click.option("--base", required=True, help="The commit that is indexed.")
@click.option("--head", default="HEAD", show_default=True, help="The commit to come.")
@click.option("--merge-base", is_flag=True, help="Start where HEAD left the base's branch.")
@click.option("--json", is_flag=True, expose_value=False, help="As always here.")
@options.here
def deltas(base: str, head: str, merge_base: bool, directory: Path) -> None:
    """Print what leads from one commit to another, in the form that `apply` takes."""
    from feeder.assembly.opening import repository_of
    from feeder.tree.deltas import as_json, deltas

    repository = repository_of(Settings(directory))
    answer = deltas(repository, base, head, from_merge_base=merge_base)
    if answer.note:
        console.tell(answer.note)
    console.out(as_json(answer.deltas))


@cli.command()
@options.counting
@options.here
def plan(shards: int, path: str, directory: Path) -> None:
    """Print the matrix of jobs that share a first feed: each runs sync --shard."""
    from feeder.assembly.opening import repository_of
    from feeder.shards import matrix
    from feeder.tree.commit import Commit

    files = len(Commit(repository_of(Settings(directory)), below=path).entries())
    shards = max(1, min(shards, files))
    account = console.account()
    account.matrix = json.dumps(matrix(shards))
    click.echo(f"{files:,} files, about {files / shards:,.0f} each", err=True)
    console.out(account.matrix)


@cli.command()
@options.acting
@click.pass_context
def action(context: click.Context, /, directory: Path, **said: Any) -> None:
    """What action.yml runs in GitHub Actions: its inputs, and the event, decide which command."""
    from feeder.actions.event import current
    from feeder.actions.step import Wanted, step
    from feeder.assembly.opening import repository_of
    from feeder.cloudflare.credentials import trimmed_token

    event = current()
    if event is None:
        raise UserError("This is not GitHub Actions. Take the commands themselves, such as sync.")
    account = console.account()
    account.job.mask(trimmed_token())
    wanted = Wanted(**{name: said[name] for name in Wanted._fields})
    what = step(wanted, event, repository_of(Settings(directory)))
    if what.note:
        account.note = what.note
        console.tell(what.note)
    for arguments in what.commands:
        _again(context, arguments)


@cli.command()
@click.option("--database-name", help="Of the D1 database to find or make; else <owner>_<repo>.")
@options.making
def init(database_name: str | None, dry_run: bool, **said: Any) -> None:
    """Make what an index is kept in, where it is missing, or bring its schema up to date."""
    from feeder.assembly.opening import base_of, opened, place_of
    from feeder.cloudflare.credentials import choice

    settings = Settings(**said)
    place = place_of(base_of(settings.directory), settings)
    if choice(settings).is_cloud:
        _provision(place, settings, database_name, dry_run=dry_run)
    else:
        with opened(place, settings, writes=not dry_run, create=True) as store:
            facts = {"index": store.index.database.place, "repo": place.repo}
        console.result(settings, facts, ["Ready."])


@cli.command()
@click.option("--repair", is_flag=True, help="Make anew what disagrees, and ask again.")
@click.option(
    "--wait", is_flag=True, help="Until Vectorize shows what was written; --repair does so anyway."
)
@options.proving
def validate(repair: bool, wait: bool, content: bool, **said: Any) -> None:
    """Prove that the index is what HEAD's files make, all parts agreeing; exit 1 if it is not."""
    from feeder.assembly.opening import base_of, feeding, opened, place_of
    from feeder.run.validate import repair as mend
    from feeder.run.validate import validate

    settings = Settings(**said)
    place = place_of(base_of(settings.directory), settings)
    with (
        opened(place, settings, writes=repair, create=False) as store,
        feeding(store, _tree(place, settings), settings, dry_run=False) as feed,
    ):
        waits = wait or repair
        verdict = validate(feed, wait=waits, content=content)
        if repair and not verdict.passed:
            mend(feed, verdict)
            verdict = validate(feed, wait=waits, content=content)._replace(repaired=True)
            console.account().report = feed.report.as_json()
    console.account().verdict = verdict.as_json()
    console.result(settings, verdict.as_json(), verdict.lines())
    if not verdict.passed:
        raise SystemExit(1)


@cli.command()
@click.argument("query")
@click.option("-n", "--limit", type=click.IntRange(1, 100), default=10, show_default=True)
@options.narrowing
@click.option("--lines", type=click.IntRange(0), default=6, show_default=True, help="Of each node.")
@options.reading
def search(query: str, limit: int, lines: int, **said: Any) -> None:
    """Find nodes by word and by meaning, and show their lines as they are now."""
    from feeder.assembly.opening import base_of, comparable, opened, place_of
    from feeder.cli.showing import as_json, as_text
    from feeder.search.ranking import search
    from feeder.store.reading import Scope
    from feeder.tree.names import escape

    path, language, node_type = (said.pop(name) for name in ("path", "language", "node_type"))
    settings = Settings(**said)
    place = place_of(base_of(settings.directory), settings)
    with opened(place, settings, writes=False, create=False) as store:
        glob = escape(os.fsencode(path)) if path else None
        scope = Scope(place.repo, glob, language, node_type)
        found = search(store.index.database, comparable(store), query, scope, limit)
    console.result(settings, as_json(found, place.base), as_text(found, place.base, lines))


@cli.command()
@options.reading
def stats(**said: Any) -> None:
    """Say what the index holds."""
    from feeder.assembly.opening import base_of, opened, place_of
    from feeder.store.reading import statistics

    settings = Settings(**said)
    place = place_of(base_of(settings.directory), settings)
    with opened(place, settings, writes=False, create=False) as store:
        facts = statistics(store.index.database, place.repo)
        usage = store.parts.usage()
    answer, lines = facts.as_json(), list(facts.lines())
    if usage:
        usage = replace(usage, dimensions=facts.dimensions)
        answer["usage"] = usage.as_json()
        lines += usage.lines()
    console.result(settings, answer, lines)


def _folder(place: Place, paths: Sequence[Path], settings: Settings) -> Tree:
    from feeder.tree.folder import Folder

    there = [path for path in paths if os.path.lexists(path)]
    return Folder(place.base, there, max_bytes=settings.max_file_bytes)


def _folder_name(settings: Settings) -> str:
    return f"the folder {settings.path}" if settings.path else ""


def _tree(place: Place, settings: Settings) -> Tree:
    """HEAD where there is a repository with a commit, else the folder as it lies there."""
    from feeder.tree import git
    from feeder.tree.commit import Commit

    if git.root(place.base) and git.commit(place.base, "HEAD"):
        return Commit(place.base, below=settings.path, max_bytes=settings.max_file_bytes)
    return _folder(place, [place.base], settings)


@contextmanager
def _run(
    place: Place, tree: Tree, settings: Settings, *, dry_run: bool, part: str
) -> Iterator[Feed]:
    """A run that writes, with its account at the end; `part` is what of a commit it is about."""
    from feeder.assembly.opening import feeding, opened

    ended_early: FeederError | None = None
    account = console.account()
    account.base, account.part = place.base, part
    feed: Feed | None = None
    try:
        with (
            opened(place, settings, writes=not dry_run, create=True) as store,
            feeding(store, tree, settings, dry_run=dry_run) as feed,
        ):
            try:
                yield feed
            except (Stopped, ServiceError) as exc:
                ended_early = exc
    finally:
        account.report = feed.report.as_json() if feed else None
    if not isinstance(ended_early, Overtaken):
        console.result(settings, feed.report.as_json(), feed.report.lines())
    if ended_early:
        raise ended_early


def _provision(
    place: Place, settings: Settings, database_name: str | None, *, dry_run: bool
) -> None:
    """What `init` makes at Cloudflare, each line as soon as it is made."""
    from feeder.assembly.embedders import dimensions_at_cloudflare
    from feeder.cloudflare.credentials import choice
    from feeder.cloudflare.provision import Wanted, provision
    from feeder.run.report import Talk

    Talk(quiet=settings.quiet).say(f"{place.repo}: Cloudflare; {choice(settings).why}")
    wanted = Wanted(dimensions_at_cloudflare(settings), database_name)
    things = provision(place.base, place.repo, settings, wanted, dry_run=dry_run)
    if settings.json:
        console.result(settings, [thing._asdict() for thing in things], ())
    else:
        console.result(settings, None, (thing.line(dry_run=dry_run) for thing in things))


def _again(context: click.Context, arguments: list[str]) -> None:
    """Runs another command of the program; what has environment twins need not be said."""
    with cli.make_context("feeder", arguments, obj=context.obj) as inner:
        cli.invoke(inner)
