"""Of which line is each node's vector? A vector is of its node's text and of the line on it.

The index keeps the hash of the line beside each vector: in `docs` for those of a model beside the
words, in `plain_meanings` for those that come with them. What differs from the line's own is stale:
its line is new, another one or gone, by whatever run or repository.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, cast

from feeder.nodes import text_sha
from feeder.store import Database, Row, Statement
from feeder.store.meanings import is_there
from feeder.store.rows import pages

IN_DOUBT = "?"
"""What stands for a line where a run that died may have sent the vector of another one."""
PAGE_NODES = 5_000
PIECE = 1_000
"""Vectors with the words that are made anew with one transaction."""
_SHA_DIGITS = 16

_LINE_SHA = """
coalesce((
  SELECT e.line_sha FROM descriptions e WHERE d.describes <> '' AND e.sha = d.describes
), '')
"""
_HAS_MODEL = "EXISTS (SELECT 1 FROM meta WHERE key = 'model')"

_LINES = """
SELECT d.id, e.line, e.line_sha FROM json_each(?1) j CROSS JOIN docs d ON d.id = j.value
CROSS JOIN descriptions e ON e.sha = d.describes AND d.describes <> '' WHERE e.line <> ''
"""
_IS_STALE = f"(f.state = 'pending' OR f.state = 'clean' AND d.vector_line <> {_LINE_SHA})"
_STALE = f"""
SELECT d.path, f.blob, d.id FROM docs d CROSS JOIN files f ON f.repo = d.repo AND f.path = d.path
WHERE d.repo = ?1 AND (d.path, d.id) > (?2, ?3) AND {_IS_STALE}
ORDER BY d.path, d.id LIMIT ?4
"""
OF_OTHER_LINES = f"""
SELECT d.path, count(*) FROM docs d CROSS JOIN files f ON f.repo = d.repo AND f.path = d.path
WHERE d.repo = ?1 AND {_HAS_MODEL} AND f.state = 'clean' AND d.vector_line <> {_LINE_SHA}
GROUP BY d.path ORDER BY d.path
"""
"""Files with vectors, beside the words, of another line than their node's."""
# the sign keeps the ids the way to the rows
_MARK = """
UPDATE docs SET vector_line = j.sha
FROM (SELECT value->>0 AS id, value->>1 AS sha FROM json_each(?2)) j
WHERE docs.id = j.id AND +docs.repo = ?1 AND docs.vector_line <> j.sha
"""
# ?1 rows as `descriptions` adds them: of which line a vector is that was sent before, and not noted
_DOUBT = f"""
UPDATE docs SET vector_line = '{IN_DOUBT}'
FROM json_each(?1) j CROSS JOIN descriptions e ON e.sha = j.value->>0
WHERE docs.describes = e.sha AND docs.describes <> '' AND docs.vector_line <> '{IN_DOUBT}'
AND e.line <> '' AND e.line <> j.value->>3 AND {_HAS_MODEL}
"""
# ?2 what the keys of `meta` end with, of whatever repository
_UNSAY = """
DELETE FROM meta WHERE key IN (
  SELECT DISTINCT d.repo || k.value FROM json_each(?1) j
  CROSS JOIN docs d ON d.describes = j.value->>0 AND d.describes <> '' CROSS JOIN json_each(?2) k
)
"""
_SAY_VECTORS = f"""
INSERT INTO meta (key, value) SELECT ?2, 'complete'
WHERE NOT EXISTS (SELECT 1 FROM files WHERE repo = ?1 AND state = 'pending')
AND NOT EXISTS (
  SELECT 1 FROM docs d CROSS JOIN files f ON f.repo = d.repo AND f.path = d.path
  WHERE d.repo = ?1 AND {_IS_STALE}
) ON CONFLICT (key) DO NOTHING
"""

