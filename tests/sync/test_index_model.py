"""An index keeps its mode, words alone or one model's vectors, until a run over the whole tree."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from clouds import DIMENSIONS, Cloud
from standin import StandIn
from standin_fixtures import standin, standin_process

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

__all__ = ["standin", "standin_process"]

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
    """A repository whose working tree has an edit that is not committed."""
    repo.commit(SHOP)
    return repo


def part(shop: Repo, database: SQLite, embedder: Embedder | None) -> SyncContext:
    """A run over files of the working tree."""
    return new_sync_context(Folder(shop.path, [shop.path / "src/cart.py"]), database, embedder)


def meta(database: SQLite) -> dict[str, str]:
    return dict(query_rows(database, "SELECT key, value FROM meta"))


def is_right(shop: Repo, database: SQLite, embedder: Embedder | None) -> bool:
    return validate(new_sync_context(Commit(shop.path), database, embedder)).passed


@pytest.mark.parametrize("name", ACTS)
def test_an_index_of_words_stays_one(shop: Repo, database: SQLite, name: str) -> None:
    """A model at hand changes nothing of what a run over a part of it does, but for a note."""
    run_sync(Commit(shop.path), database)
    shop.write({"src/cart.py": EDITED})
    other = open_database()
    run_sync(Commit(shop.path), other)
    ACTS[name](part(shop, other, None), shop.path, False)
    expected = index_snapshot(other)
    other.close()

    embedder = HashedEmbedder()
    run = part(shop, database, embedder)
    ACTS[name](run, shop.path, False)

    assert index_snapshot(database) == expected
    assert embedder.texts == 0
    assert run.report.notes == ([STAYS] if name in EMBED else [])
    assert "model" not in meta(database)
    run_sync(Commit(shop.path), database)
    assert is_right(shop, database, None)
    assert is_right(shop, database, HashedEmbedder())
    run_sync(Commit(shop.path), database, HashedEmbedder())
    assert index_snapshot(database) == fresh_snapshot(Commit(shop.path), HashedEmbedder())


@pytest.mark.parametrize("name", ACTS)
def test_a_dry_run_foresees_that_it_stays_one(shop: Repo, database: SQLite, name: str) -> None:
    """Its report is that of the run."""
    run_sync(Commit(shop.path), database)
    shop.write({"src/cart.py": EDITED})
    foreseen, done = (part(shop, database, HashedEmbedder()) for _ in range(2))
    ACTS[name](foreseen, shop.path, True)
    ACTS[name](done, shop.path, False)
    assert foreseen.report == done.report
    assert foreseen.report.texts_embedded == 0


OTHERS = [HashedEmbedder(model="other"), HashedEmbedder(32)]


@pytest.mark.parametrize("other", OTHERS, ids=["name", "dimensions"])
@pytest.mark.parametrize("name", EMBED)
@pytest.mark.parametrize("dry_run", [True, False])
def test_texts_of_two_models_are_not_mixed(
    shop: Repo, database: SQLite, other: HashedEmbedder, name: str, dry_run: bool
) -> None:
    """A part is refused with the ways out, before anything is written."""
    run_sync(Commit(shop.path), database, HashedEmbedder())
    shop.write({"src/cart.py": EDITED})
    before = database.connection.total_changes()
    with pytest.raises(UserError, match=r"--model.*--no-vectors.*feeder sync$"):
        ACTS[name](part(shop, database, other), shop.path, dry_run)
    assert database.connection.total_changes() == before


@pytest.mark.parametrize(
    ("name", "other"),
    [*((name, None) for name in ACTS), *(("delete", other) for other in OTHERS)],
    ids=[*ACTS, "delete, another model", "delete, other dimensions"],
)
def test_no_run_over_a_part_takes_the_vectors_of_the_rest(
    shop: Repo, database: SQLite, name: str, other: HashedEmbedder | None
) -> None:
    """With no model, or another; a sync with the index's own then brings just what is missing."""
    run_sync(Commit(shop.path), database, HashedEmbedder())
    vectors = query_rows(database, "SELECT count(*) FROM vectors")
    shop.write({"src/cart.py": EDITED})
    run = part(shop, database, other)
    ACTS[name](run, shop.path, False)
    assert query_rows(database, "SELECT count(*) FROM vectors") == vectors
    assert (meta(database)["model"], meta(database)["dimensions"]) == ("hashed", "64")
    shop.git("commit", "-qam", "edited")
    run_sync(Commit(shop.path), database, HashedEmbedder())
    assert index_snapshot(database) == fresh_snapshot(Commit(shop.path), HashedEmbedder())
    assert is_right(shop, database, HashedEmbedder())


def test_what_has_not_changed_needs_no_model(shop: Repo, database: SQLite) -> None:
    """To process what the index has already is fine with any."""
    run_sync(Commit(shop.path), database, HashedEmbedder())
    before = database.connection.total_changes()
    run = part(shop, database, HashedEmbedder(32))
    _process(run, shop.path, False)
    assert (run.report.files_unchanged, run.report.notes) == (1, [])
    assert database.connection.total_changes() == before


