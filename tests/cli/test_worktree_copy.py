"""The first sync in a new git worktree starts from a copy of another worktree's index."""

import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from command_runner import RunFeeder
from feeder.config import Settings
from feeder.session.workspace import base_folder, workspace_for
from feeder.store import Statement
from feeder.store.index_copy import LEFTOVER_AGE_S, copy_index
from feeder.store.sqlite import SQLite
from index_helpers import CART, GUIDE, index_snapshot, query_rows
from mcp_server.test_index_refresh import RefreshedIndex
from source.repos import Repo

pytestmark = pytest.mark.slow

NAME = "acme/shop"
FILES = {"src/cart.py": CART, "docs/guide.md": GUIDE, "src/tax.py": "def vat():\n    return 19\n"}
COPIED = "Copied the index of the worktree"


@pytest.fixture
def environment() -> Mapping[str, str]:
    return {"FEEDER_MODEL": "static"}


@pytest.fixture
def main(repo: Repo, feeder: RunFeeder) -> Repo:
    """A repository with a remote and an index."""
    repo.git("remote", "add", "origin", f"https://example.org/{NAME}.git")
    repo.commit(FILES)
    assert feeder(repo, "sync").code == 0
    return repo


@pytest.fixture
def worktree(main: Repo, tmp_path: Path) -> Repo:
    return add_worktree(main, tmp_path / "side")


def add_worktree(main: Repo, path: Path, commit: str = "HEAD") -> Repo:
    main.git("worktree", "add", "-q", "-b", path.name, os.fsencode(path), commit)
    # a Repo would initialize the folder
    linked = object.__new__(Repo)
    linked.path = path
    return linked


def index_of(repo: Repo) -> Path:
    return repo.path / ".feeder" / "index.db"


@pytest.fixture
def opened() -> Iterator[list[SQLite]]:
    """Databases to close at the end of a test."""
    databases: list[SQLite] = []
    yield databases
    for database in databases:
        database.close()


def open_index(repo: Repo, opened: list[SQLite]) -> SQLite:
    database = SQLite(index_of(repo))
    opened.append(database)
    return database


