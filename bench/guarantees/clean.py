"""What does an index hold that nothing has ever disturbed, and does another one hold the same?"""

from pathlib import Path
from typing import NamedTuple

from guarantees.picture import LATE, Picture
from guarantees.program import Change
from guarantees.stores import Store


class Reference:
    """What a store holds after a clean first feed of each checkout; asked once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._pictures: dict[Path, Picture] = {}

    def of(self, checkout: Path) -> Picture:
        """It leaves the store with that feed."""
        if checkout not in self._pictures:
            self._store.start(None)
            self._store.synced(checkout).expect_done()
            self._pictures[checkout] = self._store.picture()
        return self._pictures[checkout]


class Finish(NamedTuple):
    """How an index came out: what was not as it should after the next run, and after one more."""

    first: list[str]
    last: list[str]

    @property
    def is_right(self) -> bool:
        """After the next run; of removed vectors a note may be left, to remove them once more."""
        return not self.last and set(self.first) <= {LATE}


def finish(store: Store, checkout: Path, expected: Picture, *changes: Change) -> Finish:
    """A run, and where it leaves something to the next another one."""
    store.synced(checkout, *changes).expect_done()
    first = store.picture().differences(expected)
    if not first:
        return Finish([], [])
    store.synced(checkout, *changes).expect_done()
    return Finish(first, store.picture().differences(expected))
