"""What an answer says of the state of the index, by what that remembers and what git says."""

import pytest

from feeder.search.index_status import read_index_status
from index_helpers import REPO
from source.repos import Repo

FILES: dict[str, str | bytes] = {"src/a.py": "a = 1\n", "docs/b.md": "# B\n"}


def meta(repo: Repo, folder: str = "", **more: str) -> dict[str, str]:
    """Of an index that has been brought to HEAD, or to a folder of it."""
    known = {"head": repo.git("rev-parse", "HEAD"), "run": "1", "done": "1", "below": folder}
    known["tree"] = repo.git("rev-parse", f"HEAD:{folder}")
    return {f"{REPO}:{key}": value for key, value in {**known, **more}.items()}


@pytest.fixture
def shop(repo: Repo) -> Repo:
    repo.commit(FILES)
    return repo


def note(repo: Repo, known: dict[str, str]) -> str:
    return read_index_status(repo.path, REPO, known).note


def test_a_commit_that_changes_no_file_leaves_no_index_behind(shop: Repo) -> None:
    known = meta(shop)
    head = shop.commit()
    assert note(shop, known) == f"The index equals HEAD {head[:7]}."


def test_a_commit_elsewhere_leaves_the_index_of_a_folder_equal(shop: Repo) -> None:
    known = meta(shop, "src")
    head = shop.commit({"docs/b.md": "# C\n"})
    assert note(shop, known) == f"The index equals the folder src of HEAD {head[:7]}."
    shop.commit({"src/a.py": "a = 2\n"})
    assert "The index of the folder src is 2 commits behind HEAD" in note(shop, known)


@pytest.mark.parametrize(
    ("done", "says"),
    [
        (
            "1",
            "The index equals {} except for files that were indexed one by one. "
            "To index all files: feeder sync",
        ),
        ("0", "The index equalled {}; a later sync is running or was stopped: feeder sync"),
    ],
)
def test_an_index_that_is_no_tree_s_any_more_does_not_say_that_it_is(
    shop: Repo, done: str, says: str
) -> None:
    known = meta(shop, done=done)
    del known[f"{REPO}:tree"]
    assert note(shop, known) == says.format(known[f"{REPO}:head"][:7])


def test_a_working_tree_on_its_way_is_told_too(shop: Repo) -> None:
    known = meta(shop, done="0", working="some tree")
    assert note(shop, known).startswith("The index equals the working tree last seen on ")
    del known[f"{REPO}:tree"]
    assert note(shop, known) == (
        "The index equals the working tree before the last sync, which is incomplete: feeder sync"
    )


def test_an_index_equals_the_working_tree_only_where_somebody_has_looked_since(shop: Repo) -> None:
    known = meta(shop, working="some tree", tree="some tree")
    head = known[f"{REPO}:head"][:7]

    def said(seen: str) -> str:
        return read_index_status(shop.path, REPO, known, seen_tree=seen).note

    assert said("some tree") == f"The index equals the working tree on {head}."
    assert said("") == f"The index equals the working tree last seen on {head}."
    assert said("another tree") == f"The index equals the working tree last seen on {head}."
