"""What was a node read from, and a file? Its contents' name, its pieces, and the nodes inside."""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from feeder.store import Database, Row, Statement
from feeder.store.reading import Hit

_ORIGINS = """
SELECT d.id, coalesce(f.blob, '')
FROM json_each(?) j CROSS JOIN docs d ON d.id = j.value->>0
LEFT JOIN files f ON f.repo = d.repo AND f.path = d.path
"""
# the lines are those of a hit, which may be made of several pieces of one node
_INSIDE = """
SELECT o.id, d.start_line, d.end_line, iif(d.id = o.id OR (
  coalesce(o.symbol, o.logical_path) IS NOT NULL AND d.node_type = o.node_type
  AND d.symbol IS o.symbol AND d.signature IS o.signature AND d.logical_path IS o.logical_path
), d.text_sha, NULL)
FROM json_each(?) j CROSS JOIN docs o ON o.id = j.value->>0
CROSS JOIN docs d ON d.repo = o.repo AND d.path = o.path
WHERE d.start_line >= j.value->>1 AND d.end_line <= j.value->>2
ORDER BY d.start_line, d.end_line
"""
_BLOBS = "SELECT path, blob FROM files WHERE repo = ? AND path IN (SELECT value FROM json_each(?))"


class Span(NamedTuple):
    """Lines of a piece as they were indexed, and the hash of its text."""

    first: int
    last: int
    text_sha: str


class Inside(NamedTuple):
    """The pieces that a hit is made of, and the lines, first and last, of the nodes in it."""

    pieces: Sequence[Span] = ()
    inner: Sequence[tuple[int, int]] = ()


def origins(
    database: Database, hits: Sequence[Hit], *, with_inside: bool
) -> tuple[dict[str, str], dict[str, Inside]]:
    """Git's ids of the contents that nodes were read from, by the nodes' ids; what is in them.

    One request.
    """
    wanted = _wanted(hits)
    asked = [Statement(_ORIGINS, wanted), *([Statement(_INSIDE, wanted)] if with_inside else [])]
    rows, *inner = database.run(asked)
    blobs = {str(id_): str(blob) for id_, blob in rows}
    return blobs, _inside(hits, inner[0]) if inner else {}


def insides(database: Database, hits: Sequence[Hit]) -> dict[str, Inside]:
    """What is in these hits, by id; one request."""
    [rows] = database.run([Statement(_INSIDE, _wanted(hits))])
    return _inside(hits, rows)


def _wanted(hits: Iterable[Hit]) -> tuple[str]:
    return (json.dumps([[hit.id, hit.start_line, hit.end_line] for hit in hits]),)


def _inside(hits: Iterable[Hit], rows: Iterable[Row]) -> dict[str, Inside]:
    pieces: dict[str, list[Span]] = {hit.id: [] for hit in hits}
    inner: dict[str, list[tuple[int, int]]] = {hit.id: [] for hit in hits}
    long = {hit.id: hit.end_line - hit.start_line for hit in hits}
    for id_, start, end, sha in rows:
        name, first, last = str(id_), int(str(start)), int(str(end))
        if sha is not None:
            pieces[name].append(Span(first, last, str(sha)))
        elif last - first < long[name]:
            inner[name].append((first, last))
    return {name: Inside(pieces[name], inner[name]) for name in pieces}


def blobs(database: Database, repo: str, paths: Iterable[str]) -> dict[str, str]:
    """Git's ids of the contents that were indexed, by path; one request."""
    [rows] = database.run([Statement(_BLOBS, (repo, json.dumps(list(paths))))])
    return {str(path): str(blob) for path, blob in rows}
