"""The index matches any state of the working tree, and HEAD again after the next sync."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feeder.source import SkipReason
from feeder.source.git_trees import Commit, WorkingTree
from feeder.store.sqlite import SQLite
from feeder.sync.validate import validate
from hash_embedder import HashedEmbedder
from index_helpers import (
    REPO,
    fresh_snapshot,
    index_snapshot,
    new_sync_context,
    open_database,
    query_rows,
    run_sync,
)
from source.repos import Repo
from sync.sync_histories.edits import PARTS

pytestmark = pytest.mark.slow

NAMES = ("a.py", "src/a.py", "src/b.py", "src/c/d.md", "c.json", ".feederignore", "yarn.lock")
contents = st.lists(st.sampled_from(PARTS), max_size=3).map("".join)
files = st.dictionaries(st.sampled_from(NAMES), contents)
edits = st.dictionaries(st.sampled_from(NAMES), contents | st.none())


def working_tree(repo: Repo) -> WorkingTree:
    place = repo.path.with_name("ours")
    place.mkdir(exist_ok=True)
    return WorkingTree(repo.path, place)


def edit_working_tree(repo: Repo, edit: Mapping[str, str | None]) -> None:
    there = (repo.path / name for name in edit)
    gone = {path for path in there if not path.exists()}
    known = {n: t for n, t in edit.items() if t is not None or repo.path / n not in gone}
    repo.write(known)


@settings(max_examples=25)
@given(first=files, steps=st.lists(edits, min_size=1, max_size=3))
def test_index_equals_each_working_tree_and_then_head(
    first: dict[str, str], steps: list[dict[str, str | None]]
) -> None:
    database, embedder = open_database(), HashedEmbedder()
    with TemporaryDirectory() as folder:
        repo = Repo(Path(folder, "repo"))
        repo.commit(first)
        run_sync(Commit(repo.path), database, embedder)
        for step in steps:
            edit_working_tree(repo, step)
            tree = working_tree(repo)
            run_sync(tree, database, embedder)
            assert validate(new_sync_context(tree, database, embedder)).passed
            assert index_snapshot(database) == fresh_snapshot(tree, embedder)
        run_sync(Commit(repo.path), database, embedder)
        assert index_snapshot(database) == fresh_snapshot(Commit(repo.path), embedder)
    database.close()


def test_rows_name_the_commit_of_the_working_tree(repo: Repo, database: SQLite) -> None:
    repo.commit({"a.py": "A = 1\n"})
    head = repo.commit({"b.py": "B = 1\n"})
    repo.write({"a.py": "A = 2\n"})
    run_sync(working_tree(repo), database)
    assert set(query_rows(database, "SELECT sha_head FROM docs")) == {head}


def test_working_tree_on_another_commit_updates_the_name(repo: Repo, database: SQLite) -> None:
    """The files are the same, some are committed now: none is read again."""
    repo.commit({"a.py": "A = 1\n"})
    repo.write({"b.py": "B = 1\n", "c.py": "C = 1\n"})
    run_sync(working_tree(repo), database)
    repo.git("add", "b.py")
    repo.git("commit", "-q", "-m", "some of it")
    report = run_sync(working_tree(repo), database)
    assert (report.files_processed, report.files_unchanged) == (0, 3)
    said = "SELECT value FROM meta WHERE key = ?"
    assert query_rows(database, said, f"{REPO}:head") == [repo.git("rev-parse", "HEAD")]


def test_working_tree_before_the_first_commit(repo: Repo, database: SQLite) -> None:
    repo.write({"a.py": "A = 1\n"})
    assert run_sync(working_tree(repo), database).files_processed == 1
    assert validate(new_sync_context(working_tree(repo), database)).passed
    repo.commit()
    assert run_sync(Commit(repo.path), database).files_processed == 0
    assert query_rows(database, "SELECT count(*) FROM meta WHERE key = ?", f"{REPO}:working") == [0]


def test_files_of_a_partial_clone_are_read_once_fetched(
    repo: Repo, database: SQLite, tmp_path: Path
) -> None:
    """The tree is the same before and after."""
    repo.commit({"in/a.py": "a = 1\n", "out/b.py": "b = 1\n", "out/c.py": "c = 1\n"})
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = repo.clone(tmp_path / "clone", "--filter=blob:none", "--sparse")
    clone.git("sparse-checkout", "set", "in")
    clone.write({"in/a.py": "a = 2\n"})
    skipped = run_sync(working_tree(clone), database).skipped
    assert skipped == dict.fromkeys(("out/b.py", "out/c.py"), SkipReason.NOT_FETCHED)
    again = run_sync(working_tree(clone), database)
    assert (again.files_processed, again.files_unchanged) == (0, 1)
    clone.git("cat-file", "blob", "HEAD:out/b.py")  # git fetches it
    fetched = run_sync(working_tree(clone), database)
    assert (fetched.files_processed, fetched.files_unchanged) == (1, 1)
    assert set(query_rows(database, "SELECT path FROM docs")) == {"in/a.py", "out/b.py"}
