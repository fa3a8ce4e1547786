"""What does a step of a GitHub workflow run? The inputs and the event become commands."""

import tempfile
from pathlib import Path
from typing import NamedTuple

from feeder.credentials import has_token
from feeder.errors import UserError
from feeder.event import Event
from feeder.tree import git
from feeder.tree.deltas import as_json, deltas

Arguments = list[str]


class Wanted(NamedTuple):
    """What a workflow asks for, as `action.yml` has it."""

    command: str
    deltas: str | None
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
    followed = wanted.branch or event.default_branch
    commit = git.commit(repository, "HEAD")
    if why := event.why_not(followed, git.branch(repository), commit):
        return Step([], f"Nothing to do: {why}.")
    names = _names(followed, event)
    validation = ["validate", "--wait", *names, *(["--repair"] if wanted.repair else [])]
    if wanted.command == "validate":
        return Step([validation])
    if wanted.dry_run:
        return Step([[*_feeding(wanted), *names, "--dry-run"]])
    return Step([[*_feeding(wanted), *names], *([validation] if wanted.validate else [])])


def _names(branch: str, event: Event) -> Arguments:
    repo = ["--repo", event.repository] if event.repository else []
    return [*repo, *(["--branch", branch] if branch else [])]


def _feeding(wanted: Wanted) -> Arguments:
    if wanted.deltas and not wanted.deltas.isspace():
        return ["apply", _file(wanted.deltas)]
    if wanted.command == "apply":
        raise UserError("The input deltas is empty. Give a JSON array, or take command: sync.")
    return ["sync"]


def _proposed(wanted: Wanted, event: Event, repository: Path) -> Step:
    if wanted.command == "validate":
        return Step([], "Nothing to do: a pull request's commit is in no index.")
    followed = wanted.branch or event.default_branch
    dry = [*_names(followed, event), "--dry-run"]
    if has_token():
        return Step([[*_feeding(wanted), *dry]], "A pull request: what its merge would change.")
    changes = deltas(repository, event.base, "HEAD")
    note = "A pull request without the secrets: what it changes, as if nothing were indexed."
    return Step([["apply", _file(as_json(changes.deltas)), *dry]], note + _because(changes.note))


def _because(note: str | None) -> str:
    return f" {note}" if note else ""


def _file(deltas: str) -> str:
    """Where the deltas can be read: they are a file's name, or go into one."""
    if not deltas.lstrip().startswith(("[", "{")):
        if not Path(deltas).is_file():
            raise UserError(
                f"The input deltas is neither a JSON array nor a file: {deltas[:200]!r}. "
                'Write [{"file": "src/cart.py", "action": "process"}].'
            )
        return deltas
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False, encoding="utf-8") as file:
        file.write(deltas)
    return file.name
