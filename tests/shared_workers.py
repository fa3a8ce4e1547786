"""Parser processes that several runs in one test process share: starting them is most of the time
of a small sync.
"""

import pickle
import sys
from collections import OrderedDict
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from feeder.parse import StaticEmbedder
from feeder.parse.worker_messages import ParseFile
from feeder.parse.worker_pool import WorkerPool
from feeder.parse.worker_process import WorkerProcess

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
    grammar_file: Path | None = None,
    *,
    mask_secrets: bool = True,
    count: int | None = None,
    parse_file: ParseFile | None = None,
    static_embedder: StaticEmbedder | None = None,
    processes: list[WorkerProcess] | None = None,
) -> WorkerPool:
    """A replacement of `WorkerPool` in the program that returns the same pool for the same
    arguments.
    """
    if grammar_file:  # it may change between runs
        return WorkerPool(
            grammar_file,
            mask_secrets=mask_secrets,
            count=count,
            static_embedder=static_embedder,
            processes=processes,
        )
    key = (mask_secrets, count, parse_file, pickle.dumps(static_embedder), tuple(sys.path))
    if key not in _pools:
        if len(_pools) == MAX_POOLS:
            _pools.popitem(last=False)[1].end()
        _pools[key] = SharedPool(
            mask_secrets=mask_secrets,
            count=count,
            parse_file=parse_file,
            static_embedder=static_embedder,
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
