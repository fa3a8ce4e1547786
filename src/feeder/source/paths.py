"""Converts file names between git's bytes and the text used in the index without loss, and
finds them in a working tree.
"""

import os
import re
import stat
from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from posixpath import join, normpath

from feeder.errors import UserError

ESCAPE_PATTERN = r"\\x(5c|[89a-f][0-9a-f])"
"""An escape sequence: the only use of a backslash in a path."""

_ESCAPE_SEQUENCE = re.compile(ESCAPE_PATTERN.encode())


def escape_name(name: bytes) -> str:
    r"""A file's name as text: UTF-8, with other bytes as `\xNN` and a backslash as `\x5c`.

    Different names have different texts.
    """
    return name.replace(b"\\", rb"\x5c").decode("utf-8", "backslashreplace")


def unescape_path(path: str) -> bytes:
    """The inverse of `escape_name`; also encodes names that Python decoded with surrogateescape.

    Raises UnicodeEncodeError for other surrogates, which no name contains.
    """
    name = path.encode("utf-8", "surrogateescape")
    return _ESCAPE_SEQUENCE.sub(lambda match: bytes.fromhex(match[1].decode()), name)


def indexed_spellings(typed: str) -> list[str]:
    r"""The paths that a user may mean: the typed name itself, or one with escapes like `\xNN`.

    Also the name with composed and with decomposed letters: macOS decomposes those of `größe.py`.
    Raises UnicodeEncodeError for lone surrogates, which no name contains.
    """
    if typed.isascii():
        forms = [typed]
    else:
        from feeder.text import unicode_forms  # a command that starts needs none of its module

        forms = unicode_forms(typed)
    names = [name for form in forms for name in (os.fsencode(form), unescape_path(form))]
    return list(dict.fromkeys(map(escape_name, names)))


def path_candidates(typed: str, directory: str) -> list[str]:
    """Paths that a typed one may mean, the likeliest first.

    It may be typed as it is on disk or as a page shows it.
    """
    spellings = indexed_spellings(typed)
    places = [place for path in spellings for place in _anchored_paths(path, directory)]
    return list(
        dict.fromkeys(
            [*places, *(f"*/{normpath(path)}" for path in spellings if _is_unanchored(path))]
        )
    )


def is_outside(path: str, directory: str, top_level: Container[str]) -> bool:
    """Tells whether a path that the index does not have leaves the repository: `../x` at its root,
    or `/etc/hosts`, if the repository has no `etc`, but this machine has `/etc`.

    `top_level` are the files and folders at the root.
    """
    if not path.startswith("/"):
        return normpath(join(directory, path)).split("/")[0] == ".."
    first = normpath(path).lstrip("/").split("/")[0]
    return first not in top_level and os.path.lexists(f"/{first}")


def outside_error(path: str) -> UserError:
    """Returns the error for such a path."""
    remedy = "Name a path inside it, or run feeder in the repository that contains this path."
    return UserError(f"{path} is outside the repository.", remedy)


def _anchored_paths(path: str, directory: str) -> Iterator[str]:
    if path.startswith("/"):
        yield normpath(path).lstrip("/")
    elif _is_unanchored(path):
        yield from (normpath(path), join(directory, normpath(path)))
    else:
        inside = normpath(join(directory, path))
        yield "" if inside == "." else inside


def _is_unanchored(path: str) -> bool:
    """Returns True for a path that begins neither at the root nor at the directory."""
    return path.split("/", maxsplit=1)[0] not in {"", ".", ".."}


def is_below(path: str, folder: str) -> bool:
    """True if a path is the folder or inside it; everything is inside the empty folder."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def path_in(root: Path, path: str) -> Path:
    """The file of an entry's path in a working tree."""
    return root / os.fsdecode(unescape_path(path))


def regular_file_in(root: Path, path: str) -> Path | None:
    """The file of an entry's path; None if it is not a regular file or is behind a link."""
    return regular_files_in(root, [path]).get(path)


def regular_files_in(root: Path, paths: Iterable[str]) -> dict[str, Path]:
    """The same for several paths, by path, without those that are None; checks each folder once."""
    base = os.path.realpath(root)
    # the folders that are the root or below it, and are reached without links
    real_folders = {"": base == os.sep, base: True}

    def is_real(folder: str) -> bool:
        above, unknown = folder, []
        while above not in real_folders:
            unknown.append(above)
            above = above.rpartition(os.sep)[0]
        is_above_real = real_folders[above]
        for inner in reversed(unknown):
            is_parent = inner.endswith(f"{os.sep}{os.pardir}")
            is_link = is_parent or os.path.islink(inner)  # noqa: PTH114 - a Path takes as long again
            real_folders[inner] = is_above_real = is_above_real and not is_link
        return is_above_real

    files, base_path = {}, Path(base)
    for path in paths:
        with suppress(OSError, ValueError):
            file = path_in(base_path, path)
            if is_real(os.fspath(file.parent)) and stat.S_ISREG(file.lstat().st_mode):
                files[path] = file
    return files
