"""Reads nodes as hits, with every column that a search shows: by id, scope, file or name."""

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from feeder.bigrams import split_words
from feeder.store import Database, Row, Statement, fts_query, stored_descriptions
from feeder.store.batch import read_texts
from feeder.store.scope import Scope, scope_params
from feeder.store.scope_sql import IN_SCOPE, IN_SCOPE_ONE_BY_ONE
from feeder.store.sqlite import SQLite
from feeder.text import expand_words

MAX_NAMED_HITS = 300
"""Nodes that a search by name reads."""


class Hit(NamedTuple):
    """A node with the columns that a search shows; `description` is empty if it has none."""

    id: str
    path: str
    language: str | None
    node_type: str
    symbol: str | None
    signature: str | None
    logical_path: str | None
    start_line: int
    end_line: int
    members: str
    repo: str
    description: str = ""


COLUMNS = {
    **{column: f"d.{column}" for column in Hit._fields[:-1]},
    "description": stored_descriptions.DESCRIPTION_COLUMN,
}
"""The columns of a hit as SQL expressions, from the node `d`."""

HIT_COLUMNS = ", ".join(
    text if text == f"d.{column}" else f"{text} AS {column}" for column, text in COLUMNS.items()
)
"""The columns of a hit, from the node `d`.

Each expression has a name: D1 sends the column names with each row, and the name of an unnamed
expression is its whole text.
"""

HITS_BY_IDS = f"""
SELECT {HIT_COLUMNS}
FROM json_each(?1) j CROSS JOIN docs d ON d.id = j.value
WHERE {IN_SCOPE}
ORDER BY j.key
"""


# a marked id is of a node that a statement has found in the scope: only the others, found by their
# vectors or by a name, are compared with it again. ?1 is 1 if these are few
def d1_hits_by_ids(more_columns: str = "") -> str:
    """The same for `@MARKED_IDS`, which become rows of literals: D1 bills none of VALUES."""
    return f"""
SELECT {HIT_COLUMNS}{more_columns}
FROM (VALUES @MARKED_IDS) i CROSS JOIN docs d ON d.id = i.column1
WHERE i.column2 OR {IN_SCOPE_ONE_BY_ONE}
"""


# ?1 ids, ?2 an FTS5 query. The methods of a class are nodes of their own, but a reader sees them as
# lines of the class; of a class in parts, those of any part
def _classes_around(nodes: str, has_words: str) -> str:
    return f"""
SELECT o.id FROM {nodes}o.node_type = 'class' AND EXISTS (
  SELECT 1 FROM (
    SELECT o.start_line AS first, o.end_line AS last UNION ALL
    SELECT p.start_line, p.end_line FROM docs p WHERE o.is_part AND p.is_part = 1
    AND p.repo = o.repo AND p.path = o.path AND p.node_type = 'class' AND p.symbol = o.symbol
  ) l CROSS JOIN docs d ON d.repo = o.repo AND d.path = o.path
  AND d.start_line BETWEEN l.first AND l.last AND d.end_line <= l.last
  WHERE {has_words}
)
"""


CLASSES_AROUND = _classes_around(
    "json_each(?1) j CROSS JOIN docs o ON o.id = j.value\nWHERE ",
    "d.seq IN (SELECT rowid FROM docs_fts WHERE docs_fts MATCH ?2)",
)
# the nodes in the lines of these classes are few: the words are looked for in each
D1_CLASSES_AROUND = _classes_around(
    "(VALUES @IDS) i CROSS JOIN docs o ON o.id = i.column1 WHERE ?1 IS NULL AND ",
    "EXISTS (SELECT 1 FROM docs_fts WHERE docs_fts MATCH ?2 AND rowid = d.seq)",
)


def _ordered_nodes(nodes: str = "FROM docs d WHERE") -> str:
    """Returns SQL for the nodes of a scope in the order of their lines."""
    return f"""
{nodes} {IN_SCOPE} ORDER BY d.repo, d.path, d.start_line, d.end_line DESC LIMIT ?1 + 0
"""


_IDS_IN_SCOPE = f"SELECT d.id {_ordered_nodes()}"

FIRST_HITS = f"SELECT {HIT_COLUMNS} {_ordered_nodes()}"

