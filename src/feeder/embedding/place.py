"""Where are embeddings remembered, unless the user names a file?"""

import os
import sys
from pathlib import Path

_CACHE_FILE = "feeder/embeddings.db"


def default_cache_file() -> Path | None:
    """One for all that a user indexes on this machine; None where there is no home to have it."""
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if named.is_absolute():  # else it is to be ignored, says the XDG specification
        return named / _CACHE_FILE
    try:
        home = Path.home()
        is_there = home.is_absolute() and home.is_dir()
    except (RuntimeError, OSError):  # nobody of that number, or a home that is closed
        return None
    caches = "Library/Caches" if sys.platform == "darwin" else ".cache"
    return home / caches / _CACHE_FILE if is_there else None
