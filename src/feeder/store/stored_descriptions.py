"""Stores the descriptions of methods and classes, and searches them by word.

The key of a description is the hash of the text that the model was given.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from feeder.store import Database, Statement
from feeder.store.batch import read_number
from feeder.store.description_vectors import (
    UNKNOWN_DESCRIPTION,
    description_sha,
    invalidate_vectors_statements,
)
from feeder.store.rows import IndexedFile, json_pages, paginate_rows
from feeder.store.scope import Scope, scope_params
from feeder.store.scope_sql import IN_SCOPE

PAGE_PATHS = 2_000
"""Files that one request reads."""
PAGE_NODES = 5_000
"""Nodes that one request reads."""
MAX_TIES = 100
"""Descriptions beyond the limit that are sorted by path where their BM25 scores are equal."""
UNLINK_BATCH = 5_000
"""Nodes that one transaction unlinks."""

DESCRIPTION_COLUMN = """
coalesce((SELECT e.line FROM descriptions e WHERE d.describes <> '' AND e.sha = d.describes), '')
"""
"""Column expression: the description of the node `d`, or an empty string."""
_IS_DESCRIBABLE = "d.node_type IN ('method', 'class')"
# ?2 a model and ?3 a prompt; unless NULL, only their descriptions count, and no reasons for none
_IS_UNDESCRIBED = f"""
d.repo = ?1 AND {_IS_DESCRIBABLE} AND NOT EXISTS (
  SELECT 1 FROM descriptions e WHERE e.sha = d.describes
  AND (?2 IS NULL OR e.model = ?2 AND e.prompt = ?3 AND e.reason = '')
)
"""
_UNDESCRIBED_PATHS = f"""
SELECT d.path, f.blob FROM docs d CROSS JOIN files f ON f.repo = d.repo AND f.path = d.path
WHERE d.path > ?4 AND {_IS_UNDESCRIBED} GROUP BY d.path ORDER BY d.path LIMIT ?5
"""
_COUNT_UNDESCRIBED = f"SELECT count(*) FROM docs d WHERE {_IS_UNDESCRIBED}"
_MISSING_KEYS = """
SELECT DISTINCT j.value FROM json_each(?1) j WHERE NOT EXISTS (
  SELECT 1 FROM descriptions e WHERE e.sha = j.value
  AND (?2 IS NULL OR e.model = ?2 AND e.prompt = ?3 AND e.reason = '')
)
"""
# `+` keeps SQLite from using another index than that of ids; a run that died may have sent a
# vector with another description
_LINK_NODES = f"""
UPDATE docs SET describes = j.sha, vector_line = iif(
  docs.describes <> '' AND EXISTS (SELECT 1 FROM meta WHERE key = 'model'), '{UNKNOWN_DESCRIPTION}',
  docs.vector_line)
FROM (SELECT value->>0 AS id, value->>1 AS sha FROM json_each(?2)) j
WHERE docs.id = j.id AND +docs.repo = ?1 AND +docs.describes <> j.sha
"""
# their vectors are sent again, as those of new files are
_MARK_UNLINKED_PENDING = f"""
UPDATE files SET state = 'pending' WHERE repo = ?1 AND state = 'clean' AND path IN (
  SELECT d.path FROM docs d WHERE d.describes <> '' AND d.repo = ?1
  AND (d.vector_line <> '' OR {DESCRIPTION_COLUMN} <> '')
) AND EXISTS (SELECT 1 FROM meta WHERE key = 'model')
"""
_UNLINK_BATCH_SQL = """
UPDATE docs SET describes = '', vector_line = '' WHERE seq IN (
  SELECT d.seq FROM docs d WHERE d.describes <> '' AND d.repo = ?1 LIMIT ?2
)
"""
_ANY_LINKED = "SELECT 1 FROM docs d WHERE d.describes <> '' AND d.repo = ? LIMIT 1"
_DELETE_META_IF_UNLINKED = """
DELETE FROM meta WHERE key IN (SELECT value FROM json_each(?1))
AND NOT EXISTS (SELECT 1 FROM docs d WHERE d.describes <> '' AND d.repo = ?2)
"""
# ?1 rows of sha, model, prompt, description, reason, and the description's hash
_DELETE_OLD_POSTINGS = """
DELETE FROM descriptions_fts WHERE rowid IN (
  SELECT e.seq FROM json_each(?1) j CROSS JOIN descriptions e ON e.sha = j.value->>0
)
"""
_UPSERT_DESCRIPTIONS = """
INSERT INTO descriptions (sha, model, prompt, line, reason, line_sha)
SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5 FROM json_each(?1)
WHERE true ON CONFLICT (sha) DO UPDATE SET model = excluded.model, prompt = excluded.prompt,
  line = excluded.line, reason = excluded.reason, line_sha = excluded.line_sha
