"""An index that one clone publishes is pulled by another and brought up to date."""

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import pytest

from command_runner import RunFeeder
from feeder.share import publish as publishing
from feeder.share.manifest import Entry, Listing, decode
from feeder.store.sqlite import SQLite
from index_helpers import CART, GUIDE, index_snapshot
from source.repos import Repo

pytestmark = pytest.mark.slow

NAME = "acme/shop"
URL = f"https://example.org/{NAME}.git"
FILES = {"src/cart.py": CART, "docs/guide.md": GUIDE, "src/tax.py": "def vat():\n    return 19\n"}


@pytest.fixture
def environment() -> Mapping[str, str]:
    return {"FEEDER_MODEL": "static"}


@pytest.fixture
def origin(repo: Repo, feeder: RunFeeder) -> Repo:
    """A repository with an index."""
    repo.git("remote", "add", "origin", URL)
    repo.commit(FILES)
    assert feeder(repo, "sync").code == 0
    return repo


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


@pytest.fixture
def clone(tmp_path: Path) -> Callable[..., Repo]:
    """Clones a repository, with the same remote."""

    def make(source: Repo, name: str = "clone", *options: str) -> Repo:
        cloned = source.clone(tmp_path / name, *options)
        cloned.git("remote", "set-url", "origin", URL)
        return cloned

    return make


def index_of(repo: Repo) -> Path:
    return repo.path / ".feeder" / "index.db"


def entries_of(store: Path) -> list[Entry]:
    return decode((store / "latest.json").read_bytes(), Listing).entries


def packs_of(store: Path) -> set[str]:
    return {file.name for file in store.glob("p-*")}


def assert_equals_fresh_index(feeder: RunFeeder, repo: Repo, tmp_path: Path) -> None:
    fresh = tmp_path / f"fresh-{repo.path.name}.db"
    assert feeder(repo, "sync", "--db", fresh).code == 0
    with closing(SQLite(index_of(repo))) as one, closing(SQLite(fresh)) as other:
        assert index_snapshot(one, NAME) == index_snapshot(other, NAME)
    assert feeder(repo, "validate").code == 0


def test_pulled_index_is_brought_up_to_date(
    feeder: RunFeeder,
    origin: Repo,
    store: Path,
    clone: Callable[..., Repo],
    tmp_path: Path,
) -> None:
    assert feeder(origin, "publish", store).code == 0
    commit = origin.git("rev-parse", "--short=7", "HEAD")
    cloned = clone(origin)
    cloned.commit({"src/new.py": "def newest():\n    return 1\n", "docs/guide.md": None})
    answer = feeder(cloned, "pull", store)
    assert answer.code == 0
    assert f"Pulled the index of commit {commit}" in answer.err
    assert "2 files differ from HEAD." in answer.err
    assert answer.out.startswith("Files: 1 processed, 1 deleted, 2 unchanged")
    assert_equals_fresh_index(feeder, cloned, tmp_path)
    names = {path.name for path in index_of(cloned).parent.iterdir()}
    kept = {"index.db-hand", "index.db-synced", "index.working"}
    assert names - kept == {".gitignore", "index.db"}


