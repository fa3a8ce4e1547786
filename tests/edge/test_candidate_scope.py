"""Nodes that a statement has found in the scope are not compared with it again; others are."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from standin import StandIn

from edge.indexed_worker import IndexedWorker
from feeder.store.name_search import MAX_WITH_WORDS
from source.repos import Repo

FUNCTIONS = MAX_WITH_WORDS + 10
"""So many nodes with the word of a name that their words are not compared, only their names."""
PREFIXED = 600
"""Nodes with the word `parcel`, more than a search ranks."""


@pytest.fixture(scope="module")
def fed(
    account: StandIn, script: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[IndexedWorker]:
    repo = Repo(tmp_path_factory.mktemp("scope") / "shop")
    many = "".join(f"def weigh_{at}(cart):\n    return cart\n\n\n" for at in range(FUNCTIONS))
    exact = "def weigh(cart):\n    return cart\n"
    others = "".join(f"def send_{at}(parcel):\n    return {at}\n\n\n" for at in range(PREFIXED))
    repo.commit({"src/many.py": many, "src/exact.py": exact, "tests/exact.py": exact})
    repo.commit({"src/others.py": others})
    one = IndexedWorker(account, repo, "static", script)
    one.feed("--texts")
    one.deploy()
    yield one
    one.close()


@pytest.mark.parametrize("query", ["weigh -tests", 'weigh "src exact"', "weigh src*"])
def test_a_node_found_by_name_has_the_words_of_the_query(fed: IndexedWorker, query: str) -> None:
    """Both `weigh` are found by the trigrams of their names; `tests/exact.py` fails each filter."""
    for meaning in ("no", "yes"):
        hits = fed.query_worker("search", q=query, meaning=meaning)["hits"]
        paths = [hit["path"] for hit in hits]
        assert "src/exact.py" in paths
        assert not any(path.startswith("tests/") for path in paths)


def test_nodes_with_a_prefix_are_not_listed(fed: IndexedWorker) -> None:
    """200 nodes are ranked: each is billed by the search, and once as it is read. The list of all
    with the prefix was billed three more times."""
    answer = fed.query_worker("search", q="parce*", meaning="no")
    assert answer["hits"]
    assert fed.last is not None
    rows = int(fed.last.headers["server-timing"].split(" rows read")[0].rpartition(" ")[2])
    assert 2 * 200 < rows < 2 * 200 + PREFIXED / 2
