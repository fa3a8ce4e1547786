"""Vectors that come with the words: an index has one for each node, or for none."""

import struct
from contextlib import suppress
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from fault_injection import Crash, FailingDatabase, FaultInjector
from feeder.source.git_trees import Commit
from feeder.store import Statement
from feeder.store.scope import Scope
from feeder.store.sqlite import SQLite
from feeder.store.static_vectors import SCALE_BYTES, StaticVectors, setup_statements
from feeder.sync.sync import sync
from feeder.sync.validate import repair, validate
from hash_embedder import HashedEmbedder, HashedStaticEmbedder
from index_helpers import REPO, new_sync_context, open_database, run_sync
from source.repos import Repo

CODES = HashedStaticEmbedder()
ROWS = "every node's row equals what its file parses to"
PAIRS = """
SELECT (SELECT count(*) FROM docs), (SELECT count(*) FROM meanings),
  (SELECT count(*) FROM docs d JOIN meanings m ON m.seq = d.seq)
"""


def pairs(database: SQLite) -> tuple[int, int, int]:
    """Nodes, vectors, and nodes that have theirs."""
    [[row]] = database.run([Statement(PAIRS)])
    nodes, vectors, vector_options = map(int, map(str, row))
    return nodes, vectors, vector_options


def is_whole(database: SQLite) -> bool:
    """Whether each node has its vector, and none is without a node."""
    nodes, vectors, vector_options = pairs(database)
    return nodes > 0 and nodes == vectors == vector_options


def test_each_node_has_its_vector_after_each_change(shop: Repo, database: SQLite) -> None:
    """New, changed, moved and deleted files; the second run has nothing to do."""
    run_sync(Commit(shop.path), database, static_model=CODES)
    assert is_whole(database)
    shop.commit({"src/cart.py": "def other():\n    return 1\n", "docs/guide.md": None})
    run_sync(Commit(shop.path), database, static_model=CODES)
    assert is_whole(database)
    report = run_sync(Commit(shop.path), database, static_model=CODES)
    assert report.files_processed == 0


def test_the_vector_is_that_of_the_nodes_text(shop: Repo, database: SQLite) -> None:
    """What is asked in a node's own words finds it first, with a cosine of nearly 1."""
    run_sync(Commit(shop.path), database, static_model=CODES)
    [[row]] = database.run(
        [
            Statement(
                "SELECT d.id, m.code FROM docs d JOIN meanings m ON m.seq = d.seq "
                "WHERE d.path = 'src/cart.py' ORDER BY d.start_line LIMIT 1"
            )
        ]
    )
    code = np.frombuffer(cast("bytes", row[1]), np.int8, offset=SCALE_BYTES).astype(np.float32)
    vector = code / np.linalg.norm(code)
    [first, *_] = StaticVectors(database).query(vector, 3, Scope.of_repo(REPO))
    assert first.id == row[0]
    assert first.score == pytest.approx(1, abs=0.01)


def test_a_scope_narrows_before_the_nearest_are_taken(shop: Repo, database: SQLite) -> None:
    """Of two repositories in one file, one is asked."""
    run_sync(Commit(shop.path), database, static_model=CODES)
    run_sync(Commit(shop.path), database, static_model=CODES, name="acme/other")
    [vector] = HashedEmbedder(CODES.dimensions).embed(["cart"])
    meanings = StaticVectors(database)
    [[rows]] = [database.run([Statement("SELECT id FROM docs WHERE repo = 'acme/other'")])]
    own = {str(id_) for (id_,) in rows}
    found = meanings.query(vector, 100, Scope.of_repo("acme/other"))
    assert {one.id for one in found} == own
    assert meanings.query(vector, 100, Scope.of_repo("acme/none")) == []


def test_an_index_without_them_gets_them_by_the_next_run(shop: Repo, database: SQLite) -> None:
    """Every file is read again, no node is written again; and the way back."""
    run_sync(Commit(shop.path), database)
    assert pairs(database)[1] == 0
    report = run_sync(Commit(shop.path), database, static_model=CODES)
    assert is_whole(database)
    assert report.nodes_new == 0
    run_sync(Commit(shop.path), database)
    assert pairs(database)[1] == 0


def test_another_model_replaces_all(shop: Repo, database: SQLite) -> None:
    """Vectors of two models never stand side by side."""
    run_sync(Commit(shop.path), database, static_model=CODES)
    other = HashedStaticEmbedder("wider", 64)
    run_sync(Commit(shop.path), database, static_model=other)
    [[sizes]] = [database.run([Statement("SELECT DISTINCT length(code) FROM meanings")])]
    assert sizes == [(SCALE_BYTES + 64,)]
    assert validate(new_sync_context(Commit(shop.path), database, static_model=other)).passed


def test_a_repository_beside_keeps_its_own(shop: Repo, database: SQLite) -> None:
    """A run by words alone takes out only what is its repository's."""
    run_sync(Commit(shop.path), database, static_model=CODES, name="acme/other")
    before = pairs(database)[1]
    run_sync(Commit(shop.path), database)
    assert pairs(database)[1] == before


