"""Reads types of Go with their methods, the types that embed them, and the names of packages."""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from feeder.relation import (
    INHERITS,
    sql_has_named,
)
from feeder.store import Database, Statement, fts_query
from feeder.store.batch import read_texts
from feeder.store.relations import COLUMNS, RelatedNode

MAX_GO_ROWS = 2_000
"""Nodes of types of Go that one request reads."""

# selects types and their methods; ?2 is an FTS5 query for the symbols of the types
GO_NODES_OF_TYPES = f"""
SELECT {COLUMNS.replace("d.relations", "iif(d.node_type = 'class', d.relations, '')")},
  coalesce(d.signature, '')
FROM (SELECT rowid FROM docs_fts WHERE docs_fts MATCH ?2) f CROSS JOIN docs d ON d.seq = f.rowid
WHERE d.repo = ?1 AND d.language = 'go' AND d.node_type IN ('class', 'method')
LIMIT {MAX_GO_ROWS + 1}
"""

# ?2 names of types
GO_TYPES_EMBEDDING = f"""
SELECT DISTINCT d.symbol
FROM json_each(?2) j CROSS JOIN docs_fts f CROSS JOIN docs d ON d.seq = f.rowid
WHERE docs_fts MATCH 'body : ' || {fts_query.candidates_sql("j.value")} AND d.repo = ?1
AND d.language = 'go' AND d.node_type = 'class' AND d.symbol <> ''
AND {sql_has_named("d.relations", "j.value", INHERITS)}
"""

# ?2 the path of a folder with its slash, empty for the root: packages of its own files, without
# `main` if there is another, as beside a program that generates code; two say that several exist
GO_PACKAGES_IN_FOLDER = """
SELECT DISTINCT substr(d.symbol, 1, instr(d.symbol, '.') - 1) AS package
FROM files f CROSS JOIN docs d ON d.repo = f.repo AND d.path = f.path
WHERE f.repo = ?1 AND f.path >= ?2 AND f.path < ?2 || char(1114111)
AND f.path GLOB '*.go' AND f.path NOT GLOB '*_test.go'
AND NOT instr(substr(f.path, length(?2) + 1), '/') AND instr(d.symbol, '.')
ORDER BY package = 'main' LIMIT 2
"""


class GoNode(NamedTuple):
    """A type of Go with its relations, or a method without them."""

    related: RelatedNode
    signature: str


def go_nodes_of_types(database: Database, repo: str, symbols: Sequence[str]) -> list[GoNode]:
    """Returns the nodes of types and of their methods, and of some with similar symbols.

    More than `MAX_GO_ROWS` mean that the list is cut.
    """
    query = go_types_query(symbols)
    [rows] = database.run([Statement(GO_NODES_OF_TYPES, (repo, query))]) if query else [[]]
    nodes = [GoNode(RelatedNode._make(row[:-1]), str(row[-1])) for row in rows]
    return sorted(nodes, key=lambda one: (one.related.path, one.related.start_line))


def go_types_query(symbols: Iterable[str]) -> str:
    """The FTS5 query for symbols of types, whose methods have them at the beginning of their own.

    Empty without one that has a letter or digit.
    """
    searchable = [symbol for symbol in symbols if any(map(str.isalnum, symbol))]
    return f"symbol : ({fts_query.any_of(searchable)})" if searchable else ""


def symbols_embedding(database: Database, repo: str, names: Sequence[str]) -> list[str]:
    """Returns the symbols of types of Go that embed a type of one of the names, sorted."""
    searchable = [name for name in names if any(map(str.isalnum, name)) and "\0" not in name]
    return sorted(
        read_texts(database, Statement(GO_TYPES_EMBEDDING, (repo, json.dumps(searchable))))
    )


def go_package_of_folder(database: Database, repo: str, folder: str) -> str:
    """Returns the name of the package of Go in a folder; empty if no symbol there has it.

    `main` is not it beside another one; of several others it is unknown, and empty too.
    """
    below = f"{folder}/" if folder else ""
    names = read_texts(database, Statement(GO_PACKAGES_IN_FOLDER, (repo, below)))
    names = [name for name in names if name != "main"] or names
    return names[0] if len(names) == 1 else ""
