"""The lookup table in D1, from which a Worker computes the static vector of a query."""

from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from clouds import Cloud

from fault_injection import Crash, FailingDatabase, FaultInjector
from feeder.cloudflare.vectorize import Vectorize
from feeder.embedding.cache import CachedEmbedder
from feeder.embedding.static_lookup import SLOT_COUNT, build_lookup
from feeder.errors import StoppedEarly
from feeder.shards import Shard
from feeder.source.git_trees import Commit
from feeder.store.lookup_table import BATCH_STATEMENTS, META_KEY, LookupTable
from feeder.sync.budget import Budget
from feeder.sync.context import ModelVectors, SyncContext
from feeder.sync.sync import sync
from feeder.sync.validate import repair, validate
from hash_embedder import HashedEmbedder
from index_helpers import MEMORY, SHOP, small_lookup_table
from source.repos import Repo

OTHER = "row 1 differs from the model's"
CHECK = "the Worker's lookup table matches the model"


def large() -> LookupTable:
    """Returns a table of long rows that is written in several transactions."""
    size, codes = BATCH_STATEMENTS - 1, "c" * 800_000
    rows = [row._replace(codes=codes) for row in small_lookup_table(size=size).rows()]
    return LookupTable("large", size, size * len(codes), lambda: iter(rows))


@pytest.fixture
def shop(cloud: Cloud, repo: Repo) -> Repo:
    cloud.migrated()
    repo.commit(SHOP)
    return repo


def new_run(cloud: Cloud, repo: Repo, lookup: LookupTable | None) -> SyncContext:
    """Returns a run with this table."""
    return cloud.feed(Commit(repo.path), lookup=lookup)


def sync_with_table(cloud: Cloud, repo: Repo, lookup: LookupTable | None) -> SyncContext:
    run = new_run(cloud, repo, lookup)
    sync(run)
    return run


def expected_rows(lookup: LookupTable) -> list[Any]:
    return [list(lookup.rows()), lookup.identity]


def test_table_is_written_once_in_two_requests(cloud: Cloud, shop: Repo) -> None:
    """One row written per row; later runs and edits write none."""
    sync_with_table(cloud, shop, None)
    without = cloud.spent()["d1"]
    shop.commit({"src/new.py": "def new():\n    pass\n"})
    rows = cloud.standin.rows_written()
    run = sync_with_table(cloud, shop, build_lookup())
    assert run.report.lookup_rows == SLOT_COUNT
    assert SLOT_COUNT < cloud.standin.rows_written() - rows < SLOT_COUNT + 100
    assert cloud.spent()["d1"] == without + build_lookup().request_count == without + 2
    sync(new_run(cloud, shop, build_lookup()))
    assert cloud.spent() == {"d1": 1, "vectorize": 0, "ai": 0}


def test_up_to_date_index_gets_a_missing_table(cloud: Cloud, shop: Repo) -> None:
    """As one made by an older version; no text is embedded."""
    sync_with_table(cloud, shop, None)
    run = sync_with_table(cloud, shop, small_lookup_table())
    assert cloud.lookup_rows() == expected_rows(small_lookup_table())
    assert (run.report.texts_embedded, run.report.lookup_rows) == (0, 3)


def test_other_version_of_the_model_replaces_the_table(cloud: Cloud, shop: Repo) -> None:
    """Unchanged rows are not written."""
    sync_with_table(cloud, shop, small_lookup_table("one", 300))
    rows = cloud.standin.rows_written()
    sync_with_table(cloud, shop, small_lookup_table("two", 200))
    assert cloud.lookup_rows() == expected_rows(small_lookup_table("two", 200))
    assert cloud.standin.rows_written() - rows < 200


def test_model_without_a_table_removes_it(cloud: Cloud, shop: Repo) -> None:
    """A Worker would otherwise use the table of another model."""
    sync_with_table(cloud, shop, small_lookup_table())
    cloud.make_index("other", 128)
    run = new_run(cloud, shop, None)
    embedder = CachedEmbedder(HashedEmbedder(128), MEMORY)
    run.model_vectors = ModelVectors(embedder, Vectorize(cloud.api, "other"))
    sync(run)
    assert cloud.rows("SELECT name FROM sqlite_schema WHERE name = 'lookup'") == []
    assert cloud.rows(f"SELECT 1 FROM meta WHERE key = '{META_KEY}'") == []


def test_run_without_a_model_keeps_the_table(cloud: Cloud, shop: Repo) -> None:
    """Like the vectors."""
    sync_with_table(cloud, shop, small_lookup_table())
    shop.commit({"src/new.py": "def new():\n    pass\n"})
    run = new_run(cloud, shop, None)
    run.model_vectors = None
    sync(run)
    assert cloud.lookup_rows() == expected_rows(small_lookup_table())


