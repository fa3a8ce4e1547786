"""Finds the versions of installed packages without `importlib.metadata`, whose import takes longer
than most of what a command does.
"""

import os
import re
import sys
from collections.abc import Iterator
from functools import cache

_SUFFIX = ".dist-info"


@cache
def installed_version(package: str) -> str | None:
    """Returns the version of an installed package, None if it is not installed.

    Wheels are named by the folders that hold their metadata; other formats are looked up by
    `importlib.metadata`.
    """
    prefix = re.sub(r"[-_.]+", "_", package).lower() + "-"
    for name in _metadata_folders():
        if name.lower().startswith(prefix):
            return name[len(prefix) : -len(_SUFFIX)]
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _metadata_folders() -> Iterator[str]:
    """Yields the names of the folders of metadata, in the order in which packages are found."""
    for folder in sys.path:
        yield from _folders_in(folder)


@cache
def _folders_in(folder: str) -> tuple[str, ...]:
    try:
        with os.scandir(folder) as entries:
            return tuple(entry.name for entry in entries if entry.name.endswith(_SUFFIX))
    except OSError:  # a zip file, or a folder that does not exist
        return ()