def test_repository_that_names_its_index_pulls_it_before_the_first_sync(
    feeder: RunFeeder,
    origin: Repo,
    store: Path,
    clone: Callable[..., Repo],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    origin.commit({"pyproject.toml": f'[tool.feeder]\nindex = "{store}"\n'})
    feeder(origin, "sync")
    assert feeder(origin, "publish", store).code == 0
    answer = feeder(clone(origin), "sync")
    assert "0 files differ from HEAD." in answer.err
    assert "nothing to do.\nFiles: 0 processed, 0 deleted, 4 unchanged" in answer.out
    monkeypatch.setenv("FEEDER_PULL", "off")
    answer = feeder(clone(origin, "off"), "sync")
    assert "Pulled" not in answer.err
    assert answer.out.startswith("Files: 4 processed")


def test_variable_names_the_index_to_pull(
    feeder: RunFeeder,
    origin: Repo,
    store: Path,
    clone: Callable[..., Repo],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In place of the repository's settings, and for an index at another place too."""
    origin.commit({".feeder.toml": f'index = "{tmp_path / "nowhere"}"\n'})
    feeder(origin, "sync")
    assert feeder(origin, "publish", store).code == 0
    cloned = clone(origin)
    monkeypatch.setenv("FEEDER_PULL", str(store))
    for options in ([], ["--db", tmp_path / "own.db"]):
        answer = feeder(cloned, "sync", *options)
        assert "0 files differ from HEAD." in answer.err
        assert "Files: 0 processed, 0 deleted, 4 unchanged" in answer.out


def test_index_is_made_here_if_the_named_one_is_missing(
    feeder: RunFeeder,
    origin: Repo,
    store: Path,
    clone: Callable[..., Repo],
) -> None:
    origin.commit({".feeder.toml": f'index = "{store}"\n'})
    answer = feeder(clone(origin), "sync")
    assert answer.code == 0
    said = f"The index at {store} cannot be used. Nothing is published there. The index is built"
    assert said in answer.err
    assert answer.out.startswith("Files: 4 processed")


def test_next_publish_uploads_what_differs_and_old_commits_go(
    feeder: RunFeeder,
    origin: Repo,
    store: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    origin.commit({f"src/m{n}.py": f"def f{n}():\n    return {n}\n" * 40 for n in range(40)})
    feeder(origin, "sync")
    first = feeder(origin, "publish", "--json", store).json
    packs = packs_of(store)
    origin.commit({"src/new.py": "def newest():\n    return 1\n"})
    feeder(origin, "sync")
    second = feeder(origin, "publish", "--json", store).json
    assert second["uploaded_bytes"] < first["uploaded_bytes"] / 2
    assert packs < packs_of(store)
    assert [one.commit for one in entries_of(store)] == [second["commit"], first["commit"]]
    assert feeder(origin, "publish", "--json", store).json["uploaded_files"] == 0

    monkeypatch.setattr(publishing, "GRACE_S", -1.0)
    origin.commit({f"src/m{n}.py": None for n in range(40)})
    index_of(origin).unlink()
    feeder(origin, "sync")
    feeder(origin, "publish", "--keep", "1", store)
    assert len(entries_of(store)) == 1
    assert not packs & packs_of(store)


def test_published_file_has_no_query_no_option_and_no_deleted_text(
    feeder: RunFeeder,
    origin: Repo,
    store: Path,
    clone: Callable[..., Repo],
) -> None:
    origin.commit({"src/old.py": "".join(f"def zanzibar{n}(): pass\n" for n in range(3_000))})
    feeder(origin, "sync")
    feeder(origin, "search", "quagmire")
    origin.commit({"src/old.py": None})
    feeder(origin, "sync", "--max-file-bytes", "900000")
    with closing(sqlite3.connect(index_of(origin))) as connection:
        assert connection.execute("SELECT 1 FROM meta WHERE key LIKE '%:options'").fetchone()
        assert connection.execute("PRAGMA freelist_count").fetchone()[0] > 0
    assert b"zanzibar" in index_of(origin).read_bytes()
    feeder(origin, "publish", store)
    cloned = clone(origin)
    feeder(cloned, "pull", store)
    contents = index_of(cloned).read_bytes()
    assert b"quagmire" not in contents
    assert b"max_file_bytes" not in contents
    assert contents.count(b"zanzibar") < index_of(origin).read_bytes().count(b"zanzibar") / 10
    assert str(origin.path).encode() not in contents


def test_nearest_published_ancestor_is_pulled(
    feeder: RunFeeder,
    origin: Repo,
    store: Path,
    clone: Callable[..., Repo],
) -> None:
    for number in range(3):
        origin.commit({f"src/n{number}.py": f"n = {number}\n", "src/tax.py": f"t = {number}\n"})
        feeder(origin, "sync")
        assert feeder(origin, "publish", store).code == 0
    middle = origin.git("rev-parse", "HEAD~1")
    cloned = clone(origin)
    cloned.git("checkout", "-q", "-b", "topic", middle)
    cloned.commit({"topic.py": "x = 1\n"})
    answer = feeder(cloned, "pull", store)
    assert f"commit {middle[:7]}" in answer.err
    assert "1 file differs from HEAD." in answer.err
    shallow = clone(origin, "shallow", "--depth", "1")
    shallow.commit({"topic.py": "x = 1\n"})
    head = origin.git("rev-parse", "HEAD")
    assert f"commit {head[:7]}" in feeder(shallow, "pull", store).err


@pytest.mark.parametrize("arguments", [("--path", "src"), ("--working-tree",)], ids=str)
def test_index_of_something_else_than_a_commit_is_not_published(
    feeder: RunFeeder,
    origin: Repo,
    store: Path,
    arguments: tuple[str, ...],
) -> None:
    index_of(origin).unlink()
    (origin.path / "src" / "draft.py").write_text("x = 1\n")
    feeder(origin, "sync", *arguments)
    answer = feeder(origin, "publish", store)
    assert answer.code == 2
    assert "Only an index of a complete commit can be published" in answer.err
    assert not store.exists()


def test_pull_leaves_an_existing_index(
    feeder: RunFeeder,
    origin: Repo,
    store: Path,
) -> None:
    feeder(origin, "publish", store)
    answer = feeder(origin, "pull", store)
    assert answer.code == 2
    assert "already exists. Bring it up to date with: feeder sync" in answer.err
