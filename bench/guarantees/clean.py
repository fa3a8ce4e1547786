"""Compares an index with that of an undisturbed first sync."""

from pathlib import Path
from typing import NamedTuple

from guarantees.picture import LATE, Picture
from guarantees.program import Change
from guarantees.stores import Store


class Reference:
    """The contents of a store after an undisturbed first sync of each checkout, cached."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pictures: dict[Path, Picture] = {}

    def of(self, checkout: Path) -> Picture:
        """Returns the expected contents; the first call per checkout resets the store."""
        if checkout not in self._pictures:
            self._store.start(None)
            self._store.synced(checkout).expect_done()
            self._pictures[checkout] = self._store.picture()
        return self._pictures[checkout]


class Finish(NamedTuple):
    """The differences from the expected index after the next run, and after one more."""

    first: list[str]
    last: list[str]

    @property
    def is_right(self) -> bool:
        """True if the next run finished the index; its outbox may still name deleted vectors."""
        return not self.last and set(self.first) <= {LATE}


def finish(store: Store, checkout: Path, expected: Picture, *changes: Change) -> Finish:
    """Runs a sync, and a second one if the first leaves differences."""
    store.synced(checkout, *changes).expect_done()
    first = store.picture().differences(expected)
    if not first:
        return Finish([], [])
    store.synced(checkout, *changes).expect_done()
    return Finish(first, store.picture().differences(expected))
