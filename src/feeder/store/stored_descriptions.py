"""Stores the descriptions of methods and classes, by the hash of the text that the model was
given, and searches them by word.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from feeder.store import Database, Statement
from feeder.store.description_vectors import (
    UNKNOWN_DESCRIPTION,
    description_sha,
    invalidate_vectors_statements,
)
from feeder.store.rows import IndexedFile, json_pages, paginate_rows
from feeder.store.scope import IN_SCOPE, IS_UNRESTRICTED, Scope, scope_params

PAGE_PATHS = 2_000
PAGE_NODES = 5_000
MAX_TIES = 100
"""Lines beyond the limit that are put in order by path where bm25 makes no difference."""
UNLINK_BATCH = 5_000
"""Nodes that one transaction parts from their lines."""

DESCRIPTION_COLUMN = """
coalesce((SELECT e.line FROM descriptions e WHERE d.describes <> '' AND e.sha = d.describes), '')
"""
"""A column of the node `d`."""
_IS_DESCRIBABLE = "d.node_type IN ('method', 'class')"
# ?3 a model and ?4 a prompt: only a line of theirs counts then, and no reason why there is none
_IS_UNDESCRIBED = f"""
d.repo = ?1 AND {_IS_DESCRIBABLE} AND NOT EXISTS (
  SELECT 1 FROM descriptions e WHERE e.sha = d.describes
  AND (?3 IS NULL OR e.model = ?3 AND e.prompt = ?4 AND e.reason = '')
)
"""
_UNDESCRIBED_PATHS = f"""
SELECT d.path, f.blob FROM docs d CROSS JOIN files f ON f.repo = d.repo AND f.path = d.path
WHERE d.path > ?2 AND {_IS_UNDESCRIBED} GROUP BY d.path ORDER BY d.path LIMIT ?5
"""
_COUNT_UNDESCRIBED = f"SELECT count(*) FROM docs d WHERE {_IS_UNDESCRIBED} AND ?2 = ''"
_MISSING_KEYS = """
SELECT DISTINCT j.value FROM json_each(?1) j WHERE NOT EXISTS (
  SELECT 1 FROM descriptions e WHERE e.sha = j.value
  AND (?2 IS NULL OR e.model = ?2 AND e.prompt = ?3 AND e.reason = '')
)
"""
# the signs keep the ids the way to the rows; of another text's line a vector may have been sent
_LINK_NODES = f"""
UPDATE docs SET describes = j.sha, vector_line = iif(
  docs.describes <> '' AND EXISTS (SELECT 1 FROM meta WHERE key = 'model'), '{UNKNOWN_DESCRIPTION}',
  docs.vector_line)
