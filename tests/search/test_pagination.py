"""All pages of a result are consistent: no hit is repeated or lost, and the total is the same."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feeder.config import Settings
from feeder.query.query_plan import QueryPlan, plan_query
from feeder.query.request_filters import Pagination, RequestFilters
from feeder.ranking import results
from feeder.ranking.query_ranking import rank_query
from feeder.ranking.results import Result
from feeder.ranking.retrieval import STATIC_VECTORS, QueryModel, static_query_model
from feeder.search import engine
from feeder.search.open_index import SearchIndex
from feeder.session.opening import open_session
from feeder.session.workspace import Workspace
from feeder.source.git_trees import Commit
from feeder.store.hits import first_hits
from feeder.store.scope import Scope
from feeder.store.sqlite import SQLite
from index_helpers import REPO, SHOP, search_scope
from index_helpers import open_database as empty
from index_helpers import run_sync as fed
from search.run_query import run_query
from search.test_result_cache import sync_in_other_connection
from source.repos import Repo

pytestmark = pytest.mark.slow

LINE = "    total = total + parcel_weight(order, {0})  # the parcels of order {0}\n"
LONG = "def weigh(order):\n    total = 0\n" + "".join(map(LINE.format, range(160)))
SHIP = "def ship(order):\n    send(order)\n    return order\n"
C = "int ship(int order) {\n  return send(order);\n}\n"
PROSE = "The parcels of order {0} are weighed and sent to where they belong, one by one.\n"
GUIDE = f"# Ship\n\n{''.join(map(PROSE.format, range(60)))}\n```sh\nship order\nsend parcel\n```\n"
PASCAL = (
    "unit Cart;\ninterface\ntype\n  TCart = class\n    procedure Ship(Order: Integer);\n"
    "  end;\nimplementation\nprocedure TCart.Ship(Order: Integer);\nbegin\n  Send(Order);\n"
    "end;\nend.\n"
)
FILES: dict[str, str | bytes] = (
    SHOP
    | {f"{folder}/weigh.py": f"{LONG}    return total\n\n\n{SHIP}" for folder in "abc"}
    | {f"docs/{name}.md": GUIDE for name in "de"}
    | {"a/other.py": LONG.replace("120", "121"), "cart.pas": PASCAL}
    | {"ship.c": f"#ifdef FAST\n{C}#else\n#include <slow.h>\n\n{C}#endif\n"}
)


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    repo = Repo(tmp_path_factory.mktemp("pages") / "repo")
    repo.commit(FILES)
    return repo.path


@pytest.fixture(scope="module")
def search_index(base: Path) -> Iterator[SearchIndex]:
    options = Settings(directory=base, model="static", quiet=True, jobs=1)
    sync_in_other_connection(base, options)
    with open_session(Workspace(base, REPO, "main"), options, writes=False, create=False) as store:
        database = store.index.database
        assert isinstance(database, SQLite)
        sides = [QueryModel(STATIC_VECTORS, 1.5, static_query_model(database).nearest)]
        yield SearchIndex.from_session(store, options)._replace(models=sides)


ALL = Pagination(100_000)
WORDS = ["ship", "order", "weigh", "parcel", "send", "total", "cart", "belong", "where", "zzz"]
SIGNS = [
    "lang:py",
    "lang:md",
    "path:a",
    "type:function",
    "/par.el/",
    '"order 12"',
    "-send",
    "symbol:ship",
]
queries = st.lists(
    st.sampled_from([*WORDS, *SIGNS]),
    min_size=1,
    max_size=4,
    unique_by=lambda word: word.strip("-"),
)
"""No word is asked for and excluded at once, which is an error."""


def ids(found: Sequence[Result]) -> list[str]:
    """Returns the ids of all nodes in these hits."""
    return [
        id_
        for result in found
        for id_ in (result.hit.id, *ids(result.grouped), *ids(result.duplicates))
    ]


@pytest.mark.parametrize("compared", [results.MAX_DEDUPLICATED, 3])
@settings(max_examples=60)
@given(queries, st.integers(1, 9))
def test_pages_concatenate_to_one_large_page(
    search_index: SearchIndex, compared: int, words: list[str], size: int
) -> None:
    """The total is the same and each node is in one hit. A page may start around the last text that
    is compared for grouping.
    """
    query = " ".join(words)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(results, "MAX_DEDUPLICATED", compared)
        _, whole = run_query(search_index, query, ALL)
        pages = [
            run_query(search_index, query, Pagination(size, offset))[1]
            for offset in range(0, len(whole.results) + size, size)
        ]
    assert [result for page in pages for result in page.results] == list(whole.results)
    assert {page.total for page in pages} == {whole.total} == {len(whole.results)}
    assert len(set(ids(whole.results))) == len(ids(whole.results))


def scope(search_index: SearchIndex, query: str) -> QueryPlan:
    return plan_query(search_index.corpus, search_index.directory, query, RequestFilters())


@pytest.mark.parametrize("query", ["lang:py", "/order/", "path:docs", "ship order", "zzz cart"])
def test_every_node_is_in_exactly_one_hit(search_index: SearchIndex, query: str) -> None:
    """Of the scope if the query has only filters or a pattern, else of the candidates."""
    plan, database = scope(search_index, query), search_index.store.index.database
    found = rank_query(database, search_index.models, plan.text, plan.scope).results
    nodes = (
        [result.hit for result in found] if plan.text else first_hits(database, plan.scope, 1_000)
    )
    assert nodes
    assert sorted(ids(run_query(search_index, query, ALL)[1].results)) == sorted(
        node.id for node in nodes
    )


@pytest.mark.parametrize("query", ["symbol:weigh", "/parcel_weight/", "weigh"])
def test_parts_and_copies_are_one_hit_for_any_query(search_index: SearchIndex, query: str) -> None:
    """The function has 163 lines and is in three files."""
    found = run_query(search_index, query, ALL)[1].results
    first, *others = [result for result in found if result.hit.path == "a/weigh.py"]
    assert [other.hit.symbol for other in others] in ([], ["ship"])
    assert (first.hit.start_line, first.hit.end_line) == (1, 163)
    assert {copy.hit.path for copy in first.duplicates} == {"b/weigh.py", "c/weigh.py"}
    assert {(copy.hit.start_line, copy.hit.end_line) for copy in first.duplicates} == {(1, 163)}
    assert first.part_match
    assert first.part_match.matching == first.part_match.of > 2


def test_truncated_result_is_reported_on_each_page(
    search_index: SearchIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    """If the number of nodes equals the limit, nothing is truncated."""
    nodes = len(
        first_hits(search_index.store.index.database, scope(search_index, "lang:py").scope, 1_000)
    )
    whole = run_query(search_index, "lang:py", ALL)[1]
    assert not whole.at_least
    monkeypatch.setattr(engine, "MAX_LISTED", nodes)
    assert run_query(search_index, "lang:py", ALL)[1] == whole
    monkeypatch.setattr(engine, "MAX_LISTED", nodes - 1)
    cut = [run_query(search_index, "lang:py", Pagination(2, offset))[1] for offset in (0, 2, 100)]
    assert all(page.at_least for page in cut)
    assert len({page.total for page in cut}) == 1


@pytest.mark.parametrize(("nodes", "at_least"), [(150, False), (250, True)])
def test_word_in_more_nodes_than_are_ranked_is_reported(
    repo: Repo, nodes: int, at_least: bool
) -> None:
    """200 nodes are ranked."""
    functions = (f"def crate_{n}(order):\n    return {n}\n" for n in range(nodes))
    repo.commit({"a.py": "\n\n".join(functions)})
    database = empty()
    fed(Commit(repo.path), database)
    answer = search_scope(database, [], "order", Scope.of_repo(REPO), Pagination(1))
    assert (answer.total, answer.at_least) == (min(nodes, 200), at_least)
