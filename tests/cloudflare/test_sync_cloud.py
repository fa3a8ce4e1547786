"""The cloud store has the same content as the local one, whatever happened before."""

import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from clouds import DIMENSIONS, DOCS, INDEX, Cloud, FakeClock
from standin import StandIn

from fault_injection import FailingDatabase, FaultInjector
from feeder.cloudflare.api import Api
from feeder.cloudflare.vectorize import Vectorize
from feeder.errors import ServiceError, Superseded, TooLargeError, TransientError, UserError
from feeder.source.git_trees import Commit
from feeder.store import Row
from feeder.store.index import Index
from feeder.store.sqlite import SQLite
from feeder.sync.context import ModelVectors
from feeder.sync.sync import sync
from feeder.sync.validate import validate
from hash_embedder import HashedEmbedder
from index_helpers import CART, GUIDE, REPO, SHOP, open_database, run_sync
from source.repos import Repo

Change = dict[str, str | bytes | None]
Vectors = dict[str, list[float]]

CHANGES: dict[str, Change] = {
    "nothing": {},
    "edit": {"src/cart.py": CART.replace("return Cart()", "return Cart([])")},
    "add": {"src/list.py": "def wishes():\n    return []\n"},
    "rename": {"src/cart.py": None, "src/basket.py": CART},
    "delete": {"docs/guide.md": None},
    "shift": {"src/cart.py": f"# one more line\n{CART}"},
    "empty": {"docs/guide.md": "", "config.json": "{}"},
    "skip": {"src/cart.py": b"\0\1\2"},
}


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A repository of one commit: code, a document, data, an empty file and two excluded files."""
    repo.commit(SHOP)
    return repo


@pytest.fixture
def embedded() -> Iterator[SQLite]:
    """A local index with vectors."""
    database = open_database()
    yield database
    database.close()


def docs(database: SQLite) -> list[Row]:
    return list(database.connection.execute(DOCS))


def vectors(cloud: Cloud) -> Vectors:
    """Returns the vectors and metadata in Vectorize after all writes are visible."""
    cloud.standin.settle(INDEX)
    return {id_: found["values"] for id_, found in cloud.standin.vectors(INDEX).items()}


def assert_complete(cloud: Cloud, embedded: SQLite, tree: Commit) -> None:
    """Checks that the index equals the tree and the local index, and that no work is left."""
    assert cloud.docs() == docs(embedded)
    assert cloud.vector_ids() == cloud.node_ids()
    assert set(cloud.states().values()) <= {"clean", "skipped"}
    assert cloud.rows("SELECT id FROM outbox") == []
    assert cloud.rows("SELECT key FROM meta WHERE key GLOB '*:write:*'") == []
    verdict = validate(cloud.feed(tree))
    assert [check.differences for check in verdict.checks if not check.passed] == []


@pytest.mark.parametrize("change", CHANGES)
def test_cloud_has_the_same_rows_as_the_local_index(
    cloud: Cloud, embedded: SQLite, shop: Repo, change: str
) -> None:
    """After a first sync and each kind of change."""
    cloud.migrated()
    first = Commit(shop.path)
    reports = [cloud.synced(first), run_sync(first, embedded, HashedEmbedder(DIMENSIONS))]
    shop.commit(CHANGES[change])
    tree = Commit(shop.path)
    reports += [cloud.synced(tree), run_sync(tree, embedded, HashedEmbedder(DIMENSIONS))]

    assert_complete(cloud, embedded, tree)
    for ours, theirs in (reports[:2], reports[2:]):
        assert ours.nodes_new == theirs.nodes_new
        assert ours.nodes_deleted == theirs.nodes_deleted
        assert ours.texts_embedded == theirs.texts_embedded


def test_vectors_have_metadata_of_their_nodes(cloud: Cloud, shop: Repo) -> None:
    """For searches of the vectors alone; without text."""
    cloud.migrated().synced(Commit(shop.path))
    cloud.standin.settle(INDEX)

    [metadata] = [
        vector["metadata"]
        for vector in cloud.standin.vectors(INDEX).values()
        if vector["metadata"].get("symbol") == "Cart.addLine"
    ]
    assert metadata == {
        "repo": REPO,
        "branch": "main",
        "sha_head": shop.git("rev-parse", "HEAD"),
        "path": "src/cart.py",
        "tests": "no",
        "language": "python",
        "node_type": "method",
        "symbol": "Cart.addLine",
        "signature": "def addLine(self, article, count):",
        "start_line": 9,
        "end_line": 10,
    }


FAULTS = [
    {"kind": "reset"},
    {"kind": "reset", "after": True},
    {"kind": "half_body"},
    {"kind": "server_error", "after": True},
    {"kind": "throttled"},
]
EDIT = {**CHANGES["edit"], "docs/guide.md": None, "src/list.py": "def wishes():\n    return []\n"}


@pytest.fixture
def reference(cloud: Cloud, shop: Repo, embedded: SQLite) -> Vectors:
    """The vectors after an edit without errors, which `embedded` has too."""
    cloud.migrated()
    for change in ({}, EDIT):
        shop.commit(change)
        cloud.synced(Commit(shop.path))
        run_sync(Commit(shop.path), embedded, HashedEmbedder(DIMENSIONS))
    return vectors(cloud)


def new_account_before_the_edit(cloud: Cloud, shop: Repo) -> Cloud:
    """Returns a new account with an index of the commit before the edit."""
    cloud.standin.reset()
    other = Cloud(cloud.standin).migrated()
    shop.git("checkout", "-q", "HEAD~1")
    other.synced(Commit(shop.path))
    other.standin.settle(INDEX)
    other.spent()
    shop.git("checkout", "-q", "main")
    return other


@pytest.mark.parametrize("fault", FAULTS, ids=str)
def test_single_failed_request_does_not_change_the_result(
    cloud: Cloud, shop: Repo, embedded: SQLite, reference: Vectors, fault: dict[str, Any]
) -> None:
    """Before or after its work; every node gets its vector."""
    number = 0
    fired = True
    while fired:
        number += 1
        other = new_account_before_the_edit(cloud, shop)
        other.standin.fault(requests=[number], **fault)
        other.synced(Commit(shop.path))
        fired = bool(other.standin.faults()[0]["fired"])
        assert vectors(other) == reference, f"request {number}"
        assert_complete(other, embedded, Commit(shop.path))
        other.close()
    assert number > 4


@pytest.mark.parametrize("after", [False, True])
def test_next_run_completes_a_run_that_crashed_at_any_request(
    cloud: Cloud, shop: Repo, embedded: SQLite, reference: Vectors, after: bool
) -> None:
    """The network fails permanently, before or after the work.

    Vectorize may still apply a write of the crashed run later, so a third run deletes once more.
    """
    whole = new_account_before_the_edit(cloud, shop)
    whole.synced(Commit(shop.path))
    requests = sum(whole.spent().values())
    assert requests > 4
    crashed = 0
    for number in range(1, requests + 1):
        other = new_account_before_the_edit(cloud, shop)
        other.standin.fault("reset", requests=list(range(number, number + 5)), after=after)
        try:
            other.synced(Commit(shop.path))
        except TransientError:
            crashed += 1
        other.synced(Commit(shop.path))
        assert vectors(other) == reference, f"request {number}"
        other.synced(Commit(shop.path))
        assert_complete(other, embedded, Commit(shop.path))
        other.close()
    # a run goes on without the identity of the vector index, which it compares first
    assert crashed == requests - 1


def test_superseded_run_leaves_the_index_to_the_other(
    cloud: Cloud, shop: Repo, embedded: SQLite, reference: Vectors
) -> None:
    """Between any two of its requests; the next run finds nothing wrong."""
    outcomes = set()
    for number in range(1, 6):
        other = new_account_before_the_edit(cloud, shop)
        tree = Commit(shop.path)
        run = other.feed(tree)
        fuse = FaultInjector(number, fail=partial(sync, other.feed(tree)))
        run.index.database = FailingDatabase(other.d1, fuse)
        try:
            sync(run)
            outcomes.add("done")
        except Superseded:
            outcomes.add("overtaken")
        other.synced(tree)
        assert vectors(other) == reference, f"request {number}"
        assert_complete(other, embedded, tree)
        other.close()
    assert outcomes == {"done", "overtaken"}


class ClockWithAction(FakeClock):
    """A clock that runs an action during the first delay."""

    def __init__(self, standin: StandIn, dream: Callable[[], None]) -> None:
        super().__init__(standin)
        self._dreams = [dream]

    def wait(self, end: threading.Event, seconds: float) -> None:
        super().wait(end, seconds)
        if self._dreams:
            self._dreams.pop()()


@pytest.mark.parametrize("route", ["vectorize.upsert", "vectorize.delete_by_ids"])
def test_run_superseded_during_a_retry_delay_writes_no_vector(
    cloud: Cloud, shop: Repo, route: str
) -> None:
    """Vectorize returns errors for 5 minutes, in which another run indexes another commit."""
    cloud.migrated().synced(Commit(shop.path))
    shop.commit(EDIT)
    # another text at the same lines is the same node, and what was deleted comes back
    older, edit = Commit(shop.path), CART.replace("return Cart()", "return Trolley()")
    shop.commit({"src/cart.py": edit, "docs/guide.md": GUIDE})
    newer = Commit(shop.path)
    clock = ClockWithAction(cloud.standin, lambda: sync(cloud.feed(newer)))
    account = cloud.standin.account_id
    asleep = Api(cloud.standin.token, account, base_url=cloud.standin.base_url, clock=clock)
    run = cloud.feed(older)
    run.index = Index(cloud.d1, REPO, "main", clock=clock.now)
    assert run.model_vectors
    run.model_vectors = ModelVectors(run.model_vectors.embedder, Vectorize(asleep, INDEX))
    cloud.standin.fault("throttled", route=route, retry_after=300)

    with pytest.raises(Superseded):
        sync(run)

    cloud.synced(newer)
    found = vectors(cloud)
    cloud.standin.reset()
    asleep.close()
    clean = Cloud(cloud.standin).migrated()
    clean.synced(newer)
    assert found == vectors(clean)
    clean.close()


@pytest.mark.parametrize("kind", ["d1_timeout", "d1_memory", "d1_cpu", "d1_overloaded"])
def test_too_large_batch_is_halved(cloud: Cloud, shop: Repo, embedded: SQLite, kind: str) -> None:
    """Between files, until D1 accepts it."""
    shop.commit({f"docs/{number}.md": GUIDE for number in range(20)})
    cloud.migrated()
    cloud.standin.fault(kind, route="d1.raw", bytes_above=12_000)

    cloud.synced(Commit(shop.path))

    run_sync(Commit(shop.path), embedded, HashedEmbedder(DIMENSIONS))
    assert_complete(cloud, embedded, Commit(shop.path))
    assert cloud.standin.faults()[0]["fired"] > 1


def test_file_that_d1_never_accepts_ends_the_run(cloud: Cloud, shop: Repo) -> None:
    """With the service's message; nothing of the file is written."""
    cloud.migrated()
    cloud.standin.fault("d1_memory", route="d1.raw", bytes_above=3_000)

    with pytest.raises(TooLargeError, match="memory limit"):
        cloud.synced(Commit(shop.path))

    assert "src/cart.py" not in cloud.states()


