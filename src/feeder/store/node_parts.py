"""Finds the parts of a long node, the nodes inside a hit, and the blob that a node comes from."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, cast

from feeder.nodes import MAX_GAP_LINES
from feeder.store import Database, Row, Statement
from feeder.store.batch import Batch
from feeder.store.hits import Hit

_BLOBS_BY_ID = """
SELECT d.id, coalesce(f.blob, '')
FROM json_each(?) j CROSS JOIN docs d ON d.id = j.value->>0
LEFT JOIN files f ON f.repo = d.repo AND f.path = d.path
"""

# the lines are those of a hit, which may consist of several parts of one node
_CONTENT_COLUMNS = """
SELECT o.id, d.start_line, d.end_line, iif(d.id = o.id OR (
  coalesce(o.symbol, o.logical_path) IS NOT NULL AND d.node_type = o.node_type
  AND d.symbol IS o.symbol AND d.signature IS o.signature AND d.logical_path IS o.logical_path
), d.text_sha, NULL) AS part_sha
FROM """
HIT_CONTENTS = f"""{_CONTENT_COLUMNS}json_each(?) j CROSS JOIN docs o ON o.id = j.value->>0
CROSS JOIN docs d ON d.repo = o.repo AND d.path = o.path
WHERE d.start_line BETWEEN j.value->>1 AND j.value->>2 AND d.end_line <= j.value->>2
ORDER BY d.start_line, d.end_line
"""
# each of the rows that are sorted is billed too: the Worker sorts them
D1_HIT_CONTENTS = f"""{_CONTENT_COLUMNS}(VALUES @RANGES) j CROSS JOIN docs o ON o.id = j.column1
CROSS JOIN docs d ON d.repo = o.repo AND d.path = o.path
WHERE d.start_line BETWEEN j.column2 AND j.column3 AND d.end_line <= j.column3
"""
# the same for the lines of nodes
D1_NODE_CONTENTS = f"""{_CONTENT_COLUMNS}(VALUES @IDS) j CROSS JOIN docs o ON o.id = j.column1
CROSS JOIN docs d ON d.repo = o.repo AND d.path = o.path
WHERE d.start_line BETWEEN o.start_line AND o.end_line AND d.end_line <= o.end_line
"""


# ?1 ids; the parts in each file are read once, however many of them are requested
NODE_PARTS = """
WITH requested AS MATERIALIZED (
  SELECT DISTINCT o.repo, o.path, o.node_type, o.symbol, o.signature, o.logical_path
  FROM json_each(?1) j CROSS JOIN docs o ON o.id = j.value
  WHERE o.is_part = 1
), file AS MATERIALIZED (SELECT DISTINCT repo, path FROM requested)
SELECT d.repo, d.path, d.node_type, d.symbol, d.signature, d.logical_path, d.start_line, d.end_line
FROM file f CROSS JOIN docs d ON d.repo = f.repo AND d.path = f.path AND d.is_part = 1
WHERE EXISTS (
  SELECT 1 FROM requested a WHERE a.path = d.path AND a.repo = d.repo AND a.node_type = d.node_type
  AND a.symbol IS d.symbol AND a.signature IS d.signature AND a.logical_path IS d.logical_path
)
ORDER BY d.start_line, d.end_line
"""

# `part_run` of the node `d`, or of rows of earlier versions the lines of all parts, as JSON; null
# for a node that has no parts
PART_LINES = """
iif(d.is_part, coalesce(d.part_run, (
  SELECT json_group_array(json_array(p.start_line, p.end_line) ORDER BY p.start_line, p.end_line)
  FROM docs p WHERE p.repo = d.repo AND p.path = d.path AND p.is_part = 1
  AND p.node_type = d.node_type AND p.symbol IS d.symbol AND p.signature IS d.signature
  AND p.logical_path IS d.logical_path
)), NULL)
"""


class IndexedPart(NamedTuple):
    """Lines of a node's part as they were indexed, and the hash of its text."""

    first_line: int
    last_line: int
    text_sha: str


class HitContents(NamedTuple):
    """The parts of a hit, and the lines, first and last, of the nodes inside it."""

    parts: Sequence[IndexedPart] = ()
    inner_lines: Sequence[tuple[int, int]] = ()


class PartRange(NamedTuple):
    """Lines that consecutive parts of a node cover, and the number of parts."""

    first_line: int
    last_line: int
    part_count: int = 1


