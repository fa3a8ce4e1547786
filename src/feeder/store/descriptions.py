"""Lines on methods and classes, by the hash of what a model was asked; docs/how-to/descriptions.md.

A node keeps the hash of its own text, so a line is never of an older one: nodes come and go, and
those of the same text share its line. Lines that are no node's go when a run ends.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from feeder.store import Database, Statement
from feeder.store.rows import IndexedFile, by_path_and_id, pages
from feeder.store.scope import EVERYWHERE, IN_SCOPE, Scope, params
from feeder.store.vector_lines import IN_DOUBT, line_sha, unsettling

PAGE_PATHS = 2_000
PAGE_NODES = 5_000
TIES = 100
"""Lines beyond the limit that are put in order by path where bm25 makes no difference."""
UNLINKED = 5_000
"""Nodes that one transaction parts from their lines."""

LINE_OF = """
coalesce((SELECT e.line FROM descriptions e WHERE d.describes <> '' AND e.sha = d.describes), '')
"""
"""A column of the node `d`."""
_TYPES = "d.node_type IN ('method', 'class')"
# ?3 a model and ?4 a prompt: only a line of theirs counts then, and no reason why there is none
_LACKS = f"""
d.repo = ?1 AND {_TYPES} AND NOT EXISTS (
  SELECT 1 FROM descriptions e WHERE e.sha = d.describes
  AND (?3 IS NULL OR e.model = ?3 AND e.prompt = ?4 AND e.reason = '')
)
"""
_LACKING_PATHS = f"""
SELECT d.path, f.blob FROM docs d CROSS JOIN files f ON f.repo = d.repo AND f.path = d.path
WHERE d.path > ?2 AND {_LACKS} GROUP BY d.path ORDER BY d.path LIMIT ?5
"""
_LACKING = f"SELECT count(*) FROM docs d WHERE {_LACKS} AND ?2 = ''"
_UNKNOWN = """
SELECT DISTINCT j.value FROM json_each(?1) j WHERE NOT EXISTS (
  SELECT 1 FROM descriptions e WHERE e.sha = j.value
  AND (?2 IS NULL OR e.model = ?2 AND e.prompt = ?3 AND e.reason = '')
)
"""
# the signs keep the ids the way to the rows; of another text's line a vector may have been sent
_LINK = f"""
UPDATE docs SET describes = j.sha, vector_line = iif(
  docs.describes <> '' AND EXISTS (SELECT 1 FROM meta WHERE key = 'model'), '{IN_DOUBT}',
  docs.vector_line)
FROM (SELECT value->>0 AS id, value->>1 AS sha FROM json_each(?2)) j
WHERE docs.id = j.id AND +docs.repo = ?1 AND +docs.describes <> j.sha
"""
# their vectors are sent anew, as those of new files are
_UNLINKED_WAIT = f"""
UPDATE files SET state = 'pending' WHERE repo = ?1 AND state = 'clean' AND path IN (
  SELECT d.path FROM docs d WHERE d.describes <> '' AND d.repo = ?1
  AND (d.vector_line <> '' OR {LINE_OF} <> '')
) AND EXISTS (SELECT 1 FROM meta WHERE key = 'model')
"""
_UNLINK_SOME = """
UPDATE docs SET describes = '', vector_line = '' WHERE seq IN (
  SELECT d.seq FROM docs d WHERE d.describes <> '' AND d.repo = ?1 LIMIT ?2
)
"""
_ANY_LINKED = "SELECT 1 FROM docs d WHERE d.describes <> '' AND d.repo = ? LIMIT 1"
_UNSAY = """
DELETE FROM meta WHERE key IN (SELECT value FROM json_each(?1))
AND NOT EXISTS (SELECT 1 FROM docs d WHERE d.describes <> '' AND d.repo = ?2)
"""
# ?1 rows of sha, model, prompt, line, reason, and the line's hash
_DROP_OLD_WORDS = """
DELETE FROM descriptions_fts WHERE rowid IN (
  SELECT e.seq FROM json_each(?1) j CROSS JOIN descriptions e ON e.sha = j.value->>0
)
"""
_ADD = """
INSERT INTO descriptions (sha, model, prompt, line, reason, line_sha)
SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5 FROM json_each(?1)
WHERE true ON CONFLICT (sha) DO UPDATE SET model = excluded.model, prompt = excluded.prompt,
  line = excluded.line, reason = excluded.reason, line_sha = excluded.line_sha
