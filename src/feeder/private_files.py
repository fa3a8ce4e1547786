"""Creates files and folders that only their owner can read.

Rejects symbolic links in their place.
"""

import os
from contextlib import suppress
from pathlib import Path

from feeder.errors import UserError


def create_private_file(path: Path) -> None:
    """Creates an empty file with mode 600; an existing file stays as it is.

    SQLite gives the files that it writes beside a database the same mode. OSErrors are ignored
    here, because opening the database reports them. Raises UnicodeEncodeError for a name that is
    not UTF-8.
    """
    name = os.fspath(path).encode()
    with suppress(OSError):
        os.close(os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))


def create_private_folder(path: Path) -> None:
    """Creates a folder with mode 700; an existing folder stays as it is."""
    path.mkdir(mode=0o700, exist_ok=True)


def reject_symlinks(folder: Path) -> Path:
    """Returns the folder; raises UserError if it is a symbolic link or directly contains one.

    A commit may contain such a link, and writes would land elsewhere.
    """
    links = [folder] if folder.is_symlink() else []
    if not links and folder.is_dir():
        links = [path for path in folder.iterdir() if path.is_symlink()]
    if links:
        raise UserError(
            f"{links[0]} is a symbolic link, and its target may belong to somebody else. "
            "Remove it, or choose another location with --db."
        )
    return folder
