"""Compares an index with that of an undisturbed first sync."""

from pathlib import Path
from typing import NamedTuple

from guarantees.contents import LATE, IndexContents
from guarantees.program import Change
from guarantees.stores import Store


class Reference:
    """The contents of a store after an undisturbed first sync of each checkout, cached."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._contents: dict[Path, IndexContents] = {}

    def of(self, checkout: Path) -> IndexContents:
        """Returns the expected contents; the first call per checkout resets the store."""
        if checkout not in self._contents:
            self._store.start(None)
            self._store.synced(checkout).expect_done()
            self._contents[checkout] = self._store.contents()
        return self._contents[checkout]


class Finish(NamedTuple):
    """The differences from the expected index after the next run, and after one more."""

    first: list[str]
    last: list[str]

    @property
    def is_right(self) -> bool:
        """True if the next run finished the index; its outbox may still name deleted vectors."""
        return not self.last and set(self.first) <= {LATE}


def finish(store: Store, checkout: Path, expected: IndexContents, *changes: Change) -> Finish:
    """Runs a sync, and a second one if the first leaves differences."""
    store.synced(checkout, *changes).expect_done()
    first = store.contents().differences(expected)
    if not first:
        return Finish([], [])
    store.synced(checkout, *changes).expect_done()
    return Finish(first, store.contents().differences(expected))