"""
_ADD_WORDS = """
INSERT INTO descriptions_fts (rowid, line)
SELECT e.seq, e.line FROM json_each(?1) j CROSS JOIN descriptions e ON e.sha = j.value->>0
WHERE e.line <> ''
"""
_OF_NOBODY = """
NOT EXISTS (SELECT 1 FROM docs d WHERE d.describes = e.sha AND d.describes <> '')
"""
_DROP_WORDS_OF_NOBODY = f"""
DELETE FROM descriptions_fts WHERE rowid IN (SELECT e.seq FROM descriptions e WHERE {_OF_NOBODY})
"""
_DROP_OF_NOBODY = f"DELETE FROM descriptions AS e WHERE {_OF_NOBODY}"
# ?1 the key and what it says when no node lacks a line (?3), and when one does (?4)
_SETTLE = f"""
INSERT INTO meta (key, value)
SELECT ?2, iif(EXISTS (SELECT 1 FROM docs d WHERE d.repo = ?1 AND {_TYPES} AND NOT EXISTS (
  SELECT 1 FROM descriptions e WHERE e.sha = d.describes)), ?4, ?3)
WHERE true ON CONFLICT (key) DO UPDATE SET value = excluded.value
"""
_REBUILD = (
    "DELETE FROM descriptions_fts",
    """
INSERT INTO descriptions_fts (rowid, line)
SELECT seq, line FROM descriptions WHERE line <> ''
""",
)
_WITH_LINE = """
SELECT count(*) FROM docs d CROSS JOIN descriptions e ON e.sha = d.describes
WHERE d.repo = ?1 AND d.describes <> '' AND e.line <> ''
"""
UNPOSTED = """
SELECT e.line FROM descriptions e LEFT JOIN descriptions_fts f ON f.rowid = e.seq
WHERE (f.rowid IS NULL) = (e.line <> '') ORDER BY e.seq
"""
"""Lines without words, and words of what has no line."""
POSTED_OF_NOBODY = """
SELECT f.rowid FROM descriptions_fts f LEFT JOIN descriptions e ON e.seq = f.rowid
WHERE e.seq IS NULL ORDER BY f.rowid
"""
WITHOUT = f"""
SELECT d.path, count(*) FROM docs d WHERE d.repo = ?1 AND {_TYPES} AND NOT EXISTS (
  SELECT 1 FROM descriptions e WHERE e.sha = d.describes
) GROUP BY d.path ORDER BY d.path
"""
"""Files with methods and classes that no model was asked about."""
STANDING = f"""
SELECT count(*), count(e.sha), coalesce(sum(e.reason <> ''), 0), coalesce(sum(d.describes <> ''), 0)
FROM docs d LEFT JOIN descriptions e ON e.sha = d.describes
WHERE d.repo = ?1 AND ({_TYPES} OR d.describes <> '')
"""
"""Methods and classes, of them those asked about, without a line, and with the hash of a text."""
BY_MODEL = """
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
_MATCH = f"""
WITH everywhere(yes) AS MATERIALIZED ({EVERYWHERE}), found(seq, score) AS MATERIALIZED (
  SELECT rowid, rank AS score FROM descriptions_fts
  WHERE descriptions_fts MATCH ?1 AND ((SELECT yes FROM everywhere) OR EXISTS (
    SELECT 1 FROM descriptions e CROSS JOIN docs d ON d.describes = e.sha AND d.describes <> ''
    WHERE e.seq = descriptions_fts.rowid AND {IN_SCOPE}))
  ORDER BY rank LIMIT ?14 + {TIES}
)
SELECT d.id, -f.score FROM found f CROSS JOIN descriptions e ON e.seq = f.seq
CROSS JOIN docs d ON d.describes = e.sha AND d.describes <> ''
WHERE {IN_SCOPE} ORDER BY f.score, d.path, d.start_line LIMIT ?14 + 0
"""


class Made(NamedTuple):
    """What a model has made of a text: a line, or the reason why there is none."""

    sha: str
    model: str
    prompt: str
    line: str
    reason: str