def test_the_first_files_of_an_index_may_have_vectors(shop: Repo, database: SQLite) -> None:
    """Where nothing was fed, nothing is changed by them."""
    run = part(shop, database, HashedEmbedder())
    _process(run, shop.path, False)
    assert run.report.texts_embedded == 5
    assert meta(database)["model"] == "hashed"


def test_a_repository_beside_others_takes_their_mode(
    shop: Repo, tmp_path: Path, database: SQLite
) -> None:
    """The model is the whole database's: a part of one repository does not bring it to others."""
    other = Repo(tmp_path / "other")
    other.commit({"a.py": CART})
    run_sync(Commit(other.path), database, name="acme/other")
    run = part(shop, database, HashedEmbedder())
    _process(run, shop.path, False)
    assert run.report.notes == [STAYS]
    assert query_rows(database, "SELECT DISTINCT state FROM files") == ["clean"]
    assert "model" not in meta(database)


def test_a_run_over_all_of_a_folder_may_bring_a_model(tmp_path: Path, database: SQLite) -> None:
    """Outside of git there is no sync: to process the base is what there is."""
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


def test_a_repair_keeps_an_index_of_words(shop: Repo, database: SQLite) -> None:
    """Though a model is at hand, it mends words alone."""
    run_sync(Commit(shop.path), database)
    expected = index_snapshot(database)
    database.run([Statement("DELETE FROM docs WHERE symbol = 'Cart.total'")])
    embedder = HashedEmbedder()
    run = new_sync_context(Commit(shop.path), database, embedder)
    repair(run, validate(run))
    assert is_right(shop, database, HashedEmbedder())
    assert embedder.texts == 0
    assert index_snapshot(database) == expected


def test_without_vectors_and_back(shop: Repo, database: SQLite) -> None:
    """An index with a model keeps it when words alone are brought on; what waits comes later."""
    run_sync(Commit(shop.path), database, HashedEmbedder())
    shop.commit({"src/cart.py": EDITED, "docs/guide.md": None})
    report = run_sync(Commit(shop.path), database)
    assert report.texts_waiting == 1
    assert query_rows(database, "SELECT path FROM files WHERE state = 'pending'") == ["src/cart.py"]
    assert meta(database)["model"] == "hashed"
    run_sync(Commit(shop.path), database, HashedEmbedder())
    assert index_snapshot(database) == fresh_snapshot(Commit(shop.path), HashedEmbedder())
    assert is_right(shop, database, HashedEmbedder())
    assert is_right(shop, database, None)


@pytest.fixture
def cloud(standin: StandIn) -> Iterator[Cloud]:
    cloud = Cloud(standin)
    yield cloud
    cloud.close()


def _in_the_cloud(
    cloud: Cloud, shop: Repo, paths: Sequence[Path], words: bool = False
) -> SyncContext:
    run = cloud.feed(Folder(shop.path, paths))
    if words:
        run.model_vectors = None
    return run


@pytest.mark.parametrize("name", ACTS)
def test_words_in_d1_stay_words(cloud: Cloud, shop: Repo, name: str) -> None:
    """Vectorize is asked nothing, and holds nothing."""
    first = cloud.migrated().feed(Commit(shop.path))
    first.model_vectors = None
    sync(first)
    shop.write({"src/cart.py": EDITED})
    cloud.spent()
    ACTS[name](_in_the_cloud(cloud, shop, [shop.path / "src/cart.py"]), shop.path, False)
    assert cloud.spent()["vectorize"] == 0
    assert set(cloud.states().values()) <= {"clean", "skipped"}
    assert cloud.vector_ids() == []


def test_vectors_of_another_index_of_vectorize_stay(cloud: Cloud, shop: Repo) -> None:
    """A part of an index whose vectors are elsewhere is not begun here."""
    cloud.migrated().synced(Commit(shop.path))
    before = cloud.vector_ids()
    shop.write({"src/cart.py": EDITED})
    cloud.make_index("another", DIMENSIONS)
    vectorize = type(cloud.vectorize)(cloud.api, "another")
    run = _in_the_cloud(cloud, shop, [shop.path / "src/cart.py"])
    assert run.model_vectors
    run.model_vectors = run.model_vectors._replace(vectors=vectorize)
    with pytest.raises(UserError, match=r"index acme_shop_code and not another.*--index-name"):
        _process(run, shop.path, False)
    deleted = _in_the_cloud(cloud, shop, [])
    assert deleted.model_vectors
    deleted.model_vectors = deleted.model_vectors._replace(vectors=vectorize)
    _delete(deleted, shop.path, False)
    assert cloud.vector_ids() == before
    shop.commit()
    cloud.synced(Commit(shop.path))
    assert validate(cloud.feed(Commit(shop.path)), wait=True).passed
    assert cloud.vector_ids() == cloud.node_ids()