PartsByNode = Mapping[tuple[object, ...], Sequence[PartRange]]
"""The lines of nodes, in order, by the columns that all parts of a node share."""


def read_origins(
    database: Database, hits: Sequence[Hit], *, with_contents: bool
) -> tuple[dict[str, str], dict[str, HitContents]]:
    """Returns git's blob ids of the contents that nodes were read from, and the hits' contents.

    Both by node id; one request.
    """
    params = _lines_param(hits)
    batch = Batch()
    blobs = batch.add(Statement(_BLOBS_BY_ID, params))
    contents = batch.add(Statement(HIT_CONTENTS, params) if with_contents else None)
    batch.run(database)
    return (
        {str(id_): str(blob) for id_, blob in blobs.rows},
        _contents_from_rows(hits, contents.rows) if with_contents else {},
    )


def blobs_statement(ids: Iterable[str]) -> Statement:
    """Selects ids with git's blob ids of the contents that the nodes were read from."""
    return Statement(_BLOBS_BY_ID, (json.dumps([[id_] for id_ in ids]),))


def read_hit_contents(database: Database, hits: Sequence[Hit]) -> dict[str, HitContents]:
    """Returns the contents of hits, by id; one request."""
    [rows] = database.run([Statement(HIT_CONTENTS, _lines_param(hits))])
    return _contents_from_rows(hits, rows)


def _lines_param(hits: Iterable[Hit]) -> tuple[str]:
    return (json.dumps([[hit.id, hit.start_line, hit.end_line] for hit in hits]),)


class _Lines(NamedTuple):
    """Lines of a hit that are a part, with its fingerprint, or an inner node, without."""

    id: str
    first: int
    last: int
    sha: str | None


def _contents_from_rows(hits: Iterable[Hit], rows: Iterable[Row]) -> dict[str, HitContents]:
    parts: dict[str, list[IndexedPart]] = {hit.id: [] for hit in hits}
    inner: dict[str, list[tuple[int, int]]] = {hit.id: [] for hit in hits}
    lengths = {hit.id: hit.end_line - hit.start_line for hit in hits}
    for id_, first, last, sha in map(_Lines._make, rows):
        if sha is not None:
            parts[id_].append(IndexedPart(first, last, sha))
        elif last - first < lengths[id_]:
            inner[id_].append((first, last))
    return {id_: HitContents(parts[id_], inner[id_]) for id_ in parts}


def read_part_ranges(database: Database, hits: Iterable[Hit]) -> dict[str, PartRange]:
    """Returns the part ranges of hits, by id; one request."""
    named = [hit for hit in hits if hit.symbol or hit.logical_path]
    if not named:
        return {}
    [rows] = database.run([parts_statement(hit.id for hit in named)])
    return part_ranges(named, parts_from_rows(rows))


def parts_statement(ids: Iterable[str]) -> Statement:
    """Selects all nodes that are named like one of these, in the same file."""
    return Statement(NODE_PARTS, (json.dumps(list(dict.fromkeys(ids))),))


def parts_from_rows(rows: Iterable[Row]) -> PartsByNode:
    parts: dict[tuple[object, ...], list[PartRange]] = defaultdict(list)
    for *identity, first, last in rows:
        parts[tuple(identity)].append(PartRange(cast("int", first), cast("int", last)))
    return parts


def part_ranges(hits: Iterable[Hit], parts: PartsByNode) -> dict[str, PartRange]:
    """Joins consecutive nodes of one name and file; returns the range around each hit, by id.

    Other nodes of that name, such as a function's second definition in an `#ifdef`, are ranges of
    their own. Unnamed hits are left out.
    """
    return {
        hit.id: _range_containing(hit.start_line, node_parts)
        for hit in hits
        if (node_parts := parts.get(_node_identity(hit)))
    }


def _node_identity(hit: Hit) -> tuple[object, ...]:
    return hit.repo, hit.path, hit.node_type, hit.symbol, hit.signature, hit.logical_path


def _range_containing(line: int, parts: Sequence[PartRange]) -> PartRange:
    ranges = [parts[0]]
    for part in parts[1:]:
        last = ranges[-1]
        if part.first_line > last.last_line + MAX_GAP_LINES:
            ranges.append(part)
        else:
            last_line = max(last.last_line, part.last_line)
            ranges[-1] = PartRange(last.first_line, last_line, last.part_count + 1)
    return next(range_ for range_ in ranges if range_.first_line <= line <= range_.last_line)
