"""Which texts were taken out of documents before? Beside the user's embeddings, each in a file."""

import os
import zlib
from contextlib import suppress
from pathlib import Path
from tempfile import NamedTemporaryFile

from feeder.embedding.place import default_cache_file

CACHE_FOLDER = "texts"
MAX_CACHE_BYTES = 300_000_000
CACHE_KEEP_SHARE = 0.8
"""Of the limit, what is left where it was reached: the texts that were asked for last."""


def read_cached_text(key: str) -> str | None:
    """The text under a key of hex digits; None where there is none, or none that can be read."""
    folder = _cache_folder()
    if folder is None:
        return None
    try:
        text = zlib.decompress((folder / key).read_bytes()).decode()
        os.utime(folder / key)
    except (OSError, zlib.error, ValueError):  # the text is taken out again
        return None
    return text


def cache_text(key: str, text: str) -> None:
    """Keeps a text for the next process; where there is no room for it, it is taken out again."""
    if folder := _cache_folder():
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=folder, prefix=".", delete=False) as file:
                file.write(zlib.compress(text.encode()))
            Path(file.name).replace(folder / key)
            _evict_oldest(folder)


def _cache_folder() -> Path | None:
    beside = default_cache_file()
    return beside.with_name(CACHE_FOLDER) if beside else None


def _evict_oldest(folder: Path) -> None:
    files = [(file.stat(), file) for file in folder.iterdir()]
    left = sum(status.st_size for status, _ in files)
    if left <= MAX_CACHE_BYTES:
        return
    for status, file in sorted(files, key=lambda one: one[0].st_mtime):
        if left <= CACHE_KEEP_SHARE * MAX_CACHE_BYTES:
            break
        file.unlink(missing_ok=True)
        left -= status.st_size
