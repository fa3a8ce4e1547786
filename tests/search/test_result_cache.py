"""A cached result is returned at once and never after a change of the index."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from feeder.config import Settings
from feeder.errors import ServiceError
from feeder.notes import Note
from feeder.query.request_filters import Pagination, RequestFilters
from feeder.ranking.results import ResultList
from feeder.ranking.retrieval import STATIC_VECTORS, QueryModel, static_query_model
from feeder.search.open_index import SearchIndex
from feeder.search.result_cache import ResultCache
from feeder.session.opening import open_session
from feeder.session.session import Session
from feeder.session.workspace import Workspace, indexed_tree
from feeder.store import Neighbour, Statement
from feeder.store.scope import Scope
from feeder.store.sqlite import SQLite
from feeder.sync.context import SyncContext
from feeder.sync.sync import sync
from index_helpers import REPO, SHOP
from search.run_query import run_query
from source.repos import Repo

TWICE = "def shipping(order):\n    weight = order.weight\n    return weight * 3\n"
FILES: dict[str, str | bytes] = SHOP | {"a/one.py": TWICE, "b/two.py": TWICE}


FIRST_PAGE = Pagination(10)


@dataclass
class CountingModel:
    """A static query model that records its queries and can fail."""

    database: SQLite
    asked: list[str] = field(default_factory=list)
    fails: bool = False

    def nearest(self, query: str, limit: int, scope: Scope) -> list[Neighbour]:
        self.asked.append(query)
        if self.fails:
            raise ServiceError("the model is busy")
        return static_query_model(self.database).nearest(query, limit, scope)


@dataclass
class Shop:
    """An open index of a repository."""

    repo: Repo
    store: Session
    settings: Settings
    model: CountingModel
    cache: ResultCache
    warnings: list[str] = field(default_factory=list)

    def _add_warning(self, note: Note) -> None:
        self.warnings.append(str(note))

    def find(self, query: str, page: Pagination = FIRST_PAGE, *, anew: bool = False) -> ResultList:
        return self.search_with_filters(query, page, RequestFilters(), anew=anew)

    def search_with_filters(
        self, query: str, page: Pagination, filters: RequestFilters, *, anew: bool = False
    ) -> ResultList:
        sides = [QueryModel(STATIC_VECTORS, 1.5, self.model.nearest)]
        cache = None if anew else self.cache
        index = SearchIndex.from_session(self.store, self.settings)
        index = index._replace(models=sides, cache=cache)
        return run_query(index, query, page, filters, self._add_warning)[1]


def sync_in_other_connection(base: Path, settings: Settings) -> None:
    """Syncs with a connection of its own, like another process."""
    from feeder.session.runs import open_run

    place = Workspace(base, REPO, "main")
    with (
        open_session(place, settings, writes=True, create=True) as store,
        open_run(store, indexed_tree(place, settings), settings, dry_run=False) as feed,
    ):
        assert isinstance(feed, SyncContext)
        sync(feed)


@pytest.fixture
def shop(repo: Repo) -> Iterator[Shop]:
    repo.commit(FILES)
    settings = Settings(directory=repo.path, model="static", quiet=True, jobs=1)
    sync_in_other_connection(repo.path, settings)
    with ExitStack() as stack:
        place = Workspace(repo.path, REPO, "main")
        store = stack.enter_context(open_session(place, settings, writes=False, create=False))
        database = store.index.database
        assert isinstance(database, SQLite)
        yield Shop(repo, store, settings, CountingModel(database), ResultCache(database))


def test_repeated_query_does_not_call_the_model(shop: Shop) -> None:
    """The result equals that without a cache."""
    first = shop.find("shipping weight")
    assert shop.find("shipping weight") == first
    assert shop.model.asked == ["shipping weight"]
    assert shop.find("shipping weight", anew=True) == first
    assert len(shop.model.asked) == 2


def test_next_page_does_not_call_the_model(shop: Shop) -> None:
    """Pages are cut from the cached result."""
    total = shop.find("cart").total
    assert total > 2
    pages = [shop.find("cart", Pagination(1, offset)) for offset in range(total)]
    assert shop.model.asked == ["cart"]
    assert pages == [shop.find("cart", Pagination(1, offset), anew=True) for offset in range(total)]


def test_other_filters_are_a_cache_miss(shop: Shop) -> None:
    """Including boosts."""
    page = Pagination(10)
    some = (
        RequestFilters(),
        RequestFilters(path=["a"]),
        RequestFilters(prefer=["docs"]),
        RequestFilters(tests="no"),
    )
    cache = [shop.search_with_filters("shipping", page, filters) for filters in (*some, *some)]
    assert len(shop.model.asked) == 4
    anew = [shop.search_with_filters("shipping", page, filters, anew=True) for filters in some]
    assert cache == [*anew, *anew]
    assert anew[0] != anew[1]
    assert anew[0] != anew[2]


def test_sync_by_another_process_invalidates_the_cache(shop: Shop) -> None:
    before = {result.hit.path for result in shop.find("shipping").results}
    shop.repo.commit({"c/three.py": "def shipping_by_air(order):\n    return 9\n"})
    sync_in_other_connection(shop.repo.path, shop.settings)
    after = {result.hit.path for result in shop.find("shipping").results}
    assert "c/three.py" in after - before
    assert len(shop.model.asked) == 2


def test_write_by_the_same_process_invalidates_the_cache(shop: Shop) -> None:
    """Even if no run made it."""
    assert shop.find("shipping").total
    shop.store.index.database.run([Statement("DELETE FROM docs WHERE path LIKE '%.py'")])
    assert {result.hit.path for result in shop.find("shipping").results}.isdisjoint(
        FILES.keys() - SHOP
    )
    assert len(shop.model.asked) == 2


def test_file_contents_are_read_on_each_search(shop: Shop) -> None:
    """Copies are not part of the cached result."""
    [shipping] = [result for result in shop.find("shipping weight").results if result.duplicates]

    (shop.repo.path / "b/two.py").write_text(TWICE.replace("order.weight", "Weight(order)"))
    after = shop.find("shipping weight").results
    assert [result.duplicates for result in after] == [()] * len(after)
    assert {shipping.hit.path, shipping.duplicates[0].hit.path} <= {
        result.hit.path for result in after
    }
    assert shop.model.asked == ["shipping weight"]


def test_result_without_the_failed_model_is_not_cached(shop: Shop) -> None:
    """The model is used again as soon as it works."""
    shop.model.fails = True
    by_words = shop.find("how heavy are goods")
    assert shop.warnings == ["Searched by words only: the model is busy"]
    shop.model.fails = False
    assert (
        shop.find("how heavy are goods") == shop.find("how heavy are goods", anew=True) != by_words
    )
    assert len(shop.warnings) == 1


def test_cache_evicts_the_least_recently_used_result(shop: Shop) -> None:
    shop.cache = ResultCache(shop.model.database, capacity=2)
    for query in ("cart", "guide", "cart", "shipping", "cart", "guide"):
        shop.find(query)
    assert len(shop.cache) == 2
    assert shop.model.asked == ["cart", "guide", "shipping", "guide"]
