"""The tree of HEAD, read from git's objects: what the working tree holds does not show."""

from pathlib import Path

from feeder.source import DEFAULT_SIZES, Sizes, git
from feeder.source.git_trees import StoredTree


class Commit(StoredTree):
    """HEAD of a repository, which may be bare, shallow or a worktree; or one folder of it.

    Raises UserError where there is no repository, no commit or no such folder.
    """

    working_tree_id = ""

    def __init__(
        self, repository: Path, *, subfolder: str = "", sizes: Sizes = DEFAULT_SIZES
    ) -> None:
        self.commit, self.root_tree_id = git.head_ids(repository)
        super().__init__(repository, self.commit, subfolder=subfolder, sizes=sizes)
        if subfolder:
            self.root_tree_id = git.folder_tree_id(repository, self.commit, subfolder)
