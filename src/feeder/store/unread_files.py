"""Reads what the index does not know of its files: lines that their grammar could not parse, files
read as plain text, and skipped files.
"""

import json
from collections.abc import Iterable
from typing import NamedTuple

from feeder.line_ranges import LineRange, decode_ranges
from feeder.store import Database, Row, Statement
from feeder.store.batch import read
from feeder.store.scope import Scope, scope_params
from feeder.store.scope_sql import PATH_IN_SCOPE

LINES_OF_FILE = """coalesce((SELECT sum(
  coalesce(nullif(substr(value, instr(value || '-', '-') + 1), ''), value)
  - CAST(value AS INTEGER) + 1
) FROM json_each('["' || replace(f.unparsed, ',', '","') || '"]')), 0)"""
"""SQL for the number of unparsed lines of the file `f`: 12-40,55 are 30.

CAST reads the digits before the dash.
"""

UNPARSED_TOTAL = f"""
SELECT count(*) AS files, coalesce(sum({LINES_OF_FILE}), 0) AS lines
FROM files f WHERE f.repo = ?1 AND f.unparsed IS NOT NULL
"""
"""Counts the files of repository ?1 with unparsed lines, and the lines."""

# ?2 to ?7 as in `scope_params`; a skipped file has no language
UNREAD_IN_SCOPE = f"""
WITH repository(repo) AS MATERIALIZED (
  SELECT value FROM json_each(?2) UNION ALL SELECT DISTINCT repo FROM files WHERE ?2 IS NULL
)
SELECT f.state = 'skipped' AS is_skipped, coalesce(f.reason, '') AS why, count(*) AS files,
  sum({LINES_OF_FILE}) AS lines
FROM repository r CROSS JOIN files f INDEXED BY files_unread
ON f.repo = r.repo AND coalesce(f.reason, f.unparsed) IS NOT NULL
WHERE {PATH_IN_SCOPE.format(path="f.path")}
AND (f.state = 'skipped' OR (
  (?6 IS NULL OR f.language IN (SELECT value FROM json_each(?6)))
  AND (?7 IS NULL OR coalesce(f.language, '') NOT IN (SELECT value FROM json_each(?7)))))
GROUP BY 1, 2 ORDER BY 1, 3 DESC, 2
"""
"""Counts the files of a scope that are not read, or not completely, by their reason."""

UNPARSED_LINES = """
SELECT path, unparsed FROM files
WHERE repo = ?1 AND path IN (SELECT value FROM json_each(?2)) AND unparsed IS NOT NULL
"""
"""Selects the lines of files that their grammar could not parse."""

UNPARSED_FILES = """
SELECT path, unparsed FROM files WHERE repo = ?1 AND unparsed IS NOT NULL ORDER BY path
"""
"""Selects all files of repository ?1 with lines that could not be parsed, and those lines."""


class UnreadGroup(NamedTuple):
    """Files of a scope for one reason: why they were skipped or read as plain text, empty for
    those with unparsed lines, of which `lines` is the number.
    """

    is_skipped: int
    reason: str
    files: int
    lines: int


def unread_in_scope(database: Database, scope: Scope) -> list[UnreadGroup]:
    """Returns the groups at the paths and in the languages of a scope; one request."""
    params = None, *scope_params(scope)[:6]
    return read(database, UnreadGroup, Statement(UNREAD_IN_SCOPE, params))


def unparsed_lines_statement(repo: str, paths: Iterable[str]) -> Statement:
    """Selects the unparsed lines of files."""
    return Statement(UNPARSED_LINES, (repo, json.dumps(list(paths))))


def unparsed_from_rows(rows: Iterable[Row]) -> dict[str, str]:
    """Returns the unparsed lines by path, as `line_ranges` encodes them; nothing for a file without
    any.
    """
    return {str(path): str(text) for path, text in rows}


def unparsed_files(database: Database, repo: str) -> list[tuple[str, tuple[LineRange, ...]]]:
    """Returns each file with unparsed lines, and those lines, by path."""
    [rows] = database.run([Statement(UNPARSED_FILES, (repo,))])
    return [(path, decode_ranges(text)) for path, text in unparsed_from_rows(rows).items()]


def unparsed_lines(database: Database, repo: str, path: str) -> tuple[LineRange, ...]:
    """Returns the unparsed lines of a file."""
    [rows] = database.run([unparsed_lines_statement(repo, [path])])
    return decode_ranges(unparsed_from_rows(rows).get(path, ""))
