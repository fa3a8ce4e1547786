"""Static vectors: an index has one for each node, or none at all."""

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
ROWS = "every node matches its parsed file"
PAIRS = """
SELECT (SELECT count(*) FROM docs), (SELECT count(*) FROM meanings),
  (SELECT count(*) FROM docs d JOIN meanings m ON m.seq = d.seq)
"""


def vector_counts(database: SQLite) -> tuple[int, int, int]:
    """Returns the number of nodes, of vectors, and of nodes with a vector."""
    [[row]] = database.run([Statement(PAIRS)])
    nodes, vectors, both = map(int, map(str, row))
    return nodes, vectors, both


def is_complete(database: SQLite) -> bool:
    """True if each node has its vector and each vector its node."""
    nodes, vectors, both = vector_counts(database)
    return nodes > 0 and nodes == vectors == both


def test_each_node_has_its_vector_after_each_change(shop: Repo, database: SQLite) -> None:
    """New, changed, moved and deleted files; a second run has nothing to do."""
    run_sync(Commit(shop.path), database, static_model=CODES)
    assert is_complete(database)
    shop.commit({"src/cart.py": "def other():\n    return 1\n", "docs/guide.md": None})
    run_sync(Commit(shop.path), database, static_model=CODES)
    assert is_complete(database)
    report = run_sync(Commit(shop.path), database, static_model=CODES)
    assert report.files_processed == 0


def test_vector_is_that_of_the_nodes_text(shop: Repo, database: SQLite) -> None:
    """A query with the node's own words finds it first, with a cosine of nearly 1."""
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


def test_scope_applies_before_the_nearest_are_chosen(shop: Repo, database: SQLite) -> None:
    """One of two repositories in the same file is searched."""
    run_sync(Commit(shop.path), database, static_model=CODES)
    run_sync(Commit(shop.path), database, static_model=CODES, name="acme/other")
    [vector] = HashedEmbedder(CODES.dimensions).embed(["cart"])
    meanings = StaticVectors(database)
    [[rows]] = [database.run([Statement("SELECT id FROM docs WHERE repo = 'acme/other'")])]
    own = {str(id_) for (id_,) in rows}
    found = meanings.query(vector, 100, Scope.of_repo("acme/other"))
    assert {neighbour.id for neighbour in found} == own
    assert meanings.query(vector, 100, Scope.of_repo("acme/none")) == []


def test_index_without_static_vectors_gets_them_in_the_next_run(
    shop: Repo, database: SQLite
) -> None:
    """All files are read again, but no node is rewritten; removing them works the same."""
    run_sync(Commit(shop.path), database)
    assert vector_counts(database)[1] == 0
    report = run_sync(Commit(shop.path), database, static_model=CODES)
    assert is_complete(database)
    assert report.nodes_new == 0
    run_sync(Commit(shop.path), database)
    assert vector_counts(database)[1] == 0


def test_other_static_model_replaces_all_vectors(shop: Repo, database: SQLite) -> None:
    """Vectors of two models are never mixed."""
    run_sync(Commit(shop.path), database, static_model=CODES)
    other = HashedStaticEmbedder("feeder-static-wider", 64)
    run_sync(Commit(shop.path), database, static_model=other)
    [[sizes]] = [database.run([Statement("SELECT DISTINCT length(code) FROM meanings")])]
    assert sizes == [(SCALE_BYTES + 64,)]
    assert validate(new_sync_context(Commit(shop.path), database, static_model=other)).passed


def test_run_by_words_alone_keeps_another_repositorys_vectors(shop: Repo, database: SQLite) -> None:
    run_sync(Commit(shop.path), database, static_model=CODES, name="acme/other")
    before = vector_counts(database)[1]
    run_sync(Commit(shop.path), database)
    assert vector_counts(database)[1] == before