@pytest.mark.parametrize("before", [True, False])
def test_crashed_run_leaves_no_partial_table_in_meta(
    cloud: Cloud, shop: Repo, *, before: bool
) -> None:
    """The next run completes it."""
    table = large()
    for at in range(1, 30):
        cloud.rows("DROP TABLE IF EXISTS lookup")
        cloud.rows(f"DELETE FROM meta WHERE key = '{META_KEY}'")
        fuse = FaultInjector(at, before=before)
        run = new_run(cloud, shop, table)
        run.index.database = FailingDatabase(cloud.d1, fuse)
        with suppress(Crash):
            sync(run)
        if cloud.rows(f"SELECT 1 FROM meta WHERE key = '{META_KEY}'"):
            assert cloud.lookup_rows() == expected_rows(table)
        sync_with_table(cloud, shop, table)
        assert cloud.lookup_rows() == expected_rows(table)
        if not fuse.has_failed:
            assert at > 4  # two requests of the table, and those around them
            return
    pytest.fail("the run has more requests than were tried")


def test_batches_are_halved_until_d1_accepts_them(cloud: Cloud, shop: Repo) -> None:
    """Down to one parameter per request."""
    sync_with_table(cloud, shop, None)
    cloud.standin.fault("d1_cpu", route="d1.raw", bytes_above=900_000)
    sync_with_table(cloud, shop, large())
    assert cloud.lookup_rows() == expected_rows(large())


def test_budget_stops_between_two_batches(cloud: Cloud, shop: Repo) -> None:
    """The next run continues; the vectors wait until then."""
    sync_with_table(cloud, shop, None)
    run = new_run(cloud, shop, large())
    run.budget = Budget(max_requests=1)
    with pytest.raises(StoppedEarly):
        sync(run)
    assert cloud.rows(f"SELECT 1 FROM meta WHERE key = '{META_KEY}'") == []
    assert 0 < len(cloud.rows("SELECT slot FROM lookup")) < large().row_count
    sync_with_table(cloud, shop, large())
    assert cloud.lookup_rows() == expected_rows(large())


def test_first_shard_writes_the_table(cloud: Cloud, shop: Repo) -> None:
    """It is the same for all."""
    for number in (2, 1):
        run = new_run(cloud, shop, small_lookup_table())
        sync(replace(run, shard=Shard(number, 2), token="shared"))
        assert run.report.lookup_rows == (3 if number == 1 else 0)
    assert cloud.lookup_rows() == expected_rows(small_lookup_table())


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        ("UPDATE lookup SET codes = 'A' || substr(codes, 2) WHERE slot = 1", OTHER),
        ("UPDATE lookup SET buckets = substr(buckets, 2) WHERE slot = 1", OTHER),
        ("UPDATE lookup SET words = ' other ' WHERE slot = 1", OTHER),
        ("DELETE FROM lookup WHERE slot = 1", "row 1 is missing"),
        ("UPDATE lookup SET slot = 7 WHERE slot = 1", "row 1 is missing"),
        ("INSERT INTO lookup VALUES (3, '', '', '')", "row 3 does not belong to the model"),
        ("DROP TABLE lookup", "row 0 is missing"),
        (f"DELETE FROM meta WHERE key = '{META_KEY}'", "meta does not name the lookup table"),
    ],
)
def test_wrong_rows_are_found_and_repaired(
    cloud: Cloud, shop: Repo, damage: str, expected: str
) -> None:
    """With the number of damaged rows."""
    sync_with_table(cloud, shop, small_lookup_table())
    assert validate(new_run(cloud, shop, small_lookup_table()), wait=True).passed
    cloud.rows(damage)
    verdict = validate(new_run(cloud, shop, small_lookup_table()), wait=True)
    [check] = [check for check in verdict.checks if not check.passed]
    assert check.name == CHECK
    assert expected in check.differences
    repair(new_run(cloud, shop, small_lookup_table()), verdict)
    assert validate(new_run(cloud, shop, small_lookup_table()), wait=True).passed
    assert cloud.lookup_rows() == expected_rows(small_lookup_table())


def test_dry_run_reports_its_rows(cloud: Cloud, shop: Repo) -> None:
    """Nothing is written."""
    run = new_run(cloud, shop, small_lookup_table())
    sync(run, dry_run=True)
    assert run.report.lookup_rows == 3
    assert cloud.rows("SELECT name FROM sqlite_schema WHERE name = 'lookup'") == []