# a scope with ids: their nodes are looked up, instead of reading all nodes in line order
_NODES_OF_IDS = """FROM (SELECT DISTINCT value AS id FROM json_each(?13)) j
CROSS JOIN docs d ON d.id = j.id WHERE"""

# the same for an FTS5 query ?14 that each node of the scope matches
_NODES_OF_WORDS = """FROM (SELECT rowid AS seq FROM docs_fts WHERE docs_fts MATCH ?14) j
CROSS JOIN docs d ON d.seq = j.seq WHERE"""

# the same for a repository ?14 and paths that begin with ?15 and end before ?16
_NODES_OF_PATHS = """FROM docs d
WHERE d.repo = ?14 AND d.path >= ?15 AND d.path < coalesce(?16, x'') AND"""


def d1_first_hits(columns: str) -> dict[str, str]:
    """Returns statements like `FIRST_HITS` that read fewer nodes, with more columns of `d`."""
    nodes = {
        "firstNodes": "FROM docs d WHERE",
        "firstNodesOfIds": _NODES_OF_IDS,
        "firstNodesOfWords": _NODES_OF_WORDS,
        "firstNodesOfPaths": _NODES_OF_PATHS,
    }
    return {
        name: f"SELECT {HIT_COLUMNS}, {columns} {_ordered_nodes(text)}"
        for name, text in nodes.items()
    }


_SELECT_HIT = f"SELECT {HIT_COLUMNS} FROM"

WHOLE_FIRST_LINE = "coalesce(d.part_run ->> 0, d.start_line)"
WHOLE_LAST_LINE = "coalesce(d.part_run ->> 1, d.end_line)"
"""The lines of the whole node that the node `d` is or is a part of."""

_WHOLE_HIT_COLUMNS = HIT_COLUMNS.replace("d.start_line", WHOLE_FIRST_LINE).replace(
    "d.end_line", WHOLE_LAST_LINE
)

_IN_FILES = f"""
{_SELECT_HIT} json_each(?2) j CROSS JOIN docs d ON d.path = j.value
WHERE d.repo = ?1"""
HITS_IN_FILES = f"{_IN_FILES} ORDER BY d.path, d.start_line, d.end_line DESC\n"
# D1 bills each row that is sorted: the Worker sorts the nodes of files itself
D1_HITS_IN_FILES = f"{_IN_FILES}\n"

# `+` keeps SQLite from reading all nodes of the repository
HITS_BY_ID_PREFIX = f"""
{_SELECT_HIT} docs d WHERE d.id >= ?2 AND d.id < ?2 || 'g' AND +d.repo = ?1 ORDER BY d.id LIMIT ?3
"""

# not sorted by bm25: the shortest names come first, which are those that were written in full; of
# equal names the first of each file, so that hundreds in one file do not hide the others
HITS_BY_NAME = f"""
{_SELECT_HIT} (SELECT rowid FROM docs_fts WHERE docs_fts MATCH ?2) f CROSS JOIN docs d
ON d.seq = f.rowid
WHERE d.repo = ?1
ORDER BY length(coalesce(d.symbol, d.logical_path)),
  row_number() OVER (PARTITION BY d.path, d.symbol, d.logical_path ORDER BY d.start_line), d.path
LIMIT ?3
"""

# ?2 an FTS5 query for the last part of a name, ?3 the part itself
HITS_NAMED = f"""
SELECT {_WHOLE_HIT_COLUMNS}
FROM (SELECT rowid FROM docs_fts WHERE docs_fts MATCH ?2) f CROSS JOIN docs d ON d.seq = f.rowid
WHERE d.repo = ?1 AND (d.symbol = ?3 OR substr(d.symbol, -length(?3) - 1) = '.' || ?3)
ORDER BY length(d.symbol), d.path, d.start_line LIMIT {MAX_NAMED_HITS + 1}
"""

_SYMBOL_NAMES = "SELECT DISTINCT symbol FROM docs WHERE repo = ? AND symbol IS NOT NULL"


def hits_by_ids(database: Database, ids: Iterable[str], scope: Scope) -> list[Hit]:
    """Returns those of the nodes that are in the scope, in the order of the ids."""
    [rows] = database.run([hits_statement(ids, scope)])
    return hits_from_rows(rows)


