"""A search without tests, or in tests alone, reads few rows of other nodes and finds what the
program finds: the words of paths narrow it.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from standin import StandIn

from edge.indexed_worker import IndexedWorker, program
from source.repos import Repo

IN_FILE = 25
LIKE_TESTS = ("src/testing/weigh.py", "docs/spec.py", "src/cart_spec_of/cart.py")
"""No tests, but with a word of tests in their paths."""
TESTS = ("tests/weigh.py", "src/cart/test_cart.py", "web/cart.spec.ts", "web/__snapshots__/a.ts")
FILES = 20
"""Files of the source, and as many of tests."""


def _source(at: int, word: str) -> str:
    names = (f"weigh_{at}_{one}" for one in range(IN_FILE))
    return "\n".join(f"def {name}(cart):\n    return cart.{word}\n" for name in names)


@pytest.fixture(scope="module")
def fed(
    account: StandIn, script: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[IndexedWorker]:
    """A Worker with 500 nodes in tests, 500 in other files, and files that look like tests."""
    repo = Repo(tmp_path_factory.mktemp("tests") / "shop")
    repo.commit({f"src/m{at}.py": _source(at, "pallet") for at in range(FILES)})
    repo.commit({f"tests/m{at}.py": _source(at, "crate") for at in range(FILES)})
    repo.commit(
        {
            path: f"export function parcel_{at}(cart) {{ return cart; }}\n"
            if path.endswith("ts")
            else f"def parcel_{at}(cart):\n    return cart\n"
            for at, path in enumerate((*LIKE_TESTS, *TESTS))
        }
    )
    one = IndexedWorker(account, repo, "static", script)
    one.feed("--texts")
    one.deploy()
    one.query_worker("status")  # what an isolate reads once
    yield one
    one.close()


@pytest.mark.parametrize("tests", ["no", "only"])
def test_answers_are_the_programs(fed: IndexedWorker, tests: str) -> None:
    desk = fed.desk()
    for text in ("parcel", "parcel_1", "return cart", "weigh 3", "parc*", "cart -weigh", ""):
        query = {"q": f"{text} tests:{tests}", "meaning": "no", "limit": "50"}
        ours, theirs = fed.query_worker("search", **query), program(desk, "search", **query)
        assert [hit["id"] for hit in ours["hits"]] == [hit["id"] for hit in theirs["hits"]], query
    desk.close()


def test_files_that_look_like_tests_are_found(fed: IndexedWorker) -> None:
    for tests, expected in {"no": LIKE_TESTS, "only": TESTS}.items():
        hits = fed.query_worker("search", q=f"parcel tests:{tests}", meaning="no")["hits"]
        assert {hit["path"] for hit in hits} == {*expected}


@pytest.mark.parametrize("query", ["pallet tests:only", "crate tests:no"])
def test_nodes_of_the_other_kind_are_not_read(fed: IndexedWorker, query: str) -> None:
    """Each of the 500 nodes with the word was billed twice, for each of up to five statements."""
    answer = fed.query_worker("search", q=query, meaning="no")
    assert answer["hits"] == []
    assert fed.last is not None
    [rows] = fed.last.headers["server-timing"].split(" rows read")[:1]
    assert int(rows.rpartition(" ")[2]) < FILES * IN_FILE / 2


def test_a_file_in_any_folder_is_left_out(fed: IndexedWorker) -> None:
    """Earlier Workers had no hits then."""
    hits = fed.query_worker("search", q="parcel -path:test_cart.py", meaning="no")["hits"]
    assert {hit["path"] for hit in hits} == {*LIKE_TESTS, *TESTS} - {"src/cart/test_cart.py"}
