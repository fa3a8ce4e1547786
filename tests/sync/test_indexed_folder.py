"""A folder of a monorepo can be all that an index is about."""

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
def mono(repo: Repo) -> Repo:
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


def test_only_the_files_of_the_folder_are_indexed(mono: Repo, database: SQLite) -> None:
    """Their paths still begin at the repository's root; a longer name is another folder."""
    tree = Commit(mono.path, subfolder="web")
    run_sync(tree, database)
    assert query_rows(database, PATHS) == ["web/app.py", "web/lib/b.py"]
    assert validate(new_sync_context(tree, database)).passed


def test_a_change_elsewhere_is_nothing_to_do(mono: Repo, database: SQLite) -> None:
    """The folder's own tree is compared, not the root's."""
    run_sync(Commit(mono.path, subfolder="web"), database)
    mono.commit({"api/d.py": "D = 2\n"})
    report = run_sync(Commit(mono.path, subfolder="web"), database)
    assert report.notes == ["The index is up to date with the folder web: nothing to do."]


@pytest.mark.parametrize(("first", "second"), [("", "web"), ("web", ""), ("web", "api")])
def test_an_index_of_another_part_is_not_emptied_by_mistake(
    mono: Repo, database: SQLite, first: str, second: str
) -> None:
    """Two workflows that share a name would undo each other's work for ever."""
    run_sync(Commit(mono.path, subfolder=first), database)
    before = index_snapshot(database)
    for dry_run in (False, True):
        with pytest.raises(
            UserError, match="--repo NAME; or replace the files with: feeder sync --force"
        ):
            sync(new_sync_context(Commit(mono.path, subfolder=second), database), dry_run=dry_run)
    assert index_snapshot(database) == before


def test_force_makes_it_an_index_of_the_other_part(mono: Repo, database: SQLite) -> None:
    run_sync(Commit(mono.path), database)
    run = new_sync_context(Commit(mono.path, subfolder="api"), database)
    run.force = True
    sync(run)
    assert query_rows(database, PATHS) == ["api/d.py"]
    assert validate(new_sync_context(Commit(mono.path, subfolder="api"), database)).passed


def test_a_folder_that_is_not_in_head_is_named(mono: Repo) -> None:
    """Neither is a file a folder, nor is a name obeyed by anything on the way to git."""
    for name in ("nowhere", "web-only.py", "$(touch pwned)", "--help", ":(glob)web"):
        with pytest.raises(UserError, match=r"There is no folder .* Correct --path"):
            Commit(mono.path, subfolder=name)


@pytest.mark.parametrize(
    ("text", "name"),
    [("", ""), (".", ""), ("./", ""), ("web/", "web"), ("./web//lib/", "web/lib")],
)
def test_a_folder_is_written_as_people_write_it(text: str, name: str) -> None:
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
def test_a_folder_outside_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="The path "):
        checked_folder(text)
