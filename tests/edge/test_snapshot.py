"""An answer is of the commit that it names, also where the index comes to another one."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from standin import StandIn

from edge.indexed_worker import Fed
from edge.worker_process import Worker
from source.repos import Repo


@pytest.fixture(scope="module")
def fed(account: StandIn, script: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Fed]:
    repo = Repo(tmp_path_factory.mktemp("moving") / "shop")
    repo.commit({"cart.py": "def add(cart):\n    return cart\n"})
    one = Fed(account, repo, "static", script)
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
def test_the_commit_is_the_one_of_the_rows(fed: Fed, name: str, said: dict[str, str]) -> None:
    """An isolate that has been asked before knows of the next commit as soon as it is fed."""
    [known] = fed.at_edge("search", q="add", limit="1")["hits"]
    said = {"id": known["id"]} if name == "node" else said
    commit = fed.repo.commit({f"{name}.py": f"def {name}_it(cart):\n    return {name!r}\n"})
    fed.feed()
    assert fed.at_edge(name, **said)["index"]["equals"] == commit


def test_rows_of_two_commits_are_no_answer(worker: Worker) -> None:
    """The batch that is of another commit than the first is refused, so that all is asked anew."""
    moved = "Error: The index changed during the query. Try again."
    assert worker.call("runBatches", ["one", "one"]) == [[[[["a row"]]], [[["a row"]]]], "one"]
    assert worker.call("runBatches", ["one", "two"]) == [[[[["a row"]]], moved], "one"]
