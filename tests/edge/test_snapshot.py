"""An answer is of the commit that it names, even while the index changes."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from standin import StandIn

from edge.indexed_worker import IndexedWorker
from edge.worker_process import Worker
from source.repos import Repo


@pytest.fixture(scope="module")
def fed(
    account: StandIn, script: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[IndexedWorker]:
    repo = Repo(tmp_path_factory.mktemp("moving") / "shop")
    repo.commit({"cart.py": "def add(cart):\n    return cart\n"})
    one = IndexedWorker(account, repo, "static", script)
    one.feed("--texts")
    one.deploy()
    yield one
    one.close()


QUESTIONS = [
    ("search", {"q": "cart"}),
    ("similar", {"target": "cart.py:1"}),
    ("node", {}),
    ("file", {"path": "cart.py"}),
    ("outline", {"path": "cart.py"}),
    ("map", {}),
    ("status", {}),
]


@pytest.mark.parametrize(("name", "said"), QUESTIONS)
def test_commit_is_that_of_the_rows(fed: IndexedWorker, name: str, said: dict[str, str]) -> None:
    """An isolate in use sees the next commit as soon as it is indexed."""
    [known] = fed.query_worker("search", q="add", limit="1")["hits"]
    said = {"id": known["id"]} if name == "node" else said
    commit = fed.repo.commit({f"{name}.py": f"def {name}_it(cart):\n    return {name!r}\n"})
    fed.feed()
    assert fed.query_worker(name, **said)["index"]["equals"] == commit


def test_rows_of_two_commits_are_never_mixed(worker: Worker) -> None:
    """If the second batch is of another commit, both are read again."""
    moved = "Error: The index changed during the query. Try again."
    assert worker.call("runBatches", ["one", "one"]) == [[[[["a row"]]], [[["a row"]]]], "one"]
    assert worker.call("runBatches", ["one", "two"]) == [[[[["a row"]]], moved], "one"]
