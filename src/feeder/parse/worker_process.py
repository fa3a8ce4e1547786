"""Starts the processes of a worker pool, also before the pool and its modules are loaded."""

import os
from typing import NamedTuple

from feeder.child_process import ChildProcess, peak_memory_bytes

MAX_WORKERS = 8
"""Maximum number of workers, unless the caller says more."""

_ENVIRONMENT = {"OPENBLAS_NUM_THREADS": "1"}
"""The static model computes in one thread: OpenBLAS would start one for each core, and each takes
41 MB of a worker's limited address space; with 32 threads none would be left."""


class WorkerProcess(NamedTuple):
    """A process that loads the modules of a worker and then waits for its settings.

    `inherited_bytes` is the peak memory that it reports until its own is higher: its parent's.
    """

    peer: ChildProcess
    inherited_bytes: int


def start_process() -> WorkerProcess:
    """Starts a process, and does not wait for it."""
    inherited_bytes = peak_memory_bytes()
    return WorkerProcess(ChildProcess("feeder.parse.worker", _ENVIRONMENT), inherited_bytes)


def default_count() -> int:
    """Returns the number of workers for many files: one per core, up to `MAX_WORKERS`."""
    return min(MAX_WORKERS, os.cpu_count() or 1)
