"""A renamed repository's index equals one that is made under the new name."""

from pathlib import Path

import pytest

from feeder.source.git_trees import Commit
from feeder.store.repository_name import remove_repository, rename_repository
from hash_embedder import HashedEmbedder
from index_helpers import (
    REPO,
    SHOP,
    fresh_snapshot,
    index_snapshot,
    open_database,
    query_rows,
    run_sync,
)
from source.repos import Repo

OLD = "earlier/name"
# nodes with equal keys, which are numbered: methods on one line, and parts of a long line
FILES: dict[str, str | bytes] = {
    **SHOP,
    "twice.js": "class A { a() {} a() {} a() {} }\n",
    "long.txt": "word " * 3_000 + "\n",
}


@pytest.fixture
def tree(repo: Repo) -> Commit:
    repo.commit(FILES)
    return Commit(repo.path)


def test_renamed_index_equals_a_new_one(tree: Commit) -> None:
    database = open_database()
    run_sync(tree, database, HashedEmbedder(), name=OLD, store_source=True)
    ids = query_rows(database, "SELECT id FROM docs")
    assert rename_repository(database, OLD, REPO)
    fresh = fresh_snapshot(tree, HashedEmbedder(), store_source=True)
    assert index_snapshot(database) == fresh
    assert not set(ids) & set(query_rows(database, "SELECT id FROM docs"))
    for table in ("docs", "files", "texts"):
        assert query_rows(database, f"SELECT DISTINCT repo FROM {table}") == [REPO]
    assert not query_rows(database, "SELECT key FROM meta WHERE key LIKE 'earlier/%'")
    rowids = "SELECT f.id = d.id FROM docs_fts f JOIN docs d ON d.seq = f.rowid"
    assert set(query_rows(database, rowids)) == {1}
    report = run_sync(tree, database, HashedEmbedder(), store_source=True)
    assert (report.files_processed, report.nodes_new, report.nodes_deleted) == (0, 0, 0)
    database.close()


def test_order_of_equal_keys_does_not_matter(repo: Repo) -> None:
    """After a change, nodes that stay have lower row numbers than new ones before them."""
    repo.commit({"twice.js": "class A { a() {} }\nclass B { b() {} b() {} }\n"})
    database = open_database()
    run_sync(Commit(repo.path), database, name=OLD)
    repo.commit({"twice.js": "class A { a() {} a() {} }\nclass B { b() {} b() {} b() {} }\n"})
    tree = Commit(repo.path)
    run_sync(tree, database, name=OLD)
    assert rename_repository(database, OLD, REPO)
    assert run_sync(tree, database).nodes_new == 0
    ids = query_rows(database, "SELECT id FROM docs ORDER BY id")
    assert ids == sorted(row[0] for row in _fresh_ids(tree))
    database.close()


def _fresh_ids(tree: Commit) -> list[tuple[str]]:
    database = open_database()
    run_sync(tree, database)
    rows = [(id_,) for id_ in query_rows(database, "SELECT id FROM docs")]
    database.close()
    return rows


def test_other_repositories_stay_as_they_are(tree: Commit, tmp_path: Path) -> None:
    database = open_database()
    run_sync(tree, database, HashedEmbedder(), name=OLD)
    run_sync(tree, database, HashedEmbedder(), name=f"{OLD}s")
    before = index_snapshot(database, f"{OLD}s")
    assert rename_repository(database, OLD, REPO)
    assert index_snapshot(database, f"{OLD}s") == before
    remove_repository(database, REPO)
    assert index_snapshot(database, f"{OLD}s") == before
    for table in ("docs", "files", "outbox", "meta"):
        key = "key" if table == "meta" else "repo"
        assert not query_rows(database, f"SELECT 1 FROM {table} WHERE {key} LIKE 'acme/shop%'")
    assert query_rows(database, "SELECT count(*) FROM docs_fts") == query_rows(
        database, "SELECT count(*) FROM docs"
    )
    assert query_rows(database, "SELECT count(*) FROM vectors") == [
        len(set(query_rows(database, "SELECT id FROM docs")))
    ]
    database.close()


def test_damaged_id_changes_nothing(tree: Commit) -> None:
    database = open_database()
    run_sync(tree, database, name=OLD)
    damage = "UPDATE docs SET id = 'f' || substr(id, 2) WHERE seq = (SELECT max(seq) FROM docs)"
    query_rows(database, damage.replace("'f'", "'x'"))
    before = index_snapshot(database, OLD)
    assert not rename_repository(database, OLD, REPO)
    assert index_snapshot(database, OLD) == before
    database.close()
