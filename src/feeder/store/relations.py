"""Reads the relations of nodes: what they call, inherit, use and import, by name."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from feeder.store import Database, Row, Statement

MAX_ROWS = 20_000
"""Nodes that one request reads; a longer list is cut, and its count is a lower bound."""

MAX_DOCUMENT_FILES = 200
"""Files of documents that one request returns."""

MAX_OVERVIEW_NODES = 200_000
"""Nodes that an overview reads."""

MAX_PATHS = 400
"""Files whose relations one request reads."""

_COLUMNS = "d.id, d.path, d.language, d.node_type, d.symbol, d.start_line, d.end_line, d.relations"

# ?2 an FTS5 query, ?3 the name
NODES_WITH_RELATION = f"""
SELECT {_COLUMNS} FROM (SELECT rowid FROM docs_fts WHERE docs_fts MATCH ?2) f
CROSS JOIN docs d ON d.seq = f.rowid
WHERE d.repo = ?1 AND instr(d.relations, ?3) ORDER BY d.path, d.start_line LIMIT ?4
"""

RELATIONS_OF_FILES = f"""
SELECT {_COLUMNS} FROM json_each(?2) j CROSS JOIN docs d ON d.path = j.value
WHERE d.repo = ?1 AND (d.relations <> '' OR d.node_type = 'class')
ORDER BY d.path, d.start_line, d.end_line DESC
"""

BLOBS_OF_FILES = """
SELECT f.path, f.blob FROM json_each(?2) j CROSS JOIN files f ON f.repo = ?1 AND f.path = j.value
"""

# ?2 an FTS5 query, ?3 the first words of node types
DOCUMENT_FILES_WITH_WORD = """
SELECT d.path FROM (SELECT rowid FROM docs_fts WHERE docs_fts MATCH ?2) f
CROSS JOIN docs d ON d.seq = f.rowid
WHERE d.repo = ?1 AND EXISTS (
  SELECT 1 FROM json_each(?3) j WHERE substr(d.node_type, 1, length(j.value)) = j.value
)
GROUP BY d.path ORDER BY count(*) DESC, d.path LIMIT ?4
"""

NAMED_NODES = """
SELECT path, coalesce(language, ''), node_type, coalesce(symbol, ''), coalesce(signature, ''),
  start_line, end_line, relations
FROM docs WHERE repo = ?1 AND (symbol IS NOT NULL OR relations <> '')
ORDER BY path, start_line LIMIT ?2
"""

HAS_RELATIONS = "SELECT 1 FROM docs WHERE repo = ? AND relations <> '' LIMIT 1"

_ITEM = re.compile(r" ([^\s(^+~.@=%>#]*)([(^+~.@=%>#])(\S*):([\d,]+)")


class Relation(NamedTuple):
    """One relation of a node; `lines` are counted from the node's first line.

    `kind` is one of the constants in `feeder.nodes`; for `qualifier` see `parse.relations`.
    """

    name: str
    kind: str
    qualifier: str
    lines: str


class RelatedNode(NamedTuple):
    """A node with its relations as the column has them."""

    id: str
    path: str
    language: str | None
    node_type: str
    symbol: str | None
    start_line: int
    end_line: int
    relations: str

    def decode(self) -> list[Relation]:
        """The node's relations."""
        return list(map(Relation._make, _ITEM.findall(self.relations)))


def line_numbers(node: RelatedNode, relation: Relation) -> Iterator[int]:
    """Yields the line of each site of a relation, in the file as it was indexed."""
    for line in relation.lines.split(","):
        yield node.start_line + int(line)


def nodes_with_name(database: Database, repo: str, name: str) -> list[RelatedNode]:
    """Returns nodes whose relations contain a name, in the order of paths and lines."""
    if not any(map(str.isalnum, name)):
        return []
    query = f'body : "{name}"'
    return _read(database, NODES_WITH_RELATION, repo, query, name, MAX_ROWS)


def nodes_of_files(database: Database, repo: str, paths: Iterable[str]) -> list[RelatedNode]:
    """Returns the nodes of files with relations, and all classes, in the order of their lines."""
    return _read(database, RELATIONS_OF_FILES, repo, json.dumps(list(paths)))


class NamedNode(NamedTuple):
    """A node with a symbol or relations; `symbol` and `signature` may be empty."""

    path: str
    language: str
    node_type: str
    symbol: str
    signature: str
    start_line: int
    end_line: int
    relations: str


def named_nodes(database: Database, repo: str) -> list[NamedNode]:
    """Returns all nodes with a symbol or relations, in the order of paths and lines."""
    [rows] = database.run([Statement(NAMED_NODES, (repo, MAX_OVERVIEW_NODES))])
    return [NamedNode(*row) for row in rows]  # type: ignore[arg-type]  # as selected


def has_relations(database: Database, repo: str) -> bool:
    """Tells whether any node has relations; an older index has none before its next sync."""
    [rows] = database.run([Statement(HAS_RELATIONS, (repo,))])
    return bool(rows)


def document_files_with_word(
    database: Database, repo: str, words: Sequence[str], node_types: Sequence[str]
) -> list[str]:
    """Returns files with nodes of types that begin like these and have one of the words.

    Those with the most such nodes come first.
    """
    terms = [f'"{word}"' for word in words if any(map(str.isalnum, word))]
    if not terms:
        return []
    query = f"body : ({' OR '.join(terms)})"
    params = repo, query, json.dumps(node_types), MAX_DOCUMENT_FILES
    [rows] = database.run([Statement(DOCUMENT_FILES_WITH_WORD, params)])
    return [str(path) for (path,) in rows]


def file_blobs(database: Database, repo: str, paths: Sequence[str]) -> dict[str, str]:
    """Returns the blob ids of indexed files by path."""
    [rows] = database.run([Statement(BLOBS_OF_FILES, (repo, json.dumps(paths)))])
    return {str(path): str(blob) for path, blob in rows}


def _read(database: Database, sql: str, *params: str | int) -> list[RelatedNode]:
    [rows] = database.run([Statement(sql, params)])
    return [_node(row) for row in rows]


def _node(row: Row) -> RelatedNode:
    return RelatedNode(*row)  # type: ignore[arg-type]  # as selected
