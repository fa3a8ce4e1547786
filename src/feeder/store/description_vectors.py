"""Of which line is each vector beside the words? `docs.vector_line` has the line's hash.

A vector is of its node's text and of the line on it. It is stale where its line is not the node's
own: a new one, another one or one that is gone, by whatever run or repository.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from feeder.nodes import text_sha
from feeder.store import Database, Statement
from feeder.store.rows import json_pages, paginate_rows

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
