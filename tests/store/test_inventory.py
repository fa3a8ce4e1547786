"""What an index contains, read from `meta`."""

import random
from pathlib import Path

import pytest

from feeder.store import Statement
from feeder.store.inventory import REPOSITORIES, indexed_repositories
from feeder.store.migrations import migrate
from feeder.store.sqlite import SQLite

_KEYS = ("below", "branch", "head", "run", "tree", "write:7:1", "cost:sync")
_GLOBAL_KEYS = ("dimensions", "header", "lookup", "model")


@pytest.fixture
def database() -> SQLite:
    one = SQLite(Path(":memory:"))
    migrate(one)
    return one


def add_meta(database: SQLite, keys: list[str]) -> None:
    database.run([Statement("INSERT INTO meta VALUES (?, 'x')", (key,)) for key in keys])


@pytest.mark.parametrize("seed", range(20))
def test_repositories_are_those_with_a_run(database: SQLite, seed: int) -> None:
    """Names that begin with each other, and one with a colon, are told apart."""
    draw = random.Random(seed)
    names = ["a/b", "a/b-c", "a/b.c", "a/b0", "a/bc", "folder", "C:folder", "z/model", "model"]
    chosen = sorted(draw.sample(names, draw.randrange(len(names))))
    others = [name for name in names if name not in chosen]
    keys = [f"{name}:{key}" for name in chosen for key in _KEYS]
    keys += [f"{name}:head" for name in others if draw.random() < 0.5]
    add_meta(database, [*keys, *_GLOBAL_KEYS])
    assert indexed_repositories(database) == chosen


def test_names_of_repositories_read_few_of_their_keys(database: SQLite) -> None:
    """SQLite's virtual machine takes the same number of steps however many keys each has."""

    def steps() -> int:
        count = 0

        def one_more() -> bool:
            nonlocal count
            count += 1
            return False

        database.connection.set_progress_handler(one_more, 1)
        database.connection.execute(REPOSITORIES).fetchall()
        database.connection.set_progress_handler(None, 0)
        return count

    add_meta(database, [f"a/r{at}:{key}" for at in range(20) for key in _KEYS])
    before = steps()
    assert before > 20
    add_meta(database, [f"a/r{at}:write:{one}" for at in range(20) for one in range(50)])
    assert steps() == before
