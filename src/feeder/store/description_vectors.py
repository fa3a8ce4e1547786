"""Tracks which description each vector contains, and finds the stale ones.

The hash of the description is in `docs.vector_line` for a model vector and in
`plain_meanings.line_sha` for a static one.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple, cast

from feeder.nodes import text_sha
from feeder.store import Database, Row, Statement
from feeder.store.batch import table_exists
from feeder.store.rows import json_pages, paginate_rows

UNKNOWN_DESCRIPTION = "?"
"""Stands for a hash where a run that died may have sent a vector with another description."""

MODEL_VECTOR_PAGE = 5_000
"""Nodes that one request reads."""

STATIC_VECTOR_BATCH = 1_000
"""Static vectors that one transaction recomputes."""

_SHA_DIGITS = 16


_CURRENT_DESCRIPTION_SHA = """
coalesce((
  SELECT e.line_sha FROM descriptions e WHERE d.describes <> '' AND e.sha = d.describes
), '')
"""

_HAS_MODEL = "EXISTS (SELECT 1 FROM meta WHERE key = 'model')"


_DESCRIPTIONS_OF_NODES = """
SELECT d.id, e.line, e.line_sha FROM json_each(?1) j CROSS JOIN docs d ON d.id = j.value
CROSS JOIN descriptions e ON e.sha = d.describes AND d.describes <> '' WHERE e.line <> ''
"""

_IS_STALE_MODEL = (
    f"(f.state = 'pending' OR f.state = 'clean' AND d.vector_line <> {_CURRENT_DESCRIPTION_SHA})"
)

_STALE_MODEL_VECTORS = f"""
SELECT d.path, d.id, f.blob FROM docs d CROSS JOIN files f ON f.repo = d.repo AND f.path = d.path
WHERE d.repo = ?1 AND (d.path, d.id) > (?2, ?3) AND {_IS_STALE_MODEL}
ORDER BY d.path, d.id LIMIT ?4
"""

OUTDATED_MODEL_VECTORS = f"""
SELECT d.path, count(*) FROM docs d CROSS JOIN files f ON f.repo = d.repo AND f.path = d.path
WHERE d.repo = ?1 AND {_HAS_MODEL} AND f.state = 'clean'
AND d.vector_line <> {_CURRENT_DESCRIPTION_SHA}
GROUP BY d.path ORDER BY d.path
"""
"""Selects files with model vectors that contain another description than the node's."""

# `+` keeps SQLite from using another index than that of ids
_RECORD_DESCRIPTION_SHAS = """
UPDATE docs SET vector_line = j.sha
FROM (SELECT value->>0 AS id, value->>1 AS sha FROM json_each(?2)) j
WHERE docs.id = j.id AND +docs.repo = ?1 AND docs.vector_line <> j.sha
"""

# ?1 rows of `_UPSERT_DESCRIPTIONS`; a run that died may have sent vectors without recording them
_SET_DESCRIPTION_UNKNOWN = f"""
UPDATE docs SET vector_line = '{UNKNOWN_DESCRIPTION}'
FROM json_each(?1) j CROSS JOIN descriptions e ON e.sha = j.value->>0
WHERE docs.describes = e.sha AND docs.describes <> ''
AND docs.vector_line <> '{UNKNOWN_DESCRIPTION}'
AND e.line <> '' AND e.line <> j.value->>3 AND {_HAS_MODEL}
"""

# ?2 suffixes of the keys in `meta`, of all repositories
_DELETE_CURRENT_KEYS = """
DELETE FROM meta WHERE key IN (
  SELECT DISTINCT d.repo || k.value FROM json_each(?1) j
  CROSS JOIN docs d ON d.describes = j.value->>0 AND d.describes <> '' CROSS JOIN json_each(?2) k
)
"""

_SET_MODEL_CURRENT = f"""
INSERT INTO meta (key, value) SELECT ?2, 'complete'
WHERE NOT EXISTS (SELECT 1 FROM files WHERE repo = ?1 AND state = 'pending')
AND NOT EXISTS (
  SELECT 1 FROM docs d CROSS JOIN files f ON f.repo = d.repo AND f.path = d.path
  WHERE d.repo = ?1 AND {_IS_STALE_MODEL}
) ON CONFLICT (key) DO NOTHING
"""