FROM (SELECT value->>0 AS id, value->>1 AS sha FROM json_each(?2)) j
WHERE docs.id = j.id AND +docs.repo = ?1 AND +docs.describes <> j.sha
"""
# their vectors are sent anew, as those of new files are
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
# ?1 rows of sha, model, prompt, line, reason, and the line's hash
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
# ?1 the key and what it says when no node lacks a line (?3), and when one does (?4)
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
"""Lines without words, and words of what has no line."""
ORPHAN_POSTINGS = """
SELECT f.rowid FROM descriptions_fts f LEFT JOIN descriptions e ON e.seq = f.rowid
WHERE e.seq IS NULL ORDER BY f.rowid
"""
UNDESCRIBED_FILES = f"""
SELECT d.path, count(*) FROM docs d WHERE d.repo = ?1 AND {_IS_DESCRIBABLE} AND NOT EXISTS (
  SELECT 1 FROM descriptions e WHERE e.sha = d.describes
) GROUP BY d.path ORDER BY d.path
"""
"""Files with methods and classes that no model was asked about."""
DESCRIPTION_COUNTS = f"""
SELECT count(*), count(e.sha), coalesce(sum(e.reason <> ''), 0), coalesce(sum(d.describes <> ''), 0)
FROM docs d LEFT JOIN descriptions e ON e.sha = d.describes
WHERE d.repo = ?1 AND ({_IS_DESCRIBABLE} OR d.describes <> '')
"""
"""Methods and classes, of them those asked about, without a line, and with the hash of a text."""
COUNTS_BY_MODEL = """
SELECT e.model, count(*) FROM docs d CROSS JOIN descriptions e ON e.sha = d.describes
WHERE d.repo = ?1 AND d.describes <> '' AND e.line <> '' GROUP BY e.model ORDER BY 2 DESC, 1
"""
_LINKS = """
SELECT d.path, d.id, d.describes FROM docs d
WHERE d.repo = ?1 AND d.describes <> '' AND (d.path, d.id) > (?2, ?3)
ORDER BY d.path, d.id LIMIT ?4
"""
# `rank` is bm25, which FTS5 puts in order itself: D1 bills such a row once. ?1 the words as an
# FTS5 query, ?14 how many nodes; the scope as in every question
DESCRIPTION_SEARCH = f"""
WITH everywhere(yes) AS MATERIALIZED ({IS_UNRESTRICTED}), found(seq, score) AS MATERIALIZED (
  SELECT rowid, rank AS score FROM descriptions_fts
  WHERE descriptions_fts MATCH ?1 AND ((SELECT yes FROM everywhere) OR EXISTS (
    SELECT 1 FROM descriptions e CROSS JOIN docs d ON d.describes = e.sha AND d.describes <> ''
    WHERE e.seq = descriptions_fts.rowid AND {IN_SCOPE}))
  ORDER BY rank LIMIT ?14 + {MAX_TIES}
)
SELECT d.id, -f.score FROM found f CROSS JOIN descriptions e ON e.seq = f.seq
CROSS JOIN docs d ON d.describes = e.sha AND d.describes <> ''
WHERE {IN_SCOPE} ORDER BY f.score, d.path, d.start_line LIMIT ?14 + 0
"""


class Description(NamedTuple):
    """What a model has made of a text: a line, or the reason why there is none."""

    key: str
    model: str
    prompt: str
    text: str
    reason: str


class DescriptionSource(NamedTuple):
    """A model and a prompt: lines of others count as missing."""

    model: str
    prompt: str


def _source_params(source: DescriptionSource | None) -> tuple[str | None, str | None]:
    return source or (None, None)


def description_search_statement(terms: Sequence[str], scope: Scope, limit: int) -> Statement:
    """Asks for the nodes whose line has any of the terms, FTS5 queries each, the best first."""
    return Statement(DESCRIPTION_SEARCH, (" OR ".join(terms) or '""', *scope_params(scope), limit))


def undescribed_paths(
    database: Database, repo: str, source: DescriptionSource | None
) -> dict[str, str]:
    """The files that have a method or class without a line, with their blobs; a request for every
    2,000."""
    found: dict[str, str] = {}
    last = ""
    while True:
        where = (repo, last, *_source_params(source), PAGE_PATHS)
        [page] = database.run([Statement(_UNDESCRIBED_PATHS, where)])
        found.update((str(path), str(blob)) for path, blob in page)
        if len(page) < PAGE_PATHS:
            return found
        last = str(page[-1][0])


def undescribed_count_statement(repo: str, source: DescriptionSource | None) -> Statement:
    """What is answered with how many nodes lack a line."""
    return Statement(_COUNT_UNDESCRIBED, (repo, "", *_source_params(source)))


def described_count(database: Database, repo: str) -> int:
    """How many nodes have a line."""
    [[[count]]] = database.run([Statement(_COUNT_DESCRIBED, (repo,))])
    return int(str(count))


def missing_keys(
    database: Database, keys: Iterable[str], source: DescriptionSource | None
) -> set[str]:
    """Those of the hashes that have no line, nor a reason why there is none."""
    asked = [
        Statement(_MISSING_KEYS, (page, *_source_params(source)))
        for page in json_pages(dict.fromkeys(keys))
    ]
    return {str(sha) for rows in (database.run(asked) if asked else []) for (sha,) in rows}


def link_file_statements(repo: str, files: Iterable[IndexedFile]) -> Iterator[Statement]:
    """What ties the nodes of the files to the texts that are theirs now."""
    pairs = (
        [*pair] for file in files for pair in zip(file.ids, file.description_keys, strict=False)
    )
    yield from link_statements(repo, pairs)


def link_statements(repo: str, pairs: Iterable[Sequence[str]]) -> Iterator[Statement]:
    """The same for ids, each with the hash of a text."""
    for page in json_pages(pairs):
        yield Statement(_LINK_NODES, (repo, page))


def add_description_statements(
    descriptions: Iterable[Description], meta_keys: Sequence[str]
) -> Iterator[Statement]:
    """What keeps these lines, over those of the same texts.

    `facts` are keys of `meta` that no longer hold: that vectors are of their nodes' lines.
    """
    for page in json_pages([*one, description_sha(one.text)] for one in descriptions):
        yield from invalidate_vectors_statements(page, meta_keys)
        for text in (_DELETE_OLD_POSTINGS, _UPSERT_DESCRIPTIONS, _ADD_DESCRIPTION_POSTINGS):
            yield Statement(text, (page,))


def finish_statements(
    repo: str, key: str, complete_value: str, incomplete_value: str
) -> list[Statement]:
    """What a run ends with: lines of no node go, and `meta` says whether one lacks."""
    return [
        *delete_orphans_statements(),
        Statement(_SET_COMPLETENESS, (repo, key, complete_value, incomplete_value)),
    ]


def delete_orphans_statements() -> list[Statement]:
    """What takes out the lines that are no node's, of whatever repository."""
    return [Statement(_DELETE_ORPHAN_POSTINGS), Statement(_DELETE_ORPHANS)]


def unlink_statements(repo: str, meta_keys: Sequence[str]) -> list[Statement]:
    """What parts some nodes from their lines, and takes the keys from `meta` when none is left.

    Answered last with a row where there are more.
    """
    return [
        Statement(_MARK_UNLINKED_PENDING, (repo,)),
        Statement(_UNLINK_BATCH_SQL, (repo, UNLINK_BATCH)),
        *delete_orphans_statements(),
        Statement(_DELETE_META_IF_UNLINKED, (json.dumps(meta_keys), repo)),
        Statement(_ANY_LINKED, (repo,)),
    ]


def rebuild_postings_statements() -> list[Statement]:
    """What makes the words of all lines anew."""
    return [Statement(text) for text in _REBUILD_POSTINGS]


def stored_links(database: Database, repo: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Each path with the hashes that its nodes keep, by id, in the order of the paths' bytes."""
    found = paginate_rows(database, _LINKS, repo, PAGE_NODES)
    for path, rows in groupby(found, key=lambda row: row[0]):
        yield str(path), {str(id_): str(sha) for _, id_, sha in rows}
