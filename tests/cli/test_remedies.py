"""The command that a message about a missing index names makes the index that was looked for."""

import re
import shlex
from pathlib import Path

import pytest

from command_runner import RunFeeder
from source.repos import Repo


def remedies(message: str) -> list[list[str]]:
    """Returns the arguments of the commands that make an index, in a message of several lines."""
    found = re.findall(r"(?:Make one with|Create it|as it is): feeder (.*)$", message, re.MULTILINE)
    return [*map(shlex.split, found)]


@pytest.mark.parametrize("command", [["search", "cart"], ["stats"], ["doctor"]], ids=str)
@pytest.mark.parametrize("in_git", [True, False])
@pytest.mark.parametrize("options", [[], ["--db", "../an index.db"], ["-C", "../shop"]], ids=str)
def test_missing_index_is_made_where_it_was_looked_for(
    feeder: RunFeeder, tmp_path: Path, command: list[str], in_git: bool, options: list[str]
) -> None:
    """With the options of the command that did not find it."""
    shop, elsewhere = tmp_path / "shop", tmp_path / "elsewhere"
    elsewhere.mkdir()
    shop.mkdir()
    if in_git:
        Repo(shop).commit({"cart.py": "def cart(): ...\n"})
    else:
        (shop / "cart.py").write_text("def cart(): ...\n")
    folder = elsewhere if "-C" in options else shop

    failed = feeder(folder, *command, *options)
    [arguments] = remedies(failed.out if command == ["doctor"] else failed.err)
    assert arguments[0] == ("sync" if in_git else "process")
    made = feeder(folder, *arguments)
    assert made.code == 0, made.err

    repeated = feeder(folder, *command, *options)
    assert remedies(repeated.out + repeated.err) == []
    assert repeated.code == 0, repeated.err


@pytest.mark.parametrize(
    "command", [["search", "cart"], ["search", "cart", "-l"], ["doctor"], ["grep", "cart"]], ids=str
)
def test_sync_is_named_with_the_options_that_find_the_index(
    feeder: RunFeeder, tmp_path: Path, command: list[str]
) -> None:
    """An index that is behind; options of the environment need not be typed again."""
    (tmp_path / "elsewhere").mkdir()
    repo = Repo(tmp_path / "my shop")
    repo.commit({"cart.py": "def cart(): ...\n\n\ndef gone(): ...\n"})
    place = ["-C", "../my shop", "--db", "../an index.db"]
    assert feeder(tmp_path / "elsewhere", "sync", "-q", *place).code == 0
    repo.commit({"cart.py": "def cart(): ...\n", "more.py": "def cart(): return 1\n"})
    answer = feeder(tmp_path / "elsewhere", *command, *place)
    named = re.findall(r"feeder (sync.*?)\)?\.?$", answer.err + answer.out, re.MULTILINE)
    assert {tuple(shlex.split(entry)) for entry in named} == {("sync", *place)}
    assert feeder(tmp_path / "elsewhere", *shlex.split(named[0])).code == 0
    repeated = feeder(tmp_path / "elsewhere", "search", "cart", *place)
    assert "feeder sync" not in repeated.err + repeated.out


def test_error_names_sync_with_the_options_that_find_the_index(
    feeder: RunFeeder, tmp_path: Path
) -> None:
    """As where nothing is committed yet."""
    repo = Repo(tmp_path / "shop")
    repo.write({"cart.py": "def cart(): ...\n"})
    answer = feeder(tmp_path, "sync", "-C", "shop")
    assert answer.err.endswith("or index the files: feeder sync -C shop --working-tree\n")
