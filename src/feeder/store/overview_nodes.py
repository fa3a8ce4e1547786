"""Reads all nodes with a symbol or relations, for an overview of a repository."""

from itertools import islice
from typing import NamedTuple

from feeder.store import Database, Statement
from feeder.store.batch import read
from feeder.store.hits import WHOLE_FIRST_LINE, WHOLE_LAST_LINE
from feeder.store.rows import paginate_rows

MAX_OVERVIEW_NODES = 200_000
"""Nodes that an overview reads."""

OVERVIEW_PAGE_NODES = 5_000
"""Nodes of one response of D1 for an overview, some 1 MB."""

_NAMED_NODE = f"""
path, coalesce(language, ''), node_type, coalesce(symbol, ''), coalesce(signature, ''),
  {WHOLE_FIRST_LINE}, {WHOLE_LAST_LINE}, relations
FROM docs d WHERE repo = ?1 AND (symbol IS NOT NULL OR relations <> '')"""

NAMED_NODES = f"SELECT {_NAMED_NODE} ORDER BY path, start_line LIMIT ?2"

# ?2 to ?4 are the path, line and row at which the last page ended; in the order of an index
NAMED_NODES_PAGE = f"""
SELECT path, start_line, seq, {_NAMED_NODE}
AND (path, start_line, seq) > (?2, ?3, ?4) ORDER BY path, start_line, seq LIMIT ?5
"""


class NamedNode(NamedTuple):
    """A node with a symbol or relations; `symbol` and `signature` may be empty.

    A part of a long node has the lines of the whole node.
    """

    path: str
    language: str
    node_type: str
    symbol: str
    signature: str
    start_line: int
    end_line: int
    relations: str


def named_nodes(
    database: Database, repo: str, page_nodes: int = OVERVIEW_PAGE_NODES
) -> list[NamedNode]:
    """Returns all nodes with a symbol or relations, in the order of paths and lines.

    In pages where a response has a limit.
    """
    if not database.access.bills_rows:
        return read(database, NamedNode, Statement(NAMED_NODES, (repo, MAX_OVERVIEW_NODES)))
    pages = paginate_rows(database, NAMED_NODES_PAGE, (repo,), ("", 0, 0), page_nodes)
    return [NamedNode._make(row[3:]) for row in islice(pages, MAX_OVERVIEW_NODES)]
