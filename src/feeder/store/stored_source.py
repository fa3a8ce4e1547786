"""Stores compressed source lines, for readers without a checkout such as the Worker (`--texts`)."""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from feeder.parse.compressed_source import SourceBlock
from feeder.store import Database, Row, Statement
from feeder.store.rows import IndexedFile, json_pages, paginate_rows

PAGE_PARTS = 200
"""Parts that one request reads: about two megabytes."""
PAGE_PATHS = 20_000
"""Paths that one request reads."""
DELETE_BATCH = 5_000
"""Parts that one transaction deletes."""

_UPSERT_PARTS = """
INSERT INTO texts (repo, path, part, first_line, last_line, numbers, text)
SELECT ?1, value->>0, value->>1, value->>2, value->>3, value->>4, unhex(value->>5)
FROM json_each(?2) WHERE true
ON CONFLICT (repo, path, part) DO UPDATE SET first_line = excluded.first_line,
  last_line = excluded.last_line, numbers = excluded.numbers, text = excluded.text
WHERE (first_line, last_line, numbers, text)
  IS NOT (excluded.first_line, excluded.last_line, excluded.numbers, excluded.text)
"""
# ?2 paths, each with its number of parts
_DELETE_EXTRA_PARTS = """
DELETE FROM texts WHERE (repo, path, part) IN (
  SELECT t.repo, t.path, t.part FROM json_each(?2) j
  CROSS JOIN texts t ON t.repo = ?1 AND t.path = j.value->>0 AND t.part >= j.value->>1
)
"""
DELETE_SOURCE = "DELETE FROM texts WHERE repo = ?1 AND path IN (SELECT value FROM json_each(?2))"
_DELETE_ALL = "DELETE FROM texts WHERE repo = ?"
_DELETE_BATCH_SQL = """
DELETE FROM texts WHERE (repo, path, part) IN (
  SELECT repo, path, part FROM texts WHERE repo = ?1 LIMIT ?2
)
"""
_SET_META_WHEN_EMPTY = """
INSERT INTO meta (key, value) SELECT ?1, ?3
WHERE NOT EXISTS (SELECT 1 FROM texts WHERE repo = ?2)
ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
_DELETE_META_WHEN_EMPTY = """
DELETE FROM meta WHERE key = ?1 AND NOT EXISTS (SELECT 1 FROM texts WHERE repo = ?2)
"""
_HAS_PARTS = "SELECT 1 FROM texts WHERE repo = ? LIMIT 1"
_STORED_PATHS = """
SELECT DISTINCT path FROM texts WHERE repo = ?1 AND path > ?2 ORDER BY path LIMIT ?3
"""
SOURCE_OF_NODES = """
SELECT d.id, d.start_line, d.end_line, t.first_line, t.numbers, hex(t.text) AS text
FROM json_each(?1) j CROSS JOIN docs d ON d.id = j.value
CROSS JOIN texts t ON t.repo = d.repo AND t.path = d.path
  AND t.first_line <= d.end_line AND t.last_line >= d.start_line
ORDER BY j.key, t.part
"""
"""For a Worker: selects the parts that contain the lines of nodes, by a JSON array of ids."""
SOURCE_SIZE = "SELECT count(*), coalesce(sum(length(text)), 0) FROM texts WHERE repo = ?"
_NEXT_PARTS = """
SELECT path, part, first_line, last_line, numbers, hex(text) FROM texts
WHERE repo = ?1 AND (path, part) > (?2, ?3) ORDER BY path, part LIMIT ?4
"""


class StoredSize(NamedTuple):
    """Rows of a repository's stored source, and their compressed size in bytes."""

    rows: int
    bytes: int


def change_statements(
    repo: str, files: Sequence[IndexedFile], removed_paths: Iterable[str]
) -> Iterator[Statement]:
    """Yields statements that store the source of `files` and delete that at `removed_paths`."""
    for page in json_pages([file.path, len(file.source_parts)] for file in files):
        yield Statement(_DELETE_EXTRA_PARTS, (repo, page))
    for page in json_pages(row for file in files for row in _part_rows(file)):
        yield Statement(_UPSERT_PARTS, (repo, page))
    for page in json_pages(removed_paths):
        yield Statement(DELETE_SOURCE, (repo, page))


def _part_rows(file: IndexedFile) -> Iterator[list[object]]:
    for number, part in enumerate(file.source_parts):
        yield [file.path, number, *part[:-1], part.compressed.hex()]


def delete_all_statement(repo: str) -> Statement:
    """Returns the statement that deletes all of a repository, where little or none is expected."""
    return Statement(_DELETE_ALL, (repo,))


def delete_batch_statements(repo: str, key: str, value_when_empty: str) -> list[Statement]:
    """Returns statements that delete some parts.

    After the last ones, they set the key in `meta`, or delete it if the value is empty. The last
    statement returns a row if there are more.
    """
    if value_when_empty:
        record = Statement(_SET_META_WHEN_EMPTY, (key, repo, value_when_empty))
    else:
        record = Statement(_DELETE_META_WHEN_EMPTY, (key, repo))
    return [
        Statement(_DELETE_BATCH_SQL, (repo, DELETE_BATCH)),
        record,
        Statement(_HAS_PARTS, (repo,)),
    ]


def stored_paths(database: Database, repo: str) -> set[str]:
    """Returns the files with stored source; one request for every 20,000."""
    rows = paginate_rows(database, _STORED_PATHS, (repo,), ("",), PAGE_PATHS)
    return {str(path) for (path,) in rows}


def size_statement(repo: str) -> Statement:
    """Selects a `StoredSize`; reads every row of it."""
    return Statement(SOURCE_SIZE, (repo,))


def stored_files(database: Database, repo: str) -> Iterator[tuple[str, list[SourceBlock]]]:
    """Yields each path with its source, in the order of paths' bytes; one request for every 200
    parts.
    """
    parts = paginate_rows(database, _NEXT_PARTS, (repo,), ("", -1), PAGE_PARTS)
    for path, rows in groupby(parts, key=lambda row: row[0]):
        yield str(path), [_part_from_row(row) for row in rows]


def _part_from_row(row: Row) -> SourceBlock:
    _, _, first, last, numbers, compressed = row
    line_numbers = None if numbers is None else json.loads(str(numbers))
    return SourceBlock(
        int(str(first)), int(str(last)), line_numbers, bytes.fromhex(str(compressed))
    )
