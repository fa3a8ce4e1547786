"""Copies the file of an index, also while another process writes to it."""

import os
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import apsw

from feeder.private_files import create_private_file
from feeder.store import Statement
from feeder.store.migrations import migrate
from feeder.store.recorded_meta import open_read_only, translated_errors
from feeder.store.sqlite import SQLite

TEMPORARY_INFIX = ".copy-"
"""The suffix of a copy that is not complete."""
LEFTOVER_AGE_S = 3600.0
"""Age after which an incomplete copy is deleted: the process that made it was killed."""
_SIDE_FILES = ("", "-wal", "-shm", "-journal")
"""Suffixes of a database's file and of those that SQLite writes beside it."""

# the runs, events and costs of the other worktree; ?1 the repository
_FINISH_RUN = """
INSERT INTO meta (key, value) SELECT ?1 || ':done', value FROM meta WHERE key = ?1 || ':run'
ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
_DELETE_RUN_KEYS = """
DELETE FROM meta WHERE key IN (?1 || ':overtook', ?1 || ':event')
OR substr(key, 1, length(?1) + 7) IN (?1 || ':write:', ?1 || ':shard:')
OR substr(key, 1, length(?1) + 6) = ?1 || ':cost:'
"""
# reads the file to its end, unless it was cut
_COUNT_ROWS = "SELECT (SELECT count(*) FROM docs), (SELECT count(*) FROM files)"


def copy_index(source: Path, target: Path, repo: str) -> bool:
    """Makes `target`, which is missing, a copy of the index of one repository.

    Copies what is committed at one moment, without the ownership of a run that writes there.
    Returns False if another process has made `target` meanwhile. Raises UserError or ServiceError
    if the index cannot be copied.
    """

    def copy_pages(temporary: Path) -> None:
        with (
            translated_errors(source),
            closing(open_read_only(source)) as origin,
            closing(apsw.Connection(str(temporary))) as copy,
            copy.backup("main", origin, "main") as backup,
        ):
            backup.step()
        with closing(SQLite(temporary)) as database:
            migrate(database)
            database.run([Statement(_COUNT_ROWS)])
            database.run([Statement(_FINISH_RUN, (repo,)), Statement(_DELETE_RUN_KEYS, (repo,))])

    return place_index(target, copy_pages)


def place_index(target: Path, write: Callable[[Path], None]) -> bool:
    """Makes the missing index `target` from a temporary file beside it that `write` fills.

    Only the complete file, which its owner alone can read, gets the name of `target`. Returns False
    if another process has made `target` meanwhile. Raises what `write` raises.
    """
    _delete_leftovers(target)
    temporary = target.with_name(
        f"{target.name}{TEMPORARY_INFIX}{os.getpid()}-{os.urandom(4).hex()}"
    )
    try:
        create_private_file(temporary)
        write(temporary)
        return _rename_unless_exists(temporary, target)
    finally:
        _delete_database(temporary)


def _rename_unless_exists(temporary: Path, target: Path) -> bool:
    """Another process may have the existing file open, so it is never replaced."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links
        if target.exists():
            return False
        temporary.rename(target)
    return True


def _delete_leftovers(target: Path) -> None:
    for file in target.parent.glob(f"{target.name}{TEMPORARY_INFIX}*"):
        with suppress(OSError):
            if time.time() - file.stat().st_mtime > LEFTOVER_AGE_S:
                file.unlink()


def _delete_database(file: Path) -> None:
    for suffix in _SIDE_FILES:
        with suppress(FileNotFoundError):
            Path(f"{file}{suffix}").unlink()
