"""Which nodes does a file have, which has this id, and what are files and symbols called?"""

import json
from collections.abc import Iterable
from typing import NamedTuple

from feeder.store import Database, Row, Statement
from feeder.store.sqlite import SQLite
from feeder.store.word_search import HIT_COLUMNS, Hit
from feeder.text import expand_words

MAX_NAMED_HITS = 300
"""Nodes that are looked at to find those of a name."""
_SELECT_HIT = f"SELECT {HIT_COLUMNS} FROM"
HITS_IN_FILES = f"""
{_SELECT_HIT} json_each(?2) j CROSS JOIN docs d ON d.path = j.value
WHERE d.repo = ?1 ORDER BY d.path, d.start_line, d.end_line DESC
"""
HITS_BY_ID_PREFIX = f"""
{_SELECT_HIT} docs d WHERE d.id >= ?2 AND d.id < ?2 || 'g' AND d.repo = ?1 ORDER BY d.id LIMIT ?3
"""
# bm25 is not asked: the shortest names come first, which are those that were written whole; of
# them the first of each file, so that hundreds in one do not hide the others
HITS_BY_NAME = f"""
{_SELECT_HIT} (SELECT rowid FROM docs_fts WHERE docs_fts MATCH ?2) f CROSS JOIN docs d
ON d.seq = f.rowid
WHERE d.repo = ?1
ORDER BY length(coalesce(d.symbol, d.logical_path)),
  row_number() OVER (PARTITION BY d.path, d.symbol, d.logical_path ORDER BY d.start_line), d.path
LIMIT ?3
"""
FILES_BELOW = """
SELECT path FROM files WHERE repo = ?1 AND state <> 'skipped' AND (?2 = '' OR path = ?2
  OR path >= ?2 || '/' AND path < ?2 || '0') ORDER BY path
"""
FILE_OVERVIEW = """
SELECT f.path, d.language, d.lines, f.nodes, f.state, f.reason FROM files f LEFT JOIN
  (SELECT path, min(language) AS language, max(end_line) AS lines FROM docs WHERE repo = ?1
   GROUP BY path) d ON d.path = f.path
WHERE f.repo = ?1 ORDER BY f.path
"""
_SKIP_REASON = "SELECT reason FROM files WHERE repo = ? AND path = ? AND state = 'skipped'"
_SYMBOL_NAMES = "SELECT DISTINCT symbol FROM docs WHERE repo = ? AND symbol IS NOT NULL"


def hits_in_files(database: Database, repo: str, paths: Iterable[str]) -> list[Hit]:
    """The nodes of these files, in the order of paths and lines, the outer before the inner."""
    return _read_hits(database, HITS_IN_FILES, repo, json.dumps(list(paths)))


def hits_by_id_prefix(database: Database, repo: str, prefix: str, limit: int) -> list[Hit]:
    """The nodes whose ids, which are 40 hex digits, begin so."""
    return _read_hits(database, HITS_BY_ID_PREFIX, repo, prefix, limit)


def hits_by_name(database: Database, repo: str, name: str) -> list[Hit]:
    """Nodes in whose names these words stand in a row, the shortest names first."""
    if not any(map(str.isalnum, name)):
        return []
    phrase = name.replace('"', '""').replace("\0", " ")
    return _read_hits(database, HITS_BY_NAME, repo, f'symbol : "{phrase}"', MAX_NAMED_HITS)


def files_below(database: Database, repo: str, folder: str) -> list[str]:
    """The paths at or below a file or folder, of the whole repository where it is empty.

    What is kept out of the index, such as a name that may hold secrets, is not among them.
    """
    [rows] = database.run([Statement(FILES_BELOW, (repo, folder))])
    return [str(path) for (path,) in rows]


class FileSummary(NamedTuple):
    """A file: its last line that is in a node, its nodes, and its state, with the reason of it."""

    path: str
    language: str | None
    lines: int | None
    nodes: int
    state: str
    reason: str | None


def file_summaries(database: Database, repo: str) -> list[FileSummary]:
    """Every file that the index knows of, also those that are kept out of it."""
    [rows] = database.run([Statement(FILE_OVERVIEW, (repo,))])
    return [FileSummary(*row) for row in rows]  # type: ignore[arg-type]  # as selected


def skip_reason(database: Database, repo: str, path: str) -> str:
    """Why a file is not indexed; empty for one that is, and for one that is unknown."""
    [rows] = database.run([Statement(_SKIP_REASON, (repo, path))])
    return str(rows[0][0]) if rows else ""


def symbol_names(database: Database, repo: str, similar_to: str) -> list[str]:
    """Names of symbols: all in an index on this machine, else those that share a word with `like`.

    D1 bills each row that is read.
    """
    if isinstance(database, SQLite):
        [rows] = database.run([Statement(_SYMBOL_NAMES, (repo,))])
        return [str(name) for (name,) in rows]
    parts = dict.fromkeys(part for part in expand_words(similar_to).split() if part.isalnum())
    query = " OR ".join(f'symbol : "{part}"' for part in parts)
    found = _read_hits(database, HITS_BY_NAME, repo, query, MAX_NAMED_HITS) if query else []
    return [hit.symbol for hit in found if hit.symbol]


def _read_hits(database: Database, sql: str, *params: str | int) -> list[Hit]:
    [rows] = database.run([Statement(sql, params)])
    return [_hit_from_row(row) for row in rows]


def _hit_from_row(row: Row) -> Hit:
    return Hit(*row)  # type: ignore[arg-type]  # as selected
