"""Commands for CI workflows: `deltas`, `plan` and `action`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from feeder.cli import console, options
from feeder.cli.command_help import ShortHelp
from feeder.cli.option_types import ON_OR_OFF, Command, add_options, env_option
from feeder.config import Settings
from feeder.errors import MissingSettingsError, UserError


@click.command(
    cls=ShortHelp,
    examples=(
        "feeder deltas --base main~1",
        "feeder deltas --base v1.0 --head HEAD",
    ),
)
@click.option("--base", required=True, help="Commit that is already indexed.")
@click.option("--head", default="HEAD", show_default=True, help="Commit to index.")
@click.option("--merge-base", is_flag=True, help="Compare with the merge base of both commits.")
@options.git_options
def deltas(base: str, head: str, merge_base: bool, **params: Any) -> None:
    """Print the changes between two commits as JSON.

    `feeder apply` reads this JSON.
    """
    from feeder.progress import ProgressReporter
    from feeder.session.workspace import repository_of
    from feeder.source.deltas import compute_deltas, deltas_as_json

    settings = Settings(**params)
    result = compute_deltas(repository_of(settings), base, head, from_merge_base=merge_base)
    if result.note:
        ProgressReporter(quiet=settings.quiet).message(result.note)
    console.print_text(deltas_as_json(result.deltas))


@click.command(
    cls=ShortHelp,
    examples=(
        "feeder plan --shards 8",
        "feeder plan --shards 16 --path src",
    ),
)
@options.plan_options
@options.git_options
def plan(shards: int, **params: Any) -> None:
    """Print a job matrix that splits a first sync into shards."""
    from feeder.progress import ProgressReporter
    from feeder.session.workspace import repository_of
    from feeder.shards import shard_matrix
    from feeder.source.git_trees import Commit

    settings = Settings(**params)
    files = len(Commit(repository_of(settings), subfolder=settings.path).entries())
    shards = max(1, min(shards, files))
    account = console.account()
    account.matrix = json.dumps(shard_matrix(shards))
    ProgressReporter(quiet=settings.quiet).message(
        f"{files:,} files, about {files / shards:,.0f} per shard"
    )
    console.print_text(account.matrix)


def _action_options(command: Command) -> Command:
    """Adds the options that action.yml passes to `feeder action`."""
    return add_options(
        command,
        env_option(
            "--command",
            "Command to run; with --deltas, sync becomes apply.",
            type=click.Choice(["sync", "apply", "validate", "plan", "comment"]),
            default="sync",
            show_default=True,
        ),
        env_option(
            "--deltas",
            "Changes as a JSON array, or a file with one. Default: what differs between the "
            "index and the commit.",
        ),
        env_option("--validate", "Validate the index afterwards.", type=ON_OR_OFF, default=False),
        env_option("--repair", "Repair what the validation finds.", type=ON_OR_OFF, default=False),
        env_option(
            "--dry-run",
            "Print what would be done and change nothing.",
            type=ON_OR_OFF,
            default=False,
        ),
        env_option(
            "--impact", "List what a pull request's change touches.", type=ON_OR_OFF, default=True
        ),
        env_option(
            "--fail-on",
            "Fail a pull request's job if no test reaches the change, or if unchanged code uses "
            "a changed signature.",
            type=click.Choice(["none", "tests-missing", "signature-callers"]),
            default="none",
        ),
        env_option("--impact-file", "The pull request's facts, for `--command comment`."),
        env_option("--publish", "Place where the local index is published afterwards."),
        env_option(
            "--force",
            "Index the commit even if the index would go back to an older one.",
            type=ON_OR_OFF,
            default=False,
        ),
        options.place_options,
    )


@click.command(
    cls=ShortHelp,
    examples=(
        "feeder action --command plan --dry-run true",
        "feeder action --command validate --repair true",
    ),
)
@_action_options
@click.pass_context
def action(
    context: click.Context,
    /,
    directory: Path,
    impact: bool,
    fail_on: str,
    impact_file: str | None,
    **params: Any,
) -> None:
    """Run what a GitHub Actions event needs.

    Called by action.yml.
    """
    from feeder.cloudflare.credentials import token_to_mask
    from feeder.github.event import current_event
    from feeder.github.step import StepInputs, plan_step
    from feeder.session.workspace import repository_of

    event = current_event()
    if event is None:
        raise UserError(
            "This command runs only in GitHub Actions.",
            "Run a command such as feeder sync instead.",
        )
    account = console.account()
    account.job.mask(token_to_mask())
    inputs = StepInputs(**{name: params[name] for name in StepInputs._fields})
    if inputs.command == "comment":
        account.comment = _comment(impact_file)
        return
    repository = repository_of(Settings(directory))
    step = plan_step(inputs, event, repository)
    if step.note:
        account.note = step.note
        console.print_message(step.note)
    for arguments in step.commands:
        _run_command(context, arguments)
    if event.is_proposal and step.commands and inputs.command != "plan":
        from feeder.github.change_impact import check_gate, read_change_impact

        if impact or fail_on != "none":
            account.impact = read_change_impact(event, directory, repository, fail_on)
            check_gate(account.impact, fail_on)


def _comment(impact_file: str | None) -> str:
    """The comment on a pull request; needs no checkout, so that none of its code is there."""
    from feeder.github.impact_facts import read_facts
    from feeder.github.job_summary import impact_comment

    if not impact_file:
        raise UserError(
            "The input impact-file is empty.",
            "Pass the file that the output `impact-file` of the pull request's run names.",
        )
    return impact_comment(read_facts(Path(impact_file)))


def _run_command(context: click.Context, arguments: list[str]) -> None:
    """Runs another command of the program; it reads other options from the environment."""
    program = context.find_root().command
    with program.make_context("feeder", arguments, obj=context.obj) as inner:
        try:
            program.invoke(inner)
        except MissingSettingsError as exc:
            raise UserError(exc.problem, _input_remedy(exc.missing)) from exc


def _input_remedy(missing: Sequence[str]) -> str:
    """How to set missing settings with the inputs of `action.yml`."""
    from feeder.cloudflare.credentials import CloudSetting

    inputs = {
        CloudSetting.TOKEN: "api-token",
        CloudSetting.ACCOUNT_ID: "account-id",
        CloudSetting.DATABASE_ID: "database-id",
    }
    names = ", ".join(inputs[CloudSetting(name)] for name in missing)
    return f"Set the inputs {names} (a secret that does not exist is empty), or store: local."
