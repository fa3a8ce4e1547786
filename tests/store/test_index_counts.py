"""The counts of files and nodes that a run keeps in `meta`."""

import json
import random

import pytest

from feeder.nodes import Node
from feeder.store import Statement
from feeder.store.index import Index
from feeder.store.index_counts import (
    count_statements,
    counts_from_json,
    counts_from_rows,
    known_counts,
)
from feeder.store.index_state import UNSHARDED, Sharding, VectorProgress
from feeder.store.integrity import Damage
from feeder.store.rows import IndexedFile, encode_nodes
from feeder.store.sqlite import SQLite
from index_helpers import REPO, open_database

TYPES = ("method", "class", "chunk")
LANGUAGES = ("python", "go", "rust")


@pytest.fixture
def database() -> SQLite:
    return open_database()


def file_of(path: str, seed: int) -> IndexedFile:
    """A file whose nodes, up to five of each type and language, depend on the seed."""
    draw = random.Random(f"{path} {seed}")
    nodes = [
        Node(
            *(draw.choice(LANGUAGES), draw.choice(TYPES), f"name{at}", None, None, at, at),
            text=f"text {at} {draw.random()}",
        )
        for at in range(draw.randrange(6))
    ]
    return IndexedFile(path, str(seed), encode_nodes(REPO, path, nodes))


def kept(database: SQLite) -> object:
    """The counts of the last run in `meta`; None if it has not finished."""
    meta = Index(database, REPO, "main").read_state({}).meta
    counts = known_counts(meta, REPO)
    return counts and counts_from_json(counts)


def counted(database: SQLite) -> object:
    return counts_from_rows(database.run(count_statements(REPO)))


@pytest.mark.parametrize("seed", range(10))
def test_counts_are_those_of_the_rows(database: SQLite, seed: int) -> None:
    """After each of several runs that add, change, skip and delete files, and after one that died
    between its writes.
    """
    draw = random.Random(seed)
    paths = [f"f{at}.py" for at in range(8)]
    for number in range(6):
        index = Index(database, REPO, "main")
        index.begin(str(number), index.read_state({}), {}, recompute_vectors=False)
        for _ in range(2):
            files = [file_of(path, number) for path in draw.sample(paths, 3)]
            gone = draw.sample([path for path in paths if path not in {f.path for f in files}], 1)
            index.write(files, gone, "c", pending=draw.random() < 0.5)
        if number == 3:
            assert kept(database) is None
            continue
        index.finish(VectorProgress(), {})
        assert kept(database) == counted(database)


def test_nodes_are_counted_only_where_the_changes_are_unknown(database: SQLite) -> None:
    """A wrong count stays if a run knows what it adds; it is corrected after a repair and by one of
    several shards.
    """

    def run(token: str, *, sharding: Sharding = UNSHARDED, damage: Damage | None = None) -> int:
        index = Index(database, REPO, "main")
        state = index.read_state({})
        index.begin(token, state, {}, recompute_vectors=False, sharding=sharding)
        index.write([file_of("a.py", 1)], [], "c", pending=False)
        if damage:
            index.remove_damage(damage)
        index.finish(VectorProgress(), {}, sharding)
        sql = "SELECT value->>'node_types' FROM meta WHERE key = ?"
        [[types]] = database.run([Statement(sql, (f"{REPO}:counts",))])[0]
        return sum(number for _, number in json.loads(str(types)))

    def falsify() -> None:
        sql = """UPDATE meta SET value = json_set(value, '$.kinds', json('[["method",null,70]]'))
        WHERE key = ?"""
        database.run([Statement(sql, (f"{REPO}:counts",))])

    nodes = run("1")
    falsify()
    assert run("2") == 70
    assert run("3", sharding=Sharding(f"{REPO}:shard:1/1", {f"{REPO}:shard:1/1": "x"})) == nodes
    falsify()
    assert run("4", damage=Damage()) == nodes


def test_run_without_changes_keeps_the_counts(database: SQLite) -> None:
    index = Index(database, REPO, "main")
    index.begin("1", index.read_state({}), {}, recompute_vectors=False)
    index.write([file_of("a.py", 1)], [], "c", pending=False)
    index.finish(VectorProgress(), {})
    Index(database, REPO, "main").record_noop("2", index.read_state({}), {})
    assert kept(database) == counted(database)
    other = Index(database, REPO, "main")
    other.take_over("3", other.read_state({}), {})
    assert kept(database) is None


def test_another_repositorys_model_makes_the_counts_unknown(database: SQLite) -> None:
    """It marks the files of all repositories as pending."""
    for name, recomputes in (("acme/a", False), ("acme/b", True)):
        index = Index(database, name, "main")
        index.begin(name, index.read_state({}), {}, recompute_vectors=recomputes)
        index.write([file_of("a.py", 1)], [], "c", pending=False)
        index.finish(VectorProgress(), {})
    known = {
        name: Index(database, name, "main").read_state({}).meta for name in ("acme/a", "acme/b")
    }
    assert known_counts(known["acme/a"], "acme/a") is None
    assert known_counts(known["acme/b"], "acme/b") is not None
