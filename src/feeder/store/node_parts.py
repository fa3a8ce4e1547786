"""What was a node read from, and a file? Its contents' name, its pieces, and the nodes inside."""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from feeder.store import Database, Row, Statement
from feeder.store.word_search import Hit

_BLOBS_BY_ID = """
SELECT d.id, coalesce(f.blob, '')
FROM json_each(?) j CROSS JOIN docs d ON d.id = j.value->>0
LEFT JOIN files f ON f.repo = d.repo AND f.path = d.path
"""
# the lines are those of a hit, which may be made of several pieces of one node
HIT_CONTENTS = """
SELECT o.id, d.start_line, d.end_line, iif(d.id = o.id OR (
  coalesce(o.symbol, o.logical_path) IS NOT NULL AND d.node_type = o.node_type
  AND d.symbol IS o.symbol AND d.signature IS o.signature AND d.logical_path IS o.logical_path
), d.text_sha, NULL)
FROM json_each(?) j CROSS JOIN docs o ON o.id = j.value->>0
CROSS JOIN docs d ON d.repo = o.repo AND d.path = o.path
WHERE d.start_line >= j.value->>1 AND d.end_line <= j.value->>2
ORDER BY d.start_line, d.end_line
"""
_BLOBS_BY_PATH = (
    "SELECT path, blob FROM files WHERE repo = ? AND path IN (SELECT value FROM json_each(?))"
)


class IndexedPart(NamedTuple):
    """Lines of a piece as they were indexed, and the hash of its text."""

    first_line: int
    last_line: int
    text_sha: str


class HitContents(NamedTuple):
    """The pieces that a hit is made of, and the lines, first and last, of the nodes in it."""

    parts: Sequence[IndexedPart] = ()
    inner_lines: Sequence[tuple[int, int]] = ()


def read_origins(
    database: Database, hits: Sequence[Hit], *, with_contents: bool
) -> tuple[dict[str, str], dict[str, HitContents]]:
    """Git's ids of the contents that nodes were read from, by the nodes' ids; what is in them.

    One request.
    """
    wanted = _lines_param(hits)
    asked = [
        Statement(_BLOBS_BY_ID, wanted),
        *([Statement(HIT_CONTENTS, wanted)] if with_contents else []),
    ]
    rows, *inner = database.run(asked)
    blobs = {str(id_): str(blob) for id_, blob in rows}
    return blobs, _contents_from_rows(hits, inner[0]) if inner else {}


def read_hit_contents(database: Database, hits: Sequence[Hit]) -> dict[str, HitContents]:
    """What is in these hits, by id; one request."""
    [rows] = database.run([Statement(HIT_CONTENTS, _lines_param(hits))])
    return _contents_from_rows(hits, rows)


def _lines_param(hits: Iterable[Hit]) -> tuple[str]:
    return (json.dumps([[hit.id, hit.start_line, hit.end_line] for hit in hits]),)


def _contents_from_rows(hits: Iterable[Hit], rows: Iterable[Row]) -> dict[str, HitContents]:
    pieces: dict[str, list[IndexedPart]] = {hit.id: [] for hit in hits}
    inner: dict[str, list[tuple[int, int]]] = {hit.id: [] for hit in hits}
    long = {hit.id: hit.end_line - hit.start_line for hit in hits}
    for id_, start, end, sha in rows:
        name, first, last = str(id_), int(str(start)), int(str(end))
        if sha is not None:
            pieces[name].append(IndexedPart(first, last, str(sha)))
        elif last - first < long[name]:
            inner[name].append((first, last))
    return {name: HitContents(pieces[name], inner[name]) for name in pieces}


def blobs_by_path(database: Database, repo: str, paths: Iterable[str]) -> dict[str, str]:
    """Git's ids of the contents that were indexed, by path; one request."""
    [rows] = database.run([Statement(_BLOBS_BY_PATH, (repo, json.dumps(list(paths))))])
    return {str(path): str(blob) for path, blob in rows}
