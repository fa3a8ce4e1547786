"""Reads each node with all its columns, postings and vector.

`validate` compares them with the expected ones.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from feeder.store import Database, Statement, Value, sql, static_vectors
from feeder.store.migrations import migrate
from feeder.store.rows import IndexedFile, join_pages
from feeder.store.sqlite import SQLite
from feeder.store.static_vectors import VectorCode

PAGE_NODES = 5_000
PAGE_CHARS = 2_000_000
"""Characters of a page, which ends with the row that exceeds them, so that names of any length fit.
"""

# ?2 to ?4 are the path, line and row at which the last page ended; in the order of an index
_NODES = """
SELECT seq, id, path, language, node_type, symbol, signature, logical_path, start_line, end_line,
  text_sha, members, is_part, relations, lines_hash, part_run
FROM (
  SELECT *, sum(length(path) + length(concat(symbol, signature, logical_path, members, relations)))
    OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS chars_before
  FROM (
    SELECT * FROM docs
    WHERE repo = ?1 AND (path, start_line, seq) > (?2, ?3, ?4) AND typeof(path) = 'text'
    ORDER BY path, start_line, seq LIMIT ?5
  )
) WHERE coalesce(chars_before, 0) < ?6
"""
_LINE_COLUMN = 7
"""The place of `start_line` in a row of `_NODES`, without the row number."""
_CREATE_WORD_TABLE = "CREATE VIRTUAL TABLE temp.words USING fts5vocab(main, docs_fts, instance)"
_WORDS = "SELECT doc, concat(term, ' ', col, ' ', offset) FROM temp.words"
_DROP_WORD_TABLE = "DROP TABLE temp.words"


class IndexedNode(NamedTuple):
    """A row of `docs`, with a hash of its posting (`words`) and its static vector (`meaning`).

    `words` is 0 if the node has no posting or none was read; `meaning` is None without a vector.
    """

    words: int
    meaning: VectorCode | None
    id: str
    path: str
    language: str | None
    node_type: str
    symbol: str | None
    signature: str | None
    logical_path: str | None
    start_line: int
    end_line: int
    text_sha: str
    members: str
    is_part: int
    relations: str
    lines_hash: int | None
    part_run: str | None


NO_VECTORS: Mapping[int, VectorCode] = MappingProxyType({})
NodesById = dict[str, IndexedNode]
"""The nodes of a file, by id."""


def read_indexed_nodes(
    database: Database,
    repo: str,
    posting_hashes: Mapping[int, int],
    vectors: Mapping[int, VectorCode] = NO_VECTORS,
) -> Iterator[tuple[str, NodesById]]:
    """Yields each path with the nodes that the database has there, in the order of the paths'
    bytes.

    One request for every 5,000 nodes, and one more. `posting_hashes` are those of
    `read_posting_hashes`, `vectors` those of `static_vectors.read_text_vectors`.
    """
    all_nodes = _iterate_nodes(database, repo, posting_hashes, vectors)
    for path, nodes in groupby(all_nodes, key=lambda node: node.path):
        yield path, {node.id: node for node in nodes}


def _iterate_nodes(
    database: Database,
    repo: str,
    posting_hashes: Mapping[int, int],
    vectors: Mapping[int, VectorCode],
) -> Iterator[IndexedNode]:
    last: Sequence[Value] = ("", 0, 0)
    while True:
        [page] = database.run([Statement(_NODES, (repo, *last, PAGE_NODES, PAGE_CHARS))])
        if not page:
            return
        for row_number, *columns in page:
            seq = int(str(row_number))
            last = columns[1], columns[_LINE_COLUMN], seq
            content = posting_hashes.get(seq, 0), vectors.get(seq)
            yield IndexedNode(*content, *columns)  # type: ignore[arg-type]  # as selected


def read_posting_hashes(database: Database) -> dict[int, int] | None:
    """Returns a hash of each posting by row: equal for equal words at equal positions.

    Hashes are comparable within this process only. None if the database is remote, where a row
    would be read for every word.
    """
    if not isinstance(database, SQLite):
        return None
    database.run([Statement(_CREATE_WORD_TABLE)])
    try:
        hashes: dict[int, int] = defaultdict(int)
        # a sum, since the words of a posting are not adjacent; of strings, since the hashes of
        # tuples add up to the same when two words swap places
        for row, word in database.iterate(Statement(_WORDS)):
            hashes[row] += hash(word)  # type: ignore[index]  # as selected
        return hashes
    finally:
        database.run([Statement(_DROP_WORD_TABLE)])


def expected_nodes(
    files: Sequence[IndexedFile], repo: str, *, with_words: bool
) -> dict[str, NodesById]:
    """Returns the nodes that the files are to have, by path: as they are once written to an empty
    index.
    """
    database = SQLite(Path(":memory:"))
    try:
        migrate(database)
        rows = join_pages(text for file in files for text in file.rows.docs)
        database.run([Statement(sql.ADD_NODES, (repo, "", "", page)) for page in rows])
        words = _expected_posting_hashes(database, files) if with_words else {}
        database.run(
            [
                *static_vectors.setup_statements(repo, enabled=True),
                *static_vectors.add_vector_statements(files),
            ]
        )
        return dict(
            read_indexed_nodes(database, repo, words, static_vectors.read_text_vectors(database))
        )
    finally:
        database.close()


def _expected_posting_hashes(database: SQLite, files: Iterable[IndexedFile]) -> Mapping[int, int]:
    rows = join_pages(text for file in files for text in file.rows.postings)
    database.run([Statement(sql.ADD_POSTINGS, (page,)) for page in rows])
    return read_posting_hashes(database) or {}
