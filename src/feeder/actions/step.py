"""What does a step of a GitHub workflow run? The inputs and the event become commands."""

import os
import tempfile
from pathlib import Path
from typing import NamedTuple

from feeder.actions.event import Event
from feeder.cloudflare.credentials import has_token
from feeder.errors import UserError
from feeder.tree import git
from feeder.tree.deltas import compute_deltas, deltas_as_json

Arguments = list[str]


class Wanted(NamedTuple):
    """What a workflow asks for, as `action.yml` has it."""

    command: str
    deltas: str | None
    store: str | None
    repo: str | None
    branch: str | None
    validate: bool
    repair: bool
    dry_run: bool


class Step(NamedTuple):
    """The commands to run, and what the log should say of them first."""

    commands: list[Arguments]
    note: str = ""


def step(wanted: Wanted, event: Event, repository: Path) -> Step:
    """The commands of a step; none where the event is not about the branch that is followed.

    A pull request is only planned; without a token, as a fork's has none, it is planned from what
    it changes. Raises UserError for inputs that do not go together.
    """
    if wanted.command == "plan":
        return Step([["plan"]])
    if event.is_proposal:
        return _proposed(wanted, event, repository)
    followed = _followed(wanted, event, repository)
    commit = git.commit_id(repository, "HEAD")
    if why := event.why_not(followed, git.current_branch(repository), commit):
        return Step([], f"Nothing to do: {why}.")
    names = _names(wanted, followed, event)
    validation = ["validate", "--wait", *names, *(["--repair"] if wanted.repair else [])]
    if wanted.command == "validate":
        return Step([validation])
    if wanted.dry_run:
        return Step([[*_feeding(wanted), *names, "--dry-run"]])
    return Step([[*_feeding(wanted), *names], *([validation] if wanted.validate else [])])


def _followed(wanted: Wanted, event: Event, repository: Path) -> str:
    branch = wanted.branch or event.default_branch
    if branch and not git.is_branch_name(repository, branch):
        raise UserError(f"{branch!r} is no name of a branch. Mend the input branch.")
    return branch


def _names(wanted: Wanted, branch: str, event: Event) -> Arguments:
    repo = wanted.repo or event.repository
    named = {"--repo": repo, "--branch": branch, "--store": wanted.store or "cloudflare"}
    return [word for option, name in named.items() if name for word in (option, name)]


def _feeding(wanted: Wanted) -> Arguments:
    if wanted.deltas and not wanted.deltas.isspace():
        return ["apply", _file(wanted.deltas)]
    if wanted.command == "apply":
        raise UserError("The input deltas is empty. Give a JSON array, or take command: sync.")
    return ["sync"]


def _proposed(wanted: Wanted, event: Event, repository: Path) -> Step:
    if wanted.command == "validate":
        return Step([], "Nothing to do: a pull request's commit is in no index.")
    followed = _followed(wanted, event, repository)
    dry = [*_names(wanted, followed, event), "--dry-run"]
    if has_token():
        return Step([[*_feeding(wanted), *dry]], "A pull request: what its merge would change.")
    # the first parent of what GitHub has merged is the newest base; it takes a depth of two
    is_merged = git.commit_id(repository, "HEAD^2") is not None
    changes = compute_deltas(repository, "HEAD^1" if is_merged else event.base, "HEAD")
    note = "A pull request without the secrets: what it changes, as if nothing were indexed."
    return Step(
        [["apply", _file(deltas_as_json(changes.deltas)), *dry]], note + _because(changes.note)
    )


def _because(note: str | None) -> str:
    return f" {note}" if note else ""


def _file(deltas: str) -> str:
    """Where the deltas can be read: they are a file's name, or go into one."""
    if not deltas.lstrip().startswith(("[", "{")):
        if not os.path.isfile(deltas):  # noqa: PTH113 - Path raises for a name that is too long
            raise UserError(
                f"The input deltas is no JSON array, and there is no such file: {deltas[:200]!r}. "
                'Write [{"file": "src/cart.py", "action": "process"}].'
            )
        return os.path.join(".", deltas)  # noqa: PTH118 - a name may begin with a dash
    folder = tempfile.mkdtemp(prefix="feeder-", dir=os.environ.get("RUNNER_TEMP"))
    file = Path(folder, "deltas.json")
    file.write_text(deltas, "utf-8")
    return str(file)
