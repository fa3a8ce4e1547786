"""Decides whether the checked-out commit belongs to the branch that the index follows.

The checkout and the event are the evidence; nothing is fetched, because most checkouts have neither
history nor credentials.
"""

from enum import Enum, auto
from pathlib import Path

from feeder.errors import UserError
from feeder.github.event import Event
from feeder.source import git


class Position(Enum):
    """The place of a commit in the history of a branch."""

    NEWEST = auto()
    """The newest commit when the event happened, or when the branch was checked out."""
    EARLIER = auto()
    """An ancestor of the newest."""


def position_on_branch(event: Event, repository: Path, branch: str) -> Position:
    """Returns the place of HEAD in the history of `branch`.

    Raises UserError for a commit of which neither the event nor the fetched history shows that it
    is on the branch: one that is not merged, or any earlier one in a checkout without history.
    """
    commit, _ = git.head_ids(repository)
    tips = [tip.commit for tip in event.tips() if tip.branch == branch]
    fetched = git.commit_id(repository, f"refs/remotes/origin/{branch}")
    is_checked_out = git.current_branch(repository) == branch
    # that of a workspace which is used again may be out of date, unless the branch is checked out
    if commit in tips or (is_checked_out and commit == fetched):
        return Position.NEWEST
    if any(git.is_ancestor(repository, commit, tip) for tip in [*tips, fetched] if tip):
        return Position.EARLIER
    is_known = fetched and not git.is_shallow(repository)
    reason = "it is not" if is_known else "the checkout does not show that it is"
    history = "" if is_known else ", or all its history (fetch-depth: 0)"
    raise UserError(
        f"Commit {commit[:10]} is checked out, and {reason} a commit of {branch}, which the index "
        "follows. Nothing was changed.",
        f"Let actions/checkout check out {branch} (ref: {branch}){history}. To index this "
        'commit anyway, set force: "true".',
    )
