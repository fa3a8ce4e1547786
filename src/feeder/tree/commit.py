"""The tree of HEAD, read from git's objects: what the working tree holds does not show."""

from pathlib import Path

from feeder.tree import SIZES, Sizes, git
from feeder.tree.stored import Stored


class Commit(Stored):
    """HEAD of a repository, which may be bare, shallow or a worktree; or one folder of it.

    Raises UserError where there is no repository, no commit or no such folder.
    """

    working = ""

    def __init__(self, repository: Path, *, below: str = "", sizes: Sizes = SIZES) -> None:
        self.commit, self.root = git.head(repository)
        super().__init__(repository, self.commit, below=below, sizes=sizes)
        if below:
            self.root = git.folder(repository, self.commit, below)
