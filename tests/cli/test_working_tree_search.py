"""A search in a working-tree index uses the indexed contents for patterns, lines and phrases."""

import re

import pytest

from command_runner import RunFeeder
from feeder.store.index_folder import working_tree_folder
from source.repos import Repo

LOOP = "def turn():\n    while True:\n        spin_once()\n"


@pytest.fixture
def mill(repo: Repo, feeder: RunFeeder) -> Repo:
    """A working-tree index in which one file is new and one differs from HEAD."""
    repo.commit({"mill.py": LOOP, "other.py": "def other():\n    return 'other'\n"})
    repo.write({"mill.py": LOOP.replace("once", "twice"), "new.py": "def fresh():\n    pass\n"})
    assert feeder(repo, "sync", "--working-tree", "-q").code == 0
    return repo


def hits(answer: str) -> set[str]:
    return set(re.findall(r"^(\S+:\d+-\d+)", answer, re.MULTILINE))


def test_pattern_is_matched_in_the_indexed_contents(mill: Repo, feeder: RunFeeder) -> None:
    assert hits(feeder(mill, "search", "/spin_twice/").out) == {"mill.py:1-3"}
    assert hits(feeder(mill, "search", "/def fresh/").out) == {"new.py:1-2"}
    assert hits(feeder(mill, "search", "/spin_once/").out) == set()
    mill.write({"new.py": "nothing\n"})
    assert "new.py" in feeder(mill, "search", "/def fresh/").out


def test_moved_lines_are_relocated_from_the_indexed_contents(mill: Repo, feeder: RunFeeder) -> None:
    mill.write({"mill.py": "\n\n" + LOOP.replace("once", "twice")})
    found = feeder(mill, "search", "turn", "--json").json
    assert (found["hits"][0]["state"], found["hits"][0]["start_line"]) == ("moved", 3)
    assert "1 of the files shown has changed since it was indexed." in found["note"]


def test_phrase_is_matched_in_the_indexed_contents(mill: Repo, feeder: RunFeeder) -> None:
    mill.write({"mill.py": "gone = 1\n"})
    assert "mill.py" in feeder(mill, "search", '"while True"').out


def test_stale_snapshot_is_discarded_and_the_search_continues(
    mill: Repo, feeder: RunFeeder
) -> None:
    place = working_tree_folder(mill.path / ".feeder" / "index.db")
    for ours in place.iterdir():
        ours.rename(mill.path / ".feeder" / ours.name)
    assert hits(feeder(mill, "search", "/spin_twice/").out) == {"mill.py:1-3"}


def test_stats_name_the_working_tree(mill: Repo, feeder: RunFeeder) -> None:
    head = mill.git("rev-parse", "HEAD")
    assert f", working tree on {head}" in feeder(mill, "stats").out
    feeder(mill, "sync")
    assert f" at {head}" in feeder(mill, "stats").out
