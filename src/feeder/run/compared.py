"""What separates the files that an index has from those of the tree?"""

from collections.abc import Iterable, Set

from feeder.run.feed import Work
from feeder.run.stale import Stale
from feeder.store.state import FileRow
from feeder.tree import Entry, SkipReason, kinds

_OF_THE_TREE = frozenset(SkipReason)
"""Reasons that are not in a file's contents."""


def compare(wanted: Iterable[Entry], have: dict[str, FileRow], stale: Set[Stale]) -> Work:
    """What separates the files that the index has from the wanted ones."""
    rest = dict(have)
    work = Work([], [], [], [], set())
    for entry in wanted:
        row = rest.pop(entry.path, None)
        unvectored = row is not None and _lacks_vectors(row, stale)
        if unvectored:
            work.unvectored.add(entry.path)
        if row is None or _differs(entry, row, stale):
            work.process.append(entry)
        elif unvectored:
            work.waiting.append(entry)
        else:
            work.unchanged.append(entry)
    work.gone.extend(sorted(rest))
    return work


def _lacks_vectors(row: FileRow, stale: Set[Stale]) -> bool:
    return row.state == "pending" or (Stale.VECTORS in stale and row.state == "clean")


def _differs(entry: Entry, row: FileRow, stale: Set[Stale]) -> bool:
    if entry.skip:
        return (row.state, row.reason, row.blob) != ("skipped", entry.skip, entry.blob)
    if entry.blob != row.blob:
        return True
    if row.state == "skipped" and row.reason in _OF_THE_TREE:
        return True
    return Stale.PARSER in stale or (
        Stale.DOCUMENTS in stale and bool(kinds.document_extension(entry.path))
    )
