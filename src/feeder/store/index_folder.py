"""Creates and checks the `.feeder` folder of an embedded index."""

import re
from pathlib import Path

from feeder.config import INDEX_FOLDER
from feeder.errors import UserError
from feeder.private_files import create_private_folder, reject_symlinks
from feeder.source import git_files, paths

_INDEX_FILE_PATTERN = re.compile(rb"\.db|\.working(/|\Z)")


def working_tree_folder(index: Path) -> Path:
    """Where what looks at the working tree need is kept, beside an index; it may not be there."""
    return index.with_name(f"{index.stem}.working")


def checked_index_folder(base: Path) -> Path:
    """Where an index is unless the user names a place; there may be none yet.

    Raises UserError where a commit brings it: whoever made it would decide what is found.
    """
    folder = reject_symlinks(base / INDEX_FOLDER)
    brought = git_files.tracked_at(base, INDEX_FOLDER) if folder.is_dir() else []
    for name in brought:
        if (
            _INDEX_FILE_PATTERN.search(name.lower()) or b"/" not in name
        ):  # the latter is a submodule
            raise UserError(
                f"git tracks {paths.escape_name(name)}, and what is in it may be another's. "
                "Remove it "
                f"with `git rm -r {INDEX_FOLDER}`, or name a place with --db."
            )
    return folder


def create_index_folder(folder: Path) -> None:
    """The folder of an index, which ignores itself for git, and which only its owner enters."""
    try:
        create_private_folder(reject_symlinks(folder))
        if not (folder / ".gitignore").exists():
            (folder / ".gitignore").write_text("*\n", "utf-8")
    except OSError as exc:
        raise UserError(f"{folder} cannot be made: {exc}. Name a place with --db.") from exc