def test_batch_that_timed_out_after_its_work_is_not_halved(
    cloud: Cloud, shop: Repo, embedded: SQLite
) -> None:
    """The mark shows that it was done, and the result is read."""
    cloud.migrated()
    cloud.standin.fault("d1_timeout", route="d1.raw", requests=[2], after=True)

    report = cloud.synced(Commit(shop.path))

    run_sync(Commit(shop.path), embedded, HashedEmbedder(DIMENSIONS))
    assert_complete(cloud, embedded, Commit(shop.path))
    assert report.texts_embedded == len(cloud.node_ids())


def test_unavailable_embeddings_delay_only_the_vectors(cloud: Cloud, shop: Repo) -> None:
    """The daily quota ends the run after the words; the next run adds the vectors."""
    from feeder.cloudflare.workers_ai import WorkersAIEmbedder

    cloud.make_index("parts", 1024)
    cloud.vectorize = Vectorize(cloud.api, "parts")
    cloud.migrated()
    cloud.standin.fault("ai_daily_neurons", route="ai.run")
    run = cloud.feed(Commit(shop.path), WorkersAIEmbedder(cloud.api))

    with pytest.raises(ServiceError, match="00:00 UTC"):
        sync(run)

    assert cloud.states()["src/cart.py"] == "pending"
    assert cloud.rows("SELECT count(*) FROM docs_fts WHERE docs_fts MATCH 'addLine'") == [(1,)]


