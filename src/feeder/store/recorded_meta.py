"""Reads `meta` of an index in a file without opening the index for a run."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw

from feeder.errors import UserError
from feeder.store import sql

BUSY_TIMEOUT_MS = 30_000


def read_meta(file: Path) -> dict[str, str]:
    """Returns `meta` of the index in a file, which is only read.

    Raises UserError if the file cannot be read or is no index.
    """
    with translated_errors(file), closing(open_read_only(file)) as connection:
        return {str(key): str(value) for key, value in connection.execute(sql.READ_WHOLE_META)}


def open_read_only(file: Path) -> apsw.Connection:
    """Opens a database of which nothing is written; raises apsw.Error."""
    mode = "immutable=1" if is_unwritable(file) else "mode=ro"
    uri = f"{file.absolute().as_uri()}?{mode}"
    connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    connection.set_busy_timeout(BUSY_TIMEOUT_MS)
    return connection


def is_unwritable(file: Path) -> bool:
    """Tells whether nothing can be written beside an existing database, not even by its readers."""
    if os.access(file.parent, os.W_OK):
        return False
    return file.is_file() and not Path(f"{file}-wal").exists()


@contextmanager
def translated_errors(file: Path) -> Iterator[None]:
    """Raises UserError for an error of SQLite within the block."""
    try:
        yield
    except apsw.Error as exc:
        raise UserError(f"{file} cannot be read or copied: {exc}.") from exc
