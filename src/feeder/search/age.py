"""How far is the index behind what is there now?"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from feeder.tree import git

SHORT = 7
"""Digits of a commit's id that a person reads."""
UNFINISHED = "No run has come to its end: files are missing. To go on: feeder sync"


class Age(NamedTuple):
    """The commit that the index of `repo` equals, empty where no run has come to its end, and HEAD.

    `behind` and `ahead` count the commits that only HEAD and only the index's commit have; None
    where that commit is not here. `edited` are the files shown that are others than was indexed.
    An index is `unfinished` where it equals no commit since its first run was stopped. Where it is
    `working`, it equals the working tree on that commit, as it was when the last run ended.
    """

    repo: str
    equals: str = ""
    head: str = ""
    behind: int | None = 0
    ahead: int | None = 0
    edited: int = 0
    unfinished: bool = False
    working: bool = False

    def as_json(self) -> dict[str, Any]:
        """All of it."""
        return self._asdict()

    @property
    def note(self) -> str:
        """The same in a sentence or two."""
        equals = self._working_tree() if self.working else self._commits()
        return " ".join(filter(None, [self._edited(), equals]))

    def _commits(self) -> str:
        was, now = self.equals[:SHORT], self.head[:SHORT]
        if not was or not now:
            return UNFINISHED if self.unfinished else ""
        if self.equals == self.head:
            return f"The index equals HEAD {now}."
        if self.behind is None:
            return f"The index equals {was}, which is not here; HEAD is {now}: feeder sync"
        if not self.ahead:
            return f"The index is {_commits(self.behind)} behind HEAD ({was} → {now}): feeder sync"
        if not self.behind:
            return f"The index is {_commits(self.ahead)} ahead of HEAD ({was} → {now}): feeder sync"
        return (
            f"The index lacks {_commits(self.behind)} of HEAD and has {self.ahead} that are not in "
            f"it ({was} → {now}): feeder sync"
        )

    def _working_tree(self) -> str:
        was, now = self.equals[:SHORT], self.head[:SHORT]
        if not was:
            return "The index equals the working tree, before the first commit."
        if self.equals == self.head:
            return f"The index equals the working tree on {now}."
        return (
            f"The index equals the working tree on {was}; HEAD is {now}: feeder sync --working-tree"
        )

    def _edited(self) -> str:
        if not self.edited:
            return ""
        if self.edited == 1:
            return "1 of the files shown is edited since."
        return f"{self.edited} of the files shown are edited since."


def age_of(base: Path, repo: str, meta: Mapping[str, str], edited: int = 0) -> Age:
    """What the index's `meta` and git say of a folder; outside of git there is no HEAD."""
    equals = meta.get(f"{repo}:head", "")
    head = git.tip(base) or ""
    run, done = (meta.get(f"{repo}:{key}", "") for key in ("run", "done"))
    unfinished = bool(head and not equals and run != done)
    working = bool(meta.get(f"{repo}:working"))
    made = Age(repo, equals, head, edited=edited, unfinished=unfinished, working=working)
    if not equals or not head or equals == head:
        return made
    found = git.apart(base, equals, head)
    return made._replace(ahead=found and found[0], behind=found and found[1])


def _commits(count: int) -> str:
    return "1 commit" if count == 1 else f"{count} commits"
