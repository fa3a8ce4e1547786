"""A damaged embedding cache, from the file of this machine to Vectorize, which refuses NaN."""

import os
from contextlib import closing
from pathlib import Path

import apsw
import numpy as np
import pytest
from program import Console, console, feeder
from standin import StandIn

from command_runner import RunFeeder
from source.repos import Repo

__all__ = ["console", "feeder"]

INDEX = "acme_shop_code"
FILES = {f"m{number}.py": f"def f{number}():\n    return {number}\n" for number in range(3)}
"""Three nodes."""


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "own" / "cache.db"


def damage(cache: Path, *, has_checksum: bool) -> None:
    """Makes one number of each vector NaN; rows of an earlier version have no checksum."""
    with closing(apsw.Connection(os.fspath(cache))) as connection:
        for rowid, vector in connection.execute("SELECT rowid, vector FROM vectors").fetchall():
            assert isinstance(vector, bytes)
            numbers = np.frombuffer(vector, "<f4").copy()
            numbers[7] = np.nan
            values = (numbers.tobytes(), rowid)
            connection.execute("UPDATE vectors SET vector = ? WHERE rowid = ?", values)
        if not has_checksum:
            connection.execute("UPDATE vectors SET checksum = NULL")


@pytest.mark.parametrize("has_checksum", [True, False])
@pytest.mark.parametrize("command", [("sync",), ("validate", "--repair")], ids=str)
def test_vectors_of_a_damaged_cache_are_computed_again(
    feeder: RunFeeder,
    console: Console,
    standin: StandIn,
    repo: Repo,
    cache: Path,
    command: tuple[str, ...],
    *,
    has_checksum: bool,
) -> None:
    """The Vectorize index was made again, so that every vector is read from the cache."""
    repo.commit(FILES)
    assert feeder(repo, "init").code == 0
    own = ("--cache", str(cache))
    assert feeder(repo, "sync", *own).code == 0
    before = standin.vectors(INDEX)
    assert len(before) == 3
    damage(cache, has_checksum=has_checksum)
    console.delete_index()
    assert feeder(repo, "init").code == 0
    assert standin.vectors(INDEX) == {}

    answer = feeder(repo, *command, *own)
    assert answer.code == 0, answer.err
    assert f"3 vectors in the embedding cache {cache} failed the check" in answer.err
    assert {id_: one["values"] for id_, one in standin.vectors(INDEX).items()} == {
        id_: one["values"] for id_, one in before.items()
    }
    again = feeder(repo, "validate", *own)
    assert again.code == 0, again.out
    assert "failed the check" not in again.err
