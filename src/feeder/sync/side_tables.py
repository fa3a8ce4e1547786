"""`SideTable`: the interface of what the index keeps beside its nodes (stored source, Worker
lookup table, descriptions), and the status of such a table in `meta`.
"""

from collections.abc import Mapping

from feeder.sync.context import SyncContext

OFF, ON, FILLING, CLEARING = "", "on", "filling", "leaving"
"""There is none, where nothing is said; none lacks; and what a run that ended early leaves to the
next."""


def table_status(run: SyncContext, meta: Mapping[str, str], key: str) -> str:
    """Which of these it is for the repository of a run."""
    return meta.get(run.index.meta_key(key), OFF)
