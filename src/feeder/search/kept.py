"""What has been found before, and may be said again? As long as the index is the same."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock

from feeder.search.engine import Ranked
from feeder.search.narrowing import Narrowed
from feeder.store.sqlite import SQLite

MOST = 100
"""Questions; what one of two hundred nodes finds takes some 0.3 MB."""


class Kept:
    """What an opened index, and the models that are asked with it, answered to `most` questions.

    Only nodes in their order are kept: lines and copies, which the files decide, are looked at anew
    each time, and so are phrases and patterns, which have narrowed the scope before. SQLite itself
    says whether anything was written since, by whomever; then all is forgotten.
    """

    def __init__(self, database: SQLite, most: int = MOST) -> None:
        self._database = database
        self._most = most
        self._state = database.change_counters()
        self._ranked: OrderedDict[Hashable, Ranked] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._ranked)

    def ranked(self, asked: Narrowed, rank: Callable[[], Ranked]) -> Ranked:
        """What is kept of a question, else what `rank` finds, which is then kept if it is whole."""
        key = asked.text, asked.scope, tuple(asked.preferred)
        with self._lock:
            state = self._database.change_counters()
            if state != self._state:
                self._ranked.clear()
                self._state = state
            if key in self._ranked:
                self._ranked.move_to_end(key)
                return self._ranked[key]
        made = rank()
        if made.is_whole:
            self._keep(key, made, state)
        return made

    def _keep(self, key: Hashable, made: Ranked, state: tuple[int, int]) -> None:
        """Unless the index was written while it was asked."""
        with self._lock:
            if self._state == state == self._database.change_counters():
                self._ranked[key] = made
                if len(self._ranked) > self._most:
                    self._ranked.popitem(last=False)
