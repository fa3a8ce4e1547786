"""Where do the pieces of a node lie? A long one is kept in several, by the same name."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from feeder.store import Database, Row, Statement
from feeder.store.reading import Hit

# ?1 ids; each file's nodes are read once, however many of them are asked for
_PIECES = """
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
_GAP = 2
"""From a piece's last line to the next one's first: a blank line may be between them."""


class Run(NamedTuple):
    """Lines from `first` to `last` that so many pieces have together."""

    first: int
    last: int
    pieces: int = 1


Spans = Mapping[tuple[object, ...], Sequence[Run]]
"""The lines of nodes, in order, by what those that are named alike have in common."""


def runs(database: Database, hits: Iterable[Hit]) -> dict[str, Run]:
    """The runs of these hits; one request."""
    named = [hit for hit in hits if hit.symbol or hit.logical_path]
    if not named:
        return {}
    [rows] = database.run([pieces_statement(hit.id for hit in named)])
    return runs_among(named, spans(rows))


def pieces_statement(ids: Iterable[str]) -> Statement:
    """Asks for all nodes named like one of these in its file, which is read for it."""
    return Statement(_PIECES, (json.dumps(list(dict.fromkeys(ids))),))


def spans(rows: Iterable[Row]) -> Spans:
    """What it answers."""
    found: dict[tuple[object, ...], list[Run]] = defaultdict(list)
    for *kind, first, last in rows:
        found[tuple(kind)].append(Run(int(str(first)), int(str(last))))
    return found


def runs_among(hits: Iterable[Hit], spans: Spans) -> dict[str, Run]:
    """By id, the nodes named alike that follow one another in its file, itself among them.

    Others of the name, such as a function's other branch of an `#ifdef`, are runs of their own.
    What has no name is in no run.
    """
    return {
        hit.id: _holding(hit.start_line, some) for hit in hits if (some := spans.get(_kind(hit)))
    }


def _kind(hit: Hit) -> tuple[object, ...]:
    return hit.repo, hit.path, hit.node_type, hit.symbol, hit.signature, hit.logical_path


def _holding(line: int, spans: Sequence[Run]) -> Run:
    joined = [spans[0]]
    for span in spans[1:]:
        run = joined[-1]
        if span.first > run.last + _GAP:
            joined.append(span)
        else:
            joined[-1] = Run(run.first, max(run.last, span.last), run.pieces + 1)
    return next(run for run in joined if run.first <= line <= run.last)
