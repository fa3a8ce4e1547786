"""The ranked overview of an index in D1 is that of a local index."""

import pytest
from clouds import Cloud
from program import feeder

from cli.test_overview import FILES
from command_runner import RunFeeder
from feeder.source.git_trees import Commit
from feeder.store.overview_nodes import named_nodes
from index_helpers import REPO, open_database, run_sync
from source.repos import Repo

__all__ = ["feeder"]

HERE = ("--store", "local", "--model", "words")
THERE = ("--store", "cloudflare")


def test_overview_is_that_of_a_local_index(feeder: RunFeeder, repo: Repo) -> None:
    repo.commit(FILES)
    assert feeder(repo, "init").code == 0
    for store in (THERE, HERE):
        assert feeder(repo, "sync", "--no-vectors", *store).code == 0
    for path in (".", "shop", "shop/cart.py"):
        here, there = (feeder(repo, "overview", path, "--json", *one) for one in (HERE, THERE))
        assert (there.code, here.code) == (0, 0), (there.err, here.err)
        assert there.json == here.json
        assert len(here.json["symbols"]) > 1
    here, there = (feeder(repo, "overview", *one) for one in (HERE, THERE))
    assert there.out == here.out
    cost = "The ranking reads 13 rows of D1, one for each node: below 0.1 % of a free day's."
    assert (cost in there.err, "rows of D1" in here.err) == (True, False)


@pytest.mark.parametrize("page_nodes", [1, 2, 7, 1000])
def test_pages_have_all_nodes_in_order(cloud: Cloud, repo: Repo, page_nodes: int) -> None:
    """Also nodes on one line; D1 bills each as a row, and two rows for a page."""
    lines = "".join(f"function one{n}() {{ two{n}(); }} " for n in range(5))
    long = "".join(f"    call_{n}()\n" for n in range(2_000))
    repo.commit({**FILES, "a.js": lines, "long.py": f"def long():\n{long}"})
    here = open_database()
    run_sync(Commit(repo.path), here)
    cloud.migrated().synced(Commit(repo.path))
    expected = named_nodes(here, REPO)
    assert len({(node.path, node.start_line) for node in expected}) < len(expected)
    before = cloud.d1.rows["read"]
    assert named_nodes(cloud.d1, REPO, page_nodes) == expected
    print(
        "ROWS",
        cloud.d1.rows["read"] - before,
        len(expected),
        cloud.rows("select count(*) from docs"),
    )
    here.close()
