"""Tracks which description each vector contains, for model vectors and static vectors, and
finds the stale ones. The hash of the description is in `docs.vector_line` for a model vector
and in `plain_meanings.line_sha` for a static one.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple, cast

from feeder.nodes import text_sha
from feeder.store import Database, Row, Statement
from feeder.store.rows import json_pages, paginate_rows
from feeder.store.static_vectors import table_exists

UNKNOWN_DESCRIPTION = "?"
"""What stands for a line where a run that died may have sent the vector of another one."""

MODEL_VECTOR_PAGE = 5_000

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
"""Files with vectors, beside the words, of another line than their node's."""

# the sign keeps the ids the way to the rows
_RECORD_DESCRIPTION_SHAS = """
UPDATE docs SET vector_line = j.sha
FROM (SELECT value->>0 AS id, value->>1 AS sha FROM json_each(?2)) j
WHERE docs.id = j.id AND +docs.repo = ?1 AND docs.vector_line <> j.sha
"""

# ?1 rows as `descriptions` adds them: of which line a vector is that was sent before, and not noted
_SET_DESCRIPTION_UNKNOWN = f"""
UPDATE docs SET vector_line = '{UNKNOWN_DESCRIPTION}'
FROM json_each(?1) j CROSS JOIN descriptions e ON e.sha = j.value->>0
WHERE docs.describes = e.sha AND docs.describes <> ''
AND docs.vector_line <> '{UNKNOWN_DESCRIPTION}'
AND e.line <> '' AND e.line <> j.value->>3 AND {_HAS_MODEL}
"""

# ?2 what the keys of `meta` end with, of whatever repository
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
    """What is said of a node, and its hash; both empty where nothing is."""

    text: str = ""
    sha: str = ""


NO_DESCRIPTION = DescriptionText()


class StaleFile(NamedTuple):
    """A file, as it was indexed, with the ids of its nodes whose vectors have to be sent."""

    path: str
    blob: str
    ids: list[str]


def description_sha(text: str) -> str:
    """What tells a line from another one of the same text; empty for none."""
    return text_sha(text)[:_SHA_DIGITS] if text else ""


def descriptions_of(database: Database, ids: Iterable[str]) -> dict[str, DescriptionText]:
    """The lines of those of the nodes that have one."""
    asked = [Statement(_DESCRIPTIONS_OF_NODES, (page,)) for page in json_pages(ids)]
    found = (row for rows in (database.run(asked) if asked else []) for row in rows)
    return {str(id_): DescriptionText(str(line), str(sha)) for id_, line, sha in found}


def stale_model_vectors(database: Database, repo: str) -> Iterator[StaleFile]:
    """What lacks a vector, or has one of another line; a request for every 5,000 nodes."""
    found = paginate_rows(database, _STALE_MODEL_VECTORS, repo, MODEL_VECTOR_PAGE)
    for (path, blob), rows in groupby(found, key=lambda row: (row[0], row[2])):
        yield StaleFile(str(path), str(blob), [str(id_) for _, id_, _ in rows])


def record_description_statements(
    repo: str, description_shas: Iterable[tuple[str, str]]
) -> Iterator[Statement]:
    """What notes of which line, by its hash, the vector of each node is."""
    for page in json_pages(description_shas):
        yield Statement(_RECORD_DESCRIPTION_SHAS, (repo, page))


def invalidate_vectors_statements(page: str, meta_keys: Sequence[str]) -> list[Statement]:
    """What comes before a page of lines is written: what is of their texts is not up to date.

    `keys` of `meta`, without their repository, say that all is.
    """
    names = json.dumps([f":{key}" for key in meta_keys])
    return [
        Statement(_SET_DESCRIPTION_UNKNOWN, (page,)),
        Statement(_DELETE_CURRENT_KEYS, (page, names)),
    ]


def model_current_statement(repo: str, key: str) -> Statement:
    """What notes that no vector lacks, nor is of another line, where that is so."""
    return Statement(_SET_MODEL_CURRENT, (repo, key))


STATIC_VECTOR_BATCH = 1_000
"""Vectors that are made anew with one transaction."""


# the signs keep the order of rows, so that a page is not sorted out of all
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

# ?1 rows of id and hash, ?2 the codes of the texts and ?3 those with the lines, ?4 bytes of each
_SAVE_TEXT_VECTORS = """
INSERT INTO plain_meanings (seq, line_sha, code)
SELECT d.seq, j.value->>1, substr(?2, j.key * ?4 + 1, ?4)
FROM json_each(?1) j CROSS JOIN docs d ON d.id = j.value->>0 WHERE true
ON CONFLICT (seq) DO UPDATE SET line_sha = excluded.line_sha, code = excluded.code
"""

# an insert, as an update would read all vectors for each row of the parameter
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
    """A node whose vector is of another line: its own line, and its text's code."""

    id: str
    description: DescriptionText
    text_code: bytes


class BlendedVector(NamedTuple):
    """A vector: its file, the line that it is of, the code of its text alone, and its own code."""

    path: str
    description: str
    text_code: bytes
    code: bytes


def static_current_statement(repo: str, key: str) -> Statement:
    """What notes that none of these vectors is of another line, where that is so."""
    return Statement(_SET_STATIC_CURRENT, (repo, key))


def stale_static_vectors(database: Database, repo: str) -> Iterator[list[StaleVector]]:
    """Nodes whose vectors are of another line, up to 1,000 at a time."""
    after: object = -1
    while table_exists(database, "plain_meanings"):
        where = (repo, int(str(after)), STATIC_VECTOR_BATCH)
        [page] = database.run([Statement(_STALE_STATIC_VECTORS, where)])
        if not page:
            return
        after = page[-1][0]
        yield [
            StaleVector(str(id_), DescriptionText(str(line), str(sha)), cast("bytes", code))
            for _, id_, line, sha, code in page
        ]


def blend_statements(vectors: Sequence[StaleVector], codes: Sequence[bytes]) -> list[Statement]:
    """What keeps these vectors, all equally long, of nodes with their lines."""
    about = json.dumps([[one.id, one.description.sha] for one in vectors])
    plain, size = b"".join(one.text_code for one in vectors), len(codes[0])
    what = (about, plain, b"".join(codes), size)
    return [Statement(text, what) for text in (_SAVE_TEXT_VECTORS, _SAVE_BLENDED_VECTORS)]


def unblend_statements(vectors: Iterable[StaleVector]) -> list[Statement]:
    """What leaves of these vectors those of the texts."""
    ids = json.dumps([one.id for one in vectors])
    return [Statement(text, (ids,)) for text in _RESTORE_TEXT_VECTORS]


def outdated_static_vectors(database: Database, repo: str) -> list[Row]:
    """Files with vectors of another line than their node's, and how many: (path, count)."""
    if not table_exists(database, "plain_meanings"):
        return []
    [found] = database.run([Statement(_OUTDATED_STATIC_VECTORS, (repo,))])
    return found


def blended_vectors(database: Database, repo: str) -> Iterator[list[BlendedVector]]:
    """The vectors that are said to be of their nodes' lines, up to 1,000 at a time."""
    after: object = -1
    while table_exists(database, "plain_meanings"):
        [page] = database.run(
            [Statement(_BLENDED_VECTORS, (repo, int(str(after)), STATIC_VECTOR_BATCH))]
        )
        if not page:
            return
        after = page[-1][0]
        yield [
            BlendedVector(str(path), str(line), cast("bytes", plain), cast("bytes", code))
            for _, path, line, plain, code in page
        ]
