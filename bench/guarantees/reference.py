"""Compares an index with that of an undisturbed first sync."""

from pathlib import Path
from typing import NamedTuple

from guarantees.contents import LATE_TABLE, IndexContents
from guarantees.program import Setup
from guarantees.stores import Store


class Reference:
    """The contents of a store after an undisturbed first sync of each checkout, cached."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._contents: dict[Path, IndexContents] = {}

    def of(self, checkout: Path) -> IndexContents:
        """Returns the expected contents; the first call per checkout resets the store."""
        if checkout not in self._contents:
            self._store.reset(None)
            self._store.sync(checkout).expect_done()
            self._contents[checkout] = self._store.contents()
        return self._contents[checkout]


class Recovery(NamedTuple):
    """The differences from the expected index after the next run, and after one more."""

    first: list[str]
    last: list[str]

    @property
    def is_right(self) -> bool:
        """True if the next run finished the index; its outbox may still name deleted vectors."""
        return not self.last and set(self.first) <= {LATE_TABLE}


def recover(store: Store, checkout: Path, expected: IndexContents, *setups: Setup) -> Recovery:
    """Runs a sync, and a second one if the first leaves differences."""
    store.sync(checkout, *setups).expect_done()
    first = store.contents().differences(expected)
    if not first:
        return Recovery([], [])
    store.sync(checkout, *setups).expect_done()
    return Recovery(first, store.contents().differences(expected))
