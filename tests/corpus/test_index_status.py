"""The note about the state of the index, from its `meta` values and from git."""

import pytest

from feeder.corpus.index_status import read_index_status
from index_helpers import REPO
from source.repos import Repo

FILES: dict[str, str | bytes] = {"src/a.py": "a = 1\n", "docs/b.md": "# B\n"}


def meta(repo: Repo, folder: str = "", **more: str) -> dict[str, str]:
    """The `meta` values of an index that was synced to HEAD, or to a folder of it."""
    known = {"head": repo.git("rev-parse", "HEAD"), "run": "1", "done": "1", "below": folder}
    known["tree"] = repo.git("rev-parse", f"HEAD:{folder}")
    return {f"{REPO}:{key}": value for key, value in {**known, **more}.items()}


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit(FILES)
    return repo


def note(repo: Repo, known: dict[str, str]) -> str:
    return read_index_status(repo.path, REPO, known).note


def test_empty_commit_does_not_make_the_index_stale(shop: Repo) -> None:
    known = meta(shop)
    head = shop.commit()
    assert note(shop, known) == f"The index matches HEAD {head[:7]}."


def test_commit_outside_the_indexed_folder_does_not_make_it_stale(shop: Repo) -> None:
    known = meta(shop, "src")
    head = shop.commit({"docs/b.md": "# C\n"})
    assert note(shop, known) == f"The index of the folder src matches HEAD {head[:7]}."
    shop.commit({"src/a.py": "a = 2\n"})
    assert "The index of the folder src is 2 commits behind HEAD" in note(shop, known)


@pytest.mark.parametrize(
    ("done", "says"),
    [
        (
            "1",
            "The index matches {} except for files that were indexed one by one, or are to be read "
            "again. To index all files: feeder sync",
        ),
        ("0", "The index matched {}; a later sync is running or was stopped: feeder sync"),
    ],
)
def test_index_of_no_single_tree_is_not_reported_as_up_to_date(
    shop: Repo, done: str, says: str
) -> None:
    known = meta(shop, done=done)
    del known[f"{REPO}:tree"]
    assert note(shop, known) == says.format(known[f"{REPO}:head"][:7])


def test_unfinished_working_tree_index_is_reported(shop: Repo) -> None:
    known = meta(shop, done="0", working="some tree")
    assert note(shop, known).startswith("The index matches the working tree as last indexed, on ")
    del known[f"{REPO}:tree"]
    assert note(shop, known) == (
        "The index matches the working tree before the last sync, which is incomplete: feeder sync"
    )


def test_working_tree_index_is_up_to_date_only_after_a_later_check(shop: Repo) -> None:
    known = meta(shop, working="some tree", tree="some tree")
    head = known[f"{REPO}:head"][:7]

    def status_note(seen: str) -> str:
        return read_index_status(shop.path, REPO, known, seen_tree=seen).note

    assert status_note("some tree") == f"The index matches the working tree on {head}."
    assert status_note("") == f"The index matches the working tree as last indexed, on {head}."
    assert (
        status_note("another tree")
        == f"The index matches the working tree as last indexed, on {head}."
    )