def assert_equals_fresh_index(feeder: RunFeeder, repo: Repo, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh.db"
    assert feeder(repo, "sync", "--db", fresh).code == 0
    with closing(SQLite(index_of(repo))) as one, closing(SQLite(fresh)) as other:
        assert index_snapshot(one, NAME) == index_snapshot(other, NAME)
    assert feeder(repo, "validate").code == 0


def test_new_worktree_starts_from_a_copy_and_indexes_the_difference(
    feeder: RunFeeder, main: Repo, worktree: Repo, tmp_path: Path
) -> None:
    worktree.commit({"src/new.py": "def newest():\n    return 1\n", "docs/guide.md": None})
    answer = feeder(worktree, "sync")
    line = f"{COPIED} {main.path}, of commit {main.git('rev-parse', '--short=7', 'HEAD')}"
    assert f"{line}: 2 files differ from HEAD." in answer.err.splitlines()
    assert answer.out.splitlines()[0].startswith("Files: 1 processed, 1 deleted, 2 unchanged")
    assert_equals_fresh_index(feeder, worktree, tmp_path)
    assert_equals_fresh_index(feeder, main, tmp_path)


def test_copy_is_private_and_has_no_side_files(
    feeder: RunFeeder, main: Repo, worktree: Repo
) -> None:
    feeder(main, "search", "cart")
    beside = {path.name for path in index_of(main).parent.iterdir()}
    assert "queries.db" in beside
    feeder(worktree, "sync")
    assert stat.S_IMODE(index_of(worktree).stat().st_mode) == 0o600
    names = {path.name for path in index_of(worktree).parent.iterdir()}
    assert names - {"index.db-hand"} == {".gitignore", "index.db"}


def test_index_of_the_nearest_worktree_is_copied(
    feeder: RunFeeder, main: Repo, tmp_path: Path
) -> None:
    """The nearest is the one whose commit differs from HEAD in the fewest files."""
    first = main.git("rev-parse", "HEAD")
    far, near = (add_worktree(main, tmp_path / name, first) for name in ("far", "near"))
    far.commit({f"far{number}.py": "x = 1\n" for number in range(5)})
    near.commit({"near.py": "x = 1\n", "other.py": "x = 2\n"})
    for one in (far, near):
        assert feeder(one, "sync").code == 0
    newest = add_worktree(main, tmp_path / "newest", "near")
    newest.commit({"near.py": "x = 2\n"})
    err = feeder(newest, "sync").err
    assert f"{COPIED} {near.path}, of commit" in err
    assert "1 file differs from HEAD." in err


@pytest.mark.parametrize(
    "arguments",
    [("--db", "own.db"), ("--path", "src"), ("--dry-run",), ("--repo", "acme/other")],
    ids=lambda arguments: arguments[0],
)
def test_nothing_is_copied_for_an_index_of_another_kind(
    feeder: RunFeeder, worktree: Repo, arguments: tuple[str, ...]
) -> None:
    answer = feeder(worktree, "sync", *arguments)
    assert answer.code == 0
    assert COPIED not in answer.err
    assert " 0 unchanged" in answer.out


def test_partial_run_copies_nothing(feeder: RunFeeder, worktree: Repo) -> None:
    answer = feeder(worktree, "process", "--path", "src/tax.py")
    assert (answer.code, COPIED in answer.err) == (0, False)


def _broken(main: Repo) -> str:
    index_of(main).write_bytes(b"no database " * 1000)
    return "file is not a database"


def _cut(main: Repo) -> str:
    with closing(SQLite(index_of(main))):
        pass  # takes the log into the file
    os.truncate(index_of(main), index_of(main).stat().st_size // 2)
    return "malformed"


def _newer(main: Repo) -> str:
    change(main, "INSERT INTO d1_migrations (name) VALUES ('9999_later.sql')")
    return "made by a newer feeder"


def _of_a_folder(main: Repo) -> str:
    change(main, f"UPDATE meta SET value = 'src' WHERE key = '{NAME}:below'")
    return "it has only the folder src."


def _of_another_repository(main: Repo) -> str:
    change(main, f"UPDATE meta SET key = 'acme/older:run' WHERE key = '{NAME}:run'")
    change(main, "INSERT INTO meta (key, value) VALUES ('acme/older:named', '--repo')")
    return f"it belongs to acme/older, and this run to {NAME}."


def _tracked(main: Repo) -> str:
    main.git("add", "-f", ".feeder/index.db")
    return "git tracks .feeder/index.db"


def change(repo: Repo, sql: str) -> None:
    with closing(SQLite(index_of(repo))) as database:
        database.run([Statement(sql)])


@pytest.mark.parametrize(
    "damage", [_broken, _cut, _newer, _of_a_folder, _of_another_repository, _tracked]
)
def test_index_that_cannot_be_copied_is_named_and_all_files_are_indexed(
    feeder: RunFeeder, main: Repo, worktree: Repo, damage: object
) -> None:
    assert callable(damage)
    reason = damage(main)
    answer = feeder(worktree, "sync")
    [line] = [line for line in answer.err.splitlines() if "was not copied" in line]
    assert line.startswith(f"The index of the worktree {main.path} was not copied: ")
    assert reason in line
    assert answer.out.splitlines()[0].startswith("Files: 3 processed")
    assert feeder(worktree, "validate").code == 0
    assert not list(index_of(worktree).parent.glob("*.copy-*"))


def test_removed_worktree_is_skipped(feeder: RunFeeder, main: Repo, tmp_path: Path) -> None:
    gone = add_worktree(main, tmp_path / "gone")
    feeder(gone, "sync")
    shutil.rmtree(gone.path)
    shutil.rmtree(index_of(main).parent)
    answer = feeder(add_worktree(main, tmp_path / "new"), "sync")
    assert answer.code == 0
    assert "copied" not in answer.err


def test_copy_is_of_what_is_committed_while_another_process_writes(
    feeder: RunFeeder, main: Repo, worktree: Repo, tmp_path: Path, opened: list[SQLite]
) -> None:
    writer = open_index(main, opened)
    writer.connection.execute("BEGIN IMMEDIATE")
    writer.connection.execute("DELETE FROM files")
    answer = feeder(worktree, "sync")
    writer.connection.execute("ROLLBACK")
    assert answer.out.splitlines()[0].startswith("Files: 0 processed, 0 deleted, 3 unchanged")
    assert_equals_fresh_index(feeder, worktree, tmp_path)


def test_copy_of_an_unfinished_index_is_completed(
    feeder: RunFeeder, main: Repo, worktree: Repo, tmp_path: Path, opened: list[SQLite]
) -> None:
    """The run that writes the other index has no claim to the copy."""
    database = open_index(main, opened)
    lines = {
        f"{NAME}:run": "by-hand-99999999999999999999-ffffffff",  # later than any other
        f"{NAME}:overtook": "by-hand-99999999999999999999-ffffffff",
        f"{NAME}:event": f"9999 {'f' * 40} other",
        f"{NAME}:write:other:1": "7",
        f"{NAME}:shard:1/2": "done",
    }
    for key, value in lines.items():
        query_rows(database, "INSERT OR REPLACE INTO meta VALUES (?, ?)", key, value)
    query_rows(database, "DELETE FROM meta WHERE key = ?", f"{NAME}:tree")
    query_rows(database, "DELETE FROM files WHERE path = 'src/cart.py'")
    for table in (
        "docs_fts WHERE rowid IN (SELECT seq FROM docs",
        "docs WHERE seq IN (SELECT seq FROM docs",
    ):
        query_rows(database, f"DELETE FROM {table} WHERE path = 'src/cart.py')")
    target = tmp_path / "copy.db"
    assert copy_index(index_of(main), target, NAME)
    with closing(SQLite(target)) as copy:
        meta = dict(query_rows(copy, "SELECT key, value FROM meta"))
    assert meta[f"{NAME}:run"] == meta[f"{NAME}:done"] == lines[f"{NAME}:run"]
    others = ("overtook", "event", "write:", "shard:", "cost:")
    assert not [key for key in meta if key.startswith(tuple(f"{NAME}:{other}" for other in others))]
    answer = feeder(worktree, "sync")
    assert (answer.code, COPIED in answer.err) == (0, True)
    assert answer.out.splitlines()[0].startswith("Files: 1 processed, 0 deleted, 2 unchanged")
    assert_equals_fresh_index(feeder, worktree, tmp_path)


def test_index_that_another_process_has_made_meanwhile_stays(main: Repo, tmp_path: Path) -> None:
    target = tmp_path / "index.db"
    target.write_bytes(b"")
    leftover, recent = (tmp_path / f"index.db.copy-{name}" for name in ("1-a", "2-b"))
    for file in (leftover, recent):
        file.write_bytes(b"incomplete")
    long_ago_s = leftover.stat().st_mtime - LEFTOVER_AGE_S - 1
    os.utime(leftover, (long_ago_s, long_ago_s))
    assert not copy_index(index_of(main), target, NAME)
    assert target.read_bytes() == b""
    assert {path.name for path in tmp_path.iterdir() if "index.db" in path.name} == {
        "index.db",
        recent.name,
    }


def test_nothing_is_copied_beside_the_log_of_a_deleted_index(
    feeder: RunFeeder, worktree: Repo
) -> None:
    """SQLite would apply the log to the copy."""
    folder = index_of(worktree).parent
    folder.mkdir()
    (folder / "index.db-wal").write_bytes(b"")
    answer = feeder(worktree, "sync")
    assert (answer.code, COPIED in answer.err) == (0, False)


def test_server_in_a_new_worktree_starts_from_a_copy(
    main: Repo, worktree: Repo, opened: list[SQLite], capfd: pytest.CaptureFixture[str]
) -> None:
    worktree.commit({"src/new.py": "def newest():\n    return 1\n"})
    index = RefreshedIndex(worktree)
    assert index.note() is None
    assert f"{COPIED} {main.path}, of commit" in capfd.readouterr().err
    assert index.files() == {*FILES, "src/new.py"}
    commits = dict(
        query_rows(open_index(worktree, opened), "SELECT path, max(sha_head) FROM docs GROUP BY 1")
    )
    head, before = (worktree.git("rev-parse", name) for name in ("HEAD", "HEAD^"))
    assert commits == {**dict.fromkeys(FILES, before), "src/new.py": head}


def test_bare_repository_and_its_worktrees_share_copies(
    feeder: RunFeeder, main: Repo, tmp_path: Path
) -> None:
    bare = tmp_path / "shop.git"
    main.git("clone", "-q", "--bare", os.fsencode(main.path), os.fsencode(bare))
    linked = tmp_path / "linked"
    for command in (
        ("config", "remote.origin.url", f"https://example.org/{NAME}.git"),
        ("worktree", "add", "-q", "-b", "linked", os.fsencode(linked)),
    ):
        main.git("--git-dir", os.fsencode(bare), *command)
    assert feeder(bare, "sync").code == 0
    answer = feeder(linked, "sync")
    assert f"{COPIED} {bare}, of commit" in answer.err
    assert answer.out.splitlines()[0].startswith("Files: 0 processed, 0 deleted, 3 unchanged")


def repo_name(repo: Repo) -> str:
    return workspace_for(base_folder(repo.path), Settings(directory=repo.path)).repo


def test_worktree_without_a_remote_has_the_name_of_the_main_one(
    feeder: RunFeeder, repo: Repo, tmp_path: Path
) -> None:
    repo.commit(FILES)
    feeder(repo, "sync")
    side = add_worktree(repo, tmp_path / "side")
    assert repo_name(side) == repo_name(repo) == repo.path.name
    answer = feeder(side, "sync")
    assert f"{COPIED} {repo.path}, of commit" in answer.err
    assert answer.out.splitlines()[0].startswith("Files: 0 processed, 0 deleted, 3 unchanged")
    assert "src/cart.py" in feeder(side, "search", "cart").out


def test_worktree_of_a_bare_repository_without_a_remote_has_its_name(
    feeder: RunFeeder, repo: Repo, tmp_path: Path
) -> None:
    """Also where the repository's folder is hidden beside its worktrees."""
    repo.commit(FILES)
    for path, name in ((tmp_path / "shop.git", "shop.git"), (tmp_path / "shop" / ".bare", "shop")):
        repo.git("clone", "-q", "--bare", os.fsencode(repo.path), os.fsencode(path))
        linked = path.parent / f"linked-{name}"
        for command in (
            ("remote", "remove", "origin"),
            ("worktree", "add", "-q", "-b", "linked", os.fsencode(linked)),
        ):
            repo.git("--git-dir", os.fsencode(path), *command)
        assert f"\n{name}: local index" in "\n" + feeder(linked, "sync").err


def test_copy_of_an_index_with_an_earlier_name_is_renamed(
    feeder: RunFeeder, main: Repo, worktree: Repo
) -> None:
    """The remote has another name now, and the main worktree was not synced since."""
    main.git("remote", "set-url", "origin", "https://example.org/acme/store.git")
    answer = feeder(worktree, "sync", "--json")
    assert COPIED in answer.err
    assert f"Renamed {NAME} to acme/store in the index." in answer.err
    assert (answer.json["files_processed"], answer.json["nodes_new"]) == (0, 0)
    assert feeder(worktree, "validate").code == 0


def test_index_of_a_worktree_keeps_the_name_that_it_has(
    feeder: RunFeeder, repo: Repo, tmp_path: Path
) -> None:
    """Ids of nodes contain the name. --repo names another, as for an index at --db."""
    repo.commit(FILES)
    feeder(repo, "sync")
    side = add_worktree(repo, tmp_path / "side")
    assert (
        f"it belongs to {repo.path.name}, and this run to side."
        in feeder(side, "sync", "--repo", "side").err
    )
    answer = feeder(side, "sync")
    assert answer.err.startswith("side: local index")
    assert "nothing to do" in answer.out
    shutil.rmtree(index_of(side).parent)
    assert feeder(side, "sync", "--db", tmp_path / "own.db").err.startswith("side: local index")


def test_submodule_has_the_name_of_its_own_folder(
    feeder: RunFeeder, repo: Repo, tmp_path: Path
) -> None:
    repo.commit(FILES)
    outer = Repo(tmp_path / "outer")
    outer.commit({"a.py": "x = 1\n"})
    add = ("submodule", "-q", "add", os.fsencode(repo.path), "parts")
    outer.git("-c", "protocol.file.allow=always", *add)
    inner = object.__new__(Repo)
    inner.path = outer.path / "parts"
    inner.git("remote", "remove", "origin")
    assert repo_name(inner) == "parts"
