"""Word search with words that are in too many nodes to score each."""

from pathlib import Path

import pytest

from feeder.store import Statement
from feeder.store.scope import Scope
from feeder.store.sqlite import SQLite
from feeder.store.word_search import BM25_WEIGHTS, node_counts, scores_by_id, word_search_statement
from index_helpers import MEMORY, open_database

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
ORDER BY bm25(docs_fts, {BM25_WEIGHTS}), d.path LIMIT 100
"""


EVERYWHERE = Scope.of_repo("acme/shop")


def crowd(repo: str = "acme/shop", path: Path = MEMORY) -> SQLite:
    """12,000 nodes in the folders d0 to d9, by the last digit of their number.

    "return" is in the 6,000 even ones, "parcel" in the 2,400 of d1 and d2, which belong to `repo`,
    and "label" in the nodes 7, 4007 and 8007.
    """
    database = open_database(path)
    database.run([Statement(NODES, (repo,)), Statement(POSTINGS), Statement(FILES)])
    return database


def matching_ids(database: SQLite, *words: str, path: str | None = None) -> list[str]:
    [rows] = database.run([word_search_statement(words, Scope.of_repo("acme/shop", path), 100)])
    return list(scores_by_id(rows))


def test_common_word_ranks_the_nodes_of_rarer_words() -> None:
    """The first ones equal those of bm25 over all nodes, in its order."""
    database = crowd()
    [best] = database.run([Statement(BY_BM25, ("return OR parcel",))])
    assert matching_ids(database, "return", "parcel") == [id_ for (id_,) in best]
    database.close()


def test_common_word_adds_nodes_if_rarer_words_find_too_few() -> None:
    """Three nodes are too few for a limit of 100."""
    database = crowd()
    nodes = matching_ids(database, "return", "label")
    assert set(nodes[:3]) == {"7", "4007", "8007"}
    assert len(nodes) == 100
    database.close()


def test_query_of_common_words_only_finds_nodes() -> None:
    """A word that is nowhere changes nothing."""
    database = crowd()
    assert len(matching_ids(database, "return", "nowhere")) == 100
    assert matching_ids(database, "nowhere") == []
    database.close()


def test_common_word_finds_nodes_in_a_narrow_scope() -> None:
    """In a folder without the rarer word."""
    database = crowd()
    nodes = matching_ids(database, "return", "parcel", path="d4")
    assert len(nodes) == 100
    assert {int(id_) % 10 for id_ in nodes} == {4}
    database.close()


def test_rare_word_of_another_repository_hides_nothing() -> None:
    database = crowd("acme/other")
    nodes = matching_ids(database, "return", "parcel")
    assert len(nodes) == 100
    assert {int(id_) % 10 for id_ in nodes} <= {0, 4, 6, 8}
    database.close()


def add_counts(database: SQLite) -> None:
    """Keeps the number of nodes in `meta`, as a run does."""
    sql = """
    INSERT INTO meta SELECT repo || ':counts', json_object('nodes', count(*)) FROM docs GROUP BY 1
    """
    database.run([Statement(sql)])


@pytest.mark.parametrize("is_billed", [False, True])
def test_rare_word_of_another_repository_hides_nothing_that_a_common_one_finds(
    is_billed: bool,
) -> None:
    """All its nodes may be there, whatever the counts in `meta` say."""
    database = crowd("acme/other")
    add_counts(database)
    statement = word_search_statement(["filler", "parcel"], EVERYWHERE, 100, is_billed=is_billed)
    [rows] = database.run([statement])
    nodes = list(scores_by_id(rows, 100))
    assert len(nodes) == 100
    assert not {int(id_) % 10 for id_ in nodes} & {1, 2}
    database.close()


@pytest.mark.parametrize("is_billed", [False, True])
def test_common_word_only_ranks_in_a_shared_database_too(is_billed: bool) -> None:
    """The first scores are those of all nodes of the repository, and fewer are scored than without
    the number of nodes in `meta`.
    """
    database = crowd()
    database.run([Statement("UPDATE docs SET repo = 'acme/other' WHERE seq % 10 = 9")])
    statement = word_search_statement(["filler", "parcel"], EVERYWHERE, 100, is_billed=is_billed)
    explained = []
    for _ in range(2):
        steps = 0

        def step() -> bool:
            nonlocal steps
            steps += 1
            return False

        database.connection.set_progress_handler(step, 100)
        [rows] = database.run([statement])
        database.connection.set_progress_handler(None, 0)
        explained.append(([*scores_by_id(rows, 20).values()], steps))
        if len(explained) == 1:
            add_counts(database)
    (expected, all_steps), (found, fewer_steps) = explained
    assert found == pytest.approx(expected, abs=1e-4)  # a word of most nodes is left out
    assert fewer_steps < 0.8 * all_steps
    database.close()


MOST = """
WITH RECURSIVE node(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM node WHERE i < 30000)
INSERT INTO docs (seq, id, repo, branch, sha_head, path, node_type, start_line, end_line, text_sha)
SELECT i, i, 'acme/shop', 'b', 'c', printf('%05d', i), 'chunk', 1, 1, i FROM node
"""
MOST_POSTINGS = """
INSERT INTO docs_fts (rowid, id, path, body)
SELECT seq, id, path, replace(hex(zeroblob(seq % 101)), '00', 'filler ')
  || iif(seq % 4, 'check', '') || iif(seq % 5 < 2, ' field', '')
  || iif(seq % 2000 < 4, ' label', '') FROM docs
