"""Creates and checks the `.feeder` folder of an embedded index."""

import re
from pathlib import Path

from feeder.config import INDEX_FOLDER
from feeder.errors import UserError, os_reason
from feeder.private_files import create_private_folder, reject_symlinks
from feeder.source import git_files, paths

_INDEX_FILE_PATTERN = re.compile(rb"\.db|\.working(/|\Z)")


def working_tree_folder(index: Path) -> Path:
    """Returns the folder beside an index for data of its working-tree index; it may not exist."""
    return index.with_name(f"{index.stem}.working")


def checked_index_folder(base: Path) -> Path:
    """Returns the default folder of an index; it may not exist.

    Raises UserError if git tracks an index in it: its author would decide what a search
    finds.
    """
    folder = reject_symlinks(base / INDEX_FOLDER)
    tracked = git_files.tracked_at(base, INDEX_FOLDER) if folder.is_dir() else []
    for name in tracked:
        is_submodule = b"/" not in name
        if is_submodule or _INDEX_FILE_PATTERN.search(name.lower()):
            raise UserError(
                f"git tracks {paths.escape_name(name)}, so somebody else may have written it.",
                f"Remove it with `git rm -r {INDEX_FOLDER}`, or choose another location with --db.",
            )
    return folder


def create_index_folder(folder: Path) -> None:
    """Creates the folder of an index, which git ignores and only its owner can enter."""
    try:
        create_private_folder(reject_symlinks(folder))
        if not (folder / ".gitignore").exists():
            (folder / ".gitignore").write_text("*\n", "utf-8")
    except OSError as exc:
        if not folder.parent.exists():
            problem = f"The folder {folder.parent}, where the index should be, does not exist."
            remedy = "Create it, or choose another location with --db."
            raise UserError(problem, remedy) from exc
        choose = "Choose another location with --db."
        raise UserError(f"{folder} cannot be created: {os_reason(exc)}.", choose) from exc