class By(NamedTuple):
    """A model and a prompt: lines of others count as missing."""

    model: str
    prompt: str


def _by(by: By | None) -> tuple[str | None, str | None]:
    return by or (None, None)


def words_statement(terms: Sequence[str], scope: Scope, limit: int) -> Statement:
    """Asks for the nodes whose line has any of the terms, FTS5 queries each, the best first."""
    return Statement(_MATCH, (" OR ".join(terms) or '""', *params(scope), limit))


def lacking_paths(database: Database, repo: str, by: By | None) -> dict[str, str]:
    """The files that have a method or class without a line, with their blobs; a request for every
    2,000."""
    found: dict[str, str] = {}
    last = ""
    while True:
        where = (repo, last, *_by(by), PAGE_PATHS)
        [page] = database.run([Statement(_LACKING_PATHS, where)])
        found.update((str(path), str(blob)) for path, blob in page)
        if len(page) < PAGE_PATHS:
            return found
        last = str(page[-1][0])


def counting(repo: str, by: By | None) -> Statement:
    """What is answered with how many nodes lack a line."""
    return Statement(_LACKING, (repo, "", *_by(by)))


def with_line(database: Database, repo: str) -> int:
    """How many nodes have a line."""
    [[[count]]] = database.run([Statement(_WITH_LINE, (repo,))])
    return int(str(count))


def unknown(database: Database, shas: Iterable[str], by: By | None) -> set[str]:
    """Those of the hashes that have no line, nor a reason why there is none."""
    asked = [Statement(_UNKNOWN, (page, *_by(by))) for page in pages(dict.fromkeys(shas))]
    return {str(sha) for rows in (database.run(asked) if asked else []) for (sha,) in rows}


def links(repo: str, files: Iterable[IndexedFile]) -> Iterator[Statement]:
    """What ties the nodes of the files to the texts that are theirs now."""
    pairs = ([*pair] for file in files for pair in zip(file.ids, file.describes, strict=False))
    yield from linking(repo, pairs)


def linking(repo: str, pairs: Iterable[Sequence[str]]) -> Iterator[Statement]:
    """The same for ids, each with the hash of a text."""
    for page in pages(pairs):
        yield Statement(_LINK, (repo, page))


def additions(made: Iterable[Made], facts: Sequence[str]) -> Iterator[Statement]:
    """What keeps these lines, over those of the same texts.

    `facts` are keys of `meta` that no longer hold: that vectors are of their nodes' lines.
    """
    for page in pages([*one, line_sha(one.line)] for one in made):
        yield from unsettling(page, facts)
        for text in (_DROP_OLD_WORDS, _ADD, _ADD_WORDS):
            yield Statement(text, (page,))


def settling(repo: str, key: str, on: str, filling: str) -> list[Statement]:
    """What a run ends with: lines of no node go, and `meta` says whether one lacks."""
    return [*forgetting(), Statement(_SETTLE, (repo, key, on, filling))]


def forgetting() -> list[Statement]:
    """What takes out the lines that are no node's, of whatever repository."""
    return [Statement(_DROP_WORDS_OF_NOBODY), Statement(_DROP_OF_NOBODY)]


def dropping(repo: str, keys: Sequence[str]) -> list[Statement]:
    """What parts some nodes from their lines, and takes the keys from `meta` when none is left.

    Answered last with a row where there are more.
    """
    return [
        Statement(_UNLINKED_WAIT, (repo,)),
        Statement(_UNLINK_SOME, (repo, UNLINKED)),
        *forgetting(),
        Statement(_UNSAY, (json.dumps(keys), repo)),
        Statement(_ANY_LINKED, (repo,)),
    ]


def rebuilding() -> list[Statement]:
    """What makes the words of all lines anew."""
    return [Statement(text) for text in _REBUILD]


def held_links(database: Database, repo: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Each path with the hashes that its nodes keep, by id, in the order of the paths' bytes."""
    found = by_path_and_id(database, _LINKS, repo, PAGE_NODES)
    for path, rows in groupby(found, key=lambda row: row[0]):
        yield str(path), {str(id_): str(sha) for _, id_, sha in rows}