def test_other_model_needs_another_vectorize_index(cloud: Cloud, shop: Repo) -> None:
    """Vectorize cannot be cleared, and vectors of two models are not comparable; nothing is
    written.
    """
    cloud.migrated().synced(Commit(shop.path))
    cloud.standin.settle(INDEX)
    before = cloud.rows("SELECT * FROM meta ORDER BY key")

    with pytest.raises(UserError, match="--index-name"):
        cloud.synced(Commit(shop.path), HashedEmbedder(DIMENSIONS, model="another"))

    assert cloud.rows("SELECT * FROM meta ORDER BY key") == before
    assert cloud.rows("SELECT path FROM files WHERE state = 'pending'") == []


def test_next_change_deletes_the_table_of_earlier_versions(cloud: Cloud, shop: Repo) -> None:
    """A Worker had the static model's rows there."""
    cloud.migrated().synced(Commit(shop.path))
    cloud.rows("CREATE TABLE lookup (slot INTEGER PRIMARY KEY, words TEXT)")
    cloud.rows("INSERT INTO meta VALUES ('lookup', '{}')")
    shop.commit(CHANGES["edit"])
    cloud.synced(Commit(shop.path))
    assert cloud.rows("SELECT name FROM sqlite_schema WHERE name = 'lookup'") == []
    assert cloud.rows("SELECT key FROM meta WHERE key = 'lookup'") == []
