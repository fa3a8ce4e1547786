"""What separates the files that an index has from those of the tree?"""

from collections.abc import Iterable, Set

from feeder.source import Entry, SkipReason, file_types
from feeder.store.index_state import FileRow
from feeder.sync.context import Diff
from feeder.sync.stale import StaleReason

_SKIPS_BY_TREE = frozenset(SkipReason)
"""Reasons that are not in a file's contents."""


def compare_files(
    entries: Iterable[Entry], stored_files: dict[str, FileRow], stale: Set[StaleReason]
) -> Diff:
    """What separates the files that the index has from the wanted ones."""
    rest = dict(stored_files)
    work = Diff([], [], [], [], set())
    for entry in entries:
        row = rest.pop(entry.path, None)
        unvectored = row is not None and _lacks_vectors(row, stale)
        if unvectored:
            work.without_vectors.add(entry.path)
        if row is None or _differs(entry, row, stale):
            work.to_index.append(entry)
        elif unvectored:
            work.pending.append(entry)
        else:
            work.unchanged.append(entry)
    work.deleted.extend(sorted(rest))
    return work


def _lacks_vectors(row: FileRow, stale: Set[StaleReason]) -> bool:
    return row.state == "pending" or (StaleReason.VECTORS in stale and row.state == "clean")


def _differs(entry: Entry, row: FileRow, stale: Set[StaleReason]) -> bool:
    if entry.skip:
        return (row.state, row.reason, row.blob) != ("skipped", entry.skip, entry.blob)
    if entry.blob != row.blob:
        return True
    if row.state == "skipped" and row.reason in _SKIPS_BY_TREE:
        return True
    return StaleReason.PARSER in stale or (
        StaleReason.DOCUMENTS in stale and bool(file_types.document_extension(entry.path))
    )
