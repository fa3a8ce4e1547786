"""Locks open files against other processes; without locks, every lock is granted."""

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


def lock_file(handle: int, *, shared: bool = False, waits: bool = False) -> bool:
    """Locks an open file until it is closed, and tells whether it got the lock.

    With `waits` it waits for other processes. A file system without locks grants every lock.
    """
    if fcntl is None:
        return True
    mode = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
    try:
        fcntl.flock(handle, mode if waits else mode | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # the file system has no locks
        return True
    return True
