"""Creates files and folders that only their owner can read, and rejects symbolic links in their
place.
"""

import os
from contextlib import suppress
from pathlib import Path

from feeder.errors import UserError


def create_private_file(path: Path) -> None:
    """A database's file, empty, that only its owner reads; one that is there stays as it is.

    SQLite gives what it writes beside a file the same mode. What goes wrong here goes wrong there
    too, and is reported there. Raises UnicodeEncodeError for a name that is not UTF-8.
    """
    name = os.fspath(path).encode()
    with suppress(OSError):
        os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def create_private_folder(path: Path) -> None:
    """A folder that only its owner enters, where there is none; one that is there stays."""
    path.mkdir(mode=0o700, exist_ok=True)


def reject_symlinks(folder: Path) -> Path:
    """The folder; raises UserError where it is a symbolic link or holds one.

    A commit may bring such a link: what is written there would land in another place.
    """
    links = [folder] if folder.is_symlink() else []
    if not links and folder.is_dir():
        links = [path for path in folder.iterdir() if path.is_symlink()]
    if links:
        raise UserError(
            f"{links[0]} is a symbolic link, and what is behind it may be another's. Remove it, "
            "or name a place with --db."
        )
    return folder
