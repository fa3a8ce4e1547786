"""The counts of the last run of each kind in `meta`."""

from feeder.source.folder import Folder
from feeder.source.git_trees import Commit, WorkingTree
from feeder.store.inventory import statistics
from feeder.store.sqlite import SQLite
from feeder.sync.dry_run import last_run_costs
from feeder.sync.partial_sync import delete_paths
from hash_embedder import HashedEmbedder
from index_helpers import REPO, new_sync_context, run_sync
from source.repos import Repo

ONE, TWO = "def one():\n    return 1\n", "def two():\n    return 2\n"


def stored_counts(database: SQLite) -> dict[str, dict[str, int]]:
    """Returns the counts of each kind without the times."""
    found = last_run_costs(statistics(database, REPO).meta)
    for file in found.values():
        assert file.pop("seconds") >= 0
        assert file.pop("ended_s") > 1_700_000_000
    return found


def counts(**values: int) -> dict[str, int]:
    names = ("files_processed", "files_deleted", "nodes_new", "nodes_deleted")
    return dict.fromkeys((*names, "texts_embedded", "texts_cached", "requests"), 0) | values


def test_each_kind_of_run_stores_its_counts(repo: Repo, database: SQLite) -> None:
    """Words alone, pending vectors, a file of the working tree, a deletion."""
    repo.commit({"a.py": ONE, "b.py": ONE.replace("one", "other")})
    run_sync(Commit(repo.path), database)
    first = counts(files_processed=2, nodes_new=2, requests=1)
    assert stored_counts(database) == {"sync": first}
    embedder = HashedEmbedder()
    run_sync(Commit(repo.path), database, embedder)
    vectors = counts(texts_embedded=2, requests=1)
    assert stored_counts(database) == {"sync": first, "vectors": vectors}
    repo.write({"a.py": TWO})
    place = repo.path.with_name("ours")
    place.mkdir()
    run_sync(WorkingTree(repo.path, place), database, embedder)
    working = counts(files_processed=1, nodes_new=1, nodes_deleted=1, texts_embedded=1, requests=1)
    assert stored_counts(database) == {"sync": first, "vectors": vectors, "working": working}
    run = new_sync_context(Folder(repo.path, []), database, embedder)
    delete_paths(run, repo.path, [repo.path / "b.py"], dry_run=False)
    assert stored_counts(database)["files"] == counts(files_deleted=1, nodes_deleted=1, requests=1)


def test_run_without_changes_writes_nothing(repo: Repo, database: SQLite) -> None:
    repo.commit({"a.py": ONE})
    run_sync(Commit(repo.path), database)
    before = database.change_counters()
    run_sync(Commit(repo.path), database)
    assert database.change_counters() == before