"""
SCORES = f"""
SELECT -bm25(docs_fts, {BM25_WEIGHTS}) FROM docs_fts WHERE docs_fts MATCH ?
ORDER BY bm25(docs_fts, {BM25_WEIGHTS}) LIMIT ?
"""


def large() -> SQLite:
    """30,000 nodes: "check" is in 22,500, "field" in 12,000 and "label" in 60."""
    database = open_database()
    database.run([Statement(MOST), Statement(MOST_POSTINGS)])
    return database


@pytest.mark.parametrize(("rest", "limit"), [("field", 100), ("label", 50)])
def test_word_in_most_nodes_is_left_out(rest: str, limit: int) -> None:
    """The scores are close to those of bm25 over all words."""
    database = large()
    [asked, alone] = database.run(
        [word_search_statement(words, EVERYWHERE, limit) for words in (["check", rest], [rest])]
    )
    [best] = database.run([Statement(SCORES, (f"check OR {rest}", limit))])
    assert scores_by_id(asked) == scores_by_id(alone)
    assert list(scores_by_id(asked).values()) == pytest.approx(
        [score for [score] in best], abs=1e-4
    )
    database.close()


def test_word_in_most_nodes_is_searched_when_alone() -> None:
    database = large()
    nodes = matching_ids(database, "check")
    assert len(nodes) == 100
    assert {int(id_) % 4 > 0 for id_ in nodes} == {True}
    database.close()


def test_word_in_most_nodes_adds_nodes_if_others_find_too_few() -> None:
    """The 60 nodes with the other word come first."""
    database = large()
    nodes = matching_ids(database, "check", "label")
    assert {int(id_) % 2000 < 4 for id_ in nodes[:60]} == {True}
    assert len(nodes) == 100
    database.close()


def test_rarest_of_two_common_words_is_searched_in_any_order() -> None:
    """Both are in more than 10,000 nodes."""
    database = large()
    one, other = ["check", "field", "label"], ["field", "check", "label"]
    answers = database.run(
        [word_search_statement(words, EVERYWHERE, 100) for words in (one, other)]
    )
    assert scores_by_id(answers[0]) == scores_by_id(answers[1])
    assert all(int(id_) % 5 < 2 or int(id_) % 2000 < 4 for id_ in scores_by_id(answers[0]))
    database.close()


def test_cached_word_counts_do_not_change_the_result() -> None:
    database = large()
    words = ["check", "field", "label", "nowhere"]
    counts = node_counts(database, words)
    known, asked = database.run(
        [
            word_search_statement(words, EVERYWHERE, 100, counts),
            word_search_statement(words, EVERYWHERE, 100),
        ]
    )
    assert scores_by_id(known) == scores_by_id(asked)
    assert counts["nowhere"] == 0
    database.close()


def test_only_the_words_of_several_are_counted() -> None:
    database = crowd()
    assert node_counts(database, ["return"]) == {}
    assert node_counts(database, ["return", "parcel"]) == {"return": 6000, "parcel": 2400}
    # the first two are in the cache now, and the third is counted alone
    assert node_counts(database, ["return", "parcel", "label"])["label"] == 3


def test_word_counts_are_refreshed_after_another_connections_write(tmp_path: Path) -> None:
    file = tmp_path / "index.db"
    reader = crowd(path=file)
    assert node_counts(reader, ["return", "parcel"])["return"] == 6000
    assert node_counts(reader, ["return", "parcel"])["return"] == 6000
    writer = SQLite(file)
    writer.run([Statement("DELETE FROM docs_fts WHERE rowid <= 4000")])
    assert node_counts(reader, ["return", "parcel"])["return"] == 4000
    reader.run([Statement("DELETE FROM docs_fts WHERE rowid <= 8000")])
    assert node_counts(reader, ["return", "parcel"])["return"] == 2000
    writer.close()
    reader.close()
