"""Where do the pieces of a node lie? A long one is kept in several, by the same name."""

import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from feeder.store import Database, Statement

# ?1 ids
_PIECES = """
SELECT j.value, o.start_line, d.start_line, d.end_line
FROM json_each(?1) j CROSS JOIN docs o ON o.id = j.value CROSS JOIN docs d
ON d.repo = o.repo AND d.path = o.path AND d.node_type = o.node_type
AND d.symbol IS o.symbol AND d.signature IS o.signature AND d.logical_path IS o.logical_path
WHERE coalesce(o.symbol, o.logical_path) IS NOT NULL
ORDER BY j.key, d.start_line, d.end_line
"""
_GAP = 2
"""From a piece's last line to the next one's first: a blank line may be between them."""


class Run(NamedTuple):
    """Lines from `first` to `last` that so many pieces have together."""

    first: int
    last: int
    pieces: int = 1


def runs(database: Database, ids: Iterable[str]) -> dict[str, Run]:
    """By id, the nodes named alike that follow one another in its file, itself among them.

    Others of the name, such as a function's other branch of an `#ifdef`, are runs of their own.
    """
    [rows] = database.run([Statement(_PIECES, (json.dumps(list(ids)),))])
    found: dict[tuple[str, int], list[Run]] = defaultdict(list)
    for id_, own, first, last in rows:
        found[str(id_), int(str(own))].append(Run(int(str(first)), int(str(last))))
    return {id_: _holding(own, spans) for (id_, own), spans in found.items()}


def _holding(line: int, spans: Sequence[Run]) -> Run:
    joined = [spans[0]]
    for span in spans[1:]:
        run = joined[-1]
        if span.first > run.last + _GAP:
            joined.append(span)
        else:
            joined[-1] = Run(run.first, max(run.last, span.last), run.pieces + 1)
    return next(run for run in joined if run.first <= line <= run.last)
