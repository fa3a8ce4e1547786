"""All pages of an answer are one answer: no hit stands twice or is lost, and all say how many."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feeder.config import Settings
from feeder.search import engine, results
from feeder.search.open_index import SearchIndex
from feeder.search.query_plan import QueryPlan, RequestFilters, plan_query
from feeder.search.results import Pagination, Result
from feeder.search.retrieval import STATIC_VECTORS, QueryModel, static_query_model
from feeder.session.session import open_session
from feeder.session.workspace import Workspace
from feeder.source.git_trees import Commit
from feeder.store.hits import first_hits
from feeder.store.scope import Scope
from feeder.store.sqlite import SQLite
from index_helpers import REPO, SHOP
from index_helpers import open_database as empty
from index_helpers import run_sync as fed
from search.run_query import run_query
from search.test_result_cache import synced
from source.repos import Repo

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
def asker(base: Path) -> Iterator[SearchIndex]:
    said = Settings(directory=base, model="static", quiet=True, jobs=1)
    synced(base, said)
    with open_session(Workspace(base, REPO, "main"), said, writes=False, create=False) as store:
        database = store.index.database
        assert isinstance(database, SQLite)
        sides = [QueryModel(STATIC_VECTORS, 1.5, static_query_model(database).nearest)]
        yield SearchIndex.from_session(store, said)._replace(models=sides)


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
questions = st.lists(st.sampled_from([*WORDS, *SIGNS]), min_size=1, max_size=4, unique=True)


def ids(found: Sequence[Result]) -> list[str]:
    """Of all nodes that these hits stand for."""
    return [id_ for one in found for id_ in (one.hit.id, *ids(one.grouped), *ids(one.duplicates))]


@pytest.mark.parametrize("compared", [results.MAX_DEDUPLICATED, 3])
@settings(deadline=None, max_examples=60)
@given(questions, st.integers(1, 9))
def test_all_pages_together_are_one_large_page(
    asker: SearchIndex, compared: int, words: list[str], size: int
) -> None:
    """With the same total, and each node that was found in one place; a page may begin before and
    behind the last text that is compared."""
    question = " ".join(words)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(results, "MAX_DEDUPLICATED", compared)
        _, whole = run_query(asker, question, ALL)
        pages = [
            run_query(asker, question, Pagination(size, offset))[1]
            for offset in range(0, len(whole.results) + size, size)
        ]
    assert [one for page in pages for one in page.results] == list(whole.results)
    assert {page.total for page in pages} == {whole.total} == {len(whole.results)}
    assert len(set(ids(whole.results))) == len(ids(whole.results))


def scope(asker: SearchIndex, question: str) -> QueryPlan:
    return plan_query(asker.store, question, RequestFilters(), asker.settings, asker.corpus.meta)


@pytest.mark.parametrize("question", ["lang:py", "/order/", "path:docs", "ship order", "zzz cart"])
def test_every_node_is_in_one_hit(asker: SearchIndex, question: str) -> None:
    """Of the scope where filters or a pattern alone are asked, else of what was found."""
    asked, database = scope(asker, question), asker.store.index.database
    found = engine.rank_query(database, asker.models, asked.text, asked.scope).results
    nodes = [one.hit for one in found] if asked.text else first_hits(database, asked.scope, 1_000)
    assert nodes
    assert sorted(ids(run_query(asker, question, ALL)[1].results)) == sorted(
        node.id for node in nodes
    )


@pytest.mark.parametrize("question", ["symbol:weigh", "/parcel_weight/", "weigh"])
def test_however_it_is_asked_pieces_and_copies_are_one_hit(
    asker: SearchIndex, question: str
) -> None:
    """The function is 163 lines long, and lies in three files."""
    found = run_query(asker, question, ALL)[1].results
    first, *others = [one for one in found if one.hit.path == "a/weigh.py"]
    assert [one.hit.symbol for one in others] in ([], ["ship"])
    assert (first.hit.start_line, first.hit.end_line) == (1, 163)
    assert {copy.hit.path for copy in first.duplicates} == {"b/weigh.py", "c/weigh.py"}
    assert {(copy.hit.start_line, copy.hit.end_line) for copy in first.duplicates} == {(1, 163)}
    assert first.part_match
    assert first.part_match.matching == first.part_match.of > 2


def test_a_list_that_is_cut_says_so(asker: SearchIndex, monkeypatch: pytest.MonkeyPatch) -> None:
    """On each page; where just as many nodes are there as are looked at, all of them are."""
    nodes = len(first_hits(asker.store.index.database, scope(asker, "lang:py").scope, 1_000))
    whole = run_query(asker, "lang:py", ALL)[1]
    assert not whole.at_least
    monkeypatch.setattr(engine, "MAX_LISTED", nodes)
    assert run_query(asker, "lang:py", ALL)[1] == whole
    monkeypatch.setattr(engine, "MAX_LISTED", nodes - 1)
    cut = [run_query(asker, "lang:py", Pagination(2, offset))[1] for offset in (0, 2, 100)]
    assert all(page.at_least for page in cut)
    assert len({page.total for page in cut}) == 1


@pytest.mark.parametrize(("nodes", "at_least"), [(150, False), (250, True)])
def test_a_word_of_more_nodes_than_are_ranked_says_so(
    repo: Repo, nodes: int, at_least: bool
) -> None:
    """Two hundred are."""
    functions = (f"def crate_{n}(order):\n    return {n}\n" for n in range(nodes))
    repo.commit({"a.py": "\n\n".join(functions)})
    database = empty()
    fed(Commit(repo.path), database)
    answer = engine.search_scope(database, [], "order", Scope.of_repo(REPO), Pagination(1))
    assert (answer.total, answer.at_least) == (min(nodes, 200), at_least)
