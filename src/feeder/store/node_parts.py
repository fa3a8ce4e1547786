"""Finds the parts of a long node, the nodes inside a hit and the blob that it was read from."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from feeder.store import Database, Row, Statement
from feeder.store.hits import Hit

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


# ?1 ids; each file's nodes are read once, however many of them are asked for
NODE_PARTS = """
WITH asked AS MATERIALIZED (
  SELECT DISTINCT o.repo, o.path, o.node_type, o.symbol, o.signature, o.logical_path
  FROM json_each(?1) j CROSS JOIN docs o ON o.id = j.value
  WHERE o.symbol <> '' OR o.logical_path <> ''
), file AS MATERIALIZED (SELECT DISTINCT repo, path FROM asked)
SELECT d.repo, d.path, d.node_type, d.symbol, d.signature, d.logical_path, d.start_line, d.end_line
FROM file f CROSS JOIN docs d ON d.repo = f.repo AND d.path = f.path
WHERE EXISTS (
  SELECT 1 FROM asked a WHERE a.path = d.path AND a.repo = d.repo AND a.node_type = d.node_type
  AND a.symbol IS d.symbol AND a.signature IS d.signature AND a.logical_path IS d.logical_path
)
ORDER BY d.start_line, d.end_line
"""

MAX_GAP_LINES = 2
"""From a piece's last line to the next one's first: a blank line may be between them."""


class PartRange(NamedTuple):
    """Lines from `first` to `last` that so many pieces have together."""

    first_line: int
    last_line: int
    part_count: int = 1


PartsByNode = Mapping[tuple[object, ...], Sequence[PartRange]]
"""The lines of nodes, in order, by what those that are named alike have in common."""


def read_part_ranges(database: Database, hits: Iterable[Hit]) -> dict[str, PartRange]:
    """The runs of these hits; one request."""
    named = [hit for hit in hits if hit.symbol or hit.logical_path]
    if not named:
        return {}
    [rows] = database.run([parts_statement(hit.id for hit in named)])
    return part_ranges(named, parts_from_rows(rows))


def parts_statement(ids: Iterable[str]) -> Statement:
    """Asks for all nodes named like one of these in its file, which is read for it."""
    return Statement(NODE_PARTS, (json.dumps(list(dict.fromkeys(ids))),))


def parts_from_rows(rows: Iterable[Row]) -> PartsByNode:
    """What it answers."""
    found: dict[tuple[object, ...], list[PartRange]] = defaultdict(list)
    for *kind, first, last in rows:
        found[tuple(kind)].append(PartRange(int(str(first)), int(str(last))))
    return found


def part_ranges(hits: Iterable[Hit], parts: PartsByNode) -> dict[str, PartRange]:
    """By id, the nodes named alike that follow one another in its file, itself among them.

    Others of the name, such as a function's other branch of an `#ifdef`, are runs of their own.
    What has no name is in no run.
    """
    return {
        hit.id: _range_containing(hit.start_line, some)
        for hit in hits
        if (some := parts.get(_node_identity(hit)))
    }


def _node_identity(hit: Hit) -> tuple[object, ...]:
    return hit.repo, hit.path, hit.node_type, hit.symbol, hit.signature, hit.logical_path


def _range_containing(line: int, parts: Sequence[PartRange]) -> PartRange:
    joined = [parts[0]]
    for span in parts[1:]:
        run = joined[-1]
        if span.first_line > run.last_line + MAX_GAP_LINES:
            joined.append(span)
        else:
            joined[-1] = PartRange(
                run.first_line, max(run.last_line, span.last_line), run.part_count + 1
            )
    return next(run for run in joined if run.first_line <= line <= run.last_line)
