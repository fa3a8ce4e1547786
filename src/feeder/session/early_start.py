"""Starts parser processes before a sync has loaded its own modules.

A process takes longer to load its modules than the rest of a sync of one edited file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from feeder.cloudflare.credentials import choose_store
from feeder.config import Settings
from feeder.errors import FeederError
from feeder.session.workspace import Workspace, index_file

if TYPE_CHECKING:
    from feeder.parse.worker_process import WorkerProcess


@contextmanager
def started_processes(
    workspace: Workspace, settings: Settings, root_tree_id: str | None
) -> Iterator[list[WorkerProcess]]:
    """Yields processes for a sync of this tree; those left in the list are ended.

    One if the index is of another tree, one per core if there is none, and none if it equals the
    tree or is at Cloudflare.
    """
    processes: list[WorkerProcess] = []
    try:
        if root_tree_id and not choose_store(settings).is_cloud:
            meta = _read_meta(workspace, settings)
            if meta.get(f"{workspace.repo}:tree") != root_tree_id:
                from feeder.parse.worker_process import default_count, start_process

                is_indexed = f"{workspace.repo}:run" in meta
                count = 1 if is_indexed else settings.jobs or default_count()
                processes += [start_process() for _ in range(count)]
        yield processes
    finally:
        for process in processes:
            process.peer.stop()


def _read_meta(workspace: Workspace, settings: Settings) -> Mapping[str, str]:
    """The index's `meta`; empty if there is none, or if the index cannot be read."""
    from feeder.store.recorded_meta import read_meta

    with suppress(FeederError, OSError):  # opening the index reports it
        file = workspace.index_file = index_file(workspace.base, settings)
        if file.is_file():
            return read_meta(file)
    return {}