class DescriptionText(NamedTuple):
    """A node's description and its hash; both are empty if there is none."""

    text: str = ""
    sha: str = ""


NO_DESCRIPTION = DescriptionText()


class StaleFile(NamedTuple):
    """A file as it was indexed, with the ids of its nodes whose vectors must be sent."""

    path: str
    blob: str
    ids: list[str]


def description_sha(text: str) -> str:
    """Returns the hash that identifies a description's text; empty for none."""
    return text_sha(text)[:_SHA_DIGITS] if text else ""


def descriptions_of(database: Database, ids: Iterable[str]) -> dict[str, DescriptionText]:
    """Returns the descriptions of those of the nodes that have one, by id."""
    statements = [Statement(_DESCRIPTIONS_OF_NODES, (page,)) for page in json_pages(ids)]
    pages = database.run(statements) if statements else []
    rows = (row for page in pages for row in page)
    return {str(id_): DescriptionText(str(text), str(sha)) for id_, text, sha in rows}


def stale_model_vectors(database: Database, repo: str) -> Iterator[StaleFile]:
    """Yields nodes without a model vector, or with an outdated one, by file.

    One request for every 5,000 nodes.
    """
    nodes = paginate_rows(database, _STALE_MODEL_VECTORS, (repo,), ("", ""), MODEL_VECTOR_PAGE)
    for (path, blob), rows in groupby(nodes, key=lambda row: (row[0], row[2])):
        yield StaleFile(str(path), str(blob), [str(id_) for _, id_, _ in rows])


def record_description_statements(
    repo: str, description_shas: Iterable[tuple[str, str]]
) -> Iterator[Statement]:
    """Yields statements that record the description in each node's vector, by its hash."""
    for page in json_pages(description_shas):
        yield Statement(_RECORD_DESCRIPTION_SHAS, (repo, page))


def invalidate_vectors_statements(page: str, meta_keys: Sequence[str]) -> list[Statement]:
    """Returns the statements before a page of descriptions is written: vectors become stale.

    `meta_keys`, without repository, are those that say that all vectors are current.
    """
    suffixes = json.dumps([f":{key}" for key in meta_keys])
    return [
        Statement(_SET_DESCRIPTION_UNKNOWN, (page,)),
        Statement(_DELETE_CURRENT_KEYS, (page, suffixes)),
    ]


def model_current_statement(repo: str, key: str) -> Statement:
    """Returns the statement that records that all model vectors are current, if they are."""
    return Statement(_SET_MODEL_CURRENT, (repo, key))


# `+` keeps the order of rows, so that a page needs no sorting
_IS_STALE_STATIC = """
docs d CROSS JOIN meanings m ON m.seq = d.seq
LEFT JOIN descriptions e ON e.sha = d.describes AND d.describes <> ''
LEFT JOIN plain_meanings p ON p.seq = d.seq
WHERE +d.repo = ?1 AND coalesce(p.line_sha, '') <> coalesce(e.line_sha, '')
AND typeof(m.code) = 'blob'
"""

_STALE_STATIC_VECTORS = f"""
SELECT d.seq, d.id, coalesce(e.line, ''), coalesce(e.line_sha, ''), coalesce(p.code, m.code)
FROM {_IS_STALE_STATIC} AND d.seq > ?2 ORDER BY d.seq LIMIT ?3
"""

_OUTDATED_STATIC_VECTORS = (
    f"SELECT d.path, count(*) FROM {_IS_STALE_STATIC} GROUP BY d.path ORDER BY d.path"
)

_SET_STATIC_CURRENT = f"""
INSERT INTO meta (key, value) SELECT ?2, 'on' WHERE NOT EXISTS (SELECT 1 FROM {_IS_STALE_STATIC})
ON CONFLICT (key) DO NOTHING
"""

# ?1 rows of id and hash, ?2 codes of the texts, ?3 blended codes, ?4 bytes of each
_SAVE_TEXT_VECTORS = """
INSERT INTO plain_meanings (seq, line_sha, code)
SELECT d.seq, j.value->>1, substr(?2, j.key * ?4 + 1, ?4)
FROM json_each(?1) j CROSS JOIN docs d ON d.id = j.value->>0 WHERE true
ON CONFLICT (seq) DO UPDATE SET line_sha = excluded.line_sha, code = excluded.code
"""

