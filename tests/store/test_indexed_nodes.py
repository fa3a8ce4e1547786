"""Reading all columns of indexed nodes, in pages of bounded size."""

from itertools import permutations

import pytest

from feeder.store import Statement
from feeder.store.indexed_nodes import read_indexed_nodes, read_posting_hashes
from index_helpers import open_database, query_rows

NODES = """
WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
INSERT INTO docs (id, repo, branch, sha_head, path, node_type, symbol, start_line, end_line,
  text_sha)
SELECT ?2 || n, 'acme/shop', '', '', ?2, 'method', substr(?3, 1, ?4), n, n, '' FROM number
"""


@pytest.mark.parametrize(
    ("nodes", "letters"), [(0, 1), (1, 1), (5_000, 1), (10_001, 1), (50, 90_000)]
)
def test_every_node_is_read_once(nodes: int, letters: int) -> None:
    """With more nodes than fit into a page; the nodes of a file stay together, in order."""
    database = open_database()
    for path in ("b.py", "a.py"):
        many = (nodes, path, "x" * letters, letters)
        database.run([Statement(NODES, many)] if nodes else [])
    found = list(read_indexed_nodes(database, "acme/shop", {}))
    assert [path for path, _ in found] == (["a.py", "b.py"] if nodes else [])
    for path, held in found:
        assert list(held) == [f"{path}{number}" for number in range(1, nodes + 1)]
    database.close()


def test_equal_postings_have_equal_checksums() -> None:
    """For name, path and text separately; reading leaves nothing behind."""
    database = open_database()
    one = "INSERT INTO docs_fts (rowid, id, symbol, path, body) VALUES (?, '', ?, ?, ?)"
    places = [("a", "b", "c d"), ("b", "a", "c d"), ("a", "b", "c"), ("a", "b", "c d d")]
    orders = [("a", "b", " ".join(words)) for words in permutations("cdefg")]
    texts = [*places, *orders]
    database.run([Statement(one, (row, *text)) for row, text in enumerate([*texts, *texts])])
    numbers = read_posting_hashes(database)
    assert numbers is not None
    found = [numbers[row] for row in range(2 * len(texts))]
    assert found[: len(texts)] == found[len(texts) :]
    assert len(set(found)) == len(texts)
    assert query_rows(database, "SELECT name FROM temp.sqlite_schema") == []
    database.close()


def test_node_without_words_has_no_checksum() -> None:
    """Like a node without a posting."""
    database = open_database()
    database.run([Statement("INSERT INTO docs_fts (rowid, id, body) VALUES (1, 'a', '')")])
    assert read_posting_hashes(database) == {}
    database.close()