"""
_ADD_DESCRIPTION_POSTINGS = """
INSERT INTO descriptions_fts (rowid, line)
SELECT e.seq, e.line FROM json_each(?1) j CROSS JOIN descriptions e ON e.sha = j.value->>0
WHERE e.line <> ''
"""
_IS_ORPHAN = """
NOT EXISTS (SELECT 1 FROM docs d WHERE d.describes = e.sha AND d.describes <> '')
"""
_DELETE_ORPHAN_POSTINGS = f"""
DELETE FROM descriptions_fts WHERE rowid IN (SELECT e.seq FROM descriptions e WHERE {_IS_ORPHAN})
"""
_DELETE_ORPHANS = f"DELETE FROM descriptions AS e WHERE {_IS_ORPHAN}"
# ?2 the key, ?3 its value if no node lacks a description, ?4 its value otherwise
_SET_COMPLETENESS = f"""
INSERT INTO meta (key, value)
SELECT ?2, iif(EXISTS (SELECT 1 FROM docs d WHERE d.repo = ?1 AND {_IS_DESCRIBABLE} AND NOT EXISTS (
  SELECT 1 FROM descriptions e WHERE e.sha = d.describes)), ?4, ?3)
WHERE true ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
_REBUILD_POSTINGS = (
    "DELETE FROM descriptions_fts",
    """
INSERT INTO descriptions_fts (rowid, line)
SELECT seq, line FROM descriptions WHERE line <> ''
""",
)
_COUNT_DESCRIBED = """
SELECT count(*) FROM docs d CROSS JOIN descriptions e ON e.sha = d.describes
WHERE d.repo = ?1 AND d.describes <> '' AND e.line <> ''
"""
POSTING_MISMATCHES = """
SELECT e.line FROM descriptions e LEFT JOIN descriptions_fts f ON f.rowid = e.seq
WHERE (f.rowid IS NULL) = (e.line <> '') ORDER BY e.seq
"""
"""Selects descriptions without postings, and empty ones with postings."""
ORPHAN_POSTINGS = """
SELECT f.rowid FROM descriptions_fts f LEFT JOIN descriptions e ON e.seq = f.rowid
WHERE e.seq IS NULL ORDER BY f.rowid
"""
"""Selects postings without a description."""
UNDESCRIBED_FILES = f"""
SELECT d.path, count(*) FROM docs d WHERE d.repo = ?1 AND {_IS_DESCRIBABLE} AND NOT EXISTS (
  SELECT 1 FROM descriptions e WHERE e.sha = d.describes
) GROUP BY d.path ORDER BY d.path
"""
"""Selects files with methods and classes that no description was requested for."""
DESCRIPTION_COUNTS = f"""
SELECT count(*), count(e.sha), coalesce(sum(e.reason <> ''), 0), coalesce(sum(d.describes <> ''), 0)
FROM docs d LEFT JOIN descriptions e ON e.sha = d.describes
WHERE d.repo = ?1 AND ({_IS_DESCRIBABLE} OR d.describes <> '')
"""
"""Counts methods and classes; of them those requested, without a description, and linked."""
COUNTS_BY_MODEL = """
SELECT e.model, count(*) FROM docs d INDEXED BY docs_describes
CROSS JOIN descriptions e ON e.sha = d.describes
WHERE d.repo = ?1 AND d.describes <> '' AND e.line <> '' GROUP BY e.model ORDER BY 2 DESC, 1
"""
_LINKS = """
SELECT d.path, d.id, d.describes FROM docs d
WHERE d.repo = ?1 AND d.describes <> '' AND (d.path, d.id) > (?2, ?3)
ORDER BY d.path, d.id LIMIT ?4
"""
# FTS5 sorts by `rank` (BM25) itself, so D1 bills each row once. ?1 the words as an FTS5 query,
# ?2 to ?13 the scope, ?14 the limit
DESCRIPTION_SEARCH = f"""
SELECT id, score FROM (
  SELECT d.id, -f.rank AS score, d.path, d.start_line FROM descriptions_fts f
  CROSS JOIN descriptions e ON e.seq = f.rowid
  CROSS JOIN docs d ON d.describes = e.sha AND d.describes <> ''
  WHERE descriptions_fts MATCH ?1 AND {IN_SCOPE} ORDER BY f.rank LIMIT ?14 + {MAX_TIES}
) ORDER BY score DESC, path, start_line LIMIT ?14 + 0
"""


class Description(NamedTuple):
    """A model's description of a text, or the reason why there is none."""

    key: str
    model: str
    prompt: str
    text: str
    reason: str


