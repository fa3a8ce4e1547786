"""`feeder sync --working-tree`: the index equals the files on disk, and HEAD after a plain sync."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from command_runner import RunFeeder
from feeder.store import Statement
from feeder.store.sqlite import SQLite
from source.repos import Repo

pytestmark = pytest.mark.slow

CART = "class Cart:\n    def add(self):\n        return 1\n"


def rows(place: Path) -> Mapping[str, Any]:
    """Returns all rows of nodes and files, without the order of writes."""
    database = SQLite(place)
    try:
        nodes, files = database.run(
            [
                Statement("SELECT id, path, start_line, end_line, text_sha FROM docs ORDER BY id"),
                Statement("SELECT path, blob, nodes, state, reason FROM files ORDER BY path"),
            ]
        )
        words = [
            database.run([Statement("SELECT count(*) FROM docs_fts WHERE docs_fts MATCH ?1", (w,))])
            for w in ("cart", "basket", "add")
        ]
        return {"nodes": nodes, "files": files, "words": words}
    finally:
        database.close()


@pytest.fixture
def shop(repo: Repo, feeder: RunFeeder) -> Repo:
    """A repository whose index equals HEAD."""
    repo.commit({"cart.py": CART, "README.md": "# Shop\n\nA cart.\n"})
    assert feeder(repo, "sync", "-q").code == 0
    return repo


def test_index_equals_the_working_tree_and_reports_it(shop: Repo, feeder: RunFeeder) -> None:
    shop.write({"basket.py": "def basket():\n    return 2\n", "README.md": None})
    done = feeder(shop, "sync", "--working-tree", "--json")
    assert (done.code, done.json["files_processed"], done.json["files_deleted"]) == (0, 1, 1)
    found = feeder(shop, "search", "basket")
    head = shop.git("rev-parse", "HEAD")
    assert "basket.py:1-2" in found.out
    assert f"The index matches the working tree as last indexed, on {head[:7]}." in found.out
    asked = feeder(shop, "search", "basket", "--json").json["index"]
    assert (asked["working"], asked["seen"], asked["equals"]) == (True, False, head)


def test_validation_compares_with_the_current_working_tree(shop: Repo, feeder: RunFeeder) -> None:
    shop.write({"basket.py": "def basket():\n    return 2\n"})
    feeder(shop, "sync", "--working-tree")
    proved = feeder(shop, "validate")
    assert (proved.code, "files in the working tree 3" in proved.out) == (0, True)
    shop.write({"basket.py": "def basket():\n    return 3\n"})
    proved = feeder(shop, "validate")
    assert proved.code == 1
    assert "basket.py: the index differs from the working tree" in proved.out
    assert "feeder sync --working-tree" in proved.out


def test_plain_sync_restores_head(shop: Repo, feeder: RunFeeder, tmp_path: Path) -> None:
    shop.write({"cart.py": CART.replace("add", "put"), "basket.py": "def basket(): ...\n"})
    feeder(shop, "sync", "--working-tree")
    assert feeder(shop, "sync").code == 0
    assert feeder(shop, "validate").code == 0
    feeder(shop, "sync", "--db", tmp_path / "fresh.db")
    assert rows(shop.path / ".feeder" / "index.db") == rows(tmp_path / "fresh.db")
    found = feeder(shop, "search", "cart")
    assert f"The index matches HEAD {shop.git('rev-parse', '--short=7', 'HEAD')}." in found.out


def test_unchanged_working_tree_equals_head(shop: Repo, feeder: RunFeeder) -> None:
    os.utime(shop.path / "cart.py", (1, 1))
    assert "nothing to do" in feeder(shop, "sync", "--working-tree").out
    assert "The index matches HEAD" in feeder(shop, "search", "cart").out


def test_committed_working_tree_equals_head(shop: Repo, feeder: RunFeeder) -> None:
    shop.write({"basket.py": "def basket():\n    return 2\n"})
    feeder(shop, "sync", "--working-tree")
    shop.commit()
    done = feeder(shop, "sync", "--json")
    assert (done.json["files_processed"], done.json["files_deleted"]) == (0, 0)
    assert "The index matches HEAD" in feeder(shop, "search", "basket").out
    assert "nothing to do" in feeder(shop, "sync").out


def test_working_tree_option_is_refused_where_there_is_none(shop: Repo, feeder: RunFeeder) -> None:
    result = feeder(shop, "sync", "--working-tree", "--shard", "1/2", "--run", "x")
    assert (result.code, "Leave out --shard" in result.err) == (2, True)
    cloud = ("--store", "cloudflare", "--account-id", "a", "--database-id", "d")
    result = feeder(shop, "sync", "--working-tree", *cloud)
    assert (result.code, "Leave out --working-tree" in result.err) == (2, True)


def test_index_file_in_the_working_tree_is_not_indexed(shop: Repo, feeder: RunFeeder) -> None:
    """`--db` may name a path that git does not ignore, and each run changes the file."""
    named = ("--db", shop.path / "own.db")
    shop.write({"basket.py": "def basket(): ...\n"})
    done = feeder(shop, "sync", "--working-tree", "--json", *named)
    assert done.json["files_processed"] == 3
    assert "nothing to do" in feeder(shop, "sync", "--working-tree", *named).out
    assert feeder(shop, "validate", *named).code == 0
    assert "basket.py" in feeder(shop, "search", "/def basket/", *named).out


def test_working_tree_index_of_a_folder(shop: Repo, feeder: RunFeeder) -> None:
    shop.write({"src/basket.py": "def basket(): ...\n", "pouch.py": "def pouch(): ...\n"})
    part = ("--repo", "part", "--path", "src")
    done = feeder(shop, "sync", "--working-tree", "--json", *part)
    assert done.json["files_processed"] == 1
    assert feeder(shop, "validate", *part).code == 0
    result = feeder(shop, "sync", "--working-tree", "--repo", "none", "--path", "nowhere")
    assert (result.code, "has no folder nowhere" in result.err) == (2, True)


def test_committed_files_in_the_index_folder_are_refused(shop: Repo, feeder: RunFeeder) -> None:
    shop.commit({".feeder/index.working/objects-1/used": ""})
    result = feeder(shop, "sync", "--working-tree")
    assert (result.code, "Remove it with `git rm -r .feeder`" in result.err) == (2, True)


def test_dry_run_reports_the_changes(shop: Repo, feeder: RunFeeder) -> None:
    shop.write({"basket.py": "def basket(): ...\n"})
    before = rows(shop.path / ".feeder" / "index.db")
    result = feeder(shop, "sync", "--working-tree", "--dry-run")
    assert "1 would be processed" in result.out
    assert rows(shop.path / ".feeder" / "index.db") == before


def test_dry_run_of_a_first_sync_leaves_no_files(repo: Repo, feeder: RunFeeder) -> None:
    repo.write({"a.py": "a = 1\n"})
    assert "1 would be processed" in feeder(repo, "sync", "--working-tree", "--dry-run").out
    assert not (repo.path / ".feeder").exists()


def test_repair_of_a_working_tree_index(shop: Repo, feeder: RunFeeder) -> None:
    shop.write({"basket.py": "def basket(): ...\n"})
    feeder(shop, "sync", "--working-tree")
    database = SQLite(shop.path / ".feeder" / "index.db")
    database.run([Statement("DELETE FROM docs WHERE path = 'basket.py'")])
    database.close()
    assert feeder(shop, "validate").code == 1
    assert feeder(shop, "validate", "--repair").code == 0
    assert (
        "The index matches the working tree as last indexed, on"
        in feeder(shop, "search", "basket").out
    )


def test_working_tree_option_outside_git_and_in_a_bare_repository(
    repo: Repo, feeder: RunFeeder
) -> None:
    repo.commit({"a.py": "a = 1\n"})
    bare = repo.path.with_name("bare")
    repo.git("clone", "-q", "--bare", repo.path.as_uri(), str(bare))
    result = feeder(bare, "sync", "--working-tree")
    assert (result.code, "has no working tree. Index its HEAD" in result.err) == (2, True)
    outside = repo.path.with_name("outside")
    outside.mkdir()
    result = feeder(outside, "sync", "--working-tree")
    assert (result.code, "is not in a git repository" in result.err) == (2, True)
