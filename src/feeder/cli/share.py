"""Commands that share an index: `publish` and `pull`."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import click

from feeder.cli import console, options
from feeder.cli.command_help import ShortHelp
from feeder.cli.option_types import WholeNumber
from feeder.config import Settings
from feeder.errors import ServiceError, UserError


@click.command(
    cls=ShortHelp,
    examples=("feeder publish github:acme/shop", "feeder publish /srv/indexes/shop --keep 5"),
)
@click.argument("target", metavar="TARGET")
@click.option(
    "--keep",
    type=WholeNumber(1, 1_000),
    default=20,
    show_default=True,
    help="Number of newest commits to keep in TARGET.",
)
@options.share_options
def publish(target: str, keep: int, **params: Any) -> None:
    """Publish the index for other clones to pull.

    TARGET is a folder, github:owner/name (a release of that repository), s3://bucket/folder (also
    R2 and other S3 services), gs:// or az://. Uploads only what is missing there.
    """
    from feeder.session.workspace import current_workspace, index_file
    from feeder.share.places import open_target
    from feeder.share.publish import publish as publish_index

    settings = Settings(**params)
    place = current_workspace(settings)
    file = index_file(place.base, settings)
    if not file.exists():
        raise UserError(f"There is no index at {file}.", "Make one with: feeder sync")
    with closing(open_target(target, settings.directory)) as store:
        done = publish_index(file, place.base, store, keep)
    console.account().published_digest = done.manifest
    console.print_report(settings, done._asdict(), done.lines())


@click.command(cls=ShortHelp, examples=("feeder pull", "feeder pull github:acme/shop"))
@click.argument("source", required=False)
@click.option(
    "--verify-attestation/--no-verify-attestation",
    "verifies",
    default=None,
    help="Accept only an index that a workflow of the repository has attested. Default: on "
    "for github:owner/name if gh is installed and signed in.",
)
@options.share_options
def pull(source: str | None, verifies: bool | None, **params: Any) -> None:
    """Pull the published index nearest to HEAD, and update it.

    SOURCE is a folder, https://…, github:owner/name, s3://,
    gs:// or az://. Default: the index that the repository's pyproject.toml or .feeder.toml names.
    """
    from feeder.cli.sync import sync
    from feeder.session.workspace import current_workspace, index_file
    from feeder.share.attestation import attestation_of
    from feeder.share.places import open_source
    from feeder.share.pull import pull as pull_index
    from feeder.share.stores import failure_at
    from feeder.shared_settings import read_shared_settings
    from feeder.store.index_folder import create_index_folder

    settings = Settings(**params)
    place = current_workspace(settings)
    named = read_shared_settings(place.base).index
    if not (source or named):
        raise UserError(
            "No published index is configured.",
            "Run feeder pull SOURCE, such as github:owner/name or s3://bucket/folder, or put "
            'index = "SOURCE" into .feeder.toml.',
        )
    file = index_file(place.base, settings)
    if file.exists():
        raise UserError(f"{file} already exists.", "Bring it up to date with: feeder sync")
    if settings.db is None:
        create_index_folder(file.parent)
    base = settings.directory if source else place.base
    check = attestation_of(source or named, place.repo, place.base, is_wanted=verifies)
    with closing(open_source(source or named, base)) as store:
        try:
            verify = check.verify if check else lambda _: None
            pulled = pull_index(store, place.base, file, settings, verify)
        except ServiceError as exc:
            exc.problem = failure_at(source or named, exc.problem)
            exc.remedy = exc.remedy or "To build the index here instead: feeder sync"
            raise
    if pulled and not settings.quiet:
        console.print_message(str(pulled))
    context = click.get_current_context()
    context.invoke(sync, **{**_defaults(sync, context), **params})


def _defaults(command: click.Command, context: click.Context) -> dict[str, Any]:
    """The values of a command's options when none is given, from the environment too."""
    return command.make_context(command.name, [], parent=context.parent).params
