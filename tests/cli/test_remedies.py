"""The commands that messages about a missing index name make the index that was looked for."""

import re
import shlex
from pathlib import Path

import pytest

from command_runner import RunFeeder
from source.repos import Repo


def remedies(message: str) -> tuple[list[str], list[str]]:
    """Returns the arguments of the commands in git and outside of it."""
    match = re.search(r": feeder (sync.*) \(outside git: feeder (process.*)\)$", message.strip())
    assert match, message
    in_git, outside = map(shlex.split, match.groups())
    return in_git, outside


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
    text = failed.out if command == ["doctor"] else failed.err
    [line] = [line for line in text.splitlines() if "outside git:" in line]
    made = feeder(folder, *remedies(line)[0 if in_git else 1])
    assert made.code == 0, made.err

    repeated = feeder(folder, *command, *options)
    assert "outside git:" not in repeated.out + repeated.err
    assert repeated.code == 0, repeated.err
