"""An index of one folder of a monorepo."""

import pytest

from feeder.errors import UserError
from feeder.source.deltas import checked_folder
from feeder.source.git_trees import Commit
from feeder.store.sqlite import SQLite
from feeder.sync.sync import sync
from feeder.sync.validate import validate
from index_helpers import index_snapshot, new_sync_context, query_rows, run_sync
from source.repos import Repo

PATHS = "SELECT path FROM files ORDER BY path"


@pytest.fixture
def monorepo(repo: Repo) -> Repo:
    repo.commit(
        {
            "web/app.py": "A = 1\n",
            "web/lib/b.py": "B = 1\n",
            "website/c.py": "C = 1\n",
            "api/d.py": "D = 1\n",
            "web-only.py": "E = 1\n",
        }
    )
    return repo


def test_only_the_files_of_the_folder_are_indexed(monorepo: Repo, database: SQLite) -> None:
    """Paths are relative to the repository's root. A longer name is another folder."""
    tree = Commit(monorepo.path, subfolder="web")
    run_sync(tree, database)
    assert query_rows(database, PATHS) == ["web/app.py", "web/lib/b.py"]
    assert validate(new_sync_context(tree, database)).passed


def test_change_outside_the_folder_needs_no_work(monorepo: Repo, database: SQLite) -> None:
    """The tree id of the folder is compared, not that of the root."""
    run_sync(Commit(monorepo.path, subfolder="web"), database)
    monorepo.commit({"api/d.py": "D = 2\n"})
    report = run_sync(Commit(monorepo.path, subfolder="web"), database)
    assert report.notes == ["The index is up to date with the folder web: nothing to do."]


@pytest.mark.parametrize(
    ("first", "second", "command"),
    [
        ("", "web", "feeder sync --path web --force"),
        ("web", "", "feeder sync --force"),
        ("web", "api", "feeder sync --path api --force"),
    ],
)
def test_sync_of_another_folder_is_refused(
    monorepo: Repo, database: SQLite, first: str, second: str, command: str
) -> None:
    """Two workflows with the same name would undo each other's work repeatedly. The error names
    the command that replaces the indexed files with those of the folder.
    """
    run_sync(Commit(monorepo.path, subfolder=first), database)
    before = index_snapshot(database)
    for dry_run in (False, True):
        with pytest.raises(UserError) as refused:
            sync(
                new_sync_context(Commit(monorepo.path, subfolder=second), database), dry_run=dry_run
            )
        assert refused.value.remedy.endswith(f": {command}")
    assert index_snapshot(database) == before


def test_force_replaces_the_indexed_folder(monorepo: Repo, database: SQLite) -> None:
    run_sync(Commit(monorepo.path), database)
    run = new_sync_context(Commit(monorepo.path, subfolder="api"), database)
    run.force = True
    sync(run)
    assert query_rows(database, PATHS) == ["api/d.py"]
    assert validate(new_sync_context(Commit(monorepo.path, subfolder="api"), database)).passed


def test_folder_missing_from_head_is_an_error(monorepo: Repo) -> None:
    """A file is no folder, and a name is never interpreted as an option or a pattern."""
    for name in ("nowhere", "web-only.py", "$(touch pwned)", "--help", ":(glob)web"):
        with pytest.raises(UserError, match=r"has no folder .* Correct --path"):
            Commit(monorepo.path, subfolder=name)


@pytest.mark.parametrize(
    ("text", "name"),
    [("", ""), (".", ""), ("./", ""), ("web/", "web"), ("./web//lib/", "web/lib")],
)
def test_spellings_of_a_folder_are_accepted(text: str, name: str) -> None:
    assert checked_folder(text) == name


@pytest.mark.parametrize(
    "text",
    [
        *(
            "/etc",
            "..",
            "../x",
            "web/../..",
            "C:/web",
            "C:\\web",
            "\\\\host\\web",
            "web\\lib",
            "a\0b",
        ),
        *(".git", "web/.GIT", ".git/hooks"),
    ],
)
def test_folder_outside_the_repository_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="--path "):
        checked_folder(text)
