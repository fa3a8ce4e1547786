"""Where do the pieces of a node lie? A long one is kept in several, by the same name."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from feeder.store import Database, Row, Statement
from feeder.store.word_search import Hit

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
