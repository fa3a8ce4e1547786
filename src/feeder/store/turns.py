"""Whose turn is it to bring an index on, of the processes of this machine? Locks beside its file.

They only keep servers from work that is under way. Who writes is decided in the index itself, where
the run that started last wins, and a lock ends with its process.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # there, all take their turn at once, as without servers
    fcntl = None  # type: ignore[assignment]

SERVER_LOCK, SERVER_VECTORS_LOCK = "server", "vectors"
"""Turns of servers: to bring the words on, and then the vectors, which may take long."""
_COMMAND_LOCK = "hand"


@contextmanager
def try_lock(index: Path, name: str) -> Iterator[bool]:
    """Whether it is this process's turn, which lasts as long as the block; nobody waits."""
    with _file_lock(index, name, shared=False) as is_mine:
        yield is_mine


@contextmanager
def command_lock(index: Path | None) -> Iterator[None]:
    """While the block lasts, no server begins to bring the index on; None is one elsewhere."""
    if index is None:
        yield
        return
    with _file_lock(index, _COMMAND_LOCK, shared=True):
        yield


def is_locked_by_command(index: Path) -> bool:
    """Whether a command brings the index on at this moment."""
    with _file_lock(index, _COMMAND_LOCK, shared=False) as is_free:
        return not is_free


@contextmanager
def _file_lock(index: Path, name: str, *, shared: bool) -> Iterator[bool]:
    """Where no file can be made, nobody is kept out."""
    file = index.with_name(f"{index.name}-{name}")
    try:
        handle = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        yield True
        return
    try:
        yield _acquire(handle, shared=shared)
    finally:
        with suppress(OSError):
            os.close(handle)


def _acquire(handle: int, *, shared: bool) -> bool:
    if fcntl is None:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_SH if shared else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True
