"""Reads, diffs, atomically replaces and deletes UTF-8 text files of other programs, keeping
their mode and following symbolic links.

Used by the client installation and by the Worker's folder.
"""

import difflib
import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from feeder.errors import UserError


def read(file: Path) -> str | None:
    """The text with its line ends as they are; None if there is no file.

    Raises UserError for a file that is not UTF-8 or cannot be read.
    """
    content = read_bytes(file)
    try:
        return None if content is None else content.decode()
    except UnicodeDecodeError as exc:
        raise UserError(
            f"{file} is not valid UTF-8 at byte {exc.start}.", "Save it as UTF-8."
        ) from exc


def read_bytes(file: Path) -> bytes | None:
    """The content; None if there is no file. Raises UserError for one that cannot be read."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as exc:
        raise _file_error(file, exc) from exc


def diff(file: Path, before: str | None, after: str | None) -> Iterator[str]:
    """The lines of a unified diff without line ends; None stands for no file."""
    old, new = ("/dev/null" if text is None else str(file) for text in (before, after))
    old_lines, new_lines = ((text or "").splitlines(keepends=True) for text in (before, after))
    for line in difflib.unified_diff(old_lines, new_lines, old, new):
        yield line.rstrip("\r\n")


def check_writable(file: Path) -> None:
    """Raises UserError if the file exists and is read-only."""
    try:
        mode = file.stat().st_mode
    except FileNotFoundError:
        return
    except OSError as exc:
        raise _file_error(file, exc) from exc
    if not mode & stat.S_IWUSR:
        raise UserError(f"{file} is read-only.", "Make it writable.")


def missing_folders(file: Path) -> list[str]:
    """The parent folders of a file that do not exist."""
    folder = Path(os.path.realpath(file)).parent
    return [str(parent) for parent in (folder, *folder.parents) if not parent.exists()]


def write(file: Path, content: str | bytes) -> None:
    """Replaces the file, keeping its mode, and creates its folder; writes the target of a link.

    Raises UserError if that fails.
    """
    target = Path(os.path.realpath(file))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace_atomically(target, content.encode() if isinstance(content, str) else content)
    except OSError as exc:
        raise _file_error(file, exc) from exc


def delete(file: Path) -> None:
    """Deletes the file, or the target of a link."""
    try:
        Path(os.path.realpath(file)).unlink(missing_ok=True)
    except OSError as exc:
        raise _file_error(file, exc) from exc


def remove_empty_folders(folders: Iterable[str]) -> None:
    """Removes the folders that are empty, the deepest first."""
    for folder in sorted(map(Path, {*folders}), key=lambda path: len(path.parts), reverse=True):
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()


def _replace_atomically(target: Path, content: bytes) -> None:
    """Writes a file beside the target and renames it, so that nobody reads half of it."""
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
    mask = os.umask(0o077)  # it can only be read by setting it
    os.umask(mask)
    return mask


def _file_error(file: Path, exc: OSError) -> UserError:
    return UserError(f"{file} cannot be used ({exc.strerror or exc}).", "Make it a writable file.")