@pytest.mark.parametrize("before", [True, False])
def test_crashed_run_leaves_no_node_without_vector_or_vector_without_node(
    tmp_path: Path, shop: Repo, *, before: bool
) -> None:
    """At any write, before or after its work; the next run completes the index."""
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
            nodes, vectors, both = vector_counts(database)
            assert nodes == vectors == both
        run_sync(Commit(shop.path), database, static_model=CODES)
        assert is_complete(database)
        database.close()
        if not fuse.has_failed:
            return
    pytest.fail("the run has more writes than were tried")


def has_rows(database: SQLite) -> bool:
    """True once the run has begun to write."""
    [found] = database.run([Statement("SELECT 1 FROM sqlite_schema WHERE name = 'meanings'")])
    return bool(found)


def test_wrong_or_missing_vector_is_found_and_repaired(shop: Repo, database: SQLite) -> None:
    """A vector of another text, a missing one and an invalid one."""
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


def test_rounding_differences_are_accepted(shop: Repo, database: SQLite) -> None:
    """Another machine may sum in another order: one step of 127 up or down is equal."""
    run_sync(Commit(shop.path), database, static_model=CODES)
    [[row]] = database.run([Statement("SELECT seq, code FROM meanings LIMIT 1")])
    code = bytearray(cast("bytes", row[1]))
    at = next(at for at in range(SCALE_BYTES, len(code)) if code[at] not in (126, 127, 255))
    code[at] += 1
    text = "UPDATE meanings SET code = unhex(?) WHERE seq = ?"
    database.run([Statement(text, (code.hex(), row[0]))])
    assert validate(new_sync_context(Commit(shop.path), database, static_model=CODES)).passed


def test_table_is_created_once_for_all_repositories(database: SQLite) -> None:
    """The statements that create it can be repeated."""
    for _ in range(2):
        database.run(setup_statements(REPO, enabled=True))
    assert vector_counts(database) == (0, 0, 0)


@pytest.mark.parametrize("scale", [float("nan"), float("inf"), 0.0, -1.0, 1e30])
def test_wrong_scale_is_found(shop: Repo, database: SQLite, scale: float) -> None:
    """A vector is the product of its scale and its codes."""
    run_sync(Commit(shop.path), database, static_model=CODES)
    [[row]] = database.run([Statement("SELECT seq, code FROM meanings LIMIT 1")])
    code = struct.pack("<f", scale) + cast("bytes", row[1])[SCALE_BYTES:]
    text = "UPDATE meanings SET code = unhex(?) WHERE seq = ?"
    database.run([Statement(text, (code.hex(), row[0]))])
    assert not validate(new_sync_context(Commit(shop.path), database, static_model=CODES)).passed


def test_all_vectors_are_read_for_any_bytes(database: SQLite) -> None:
    """Several statements read rows with gaps between them; the codes include every byte."""
    every = np.arange(-128, 128, dtype=np.int8)
    code = struct.pack("<f", 1 / 1024) + every.tobytes()
    database.run(setup_statements(REPO, enabled=True))
    database.run([Statement(DOCS, (REPO,)), Statement(ADD_TO_ALL, (code,))])
    query = every / np.linalg.norm(every.astype(np.float32))
    found = StaticVectors(database).query(query.astype(np.float32), 20_000, Scope.of_repo(REPO))
    assert [int(neighbour.id) for neighbour in found] == list(range(3, 3 * 8_001, 3))
    assert found[0].score == pytest.approx(float(np.linalg.norm(every.astype(float))) / 1024)


DOCS = """
WITH RECURSIVE node(i) AS (SELECT 3 UNION ALL SELECT i + 3 FROM node WHERE i < 24000)
INSERT INTO docs (seq, id, repo, branch, sha_head, path, node_type, start_line, end_line, text_sha)
SELECT i, i, ?, 'b', 'c', 'p', 'chunk', 1, 1, i FROM node
"""
ADD_TO_ALL = "INSERT INTO meanings (seq, code) SELECT seq, ? FROM docs"
