"""Commands for CI workflows: `deltas`, `plan` and `action`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from feeder.cli import console, options
from feeder.config import Settings
from feeder.errors import UserError


@click.command()
@click.option("--base", required=True, help="The commit that is indexed.")
@click.option("--head", default="HEAD", show_default=True, help="The commit to come.")
@click.option("--merge-base", is_flag=True, help="Start where HEAD left the base's branch.")
@options.git_options
def deltas(base: str, head: str, merge_base: bool, **said: Any) -> None:
    """Print what leads from one commit to another, in the form that `apply` takes."""
    from feeder.progress import ProgressReporter
    from feeder.session.workspace import repository_of
    from feeder.source.deltas import compute_deltas, deltas_as_json

    settings = Settings(**said)
    answer = compute_deltas(repository_of(settings), base, head, from_merge_base=merge_base)
    if answer.note:
        ProgressReporter(quiet=settings.quiet).message(answer.note)
    console.print_text(deltas_as_json(answer.deltas))


@click.command()
@options.plan_options
@options.git_options
def plan(shards: int, **said: Any) -> None:
    """Print the matrix of jobs that share a first feed: each runs sync --shard."""
    from feeder.progress import ProgressReporter
    from feeder.session.workspace import repository_of
    from feeder.shards import shard_matrix
    from feeder.source.git_trees import Commit

    settings = Settings(**said)
    files = len(Commit(repository_of(settings), subfolder=settings.path).entries())
    shards = max(1, min(shards, files))
    account = console.account()
    account.matrix = json.dumps(shard_matrix(shards))
    ProgressReporter(quiet=settings.quiet).message(
        f"{files:,} files, about {files / shards:,.0f} each"
    )
    console.print_text(account.matrix)


@click.command()
@options.action_options
@click.pass_context
def action(context: click.Context, /, directory: Path, **said: Any) -> None:
    """What action.yml runs in GitHub Actions: its inputs, and the event, decide which command."""
    from feeder.cloudflare.credentials import token_to_mask
    from feeder.github.event import current_event
    from feeder.github.step import StepInputs, plan_step
    from feeder.session.workspace import repository_of

    event = current_event()
    if event is None:
        raise UserError("This is not GitHub Actions. Take the commands themselves, such as sync.")
    account = console.account()
    account.job.mask(token_to_mask())
    wanted = StepInputs(**{name: said[name] for name in StepInputs._fields})
    what = plan_step(wanted, event, repository_of(Settings(directory)))
    if what.note:
        account.note = what.note
        console.print_message(what.note)
    for arguments in what.commands:
        _run_again(context, arguments)


def _run_again(context: click.Context, arguments: list[str]) -> None:
    """Runs another command of the program; what has environment twins need not be said."""
    program = context.find_root().command
    with program.make_context("feeder", arguments, obj=context.obj) as inner:
        program.invoke(inner)
