"""What was a node read from, and a file? Its contents' name, and the nodes inside the node."""

import json
from collections.abc import Iterable
from typing import NamedTuple

from feeder.store import Database, Statement

_ORIGINS = """
SELECT d.id, coalesce(f.blob, ''), d.text_sha
FROM json_each(?) j CROSS JOIN docs d ON d.id = j.value
LEFT JOIN files f ON f.repo = d.repo AND f.path = d.path
"""
_INNER = """
SELECT o.id, d.start_line, d.end_line
FROM json_each(?) j CROSS JOIN docs o ON o.id = j.value
CROSS JOIN docs d ON d.repo = o.repo AND d.path = o.path
WHERE d.start_line >= o.start_line AND d.end_line <= o.end_line
  AND d.end_line - d.start_line < o.end_line - o.start_line
ORDER BY d.start_line
"""
_BLOBS = "SELECT path, blob FROM files WHERE repo = ? AND path IN (SELECT value FROM json_each(?))"


class Origin(NamedTuple):
    """Git's id of the contents that a node was read from, and its text's hash.

    `inner` are the lines, first and last, of the nodes inside it.
    """

    blob: str
    text_sha: str
    inner: tuple[tuple[int, int], ...] = ()


def origins(database: Database, ids: Iterable[str]) -> dict[str, Origin]:
    """The origins of these nodes by id; one request."""
    wanted = json.dumps(list(ids))
    nodes, inner = database.run([Statement(_ORIGINS, (wanted,)), Statement(_INNER, (wanted,))])
    lines: dict[str, list[tuple[int, int]]] = {}
    for id_, first, last in inner:
        lines.setdefault(str(id_), []).append((int(str(first)), int(str(last))))
    return {
        str(id_): Origin(str(blob), str(sha), tuple(lines.get(str(id_), ())))
        for id_, blob, sha in nodes
    }


def blobs(database: Database, repo: str, paths: Iterable[str]) -> dict[str, str]:
    """Git's ids of the contents that were indexed, by path; one request."""
    [rows] = database.run([Statement(_BLOBS, (repo, json.dumps(list(paths))))])
    return {str(path): str(blob) for path, blob in rows}
