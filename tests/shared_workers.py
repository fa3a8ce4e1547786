"""Parser processes that several runs in one test process share: starting them is most of the time
of a small sync.
"""

import pickle
import sys
from collections import OrderedDict
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from feeder.config import Settings
from feeder.parse.worker_pool import WorkerPool
from feeder.parse.worker_process import WorkerProcess
from feeder.session.runs import start_workers
from feeder.session.session import Session

MAX_POOLS = 2
"""Pools kept at once, so that memory stays low."""


class SharedPool(WorkerPool):
    """A pool whose processes stay when a run closes it; `end` ends them."""

    def close(self) -> None:
        """Keeps the processes for the next run."""

    def end(self) -> None:
        """Ends the processes."""
        super().close()


_pools: OrderedDict[Any, SharedPool] = OrderedDict()


def shared_workers(
    session: Session, settings: Settings, processes: list[WorkerProcess] | None = None
) -> WorkerPool:
    """A replacement of `start_workers` that returns the same pool for the same settings."""
    if settings.grammar:  # the file may change between runs
        return start_workers(session, settings, processes)
    static_model = session.backend.static_model
    key = (
        settings.mask_secrets,
        settings.jobs,
        pickle.dumps(static_model),
        tuple(sys.path),
    )
    if key not in _pools:
        if len(_pools) == MAX_POOLS:
            _pools.popitem(last=False)[1].end()
        _pools[key] = SharedPool(
            mask_secrets=settings.mask_secrets, count=settings.jobs, static_embedder=static_model
        )
    _pools.move_to_end(key)
    return _pools[key]


def no_early_start(*_: object) -> AbstractContextManager[list[WorkerProcess]]:
    """A replacement of `started_processes`: the shared ones are running."""
    return nullcontext([])


def end_shared_workers() -> None:
    """Ends the processes of all pools."""
    while _pools:
        _pools.popitem()[1].end()
