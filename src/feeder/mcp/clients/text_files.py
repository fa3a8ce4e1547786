"""Reads, diffs, atomically replaces and deletes UTF-8 text files of other programs, keeping
their mode and following symbolic links. Used by the client installation and by the Worker's
folder.
"""

import difflib
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from feeder.errors import UserError


def read(file: Path) -> str | None:
    """The text, as it is to the byte; None where there is no file.

    Raises UserError for what is no text in UTF-8, or no file.
    """
    try:
        return file.read_bytes().decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as exc:
        raise UserError(f"{file} is not in UTF-8, from byte {exc.start} on. Save it so.") from exc
    except OSError as exc:
        raise _file_error(file, exc) from exc


def diff(file: Path, before: str | None, after: str | None) -> Iterator[str]:
    """The lines of a unified diff of two texts, None for no file, without their ends."""
    old, new = ("/dev/null" if text is None else str(file) for text in (before, after))
    lines, others = ((text or "").splitlines(keepends=True) for text in (before, after))
    for line in difflib.unified_diff(lines, others, old, new):
        yield line.rstrip("\r\n")


def check_writable(file: Path) -> None:
    """Raises UserError where a file that is there is not to be written."""
    try:
        mode = file.stat().st_mode
    except FileNotFoundError:
        return
    except OSError as exc:
        raise _file_error(file, exc) from exc
    if not mode & stat.S_IWUSR:
        raise UserError(f"{file} is read-only. Make it writable.")


def missing_folders(file: Path) -> list[Path]:
    """Those that have to be made for a file."""
    folder = Path(os.path.realpath(file)).parent
    return [one for one in (folder, *folder.parents) if not one.exists()]


def write(file: Path, text: str) -> None:
    """Puts the text in the file's place, with the mode of the one there, and makes its folder.

    Where a symbolic link stands, what it leads to is written. Raises UserError.
    """
    target = Path(os.path.realpath(file))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace_atomically(target, text.encode())
    except OSError as exc:
        raise _file_error(file, exc) from exc


def delete(file: Path) -> None:
    """Removes what a link leads to, or the file."""
    try:
        Path(os.path.realpath(file)).unlink(missing_ok=True)
    except OSError as exc:
        raise _file_error(file, exc) from exc


def remove_empty_folders(folders: Iterable[Path]) -> None:
    """Removes those of the folders that are empty, from the deepest on."""
    for folder in sorted(set(folders), key=lambda one: len(one.parts), reverse=True):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _replace_atomically(target: Path, content: bytes) -> None:
    """Through a file beside it, so that nobody sees half of it."""
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask()
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    """The process's; there is no other way to ask for it than to set it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _file_error(file: Path, exc: OSError) -> UserError:
    return UserError(f"{file} cannot be used ({exc.strerror or exc}). Make it a writable file.")
