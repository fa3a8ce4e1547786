"""Which tree is compared with the index?"""

import os
from collections.abc import Sequence
from pathlib import Path

from feeder.assembly.opening import Place
from feeder.config import Settings
from feeder.errors import UserError
from feeder.tree import Tree


def tree_of(place: Place, settings: Settings) -> Tree:
    """HEAD where there is a repository with a commit, else the folder as it lies there."""
    from feeder.tree import git
    from feeder.tree.commit import Commit

    if git.root(place.base) and git.commit(place.base, "HEAD"):
        return Commit(place.base, below=settings.path, max_bytes=settings.max_file_bytes)
    return folder_at(place, [place.base], settings)


def folder_at(place: Place, paths: Sequence[Path], settings: Settings) -> Tree:
    """The files at these paths as they lie there; those that are gone are not in it.

    Raises UserError for paths in a repository where no file lies.
    """
    from feeder.tree import git
    from feeder.tree.folder import Folder

    if paths and git.root(place.base) and git.is_bare(place.base):
        raise UserError(f"{place.base} has no working tree. Index its HEAD with: feeder sync")
    there = [path for path in paths if os.path.lexists(path)]
    return Folder(place.base, there, max_bytes=settings.max_file_bytes)
