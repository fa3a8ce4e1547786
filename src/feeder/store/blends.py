"""Of which line is each vector with the words? `plain_meanings` has the line's hash.

A vector is blended of its node's text and of the line on it; that of the text alone lies beside it.
It is stale where its line is not the node's own. Those beside the words: `store/vector_lines.py`.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, cast

from feeder.store import Database, Row, Statement
from feeder.store.description_vectors import DescriptionText
from feeder.store.static_vectors import table_exists

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
