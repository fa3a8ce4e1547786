"""A question that was answered is answered again at once, and never as it was before a change."""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from feeder.config import Settings
from feeder.errors import ServiceError
from feeder.search.open_index import SearchIndex
from feeder.search.query_plan import RequestFilters
from feeder.search.result_cache import ResultCache
from feeder.search.results import Pagination, ResultList
from feeder.search.retrieval import STATIC_VECTORS, QueryModel, static_query_model
from feeder.session.session import Session, open_session
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
class Counted:
    """The model that comes with the words, which notes what it is asked, and fails when told."""

    database: SQLite
    asked: list[str] = field(default_factory=list)
    fails: bool = False

    def nearest(self, question: str, limit: int, scope: Scope) -> list[Neighbour]:
        self.asked.append(question)
        if self.fails:
            raise ServiceError("the model is busy")
        return static_query_model(self.database).nearest(question, limit, scope)


@dataclass
class Shop:
    """An index of a repository, opened for long."""

    repo: Repo
    store: Session
    settings: Settings
    model: Counted
    kept: ResultCache
    told: list[str] = field(default_factory=list)

    def ask(
        self, question: str, page: Pagination = FIRST_PAGE, *, anew: bool = False
    ) -> ResultList:
        return self.put(question, page, RequestFilters(), anew=anew)

    def put(
        self, question: str, page: Pagination, filters: RequestFilters, *, anew: bool = False
    ) -> ResultList:
        sides = [QueryModel(STATIC_VECTORS, 1.5, self.model.nearest)]
        kept = None if anew else self.kept
        index = SearchIndex.from_session(self.store, self.settings)
        index = index._replace(models=sides, cache=kept)
        return run_query(index, question, page, filters, self.told.append)[1]


def synced(base: Path, settings: Settings) -> None:
    """As another process does it: by a connection of its own."""
    from feeder.session.session import open_run

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
    synced(repo.path, settings)
    with ExitStack() as stack:
        place = Workspace(repo.path, REPO, "main")
        store = stack.enter_context(open_session(place, settings, writes=False, create=False))
        database = store.index.database
        assert isinstance(database, SQLite)
        yield Shop(repo, store, settings, Counted(database), ResultCache(database))


def test_the_same_question_costs_no_model(shop: Shop) -> None:
    """The answer is the same as that of who keeps nothing."""
    first = shop.ask("shipping weight")
    assert shop.ask("shipping weight") == first
    assert shop.model.asked == ["shipping weight"]
    assert shop.ask("shipping weight", anew=True) == first
    assert len(shop.model.asked) == 2


def test_so_does_the_next_page_of_it(shop: Shop) -> None:
    """Pages are cut from what is kept, as from what is found anew."""
    total = shop.ask("cart").total
    assert total > 2
    pages = [shop.ask("cart", Pagination(1, offset)) for offset in range(total)]
    assert shop.model.asked == ["cart"]
    assert pages == [shop.ask("cart", Pagination(1, offset), anew=True) for offset in range(total)]


def test_other_filters_are_another_question(shop: Shop) -> None:
    """Also those that only prefer."""
    page = Pagination(10)
    some = (
        RequestFilters(),
        RequestFilters(path=["a"]),
        RequestFilters(prefer=["docs"]),
        RequestFilters(tests="no"),
    )
    kept = [shop.put("shipping", page, filters) for filters in (*some, *some)]
    assert len(shop.model.asked) == 4
    anew = [shop.put("shipping", page, filters, anew=True) for filters in some]
    assert kept == [*anew, *anew]
    assert anew[0] != anew[1]
    assert anew[0] != anew[2]


def test_no_answer_outlives_a_sync_of_another_process(shop: Shop) -> None:
    before = {one.hit.path for one in shop.ask("shipping").results}
    shop.repo.commit({"c/three.py": "def shipping_by_air(order):\n    return 9\n"})
    synced(shop.repo.path, shop.settings)
    after = {one.hit.path for one in shop.ask("shipping").results}
    assert "c/three.py" in after - before
    assert len(shop.model.asked) == 2


def test_no_answer_outlives_a_write_of_its_own_process(shop: Shop) -> None:
    """Nor one that no run has made."""
    assert shop.ask("shipping").total
    shop.store.index.database.run([Statement("DELETE FROM docs WHERE path LIKE '%.py'")])
    assert {one.hit.path for one in shop.ask("shipping").results}.isdisjoint(FILES.keys() - SHOP)
    assert len(shop.model.asked) == 2


def test_what_the_files_decide_is_as_they_are_now(shop: Shop) -> None:
    """Copies are no part of what is kept."""
    [shipping] = [one for one in shop.ask("shipping weight").results if one.duplicates]

    (shop.repo.path / "b/two.py").write_text(TWICE.replace("order.weight", "Weight(order)"))
    after = shop.ask("shipping weight").results
    assert [one.duplicates for one in after] == [()] * len(after)
    assert {shipping.hit.path, shipping.duplicates[0].hit.path} <= {one.hit.path for one in after}
    assert shop.model.asked == ["shipping weight"]


def test_an_answer_that_lacks_a_model_is_not_kept(shop: Shop) -> None:
    """It comes back as soon as the model does."""
    shop.model.fails = True
    by_words = shop.ask("how heavy are goods")
    assert shop.told == ["Searched by words only: the model is busy"]
    shop.model.fails = False
    assert shop.ask("how heavy are goods") == shop.ask("how heavy are goods", anew=True) != by_words
    assert len(shop.told) == 1


def test_so_many_are_kept(shop: Shop) -> None:
    """What was not asked for longest goes."""
    shop.kept = ResultCache(shop.model.database, capacity=2)
    for question in ("cart", "guide", "cart", "shipping", "cart", "guide"):
        shop.ask(question)
    assert len(shop.kept) == 2
    assert shop.model.asked == ["cart", "guide", "shipping", "guide"]