# an upsert, since an update would read all vectors for each row of the parameter
_SAVE_BLENDED_VECTORS = """
INSERT INTO meanings (seq, code) SELECT d.seq, substr(?3, j.key * ?4 + 1, ?4)
FROM json_each(?1) j CROSS JOIN docs d ON d.id = j.value->>0 WHERE true
ON CONFLICT (seq) DO UPDATE SET code = excluded.code
"""

_RESTORE_TEXT_VECTORS = (
    """
INSERT INTO meanings (seq, code) SELECT d.seq, p.code
FROM json_each(?1) j CROSS JOIN docs d ON d.id = j.value CROSS JOIN plain_meanings p USING (seq)
WHERE true ON CONFLICT (seq) DO UPDATE SET code = excluded.code
""",
    """
DELETE FROM plain_meanings WHERE seq IN (
  SELECT d.seq FROM json_each(?1) j CROSS JOIN docs d ON d.id = j.value
)
""",
)

_BLENDED_VECTORS = """
SELECT d.seq, d.path, e.line, p.code, m.code
FROM docs d CROSS JOIN plain_meanings p ON p.seq = d.seq
CROSS JOIN meanings m ON m.seq = d.seq CROSS JOIN descriptions e ON e.sha = d.describes
WHERE +d.repo = ?1 AND d.describes <> '' AND d.seq > ?2 AND e.line_sha = p.line_sha
AND typeof(m.code) = 'blob' ORDER BY d.seq LIMIT ?3
"""


class StaleVector(NamedTuple):
    """A node whose static vector is stale: its present description, and its text's code."""

    id: str
    description: DescriptionText
    text_code: bytes


class BlendedVector(NamedTuple):
    """A blended vector: its file, description, the code of the text alone, and its own code."""

    path: str
    description: str
    text_code: bytes
    code: bytes


def static_current_statement(repo: str, key: str) -> Statement:
    """Returns the statement that records that all static vectors are current, if they are."""
    return Statement(_SET_STATIC_CURRENT, (repo, key))


def stale_static_vectors(database: Database, repo: str) -> Iterator[list[StaleVector]]:
    """Yields nodes whose static vectors contain another description, up to 1,000 at a time."""
    after: object = -1
    while table_exists(database, "plain_meanings"):
        params = (repo, int(str(after)), STATIC_VECTOR_BATCH)
        [page] = database.run([Statement(_STALE_STATIC_VECTORS, params)])
        if not page:
            return
        after = page[-1][0]
        yield [
            StaleVector(str(id_), DescriptionText(str(text), str(sha)), cast("bytes", code))
            for _, id_, text, sha, code in page
        ]


def blend_statements(vectors: Sequence[StaleVector], codes: Sequence[bytes]) -> list[Statement]:
    """Returns the statements that store blended vectors with these codes, all of one length."""
    rows = json.dumps([[vector.id, vector.description.sha] for vector in vectors])
    text_codes = b"".join(vector.text_code for vector in vectors)
    params = (rows, text_codes, b"".join(codes), len(codes[0]))
    return [Statement(sql, params) for sql in (_SAVE_TEXT_VECTORS, _SAVE_BLENDED_VECTORS)]


def unblend_statements(vectors: Iterable[StaleVector]) -> list[Statement]:
    """Returns the statements that restore the vectors of the texts alone."""
    ids = json.dumps([vector.id for vector in vectors])
    return [Statement(sql, (ids,)) for sql in _RESTORE_TEXT_VECTORS]


def outdated_static_vectors(database: Database, repo: str) -> list[Row]:
    """Returns files with stale static vectors, and how many: (path, count)."""
    if not table_exists(database, "plain_meanings"):
        return []
    [rows] = database.run([Statement(_OUTDATED_STATIC_VECTORS, (repo,))])
    return rows


def blended_vectors(database: Database, repo: str) -> Iterator[list[BlendedVector]]:
    """Yields the vectors that contain their node's description, up to 1,000 at a time."""
    after: object = -1
    while table_exists(database, "plain_meanings"):
        params = (repo, int(str(after)), STATIC_VECTOR_BATCH)
        [page] = database.run([Statement(_BLENDED_VECTORS, params)])
        if not page:
            return
        after = page[-1][0]
        yield [
            BlendedVector(str(path), str(text), cast("bytes", text_code), cast("bytes", code))
            for _, path, text, text_code, code in page
        ]
