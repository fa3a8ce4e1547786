"""Vectors in Vectorize are of text and description after each change, and their cost."""

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from clouds import DIMENSIONS, INDEX, Cloud

from expected_vectors import blend, embedding_inputs
from fake_describer import FakeDescriber, OtherFakeDescriber
from fault_injection import Crash, FailingDatabase, FaultInjector
from feeder.source.git_trees import Commit
from feeder.sync.context import DescriptionOptions
from feeder.sync.description_requests import BATCH_REQUESTS
from feeder.sync.sync import sync
from feeder.sync.validate import validate
from hash_embedder import HashedEmbedder
from index_helpers import CART, SHOP
from source.repos import Repo

LINES = """
SELECT d.id, e.line FROM docs d JOIN descriptions e ON e.sha = d.describes WHERE e.line <> ''
"""
MARKS = "SELECT count(*) FROM docs WHERE vector_line <> ''"


@pytest.fixture
def shop(cloud: Cloud, repo: Repo) -> Repo:
    cloud.migrated()
    repo.commit(SHOP)
    return repo


def wrong_vectors(cloud: Cloud, shop: Repo) -> list[str]:
    """Returns the nodes whose vector in Vectorize is not that of their text and description."""
    cloud.standin.settle(INDEX)
    held = cloud.standin.vectors(INDEX)
    said = {str(id_): str(line) for id_, line in cloud.rows(LINES)}
    embedder = HashedEmbedder(DIMENSIONS)
    wrong = []
    for id_, body in embedding_inputs(Commit(shop.path)).items():
        [due] = embedder.embed([body])
        if id_ in said:
            due = blend(due, embedder.embed([said[id_]])[0])
        if not np.allclose(held[id_]["values"], due, atol=1e-5):
            wrong.append(id_)
    return wrong


def run_with_descriptions(
    cloud: Cloud, shop: Repo, lines: FakeDescriber | None = None, **more: Any
) -> None:
    how = DescriptionOptions(lines, **more) if lines or more else None
    sync(cloud.feed(Commit(shop.path), describing=how))


def test_vector_is_of_text_and_description(cloud: Cloud, shop: Repo) -> None:
    """After each change. A run without changes takes one request."""
    run_with_descriptions(cloud, shop)
    assert wrong_vectors(cloud, shop) == []
    run_with_descriptions(cloud, shop, FakeDescriber())
    assert (wrong_vectors(cloud, shop), cloud.rows(MARKS)) == ([], [(4,)])
    assert validate(cloud.feed(Commit(shop.path)), wait=True).passed
    cloud.spent()
    run_with_descriptions(cloud, shop, FakeDescriber())
    assert cloud.spent() == {"d1": 1, "vectorize": 0, "ai": 0}
    shop.commit({"src/cart.py": None, "lib/cart.py": f"# moved\n{CART}"})
    run_with_descriptions(cloud, shop)
    assert (wrong_vectors(cloud, shop), cloud.rows(MARKS)) == ([], [(4,)])
    run_with_descriptions(cloud, shop, OtherFakeDescriber("others"), redescribe=True)
    assert wrong_vectors(cloud, shop) == []
    sync(cloud.feed(Commit(shop.path), describing=DescriptionOptions(None)))
    assert (wrong_vectors(cloud, shop), cloud.rows(MARKS)) == ([], [(0,)])
    assert validate(cloud.feed(Commit(shop.path)), wait=True).passed


def test_cost_of_a_description(cloud: Cloud, repo: Repo) -> None:
    """Four rows of D1: the description, its entry by hash, its words and the mark of its vector.

    Vectorize takes one more request per 1,000 vectors.
    """
    cloud.migrated()
    repo.commit(SHOP)
    run_with_descriptions(cloud, repo, FakeDescriber())
    rows = []
    for number in (20, 60):
        repo.commit({f"a{number}.py": "".join(partial_run(number, at) for at in range(number))})
        run_with_descriptions(cloud, repo)
        cloud.spent()
        before = cloud.standin.rows_written()
        run_with_descriptions(cloud, repo, FakeDescriber())
        rows.append(cloud.standin.rows_written() - before)
        assert cloud.spent()["vectorize"] == 1
    writes = 60 // BATCH_REQUESTS - 20 // BATCH_REQUESTS  # each leaves its number
    assert (rows[1] - rows[0] - writes) / (60 - 20) == 4


def partial_run(number: int, at: int) -> str:
    return f"def part_{number}_{at}(value):\n    return value + {at}\n\n\n"


@pytest.mark.parametrize("then", ["off", "others"])
def test_vectors_of_a_crashed_run_are_sent_again(cloud: Cloud, shop: Repo, then: str) -> None:
    """Whatever the descriptions have become since."""
    run_with_descriptions(cloud, shop)
    for at in range(1, 30):
        fuse = FaultInjector(at, before=False)
        run = cloud.feed(Commit(shop.path), describing=DescriptionOptions(FakeDescriber()))
        run.index.database = FailingDatabase(cloud.d1, fuse)
        with suppress(Crash):
            sync(run)
        if then == "off":
            sync(cloud.feed(Commit(shop.path), describing=DescriptionOptions(None)))
        else:
            run_with_descriptions(cloud, shop, OtherFakeDescriber("others"), redescribe=True)
        assert wrong_vectors(cloud, shop) == []
        sync(cloud.feed(Commit(shop.path), describing=DescriptionOptions(None)))
        if not fuse.has_failed:
            assert at > 8
            return
    pytest.fail("the run has more calls than were tried")
