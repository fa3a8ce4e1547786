"""An index keeps its embedding model, or words alone, until a whole run changes it."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from clouds import DIMENSIONS, Cloud
from standin import StandIn

from feeder.embedding import Embedder
from feeder.errors import UserError
from feeder.source.deltas import Delta
from feeder.source.folder import Folder
from feeder.source.git_trees import Commit
from feeder.store import Statement
from feeder.store.sqlite import SQLite
from feeder.sync.context import SyncContext
from feeder.sync.diff import STAYS_WORDS_ONLY
from feeder.sync.partial_sync import apply_deltas, delete_paths, process_paths
from feeder.sync.sync import sync
from feeder.sync.validate import repair, validate
from hash_embedder import HashedEmbedder
from index_helpers import (
    CART,
    SHOP,
    fresh_snapshot,
    index_snapshot,
    new_sync_context,
    open_database,
    query_rows,
    run_sync,
)
from source.repos import Repo

pytestmark = pytest.mark.slow

STAYS = STAYS_WORDS_ONLY.format("feeder sync")
EDITED = CART.replace("return Cart()", "return Basket()")
Act = Callable[[SyncContext, Path, bool], None]


def _process(run: SyncContext, base: Path, dry_run: bool) -> None:
    process_paths(run, base, [base / "src/cart.py"], dry_run=dry_run)


def _delete(run: SyncContext, base: Path, dry_run: bool) -> None:
    delete_paths(run, base, [base / "docs"], dry_run=dry_run)


def _delete_all(run: SyncContext, base: Path, dry_run: bool) -> None:
    delete_paths(run, base, [base], dry_run=dry_run)


def _apply(run: SyncContext, base: Path, dry_run: bool) -> None:
    deltas = [Delta("src/cart.py", "process"), Delta("docs/guide.md", "delete")]
    apply_deltas(run, deltas, dry_run=dry_run)


ACTS: dict[str, Act] = {
    "process": _process,
    "delete": _delete,
    "delete all": _delete_all,
    "apply": _apply,
}
EMBED = ("process", "apply")


@pytest.fixture
def shop(repo: Repo) -> Repo:
    """A repository whose working tree has an uncommitted edit."""
    repo.commit(SHOP)
    return repo


def partial_run(shop: Repo, database: SQLite, embedder: Embedder | None) -> SyncContext:
    """Returns the context of a run over files of the working tree."""
    return new_sync_context(Folder(shop.path, [shop.path / "src/cart.py"]), database, embedder)


def meta(database: SQLite) -> dict[str, str]:
    return dict(query_rows(database, "SELECT key, value FROM meta"))


def is_valid(shop: Repo, database: SQLite, embedder: Embedder | None) -> bool:
    return validate(new_sync_context(Commit(shop.path), database, embedder)).passed


@pytest.mark.parametrize("name", ACTS)
def test_partial_run_with_a_model_keeps_an_index_of_words(
    shop: Repo, database: SQLite, name: str
) -> None:
    """It adds only a note."""
    run_sync(Commit(shop.path), database)
    shop.write({"src/cart.py": EDITED})
    other = open_database()
    run_sync(Commit(shop.path), other)
    ACTS[name](partial_run(shop, other, None), shop.path, False)
    expected = index_snapshot(other)
    other.close()

    embedder = HashedEmbedder()
    run = partial_run(shop, database, embedder)
    ACTS[name](run, shop.path, False)

    assert index_snapshot(database) == expected
    assert embedder.texts == 0
    assert run.report.notes == ([STAYS] if name in EMBED else [])
    assert "model" not in meta(database)
    run_sync(Commit(shop.path), database)
    assert is_valid(shop, database, None)
    assert is_valid(shop, database, HashedEmbedder())
    run_sync(Commit(shop.path), database, HashedEmbedder())
    assert index_snapshot(database) == fresh_snapshot(Commit(shop.path), HashedEmbedder())


@pytest.mark.parametrize("name", ACTS)
def test_dry_run_reports_that_the_index_keeps_words_alone(
    shop: Repo, database: SQLite, name: str
) -> None:
    """Its report equals that of the run."""
    run_sync(Commit(shop.path), database)
    shop.write({"src/cart.py": EDITED})
    foreseen, done = (partial_run(shop, database, HashedEmbedder()) for _ in range(2))
    ACTS[name](foreseen, shop.path, True)
    ACTS[name](done, shop.path, False)
    assert foreseen.report == done.report
    assert foreseen.report.texts_embedded == 0


OTHERS = [HashedEmbedder(model="other"), HashedEmbedder(32)]


@pytest.mark.parametrize("other", OTHERS, ids=["name", "dimensions"])
@pytest.mark.parametrize("name", EMBED)
@pytest.mark.parametrize("dry_run", [True, False])
def test_partial_run_with_another_model_is_refused(
    shop: Repo, database: SQLite, other: HashedEmbedder, name: str, dry_run: bool
) -> None:
    """The error names the alternatives, and nothing is written."""
    run_sync(Commit(shop.path), database, HashedEmbedder())
    shop.write({"src/cart.py": EDITED})
    before = database.connection.total_changes()
    with pytest.raises(UserError, match=r"--model.*--no-vectors.*feeder sync$"):
        ACTS[name](partial_run(shop, database, other), shop.path, dry_run)
    assert database.connection.total_changes() == before


@pytest.mark.parametrize(
    ("name", "other"),
    [*((name, None) for name in ACTS), *(("delete", other) for other in OTHERS)],
    ids=[*ACTS, "delete, another model", "delete, other dimensions"],
)
def test_partial_run_keeps_the_vectors_of_other_files(
    shop: Repo, database: SQLite, name: str, other: HashedEmbedder | None
) -> None:
    """Without a model or with another one. A sync with the index's model then adds only what is
    missing.
    """
    run_sync(Commit(shop.path), database, HashedEmbedder())
    vectors = query_rows(database, "SELECT count(*) FROM vectors")
    shop.write({"src/cart.py": EDITED})
    run = partial_run(shop, database, other)
    ACTS[name](run, shop.path, False)
    assert query_rows(database, "SELECT count(*) FROM vectors") == vectors
    assert (meta(database)["model"], meta(database)["dimensions"]) == ("hashed", "64")
    shop.git("commit", "-qam", "edited")
    run_sync(Commit(shop.path), database, HashedEmbedder())
    assert index_snapshot(database) == fresh_snapshot(Commit(shop.path), HashedEmbedder())
    assert is_valid(shop, database, HashedEmbedder())


def test_unchanged_files_can_be_processed_with_any_model(shop: Repo, database: SQLite) -> None:
    run_sync(Commit(shop.path), database, HashedEmbedder())
    before = database.connection.total_changes()
    run = partial_run(shop, database, HashedEmbedder(32))
    _process(run, shop.path, False)
    assert (run.report.files_unchanged, run.report.notes) == (1, [])
    assert database.connection.total_changes() == before


def test_first_files_of_an_index_may_have_vectors(shop: Repo, database: SQLite) -> None:
    run = partial_run(shop, database, HashedEmbedder())
    _process(run, shop.path, False)
    assert run.report.texts_embedded == 5
    assert meta(database)["model"] == "hashed"


def test_new_repository_takes_the_model_of_the_database(
    shop: Repo, tmp_path: Path, database: SQLite
) -> None:
    """A partial run of one repository does not change the model of the others."""
    other = Repo(tmp_path / "other")
    other.commit({"a.py": CART})
    run_sync(Commit(other.path), database, name="acme/other")
    run = partial_run(shop, database, HashedEmbedder())
    _process(run, shop.path, False)
    assert run.report.notes == [STAYS]
    assert query_rows(database, "SELECT DISTINCT state FROM files") == ["clean"]
    assert "model" not in meta(database)


def test_processing_a_whole_folder_may_change_the_model(tmp_path: Path, database: SQLite) -> None:
    """Without git there is no sync, so processing the base folder is the whole tree."""
    (tmp_path / "a.py").write_text("def apple():\n    pass\n")
    (tmp_path / "b.py").write_text("def bread():\n    pass\n")

    def processed(name: str, embedder: Embedder | None) -> SyncContext:
        run = new_sync_context(Folder(tmp_path, [tmp_path / name]), database, embedder)
        process_paths(run, tmp_path, [tmp_path / name], dry_run=False)
        return run

    processed(".", None)
    (tmp_path / "a.py").write_text("def apricot():\n    pass\n")
    run = processed("a.py", HashedEmbedder())
    assert run.report.notes == [STAYS_WORDS_ONLY.format("feeder process --path .")]
    processed(".", HashedEmbedder())
    assert query_rows(
        database, "SELECT symbol FROM docs JOIN vectors USING (id) ORDER BY symbol"
    ) == [
        "apricot",
        "bread",
    ]
    (tmp_path / "a.py").write_text("def avocado():\n    pass\n")
    with pytest.raises(UserError, match=r"replace all vectors with: feeder process --path \.$"):
        processed("a.py", HashedEmbedder(32))


def test_repair_keeps_an_index_of_words(shop: Repo, database: SQLite) -> None:
    """It repairs the words alone, even if a model is given."""
    run_sync(Commit(shop.path), database)
    expected = index_snapshot(database)
    database.run([Statement("DELETE FROM docs WHERE symbol = 'Cart.total'")])
    embedder = HashedEmbedder()
    run = new_sync_context(Commit(shop.path), database, embedder)
    repair(run, validate(run))
    assert is_valid(shop, database, HashedEmbedder())
    assert embedder.texts == 0
    assert index_snapshot(database) == expected


def test_index_keeps_its_model_in_a_run_by_words_alone(shop: Repo, database: SQLite) -> None:
    """The pending vectors are made by a later run."""
    run_sync(Commit(shop.path), database, HashedEmbedder())
    shop.commit({"src/cart.py": EDITED, "docs/guide.md": None})
    report = run_sync(Commit(shop.path), database)
    assert report.texts_waiting == 1
    assert query_rows(database, "SELECT path FROM files WHERE state = 'pending'") == ["src/cart.py"]
    assert meta(database)["model"] == "hashed"
    run_sync(Commit(shop.path), database, HashedEmbedder())
    assert index_snapshot(database) == fresh_snapshot(Commit(shop.path), HashedEmbedder())
    assert is_valid(shop, database, HashedEmbedder())
    assert is_valid(shop, database, None)


@pytest.fixture
def cloud(standin: StandIn) -> Iterator[Cloud]:
    cloud = Cloud(standin)
    yield cloud
    cloud.close()


def _cloud_run(cloud: Cloud, shop: Repo, paths: Sequence[Path], words: bool = False) -> SyncContext:
    run = cloud.feed(Folder(shop.path, paths))
    if words:
        run.model_vectors = None
    return run


@pytest.mark.parametrize("name", ACTS)
def test_index_of_words_in_d1_keeps_words_alone(cloud: Cloud, shop: Repo, name: str) -> None:
    """Vectorize gets no request and holds no vector."""
    first = cloud.migrated().feed(Commit(shop.path))
    first.model_vectors = None
    sync(first)
    shop.write({"src/cart.py": EDITED})
    cloud.spent()
    ACTS[name](_cloud_run(cloud, shop, [shop.path / "src/cart.py"]), shop.path, False)
    assert cloud.spent()["vectorize"] == 0
    assert set(cloud.states().values()) <= {"clean", "skipped"}
    assert cloud.vector_ids() == []


def test_partial_run_with_another_vectorize_index_is_refused(cloud: Cloud, shop: Repo) -> None:
    cloud.migrated().synced(Commit(shop.path))
    before = cloud.vector_ids()
    shop.write({"src/cart.py": EDITED})
    cloud.make_index("another", DIMENSIONS)
    vectorize = type(cloud.vectorize)(cloud.api, "another")
    run = _cloud_run(cloud, shop, [shop.path / "src/cart.py"])
    assert run.model_vectors
    run.model_vectors = run.model_vectors._replace(vectors=vectorize)
    with pytest.raises(UserError, match=r"index acme_shop_code, not another.*--index-name"):
        _process(run, shop.path, False)
    deleted = _cloud_run(cloud, shop, [])
    assert deleted.model_vectors
    deleted.model_vectors = deleted.model_vectors._replace(vectors=vectorize)
    _delete(deleted, shop.path, False)
    assert cloud.vector_ids() == before
    shop.commit()
    cloud.synced(Commit(shop.path))
    assert validate(cloud.feed(Commit(shop.path)), wait=True).passed
    assert cloud.vector_ids() == cloud.node_ids()
