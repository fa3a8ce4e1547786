"""Creates files and folders that only their owner can read.

Rejects symbolic links in their place.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from feeder.errors import FeederError, UserError, translate_os_error

_SHOWN_TEMPORARY_FOLDER = "<temporary folder>"


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


@contextmanager
def temporary_folder(parent: Path | str | None = None) -> Iterator[Path]:
    """Creates a folder with mode 700, and deletes it at the end.

    Errors that are raised within do not show its path: it is gone when they are read. At the end
    of the program another thread may still write into it; what then remains is no error. Raises
    UserError if it cannot be created.
    """
    from tempfile import TemporaryDirectory

    try:
        temporary = TemporaryDirectory(prefix="feeder-", dir=parent, ignore_cleanup_errors=True)
    except OSError as exc:
        raise UserError(
            f"A temporary folder cannot be created ({exc.strerror}).",
            "Free some disk space, or set TMPDIR to a writable folder.",
        ) from exc
    with temporary as folder:
        try:
            yield Path(folder)
        except FeederError as exc:
            _hide_folder(exc, folder)
            raise
        except OSError as exc:
            error = translate_os_error(exc)
            _hide_folder(error, folder)
            raise error from exc


def without_folder(text: str, folder: str) -> str:
    """Returns a message without the path of a temporary folder."""
    return text.replace(folder, _SHOWN_TEMPORARY_FOLDER)


def _hide_folder(error: FeederError, folder: str) -> None:
    error.problem = without_folder(error.problem, folder)
    error.remedy = without_folder(error.remedy, folder)


def reject_symlinks(folder: Path) -> Path:
    """Returns the folder; raises UserError if it is a symbolic link or directly contains one.

    A commit may contain such a link, and writes would land elsewhere.
    """
    links = [folder] if folder.is_symlink() else []
    if not links and folder.is_dir():
        links = [path for path in folder.iterdir() if path.is_symlink()]
    if links:
        raise UserError(
            f"{links[0]} is a symbolic link, and its target may belong to somebody else.",
            "Remove it, or choose another location with --db.",
        )
    return folder