# the signs keep the order of rows, so that a page is not sorted out of all
_STALE_MEANINGS = """
docs d CROSS JOIN meanings m ON m.seq = d.seq
LEFT JOIN descriptions e ON e.sha = d.describes AND d.describes <> ''
LEFT JOIN plain_meanings p ON p.seq = d.seq
WHERE +d.repo = ?1 AND coalesce(p.line_sha, '') <> coalesce(e.line_sha, '')
AND typeof(m.code) = 'blob'
"""
_NEXT_MEANINGS = f"""
SELECT d.seq, d.id, coalesce(e.line, ''), coalesce(e.line_sha, ''), coalesce(p.code, m.code)
FROM {_STALE_MEANINGS} AND d.seq > ?2 ORDER BY d.seq LIMIT ?3
"""
_OF_OTHER_MEANINGS = (
    f"SELECT d.path, count(*) FROM {_STALE_MEANINGS} GROUP BY d.path ORDER BY d.path"
)
_SAY_MEANINGS = f"""
INSERT INTO meta (key, value) SELECT ?2, 'on' WHERE NOT EXISTS (SELECT 1 FROM {_STALE_MEANINGS})
ON CONFLICT (key) DO NOTHING
"""
# ?1 rows of id and hash, ?2 the codes of the texts and ?3 those with the lines, ?4 bytes of each
_KEEP_PLAIN = """
INSERT INTO plain_meanings (seq, line_sha, code)
SELECT d.seq, j.value->>1, substr(?2, j.key * ?4 + 1, ?4)
FROM json_each(?1) j CROSS JOIN docs d ON d.id = j.value->>0 WHERE true
ON CONFLICT (seq) DO UPDATE SET line_sha = excluded.line_sha, code = excluded.code
"""
# an insert, as an update would read all vectors for each row of the parameter
_BLEND = """
INSERT INTO meanings (seq, code) SELECT d.seq, substr(?3, j.key * ?4 + 1, ?4)
FROM json_each(?1) j CROSS JOIN docs d ON d.id = j.value->>0 WHERE true
ON CONFLICT (seq) DO UPDATE SET code = excluded.code
"""
_PART = (
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
_HELD = """
SELECT d.seq, d.path, e.line, p.code, m.code
FROM docs d CROSS JOIN plain_meanings p ON p.seq = d.seq
CROSS JOIN meanings m ON m.seq = d.seq CROSS JOIN descriptions e ON e.sha = d.describes
WHERE +d.repo = ?1 AND d.describes <> '' AND d.seq > ?2 AND e.line_sha = p.line_sha
AND typeof(m.code) = 'blob' ORDER BY d.seq LIMIT ?3
"""


class Line(NamedTuple):
    """What is said of a node, and its hash; both empty where nothing is."""

    text: str = ""
    sha: str = ""


NO_LINE = Line()


class Meant(NamedTuple):
    """A node whose vector with the words is of another line: its own line, and its text's code."""

    id: str
    line: Line
    code: bytes


class Held(NamedTuple):
    """Of a vector with the words its file, its line, its text's code, and its own."""

    path: str
    line: str
    plain: bytes
    code: bytes


class StaleFile(NamedTuple):
    """A file, as it was indexed, with the ids of its nodes whose vectors have to be sent."""

    path: str
    blob: str
    ids: list[str]


def line_sha(line: str) -> str:
    """What tells a line from another one of the same text; empty for none."""
    return text_sha(line)[:_SHA_DIGITS] if line else ""


def lines_of(database: Database, ids: Iterable[str]) -> dict[str, Line]:
    """The lines of those of the nodes that have one."""
    asked = [Statement(_LINES, (page,)) for page in pages(ids)]
    found = (row for rows in (database.run(asked) if asked else []) for row in rows)
    return {str(id_): Line(str(line), str(sha)) for id_, line, sha in found}


def stale(database: Database, repo: str) -> Iterator[StaleFile]:
    """What lacks a vector, or has one of another line; a request for every 5,000 nodes."""
    path, id_ = "", ""
    file = StaleFile("", "", [])
    while True:
        [page] = database.run([Statement(_STALE, (repo, path, id_, PAGE_NODES))])
        for row in page:
            path, blob, id_ = map(str, row)
            if path != file.path:
                yield from [file] if file.ids else []
                file = StaleFile(path, blob, [])
            file.ids.append(id_)
        if len(page) < PAGE_NODES:
            yield from [file] if file.ids else []
            return


def marking(repo: str, lines: Iterable[tuple[str, str]]) -> Iterator[Statement]:
    """What notes of which line, by its hash, the vector of each node is."""
    for page in pages(lines):
        yield Statement(_MARK, (repo, page))


def unsettling(page: str, keys: Sequence[str]) -> list[Statement]:
    """What comes before a page of lines is written: what is of their texts is not up to date.

    `keys` of `meta`, without their repository, say that all is.
    """
    names = json.dumps([f":{key}" for key in keys])
    return [Statement(_DOUBT, (page,)), Statement(_UNSAY, (page, names))]


def saying_vectors(repo: str, key: str) -> Statement:
    """What notes that no vector lacks, nor is of another line, where that is so."""
    return Statement(_SAY_VECTORS, (repo, key))


def saying_meanings(repo: str, key: str) -> Statement:
    """The same of the vectors with the words, but for those that lack."""
    return Statement(_SAY_MEANINGS, (repo, key))


def stale_meanings(database: Database, repo: str) -> Iterator[list[Meant]]:
    """Nodes whose vectors with the words are of another line, some at a time."""
    after: object = -1
    while is_there(database, "plain_meanings"):
        where = (repo, int(str(after)), PIECE)
        [page] = database.run([Statement(_NEXT_MEANINGS, where)])
        if not page:
            return
        after = page[-1][0]
        yield [
            Meant(str(id_), Line(str(line), str(sha)), cast("bytes", code))
            for _, id_, line, sha, code in page
        ]


def blending(some: Sequence[Meant], codes: Sequence[bytes]) -> list[Statement]:
    """What keeps these vectors, all equally long, of nodes with their lines."""
    about = json.dumps([[one.id, one.line.sha] for one in some])
    plain, size = b"".join(one.code for one in some), len(codes[0])
    what = (about, plain, b"".join(codes), size)
    return [Statement(text, what) for text in (_KEEP_PLAIN, _BLEND)]


def parting(some: Iterable[Meant]) -> list[Statement]:
    """What leaves of these vectors those of the texts."""
    ids = json.dumps([one.id for one in some])
    return [Statement(text, (ids,)) for text in _PART]


def of_other_meanings(database: Database, repo: str) -> list[Row]:
    """Files with vectors, of those with the words, of another line than their node's; how many."""
    if not is_there(database, "plain_meanings"):
        return []
    [found] = database.run([Statement(_OF_OTHER_MEANINGS, (repo,))])
    return found


def held_blends(database: Database, repo: str) -> Iterator[list[Held]]:
    """What is said of the vectors with the words that are of their nodes' lines, some at a time."""
    after: object = -1
    while is_there(database, "plain_meanings"):
        [page] = database.run([Statement(_HELD, (repo, int(str(after)), PIECE))])
        if not page:
            return
        after = page[-1][0]
        yield [
            Held(str(path), str(line), cast("bytes", plain), cast("bytes", code))
            for _, path, line, plain, code in page
        ]
