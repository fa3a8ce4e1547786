"""The index in a folder belongs to the folder: its name follows the remote, without a new feed."""

import json
from pathlib import Path

import pytest

from command_runner import RunFeeder
from feeder.config import Settings
from feeder.mcp.service import IndexService
from feeder.source.git_trees import Commit
from feeder.store.sqlite import SQLite
from index_helpers import query_rows, run_sync
from source.repos import Repo

FILES: dict[str, str | bytes] = {
    "src/cart.py": "class Cart:\n    def add(self, item):\n        return item\n",
    "lib/box.py": "from src.cart import Cart\n\n\ndef fill():\n    return Cart().add(1)\n",
}
OLD, NEW = "acme/shop", "acme/store"


@pytest.fixture
def renamed(feeder: RunFeeder, repo: Repo) -> Repo:
    """A repository with an index, whose remote has another name now."""
    repo.commit(FILES)
    repo.git("remote", "add", "origin", f"https://github.com/{OLD}.git")
    assert feeder(repo, "sync", "-q").code == 0
    repo.git("remote", "set-url", "origin", f"git@github.com:{NEW}.git")
    return repo


def repositories(repo: Repo) -> set[str]:
    database = SQLite(repo.path / ".feeder" / "index.db")
    rows = query_rows(database, "SELECT DISTINCT repo FROM docs UNION SELECT repo FROM files")
    database.close()
    return set(rows)


def assert_answers(feeder: RunFeeder, repo: Repo) -> None:
    for command, expected in {
        ("search", "add"): "src/cart.py",
        ("references", "Cart.add"): "lib/box.py",
        ("show", "src/cart.py:2"): "def add",
        ("outline", "src"): "method  add",
        ("grep", "return item"): "src/cart.py",
    }.items():
        answer = feeder(repo, *command)
        assert (command, answer.code) == (command, 0), answer.err
        assert expected in answer.out, command
        assert "The index matches HEAD" in f"{answer.out}{answer.err}" or command[0] == "grep"


def test_logged_queries_follow_the_name(feeder: RunFeeder, repo: Repo) -> None:
    """A query before the change and one after it are the same query, twice."""
    repo.commit(FILES)
    repo.git("remote", "add", "origin", f"https://github.com/{OLD}.git")
    assert feeder(repo, "sync", "-q").code == 0
    feeder(repo, "search", "add", "--query-log")
    repo.git("remote", "set-url", "origin", f"git@github.com:{NEW}.git")
    assert feeder(repo, "sync", "-q").code == 0
    feeder(repo, "search", "add", "--query-log")
    assert "2 x" in feeder(repo, "queries").out


def test_search_finds_everything_before_a_sync(feeder: RunFeeder, renamed: Repo) -> None:
    assert_answers(feeder, renamed)
    assert repositories(renamed) == {OLD}  # a search writes nothing


def test_sync_renames_without_parsing(feeder: RunFeeder, renamed: Repo) -> None:
    planned = json.loads(feeder(renamed, "sync", "--dry-run", "--json").out)
    assert planned["files_processed"] == 0
    answer = feeder(renamed, "sync", "--json")
    report = json.loads(answer.out)
    assert (report["files_processed"], report["nodes_new"], report["nodes_deleted"]) == (0, 0, 0)
    assert report["repo"] == NEW
    assert f"Renamed {OLD} to {NEW} in the index." in answer.err
    assert repositories(renamed) == {NEW}
    assert_answers(feeder, renamed)
    assert feeder(renamed, "validate").code == 0
    again = feeder(renamed, "sync")
    assert "Renamed" not in again.err


def test_both_names_in_a_file_become_one(feeder: RunFeeder, renamed: Repo) -> None:
    """As an earlier version left them."""
    database = SQLite(renamed.path / ".feeder" / "index.db")
    run_sync(Commit(renamed.path), database, name=NEW)
    database.close()
    assert repositories(renamed) == {OLD, NEW}
    assert_answers(feeder, renamed)
    assert feeder(renamed, "sync", "-q").code == 0
    assert repositories(renamed) == {NEW}
    assert_answers(feeder, renamed)
    assert feeder(renamed, "validate").code == 0


def test_given_name_and_given_file_stay(feeder: RunFeeder, renamed: Repo, tmp_path: Path) -> None:
    """With --repo, and at --db, several repositories may be in a file on purpose."""
    assert feeder(renamed, "sync", "-q", "--repo", "mine").code == 0
    assert repositories(renamed) == {OLD, "mine"}
    assert feeder(renamed, "sync", "-q").code == 0
    assert repositories(renamed) == {NEW, "mine"}
    shared = ("--db", str(tmp_path / "shared.db"))
    assert feeder(renamed, "sync", "-q", *shared).code == 0
    renamed.git("remote", "set-url", "origin", "https://github.com/other/name.git")
    assert feeder(renamed, "sync", "-q", *shared).code == 0
    database = SQLite(tmp_path / "shared.db")
    assert query_rows(database, "SELECT DISTINCT repo FROM docs ORDER BY repo") == [
        NEW,
        "other/name",
    ]
    database.close()


def test_renamed_folder_keeps_its_index(feeder: RunFeeder, repo: Repo) -> None:
    """Without a remote, the folder names the repository."""
    repo.commit(FILES)
    assert feeder(repo, "sync", "-q").code == 0
    moved = Repo(repo.path.rename(repo.path.with_name("moved")))
    assert_answers(feeder, moved)
    assert json.loads(feeder(moved, "sync", "--json").out)["files_processed"] == 0
    assert repositories(moved) == {"moved"}


def test_running_server_follows_the_name(feeder: RunFeeder, renamed: Repo) -> None:
    service = IndexService(Settings(directory=renamed.path, vectors=False, quiet=True))
    query = {"query": "add"}
    assert "src/cart.py" in service.call("search", query, lambda _: None).text
    assert feeder(renamed, "sync", "-q").code == 0
    assert "src/cart.py" in service.call("search", query, lambda _: None).text
    service.close()