def hits_statement(ids: Iterable[str], scope: Scope) -> Statement:
    """Selects the columns of hits by ids."""
    return Statement(HITS_BY_IDS, (json.dumps(list(ids)), *scope_params(scope)))


def classes_around_statement(ids: Iterable[str], words: str) -> Statement:
    """Selects the ids of classes with a node in their lines that an FTS5 query finds."""
    return Statement(CLASSES_AROUND, (json.dumps(list(ids)), words))


def without_classes_around(hits: Sequence[Hit], rows: Iterable[Row]) -> list[Hit]:
    """Returns the hits that are not in the rows of `classes_around_statement`."""
    excluded = {id_ for (id_,) in rows}
    return [hit for hit in hits if hit.id not in excluded]


def hits_from_rows(rows: Iterable[Row]) -> list[Hit]:
    """Reads hits; rows may lack the description."""
    return [Hit(*row) for row in rows]  # type: ignore[arg-type]  # as selected


def ids_in_scope(database: Database, scope: Scope, limit: int) -> list[str]:
    """Returns the ids of a scope's nodes, in the order of their lines."""
    [rows] = database.run([Statement(_IDS_IN_SCOPE, (limit, *scope_params(scope)))])
    return [str(id_) for (id_,) in rows]


def first_hits(database: Database, scope: Scope, limit: int) -> list[Hit]:
    """Returns a scope's nodes, in the order of their lines, for a query of filters only."""
    [rows] = database.run([Statement(FIRST_HITS, (limit, *scope_params(scope)))])
    return hits_from_rows(rows)


def hits_in_files(database: Database, repo: str, paths: Iterable[str]) -> list[Hit]:
    """Returns the nodes of files in the order of paths and lines, outer nodes before inner ones."""
    [rows] = database.run([hits_in_files_statement(repo, paths)])
    return hits_from_rows(rows)


def hits_in_files_statement(repo: str, paths: Iterable[str]) -> Statement:
    """Selects the same."""
    return Statement(HITS_IN_FILES, (repo, json.dumps(list(paths))))


def hits_by_id_prefix(database: Database, repo: str, prefix: str, limit: int) -> list[Hit]:
    """Returns the nodes whose ids, 40 hex digits, begin with the prefix."""
    return _read_hits(database, HITS_BY_ID_PREFIX, repo, prefix, limit)


def hits_by_name(database: Database, repo: str, name: str) -> list[Hit]:
    """Returns nodes whose names contain these words as a phrase, the shortest names first."""
    if not any(map(str.isalnum, name)):
        return []
    query = f"symbol : {fts_query.phrase(name)}"
    return _read_hits(database, HITS_BY_NAME, repo, query, MAX_NAMED_HITS)


def hits_named(database: Database, repo: str, name: str) -> tuple[list[Hit], bool]:
    """Returns nodes whose symbols end with a name, the shortest symbols first.

    A part of a long node has the lines of the whole node. The last value is True if the list is cut
    after `MAX_NAMED_HITS`.
    """
    if not any(map(str.isalnum, name)):
        return [], False
    hits = _read_hits(database, HITS_NAMED, repo, f"symbol : {fts_query.phrase(name)}", name)
    return hits[:MAX_NAMED_HITS], len(hits) > MAX_NAMED_HITS


def symbol_names(database: Database, repo: str, similar_to: str) -> list[str]:
    """Returns names of symbols: all in a local index, else those that share a word with
    `similar_to`.

    D1 bills each row that is read.
    """
    if isinstance(database, SQLite):
        return read_texts(database, Statement(_SYMBOL_NAMES, (repo,)))
    words = expand_words(split_words(similar_to)).split()
    parts = dict.fromkeys(part for part in words if part.isalnum())
    query = f"symbol : ({fts_query.any_of(parts)})"
    hits = _read_hits(database, HITS_BY_NAME, repo, query, MAX_NAMED_HITS) if parts else []
    return [hit.symbol for hit in hits if hit.symbol]


def _read_hits(database: Database, sql: str, *params: str | int) -> list[Hit]:
    [rows] = database.run([Statement(sql, params)])
    return hits_from_rows(rows)
