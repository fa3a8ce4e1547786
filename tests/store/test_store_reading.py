"""Which nodes have the words, where there are too many of them to score each."""

from feeder.store import Statement
from feeder.store.reading import WEIGHTS, worded, words_statement
from feeder.store.scope import Scope
from feeder.store.sqlite import SQLite
from worlds import opened

NODES = """
WITH RECURSIVE node(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM node WHERE i < 12000)
INSERT INTO docs (seq, id, repo, branch, sha_head, path, node_type, start_line, end_line, text_sha)
SELECT i, i, iif(i % 10 IN (1, 2), ?, 'acme/shop'), 'b', 'c', 'd' || (i % 10) || '/' || i, 'chunk',
  1, 1, i FROM node
"""
POSTINGS = """
INSERT INTO docs_fts (rowid, id, path, body)
SELECT seq, id, path, replace(hex(zeroblob(seq % 101)), '00', 'filler ')
  || iif(seq % 2 = 0, substr(' return return return', 1, 7 + 7 * (seq % 3)), '')
  || iif(seq % 10 IN (1, 2), ' parcel', '') || iif(seq % 4000 = 7, ' label', '') FROM docs
"""
FILES = """
INSERT INTO files (repo, path, blob, sha_head, nodes, state)
SELECT DISTINCT repo, path, 'b', 'c', 1, 'clean' FROM docs
"""
BY_BM25 = f"""
SELECT d.id FROM docs_fts f JOIN docs d ON d.seq = f.rowid WHERE docs_fts MATCH ?
ORDER BY bm25(docs_fts, {WEIGHTS}), d.path LIMIT 100
"""


def crowd(repo: str = "acme/shop") -> SQLite:
    """12,000 nodes in the folders d0 to d9, by the last digit of their number.

    "return" is in the 6,000 with an even one, "parcel" in the 2,400 of d1 and d2, which are
    `repo`'s, and "label" in the nodes 7, 4007 and 8007.
    """
    database = opened()
    database.run([Statement(NODES, (repo,)), Statement(POSTINGS), Statement(FILES)])
    return database


def found(database: SQLite, *words: str, path: str | None = None) -> list[str]:
    [rows] = database.run([words_statement(words, Scope.of("acme/shop", path), 100)])
    return list(worded(rows))


def test_a_common_word_ranks_what_rarer_words_find() -> None:
    """The best are those that bm25 over all nodes and words puts first, in its order."""
    database = crowd()
    [best] = database.run([Statement(BY_BM25, ("return OR parcel",))])
    assert found(database, "return", "parcel") == [id_ for (id_,) in best]
    database.close()


def test_a_common_word_finds_where_rarer_ones_find_too_little() -> None:
    """Three nodes are no answer for who wants a hundred."""
    database = crowd()
    nodes = found(database, "return", "label")
    assert set(nodes[:3]) == {"7", "4007", "8007"}
    assert len(nodes) == 100
    database.close()


def test_words_that_are_all_common_find() -> None:
    """And one that is nowhere changes nothing."""
    database = crowd()
    assert len(found(database, "return", "nowhere")) == 100
    assert found(database, "nowhere") == []
    database.close()


def test_a_common_word_finds_where_the_scope_is_narrow() -> None:
    """In a folder without the rarer word."""
    database = crowd()
    nodes = found(database, "return", "parcel", path="d4")
    assert len(nodes) == 100
    assert {int(id_) % 10 for id_ in nodes} == {4}
    database.close()


def test_what_is_rare_in_another_repository_hides_nothing() -> None:
    """The rarer word is in the other one alone, and so finds nothing here."""
    database = crowd("acme/other")
    nodes = found(database, "return", "parcel")
    assert len(nodes) == 100
    assert {int(id_) % 10 for id_ in nodes} <= {0, 4, 6, 8}
    database.close()
