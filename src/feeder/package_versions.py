"""Finds the versions of installed packages without `importlib.metadata`, whose import takes longer
than most of what a command does.
"""

import os
import re
import sys
from functools import cache


@cache
def installed_version(package: str) -> str | None:
    """Returns the version of an installed package, None if it is not installed.

    Wheels are named by the folders that hold their metadata; other formats are looked up by
    `importlib.metadata`.
    """
    name = re.sub(r"[-_.]+", "_", package)
    folder = re.compile(rf"^{re.escape(name)}-(.+)\.dist-info$", re.IGNORECASE | re.MULTILINE)
    # in the order in which packages are found
    for names in map(_names_in, sys.path):
        if match := folder.search(names):
            return match[1]
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


@cache
def _names_in(folder: str) -> str:
    """The names in a folder, one a line; one text, since there may be hundreds of packages."""
    try:
        return "\n".join(os.listdir(folder or "."))  # noqa: PTH208 - names are enough
    except OSError:  # a zip file, or a folder that does not exist
        return ""
