"""D1 answers every kind of query like a local database."""

import pytest
from clouds import Cloud

from feeder.query.filters import FilterContext, build_scope
from feeder.query.must_match import require_matches
from feeder.query.query import parse_query
from feeder.query.request_filters import Pagination
from feeder.ranking.results import ResultList
from feeder.source.git_trees import Commit
from feeder.store import Database
from index_helpers import REPO, open_database, run_sync, search_scope
from source.repos import Repo

BODY = "".join(f"    total += weigh(order, {n})  # parcel {n} of the order\n" for n in range(200))
FILES = {
    "src/cart.py": "class Cart:\n    def addLine(self, line):\n        self.lines.append(line)\n",
    "src/weight.py": f"def weighAll(order):\n    total = 0\n{BODY}    return total\n",
    "docs/guide.md": "# Carts\n\nHow a line is added to a cart, zanzibar.\n",
    "tests/test_cart.py": "def test_cart():\n    assert Cart().addLine(1) is None\n",
}
QUERIES = [
    *("addLine", "Cart.addLine", "cart add line", "adLine", "addLi", "zanzibar", "cart.py"),
    *("how is a line added to a cart", "parcel 150 of the order", "nowhereatall", "src/cart"),
    *(
        "lines tests:no",
        "cart lang:py path:src",
        '"added to a cart"',
        "weigh* -guide",
        "type:class",
    ),
    "symbol:Cart.addLine",
]


def test_d1_and_sqlite_return_the_same_hits(cloud: Cloud, repo: Repo) -> None:
    """In the same order and with the same notes; scores differ only by rounding."""
    repo.commit(FILES)
    here = open_database()
    run_sync(Commit(repo.path), here)
    cloud.migrated().synced(Commit(repo.path))
    for question in QUERIES:
        ours, other = (answered(database, question) for database in (here, cloud.d1))
        assert [result.hit for result in other.results] == [
            result.hit for result in ours.results
        ], question
        scores = [result.score for result in ours.results]
        assert [result.score for result in other.results] == pytest.approx(scores), question
        assert (other.total, other.notes) == (ours.total, ours.notes), question
    here.close()


def answered(database: Database, question: str) -> ResultList:
    query = parse_query(question)
    scope = require_matches(
        database, query, build_scope(database, query, FilterContext(REPO))
    ).scope
    return search_scope(database, [], query.text, scope, Pagination(10))