class DescriptionSource(NamedTuple):
    """A model and a prompt; descriptions of other sources count as missing."""

    model: str
    prompt: str


def _source_params(source: DescriptionSource | None) -> tuple[str | None, str | None]:
    return source or (None, None)


def description_search_statement(terms: Sequence[str], scope: Scope, limit: int) -> Statement:
    """Selects the ids and scores of nodes whose description has one of the terms, best first.

    Each term is an FTS5 query.
    """
    return Statement(DESCRIPTION_SEARCH, (" OR ".join(terms) or '""', *scope_params(scope), limit))


def undescribed_paths(
    database: Database, repo: str, source: DescriptionSource | None
) -> dict[str, str]:
    """Returns files with a method or class without a description, and their blobs.

    One request for every 2,000 files.
    """
    params = (repo, *_source_params(source))
    rows = paginate_rows(database, _UNDESCRIBED_PATHS, params, ("",), PAGE_PATHS)
    return {str(path): str(blob) for path, blob in rows}


def undescribed_count_statement(repo: str, source: DescriptionSource | None) -> Statement:
    """Selects the number of nodes without a description."""
    return Statement(_COUNT_UNDESCRIBED, (repo, *_source_params(source)))


def described_count(database: Database, repo: str) -> int:
    """Counts the nodes that have a description."""
    return read_number(database, Statement(_COUNT_DESCRIBED, (repo,)))


def missing_keys(
    database: Database, keys: Iterable[str], source: DescriptionSource | None
) -> set[str]:
    """Returns the keys that have neither a description nor a reason why there is none."""
    statements = [
        Statement(_MISSING_KEYS, (page, *_source_params(source)))
        for page in json_pages(dict.fromkeys(keys))
    ]
    pages = database.run(statements) if statements else []
    return {str(key) for page in pages for (key,) in page}


def link_file_statements(repo: str, files: Iterable[IndexedFile]) -> Iterator[Statement]:
    """Yields statements that link the nodes of the files to their description keys."""
    pairs = (
        [*pair]
        for file in files
        for pair in zip(file.ids, file.rows.description_keys, strict=False)
    )
    yield from link_statements(repo, pairs)


def link_statements(repo: str, pairs: Iterable[Sequence[str]]) -> Iterator[Statement]:
    """Yields statements that link nodes to description keys; pairs of id and key."""
    for page in json_pages(pairs):
        yield Statement(_LINK_NODES, (repo, page))


def add_description_statements(
    descriptions: Iterable[Description], meta_keys: Sequence[str]
) -> Iterator[Statement]:
    """Yields statements that store descriptions, replacing those with the same keys.

    `meta_keys` are the keys of `meta` that say that all vectors contain present descriptions.
    """
    for page in json_pages(
        [*description, description_sha(description.text)] for description in descriptions
    ):
        yield from invalidate_vectors_statements(page, meta_keys)
        for sql in (_DELETE_OLD_POSTINGS, _UPSERT_DESCRIPTIONS, _ADD_DESCRIPTION_POSTINGS):
            yield Statement(sql, (page,))


def finish_statements(
    repo: str, key: str, complete_value: str, incomplete_value: str
) -> list[Statement]:
    """Returns a run's last statements: they delete orphans and record whether any is missing."""
    return [
        *delete_orphans_statements(),
        Statement(_SET_COMPLETENESS, (repo, key, complete_value, incomplete_value)),
    ]


def delete_orphans_statements() -> list[Statement]:
    """Returns the statements that delete descriptions without a node, of any repository."""
    return [Statement(_DELETE_ORPHAN_POSTINGS), Statement(_DELETE_ORPHANS)]


def unlink_statements(repo: str, meta_keys: Sequence[str]) -> list[Statement]:
    """Returns statements that unlink some nodes, and at the end delete the keys from `meta`.

    The last statement returns a row if there are more.
    """
    return [
        Statement(_MARK_UNLINKED_PENDING, (repo,)),
        Statement(_UNLINK_BATCH_SQL, (repo, UNLINK_BATCH)),
        *delete_orphans_statements(),
        Statement(_DELETE_META_IF_UNLINKED, (json.dumps(meta_keys), repo)),
        Statement(_ANY_LINKED, (repo,)),
    ]


def rebuild_postings_statements() -> list[Statement]:
    """Returns the statements that write the postings of all descriptions again."""
    return [Statement(sql) for sql in _REBUILD_POSTINGS]


def stored_links(database: Database, repo: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yields each path with its nodes' description keys, by id, in the order of paths' bytes."""
    nodes = paginate_rows(database, _LINKS, (repo,), ("", ""), PAGE_NODES)
    for path, rows in groupby(nodes, key=lambda row: row[0]):
        yield str(path), {str(id_): str(key) for _, id_, key in rows}
