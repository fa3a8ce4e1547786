"""Recorded candidates of a small index are ranked alike in both languages."""

from collections.abc import Iterator

import pytest

from edge.ranking_recordings import in_python, in_worker, recorded
from edge.worker_process import Worker
from feeder.ranking.retrieval import STATIC_VECTORS, STATIC_WEIGHT, QueryModel
from feeder.store import Neighbour
from feeder.store.hits import ids_in_scope
from feeder.store.scope import Scope
from feeder.store.sqlite import SQLite
from index_helpers import REPO, SHOP
from ranking.test_ranking import CALLS, FILES, temporary_index

LONG = "def weigh(order):\n    total = 0\n" + "".join(
    f"    total = total + parcel_weight(order, {n})  # the parcels of order {n}\n"
    for n in range(200)
)
TRACE = """\
Traceback (most recent call last):
  File "/srv/net/pool.py", line 3, in acquire
    return self.free.pop()
  File "/srv/a/recoverer.py", line 3, in handler
    next()
"""
QUESTIONS = [
    *("ConnectionPool", "connectionpool", "ConnectionPool.acquire", "BaseRequest#finalize"),
    *("parse http date", "parseHTPDate", "finalise", "RealCal", "HTTPDat", "handler"),
    *("recoverer.py", "./a/recov", "a/recoverer handlers", "docs/guide.md", "panics"),
    *("how do I acquire a connection", "test of acquire a connection", "guide to the pool"),
    *("total of a cart", "RED", "config json", "order 150", "weigh parcels of an order"),
    *("qwertz zuiop", "größe", "?", TRACE),
]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SQLite]:
    """An index of the shop, of the files of the ranking tests, and of a function in many parts."""
    more = {"net/calls.py": CALLS, "weigh.py": LONG, "copy/weigh.py": LONG}
    texts = {path: text for path, text in SHOP.items() if isinstance(text, str)}
    with temporary_index(tmp_path_factory.mktemp("recorded"), texts | FILES | more) as database:
        yield database


@pytest.mark.parametrize("meaning", [True, False])
@pytest.mark.parametrize("question", QUESTIONS)
def test_recorded_candidates_are_ranked_alike(
    worker: Worker, database: SQLite, question: str, meaning: bool
) -> None:
    """By names, words and vectors, to the last bit; and grouped, counted and noted."""
    scope = Scope.of_repo(REPO)
    near = [
        Neighbour(id_, 1 / (3 + at)) for at, id_ in enumerate(ids_in_scope(database, scope, 20))
    ]
    sides = [QueryModel(STATIC_VECTORS, STATIC_WEIGHT, lambda *_: near)] if meaning else []
    given = recorded(database, sides, question, scope)
    assert in_worker(worker, given) == in_python(given)
