"""Converts file names between git's bytes and the text used in the index without loss, and
finds them in a working tree.
"""

import os
import re
import stat
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

ESCAPE_PATTERN = r"\\x(5c|[89a-f][0-9a-f])"
"""The only use of a backslash in a path."""


_ESCAPE_SEQUENCE = re.compile(ESCAPE_PATTERN.encode())


def escape_name(name: bytes) -> str:
    r"""A file's name as text: UTF-8 as it stands, other bytes as `\xNN`, a backslash as `\x5c`.

    No two names become the same text.
    """
    return name.replace(b"\\", rb"\x5c").decode("utf-8", "backslashreplace")


def unescape_path(path: str) -> bytes:
    """The name that `escape` was given; bytes that Python decoded as lone surrogates count too.

    Raises UnicodeEncodeError for other surrogates, which no name holds.
    """
    name = path.encode("utf-8", "surrogateescape")
    return _ESCAPE_SEQUENCE.sub(lambda match: bytes.fromhex(match[1].decode()), name)


def indexed_spellings(typed: str) -> list[str]:
    r"""How an index may write what somebody has typed: a name as it lies there, or as an answer
    shows it, with `\xNN`.

    Raises UnicodeEncodeError for halves of characters, which no name holds.
    """
    return list(dict.fromkeys([escape_name(os.fsencode(typed)), escape_name(unescape_path(typed))]))


def is_below(path: str, folder: str) -> bool:
    """Whether the path is the folder or in it; everything is in the empty one."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def path_in(root: Path, path: str) -> Path:
    """Where an entry's path is found in a working tree."""
    return root / os.fsdecode(unescape_path(path))


def regular_file_in(root: Path, path: str) -> Path | None:
    """Where an entry's file lies; None where there is no regular file, or a link leads to it."""
    return regular_files_in(root, [path]).get(path)


def regular_files_in(root: Path, paths: Iterable[str]) -> dict[str, Path]:
    """The same of those that there are, by path; each folder is looked at once."""
    base = Path(os.path.realpath(root))
    is_real = cache(lambda folder: folder.is_relative_to(base) and _has_no_links(folder))
    found = {}
    for path in paths:
        with suppress(OSError, ValueError):
            file = path_in(base, path)
            if is_real(file.parent) and stat.S_ISREG(file.lstat().st_mode):
                found[path] = file
    return found


def _has_no_links(folder: Path) -> bool:
    """Whether no link leads there."""
    return os.path.realpath(folder) == os.fspath(folder)
