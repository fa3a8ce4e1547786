"""A Vectorize index that was deleted and created again, and writes without a receipt."""

import pytest
from clouds import DIMENSIONS, INDEX, Cloud

from feeder.errors import ServiceError
from feeder.source.git_trees import Commit
from feeder.sync.diff import StaleReason
from feeder.sync.sync import sync
from feeder.sync.validate import repair, validate
from source.repos import Repo

FILES = {f"m{number}.py": f"def f{number}():\n    return {number}\n" for number in range(9)}
"""Nine nodes."""
CREATED_ON = "SELECT value FROM meta WHERE key = 'index_created_on'"
UP_TO_DATE = "The index is up to date with the source tree: nothing to do."


@pytest.fixture
def indexed(cloud: Cloud, repo: Repo) -> Cloud:
    """An index of nine nodes with their vectors."""
    repo.commit(FILES)
    cloud.migrated().synced(Commit(repo.path))
    assert len(cloud.vector_ids()) == 9
    cloud.spent()
    return cloud


def created_on(cloud: Cloud) -> str:
    return str(cloud.vectorize.identity())


def test_first_sync_records_when_the_index_was_created(indexed: Cloud) -> None:
    assert indexed.rows(CREATED_ON) == [(created_on(indexed),)]


def test_run_with_changes_sends_all_vectors_to_a_new_index(indexed: Cloud, repo: Repo) -> None:
    """And says why; the run after it has nothing to do."""
    indexed.make_index_again(INDEX, DIMENSIONS)
    repo.commit({"m3.py": "def f3():\n    return 33\n"})
    indexed.spent()
    report = indexed.synced(Commit(repo.path))
    assert StaleReason.LOST_VECTORS in report.notes
    # the index's identity, and an upsert of all
    assert indexed.spent()["vectorize"] == 2
    assert indexed.vector_ids() == indexed.node_ids()
    assert indexed.rows(CREATED_ON) == [(created_on(indexed),)]
    assert validate(indexed.feed(Commit(repo.path))).passed
    indexed.spent()
    assert indexed.synced(Commit(repo.path)).notes == [UP_TO_DATE]
    assert indexed.spent() == {"d1": 1, "vectorize": 0, "ai": 0}


def test_run_without_changes_stays_one_request(indexed: Cloud, repo: Repo) -> None:
    """It does not notice the new index."""
    indexed.make_index_again(INDEX, DIMENSIONS)
    indexed.spent()
    assert indexed.synced(Commit(repo.path)).notes == [UP_TO_DATE]
    assert indexed.spent() == {"d1": 1, "vectorize": 0, "ai": 0}


def test_dry_run_says_what_a_new_index_costs(indexed: Cloud, repo: Repo) -> None:
    """Also without changes: nine texts, and nothing is written."""
    run = indexed.feed(Commit(repo.path))
    sync(run, dry_run=True)
    assert run.report.texts_embedded == 0
    indexed.make_index_again(INDEX, DIMENSIONS)
    run = indexed.feed(Commit(repo.path))
    sync(run, dry_run=True)
    assert run.report.texts_embedded + run.report.texts_cached == 9
    assert StaleReason.LOST_VECTORS in run.report.notes
    assert indexed.vector_ids() == []
    assert indexed.rows(CREATED_ON) != [(created_on(indexed),)]


def test_validate_notices_and_repairs_a_new_index(indexed: Cloud, repo: Repo) -> None:
    indexed.make_index_again(INDEX, DIMENSIONS)
    run = indexed.feed(Commit(repo.path))
    result = validate(run)
    failed = {check.name for check in result.checks if not check.passed}
    assert "the vector index is the one that the vectors were sent to" in failed
    repair(run, result)
    assert indexed.vector_ids() == indexed.node_ids()
    assert validate(indexed.feed(Commit(repo.path))).passed


def test_interrupted_resend_is_finished_by_the_next_run(indexed: Cloud, repo: Repo) -> None:
    indexed.make_index_again(INDEX, DIMENSIONS)
    repo.commit({"m3.py": "def f3():\n    return 33\n"})
    indexed.standin.fault("server_error", route="vectorize.upsert", times=5)
    with pytest.raises(ServiceError):
        indexed.synced(Commit(repo.path))
    indexed.synced(Commit(repo.path))
    assert indexed.vector_ids() == indexed.node_ids()


def test_index_of_an_earlier_version_is_taken_over(indexed: Cloud, repo: Repo) -> None:
    """If it has a vector for each node, nothing is sent again, and its identity is recorded."""
    indexed.rows("DELETE FROM meta WHERE key = 'index_created_on'")
    repo.commit({"m3.py": "def f3():\n    return 33\n"})
    report = indexed.synced(Commit(repo.path))
    assert (report.texts_embedded, StaleReason.LOST_VECTORS in report.notes) == (1, False)
    assert indexed.rows(CREATED_ON) == [(created_on(indexed),)]
    assert indexed.vector_ids() == indexed.node_ids()


def test_index_of_an_earlier_version_that_lacks_vectors_gets_them(
    indexed: Cloud, repo: Repo
) -> None:
    indexed.rows("DELETE FROM meta WHERE key = 'index_created_on'")
    indexed.make_index_again(INDEX, DIMENSIONS)
    repo.commit({"m3.py": "def f3():\n    return 33\n"})
    assert StaleReason.LOST_VECTORS in indexed.synced(Commit(repo.path)).notes
    assert indexed.vector_ids() == indexed.node_ids()


@pytest.mark.parametrize("route", ["vectorize.upsert", "vectorize.delete_by_ids"])
def test_write_without_a_receipt_is_sent_again(indexed: Cloud, repo: Repo, route: str) -> None:
    """Twice in succession; then it arrives."""
    repo.commit({"m3.py": None, "m9.py": "def f9():\n    return 9\n"})
    indexed.standin.fault("no_receipt", route=route, times=2)
    indexed.synced(Commit(repo.path))
    assert indexed.vector_ids() == indexed.node_ids()


@pytest.mark.parametrize("route", ["vectorize.upsert", "vectorize.delete_by_ids"])
def test_write_that_never_gets_a_receipt_fails(indexed: Cloud, repo: Repo, route: str) -> None:
    """The run after it does what is left."""
    repo.commit({"m3.py": None, "m9.py": "def f9():\n    return 9\n"})
    indexed.standin.fault("no_receipt", route=route, times=5)
    with pytest.raises(ServiceError, match=r"^Vectorize .*mutationId"):
        indexed.synced(Commit(repo.path))
    indexed.synced(Commit(repo.path))
    assert indexed.vector_ids() == indexed.node_ids()
