"""The last change of each file, in real histories with chosen dates."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from feeder.source import git
from feeder.source.history import FileHistory, file_history, latest_changes
from source.repos import Repo

DAY_S = 86_400
Files = Mapping[str, str | bytes | None] | Mapping[bytes, str | bytes | None]


@pytest.fixture
def days(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> "Days":
    return Days(repo, monkeypatch)


class Days:
    """Commits a file or a branch on a day since 1970."""

    def __init__(self, repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
        self.repo = repo
        self._monkeypatch = monkeypatch

    def on(self, day: int) -> None:
        for who in ("AUTHOR", "COMMITTER"):
            self._monkeypatch.setenv(f"GIT_{who}_DATE", f"@{day * DAY_S} +0000")

    def commit(self, day: int, files: Files) -> str:
        self.on(day)
        return self.repo.commit(files)

    def found(self) -> FileHistory:
        return file_history(self.repo.path, git.head_ids(self.repo.path)[0])


def test_each_file_has_the_day_of_its_last_commit(days: Days) -> None:
    """Deleted files have none; names are in the form of the index."""
    days.commit(100, {"a.py": "1", "d/b.py": "1", "gone.py": "1"})
    days.commit(200, {b"a.py": "2", b"\n\xff": "1", b"x": "1"})
    days.commit(300, {"gone.py": None})
    a, b = 200 * DAY_S, 100 * DAY_S
    assert days.found() == FileHistory({"a.py": a, "d/b.py": b, "\n\\xff": a, "x": a})


def test_rename_counts_as_a_change(days: Days) -> None:
    days.commit(100, {"old.py": "the same text\n" * 20})
    days.commit(200, {"old.py": None, "new.py": "the same text\n" * 20})
    assert days.found().changed_s == {"new.py": 200 * DAY_S}


def test_merge_counts_as_the_day_of_its_changes(days: Days) -> None:
    """Including conflict resolutions, which are in no other commit."""
    days.commit(100, {"a.py": "1", "b.py": "1"})
    days.repo.git("checkout", "-q", "-b", "side")
    days.commit(150, {"b.py": "2"})
    days.repo.git("checkout", "-q", "-")
    days.commit(200, {"c.py": "1"})
    days.on(300)
    days.repo.git("merge", "-q", "--no-ff", "--no-commit", "side")
    days.repo.commit({"a.py": "resolved"})
    assert days.found().changed_s == {"a.py": 300 * DAY_S, "b.py": 300 * DAY_S, "c.py": 200 * DAY_S}


def test_first_commit_of_a_shallow_clone_changes_nothing(days: Days, tmp_path: Path) -> None:
    """It contains all files."""
    days.commit(100, {"a.py": "1", "b.py": "1"})
    days.commit(200, {"b.py": "2"})
    days.commit(300, {"c.py": "1"})
    clone = tmp_path / "clone"
    days.repo.git("clone", "-q", "--depth=2", days.repo.path.as_uri(), str(clone))
    found = file_history(clone, git.head_ids(clone)[0])
    assert found == FileHistory({"c.py": 300 * DAY_S}, oldest_commit_s=200 * DAY_S)


def test_stopped_walk_returns_its_limit(days: Days) -> None:
    """Files before it are complete; other files have only `since`."""
    for day in range(100, 130):
        days.commit(day, {f"{day}.py": "1"})
    known = days.found().changed_s
    found = file_history(days.repo.path, git.head_ids(days.repo.path)[0], timeout_s=0.0)
    assert found.changed_s.items() <= known.items()
    assert len(found.changed_s) == len(known) or found.oldest_commit_s


def test_repository_settings_do_not_change_the_result(days: Days) -> None:
    days.commit(100, {"d/a.py": "1"})
    for name, value in (("log.showSignature", "true"), ("diff.relative", "true")):
        days.repo.git("config", name, value)
    commit, _ = git.head_ids(days.repo.path)
    assert file_history(days.repo.path / "d", commit).changed_s == {"d/a.py": 100 * DAY_S}


def test_files_that_were_changed_last(days: Days) -> None:
    """At most as many as requested, newest first, each with its last change."""
    days.commit(100, {"a.py": "1", "b.py": "1", "c.py": "1"})
    days.commit(200, {"b.py": "2"})
    commit = days.commit(300, {"c.py": "2"})
    found = latest_changes(days.repo.path, commit, 2)
    assert [*found.items()] == [("c.py", 300 * DAY_S), ("b.py", 200 * DAY_S)]
    assert {*latest_changes(days.repo.path, commit, 9)} == {"a.py", "b.py", "c.py"}
