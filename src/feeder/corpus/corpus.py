"""`Corpus`: an index and the files that it is of."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from feeder.store import Database
from feeder.store.scope import Scope


class Corpus(NamedTuple):
    """An index and the files that it is of: `base` is their root folder, `repo` their name in the
    index, `meta` the index's state.

    `seen_tree` is the id of the root tree if the working tree was checked for this request. With
    `counts_changes` every answer says how many files on disk differ from the index.
    """

    database: Database
    base: Path
    repo: str
    meta: Mapping[str, str]
    seen_tree: str = ""
    counts_changes: bool = False

    @property
    def scope(self) -> Scope:
        """All nodes of the repository."""
        return Scope.of_repo(self.repo)
