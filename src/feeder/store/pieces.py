"""Where do the pieces of a node lie? A long one is kept in several, by the same name."""

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from feeder.store import Database, Statement

# ?1 ids
_PIECES = """
SELECT j.value, d.start_line, d.end_line
FROM json_each(?1) j CROSS JOIN docs o ON o.id = j.value CROSS JOIN docs d
ON d.repo = o.repo AND d.path = o.path AND d.node_type = o.node_type
AND d.symbol IS o.symbol AND d.signature IS o.signature AND d.logical_path IS o.logical_path
WHERE coalesce(o.symbol, o.logical_path) IS NOT NULL
ORDER BY j.key, d.start_line, d.end_line
"""


class Span(NamedTuple):
    """Lines, from 1, both ends included."""

    first: int
    last: int


def pieces(database: Database, ids: Sequence[str]) -> dict[str, list[Span]]:
    """The lines of all nodes of a file that are named alike, by the id of one of them, in order."""
    [rows] = database.run([Statement(_PIECES, (json.dumps(ids),))])
    found: dict[str, list[Span]] = defaultdict(list)
    for id_, first, last in rows:
        found[str(id_)].append(Span(int(str(first)), int(str(last))))
    return found
