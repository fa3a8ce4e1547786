"""Translates the inputs of `action.yml` and the event into feeder commands."""

import os
import tempfile
from pathlib import Path
from typing import NamedTuple

from feeder.cloudflare.credentials import has_token
from feeder.errors import UserError
from feeder.github.event import Event
from feeder.github.followed_branch import Position, position_on_branch
from feeder.source import git
from feeder.source.deltas import compute_deltas, deltas_as_json

CommandArguments = list[str]


class StepInputs(NamedTuple):
    """The inputs of `action.yml`."""

    command: str
    deltas: str | None
    store: str | None
    repo: str | None
    branch: str | None
    validate: bool
    repair: bool
    dry_run: bool
    force: bool
    publish: str | None


class StepPlan(NamedTuple):
    """The commands to run, and a note to print first."""

    commands: list[CommandArguments]
    note: str = ""


def plan_step(inputs: StepInputs, event: Event, repository: Path) -> StepPlan:
    """Returns the commands of a step; none if the event is not about the indexed branch.

    A pull request, also in a merge queue, gets a dry run; without a token, as in forks, a dry run
    of its changes alone.
    Raises UserError for inputs that cannot be used together, and for a commit of no or another
    branch.
    """
    if inputs.command == "plan":
        return StepPlan([["plan"]])
    if inputs.publish and inputs.store != "local":
        raise UserError(
            "The input publish needs an index on the runner.", "Add to the step: store: local"
        )
    if event.is_proposal:
        return _plan_proposal(inputs, event, repository)
    branch = _indexed_branch(inputs, event, repository)
    commit = git.commit_id(repository, "HEAD")
    if reason := event.skip_reason(branch, git.current_branch(repository), commit):
        return StepPlan([], f"Nothing to do: {reason}.")
    names = _naming_options(inputs, branch, event)
    if inputs.dry_run and inputs.command != "validate":
        return StepPlan([[*_sync_command(inputs), *names, "--dry-run"]])
    if branch and not inputs.force:
        position = position_on_branch(event, repository, branch)
        names += ["--forward-only"] if position is Position.EARLIER else []
    validation = ["validate", "--wait", *names, *(["--repair"] if inputs.repair else [])]
    if inputs.command == "validate":
        return StepPlan([validation])
    commands = [[*_sync_command(inputs), *names]]
    if inputs.validate:
        commands.append(validation)
    if inputs.publish:
        commands.append(["publish", "--", inputs.publish])
    return StepPlan(commands)


def _indexed_branch(inputs: StepInputs, event: Event, repository: Path) -> str:
    branch = inputs.branch or event.default_branch
    if branch and not git.is_branch_name(repository, branch):
        raise UserError(f"{branch!r} is not a branch name.", "Correct the input branch.")
    return branch


def _naming_options(inputs: StepInputs, branch: str, event: Event) -> CommandArguments:
    repo = inputs.repo or event.repository
    options = {"--repo": repo, "--branch": branch, "--store": inputs.store or "cloudflare"}
    return [word for option, name in options.items() if name for word in (option, name)]


def _sync_command(inputs: StepInputs) -> CommandArguments:
    if inputs.deltas and not inputs.deltas.isspace():
        return ["apply", _deltas_file(inputs.deltas)]
    if inputs.command == "apply":
        raise UserError(
            "The input deltas is empty.", "Set it to a JSON array, or use command: sync."
        )
    return ["sync"]


def _plan_proposal(inputs: StepInputs, event: Event, repository: Path) -> StepPlan:
    if inputs.command == "validate":
        return StepPlan([], "Nothing to do: no index has a commit that is not merged yet.")
    branch = _indexed_branch(inputs, event, repository)
    options = [*_naming_options(inputs, branch, event), "--dry-run"]
    if has_token():
        return StepPlan(
            [[*_sync_command(inputs), *options]],
            "Dry run: what merging this change would do to the index.",
        )
    # the first parent of GitHub's merge commit is the newest base; that takes a depth of two
    is_merged = git.commit_id(repository, "HEAD^2") is not None
    changes = compute_deltas(repository, "HEAD^1" if is_merged else event.base, "HEAD")
    note = "Dry run without secrets: only the change is counted, as if the index were empty."
    return StepPlan(
        [["apply", _deltas_file(deltas_as_json(changes.deltas)), *options]],
        note + _optional_note(changes.note),
    )


def _optional_note(note: str | None) -> str:
    return f" {note}" if note else ""


def _deltas_file(deltas: str) -> str:
    """Returns the path of a file with the deltas, which are a file's name or JSON."""
    if not deltas.lstrip().startswith(("[", "{")):
        if not os.path.isfile(deltas):  # noqa: PTH113 - Path raises for a name that is too long
            raise UserError(
                f"The input deltas is neither a JSON array nor an existing file: {deltas[:200]!r}.",
                'Write [{"file": "src/cart.py", "action": "process"}].',
            )
        return os.path.join(".", deltas)  # noqa: PTH118 - a name may begin with a dash
    folder = tempfile.mkdtemp(prefix="feeder-", dir=os.environ.get("RUNNER_TEMP"))
    file = Path(folder, "deltas.json")
    file.write_text(deltas, "utf-8")
    return str(file)
