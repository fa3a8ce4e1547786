"""Files that were changed together in earlier commits."""

from pathlib import Path

import pytest

from feeder.source.co_changes import MAX_FILES_OF_COMMIT, CoChanges, co_changes
from source.repos import Repo


def test_weight_is_shared_by_the_files_of_a_commit(repo: Repo) -> None:
    """Later commits than the given one do not count, nor those without the file."""
    repo.commit({"a.py": "1", "test_a.py": "1"})
    repo.commit({"a.py": "2", "test_a.py": "2", "größe.py": "2", "d.py": "2"})
    repo.commit({"e.py": "1"})
    head = repo.git("rev-parse", "HEAD").strip()
    repo.commit({"a.py": "3", "late.py": "3"})
    weights = co_changes(repo.path, head, ["a.py"]).weights
    assert weights == pytest.approx({"test_a.py": 1 / 2 + 1 / 4, "größe.py": 1 / 4, "d.py": 1 / 4})


def test_commits_of_many_files_do_not_count(repo: Repo) -> None:
    repo.commit({f"{number}.py": "1" for number in range(MAX_FILES_OF_COMMIT + 1)})
    assert co_changes(repo.path, "HEAD", ["1.py"]) == CoChanges()


def test_oldest_commit_of_a_shallow_clone_does_not_count(repo: Repo, tmp_path: Path) -> None:
    """Nobody knows what it changed; a checkout in CI has two commits."""
    repo.commit({"a.py": "1", "b.py": "1"})
    repo.commit({"a.py": "2"})
    repo.commit({"a.py": "3", "test_a.py": "3"})
    clone = Repo(tmp_path / "clone")
    clone.git("fetch", "-q", "--depth=2", repo.path.as_uri(), "HEAD")
    changes = co_changes(clone.path, clone.git("rev-parse", "FETCH_HEAD").strip(), ["a.py"])
    assert changes == CoChanges({"test_a.py": 1 / 2}, {"test_a.py": 1}, 1)


def test_names_are_no_patterns_or_options(repo: Repo) -> None:
    repo.commit({"a.py": "1", "b.py": "1"})
    assert co_changes(repo.path, "HEAD", ["*.py"]) == CoChanges()
    assert co_changes(repo.path, "HEAD", ["--all"]) == CoChanges()
    assert co_changes(repo.path, "HEAD", []) == CoChanges()