@pytest.mark.parametrize("before", [True, False])
def test_a_run_that_dies_anywhere_leaves_none_without_the_other(
    tmp_path: Path, shop: Repo, *, before: bool
) -> None:
    """At each write, before it is done or after: what is there is whole; the next run ends it."""
    for at in range(1, 40):
        file = tmp_path / f"{before}-{at}.db"
        database = open_database(file)
        fuse = FaultInjector(at, before=before)
        run = new_sync_context(
            Commit(shop.path), FailingDatabase(database, fuse), static_model=CODES
        )
        with suppress(Crash):
            sync(run)
        if has_rows(database):
            nodes, vectors, vector_options = pairs(database)
            assert nodes == vectors == vector_options
        run_sync(Commit(shop.path), database, static_model=CODES)
        assert is_whole(database)
        database.close()
        if not fuse.has_failed:
            return
    pytest.fail("the run has more writes than were tried")


def has_rows(database: SQLite) -> bool:
    """Whether the run has begun to write."""
    [found] = database.run([Statement("SELECT 1 FROM sqlite_schema WHERE name = 'meanings'")])
    return bool(found)


def test_a_wrong_or_lost_vector_is_named_and_mended(shop: Repo, database: SQLite) -> None:
    """Another text's, none at all, and one that is no vector."""
    tree = Commit(shop.path)
    run_sync(tree, database, static_model=CODES)
    for damage in (
        "UPDATE meanings SET code = (SELECT code FROM meanings ORDER BY seq DESC LIMIT 1) "
        "WHERE seq = (SELECT min(seq) FROM docs WHERE path = 'src/cart.py')",
        "DELETE FROM meanings WHERE seq = (SELECT min(seq) FROM docs WHERE path = 'src/cart.py')",
        "UPDATE meanings SET code = 'none' "
        "WHERE seq = (SELECT min(seq) FROM docs WHERE path = 'src/cart.py')",
    ):
        database.run([Statement(damage)])
        run = new_sync_context(tree, database, static_model=CODES)
        verdict = validate(run)
        [check] = [check for check in verdict.checks if not check.passed]
        assert (check.name, check.differences) == (ROWS, ["src/cart.py: different meaning: 1"])
        repair(run, verdict)
        assert validate(new_sync_context(tree, database, static_model=CODES)).passed


def test_rounding_is_no_difference(shop: Repo, database: SQLite) -> None:
    """Another machine sums in another order: one of 127 steps up or down is the same vector."""
    run_sync(Commit(shop.path), database, static_model=CODES)
    [[row]] = database.run([Statement("SELECT seq, code FROM meanings LIMIT 1")])
    code = bytearray(cast("bytes", row[1]))
    at = next(at for at in range(SCALE_BYTES, len(code)) if code[at] not in (126, 127, 255))
    code[at] += 1
    text = "UPDATE meanings SET code = unhex(?) WHERE seq = ?"
    database.run([Statement(text, (code.hex(), row[0]))])
    assert validate(new_sync_context(Commit(shop.path), database, static_model=CODES)).passed


def test_the_table_is_made_once_for_all_repositories(database: SQLite) -> None:
    """And what a run begins with can be said again."""
    for _ in range(2):
        database.run(setup_statements(REPO, enabled=True))
    assert pairs(database) == (0, 0, 0)


@pytest.mark.parametrize("scale", [float("nan"), float("inf"), 0.0, -1.0, 1e30])
def test_a_wrong_scale_is_named(shop: Repo, database: SQLite, scale: float) -> None:
    """It stands before the numbers, and a vector is their product."""
    run_sync(Commit(shop.path), database, static_model=CODES)
    [[row]] = database.run([Statement("SELECT seq, code FROM meanings LIMIT 1")])
    code = struct.pack("<f", scale) + cast("bytes", row[1])[SCALE_BYTES:]
    text = "UPDATE meanings SET code = unhex(?) WHERE seq = ?"
    database.run([Statement(text, (code.hex(), row[0]))])
    assert not validate(new_sync_context(Commit(shop.path), database, static_model=CODES)).passed


def test_all_vectors_are_read_whatever_their_bytes(database: SQLite) -> None:
    """More than one statement reads, of rows with gaps between them; 256 numbers are every byte."""
    every = np.arange(-128, 128, dtype=np.int8)
    code = struct.pack("<f", 1 / 1024) + every.tobytes()
    database.run(setup_statements(REPO, enabled=True))
    database.run([Statement(DOCS, (REPO,)), Statement(ADD_TO_ALL, (code,))])
    query = every / np.linalg.norm(every.astype(np.float32))
    found = StaticVectors(database).query(query.astype(np.float32), 20_000, Scope.of_repo(REPO))
    assert [int(one.id) for one in found] == list(range(3, 3 * 8_001, 3))
    assert found[0].score == pytest.approx(float(np.linalg.norm(every.astype(float))) / 1024)


DOCS = """
WITH RECURSIVE node(i) AS (SELECT 3 UNION ALL SELECT i + 3 FROM node WHERE i < 24000)
INSERT INTO docs (seq, id, repo, branch, sha_head, path, node_type, start_line, end_line, text_sha)
SELECT i, i, ?, 'b', 'c', 'p', 'chunk', 1, 1, i FROM node
"""
ADD_TO_ALL = "INSERT INTO meanings (seq, code) SELECT seq, ? FROM docs"
