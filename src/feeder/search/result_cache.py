"""LRU cache of ranked results of one open index, emptied as soon as SQLite reports a write."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock

from feeder.search.query_plan import QueryPlan
from feeder.search.results import RankedResults
from feeder.store.sqlite import SQLite

MAX_QUERIES = 100
"""Questions; what one of two hundred nodes finds takes some 0.3 MB."""


class ResultCache:
    """What an opened index, and the models that are asked with it, answered to `most` questions.

    Only nodes in their order are kept: lines and copies, which the files decide, are looked at anew
    each time, and so are phrases and patterns, which have narrowed the scope before. SQLite itself
    says whether anything was written since, by whomever; then all is forgotten.
    """

    def __init__(self, database: SQLite, capacity: int = MAX_QUERIES) -> None:
        self._database = database
        self._capacity = capacity
        self._state = database.change_counters()
        self._results: OrderedDict[Hashable, RankedResults] = OrderedDict()
        self._lock = Lock()

    def __len__(self) -> int:
        return len(self._results)

    def get_or_rank(self, plan: QueryPlan, rank: Callable[[], RankedResults]) -> RankedResults:
        """What is kept of a question, else what `rank` finds, which is then kept if it is whole."""
        key = plan.text, plan.scope, tuple(plan.preferred_scopes)
        with self._lock:
            state = self._database.change_counters()
            if state != self._state:
                self._results.clear()
                self._state = state
            if key in self._results:
                self._results.move_to_end(key)
                return self._results[key]
        made = rank()
        if made.is_complete:
            self._store(key, made, state)
        return made

    def _store(self, key: Hashable, results: RankedResults, state: tuple[int, int]) -> None:
        """Unless the index was written while it was asked."""
        with self._lock:
            if self._state == state == self._database.change_counters():
                self._results[key] = results
                if len(self._results) > self._capacity:
                    self._results.popitem(last=False)
