"""Validation of an index at Cloudflare: every column of every node, with few requests and rows."""

import pytest
from clouds import Cloud

from feeder.source.git_trees import Commit
from feeder.sync.report import ValidationResult
from feeder.sync.validate import repair, validate
from index_helpers import SHOP
from source.repos import Repo

ROWS = "every node matches its parsed file"
WORDS = "Words were not compared: that needs a database on this machine."
COLUMNS = ("language", "node_type", "symbol", "signature", "logical_path", "text_sha")


def validate_after_writes(cloud: Cloud, repo: Repo) -> ValidationResult:
    """Validates after Vectorize has applied all writes."""
    return validate(cloud.feed(Commit(repo.path)), wait=True)


@pytest.fixture
def shop(cloud: Cloud, repo: Repo) -> Repo:
    """A repository whose index equals its HEAD."""
    repo.commit(SHOP)
    cloud.migrated().synced(Commit(repo.path))
    return repo


def test_correct_index_is_right_as_far_as_it_is_read(cloud: Cloud, shop: Repo) -> None:
    """Postings are not read, since D1 would read a row for each; the verdict says so."""
    verdict = validate_after_writes(cloud, shop)
    assert verdict.passed
    assert verdict.not_compared == [WORDS]
    assert verdict.checks[-1].name == ROWS


@pytest.mark.parametrize(
    "lie",
    [
        *(f"{column} = 'false'" for column in COLUMNS),
        "start_line = start_line - 1",
        "end_line = end_line + 1",
        "id = 'false'",
        "path = 'yarn.lock'",
        "repo = 'acme/other'",
    ],
)
def test_wrong_column_is_found_and_repaired(cloud: Cloud, shop: Repo, lie: str) -> None:
    """All rows then equal those of a fresh index."""
    before = cloud.docs()
    cloud.rows(f"UPDATE docs SET {lie} WHERE symbol = 'Cart.total'")
    verdict = validate_after_writes(cloud, shop)
    [check] = [check for check in verdict.checks if check.name == ROWS]
    assert check.differences[0].startswith("src/cart.py: ")
    repair(cloud.feed(Commit(shop.path)), verdict)
    assert validate_after_writes(cloud, shop).passed
    assert cloud.docs() == before


def test_content_check_takes_three_requests_and_three_rows_per_node(
    cloud: Cloud, repo: Repo
) -> None:
    """One per 5,000 nodes, one for the end of the list, and one for writes during the check."""
    file = "".join(f"def f{number}():\n    pass\n\n\n" for number in range(20))
    repo.commit({f"m{number:02}.py": file for number in range(30)})
    tree = Commit(repo.path)
    cloud.migrated().synced(tree)

    def cost(*, content: bool) -> tuple[int, int]:
        cloud.spent()
        read = cloud.d1.rows["read"]
        assert validate(cloud.feed(tree), wait=True, content=content).passed
        return cloud.spent()["d1"], cloud.d1.rows["read"] - read

    requests, read = cost(content=False)
    more_requests, more_read = cost(content=True)
    assert more_requests - requests == 3
    assert 600 <= more_read - read <= 3 * 600 + 50
