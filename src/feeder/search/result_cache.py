"""LRU cache of ranked results of one open index, emptied as soon as SQLite reports a write."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock

from feeder.query.query_plan import QueryPlan
from feeder.ranking.results import RankedResults
from feeder.store.sqlite import SQLite

MAX_QUERIES = 100
"""Cached queries; the results of a query with 200 candidates take about 0.3 MB."""


class ResultCache:
    """Caches the ranked results of the latest `capacity` queries to one index with its models.

    Lines and duplicates depend on the files and are not cached; phrases and patterns are part of
    the scope, which is a part of the key. The cache is emptied when SQLite's change counters show a
    write.
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
        """Returns cached results, else those of `rank`, which are cached if they are complete."""
        key = plan.text, plan.scope, tuple(plan.preferred_scopes)
        with self._lock:
            state = self._database.change_counters()
            if state != self._state:
                self._results.clear()
                self._state = state
            if key in self._results:
                self._results.move_to_end(key)
                return self._results[key]
        results = rank()
        if results.is_complete:
            self._store(key, results, state)
        return results

    def _store(self, key: Hashable, results: RankedResults, state: tuple[int, int]) -> None:
        """Stores results unless the index was written while they were computed."""
        with self._lock:
            if self._state == state == self._database.change_counters():
                self._results[key] = results
                if len(self._results) > self._capacity:
                    self._results.popitem(last=False)
