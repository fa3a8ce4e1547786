"""Reads the relations of nodes: what they call, inherit, use and import, by name."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import gt, itemgetter
from typing import NamedTuple

from feeder.relation import (
    EXPORT,
    IMPLEMENTS,
    IMPORT,
    INHERITS,
    Relation,
    decode_declared,
    decode_named,
    decode_received,
    decode_relations,
    has_kind,
    has_named,
    has_qualified,
    named_glob,
    named_texts,
    sql_alias,
    sql_has_alias,
    sql_has_named,
    sql_has_receiver_or_type,
    sql_imported_qualifier,
)
from feeder.store import Database, Statement, fts_query
from feeder.store.batch import read, read_number, read_texts
from feeder.store.hits import MAX_NAMED_HITS, WHOLE_FIRST_LINE, WHOLE_LAST_LINE

MAX_ROWS = 20_000
"""Nodes that one request reads; a longer list is cut, and its count is a lower bound."""

MAX_DOCUMENT_FILES = 200
"""Files of documents that one request returns."""

MAX_PATHS = 400
"""Files whose relations one request reads."""

_PATH, _PATH_AND_LINE = itemgetter(1), itemgetter(1, 5)
"""Return the path of a node, and the path with its first line."""

MAX_REMOTE_ROWS, MAX_REMOTE_FILES, MAX_REMOTE_TYPES = 1_000, 400, 300
"""Nodes, files and types below a type that the Worker reads: D1 bills each row."""

MAX_MANIFESTS = 2_000
"""Manifests whose names of modules are read."""

MAX_CODE_NODES = 1_000
"""Nodes of code with a word whose lines are read."""

MANIFEST_NAMES = ("package.json", "tsconfig", "jsconfig", "Cargo.toml", "pubspec.yaml")
"""The beginnings of names of files that name modules."""

IMPORT_WORDS = ("import", "export", "require", "use", "part")
"""Words of which an import has one, in languages whose files export what they import."""

COLUMNS = (
    "d.id, d.path, d.language, d.node_type, d.symbol, d.start_line, d.end_line, d.relations, "
    f"{WHOLE_FIRST_LINE} AS first_line, {WHOLE_LAST_LINE} AS last_line"
)

# ?2 an FTS5 query, ?3 the name
# the Worker sorts these rows and those of the manifests itself
_WITH_RELATION = f"""
SELECT {COLUMNS} FROM (SELECT rowid FROM docs_fts WHERE docs_fts MATCH ?2) f
CROSS JOIN docs d ON d.seq = f.rowid
WHERE d.repo = ?1 AND instr(d.relations, ?3)"""
NODES_WITH_RELATION = f"{_WITH_RELATION} ORDER BY d.path, d.start_line LIMIT ?4\n"
D1_NODES_WITH_RELATION = f"{_WITH_RELATION} LIMIT ?4\n"

# ?2 an FTS5 query
CODE_NODES_WITH_WORD = f"""
SELECT {COLUMNS.replace("d.relations", "''")}
FROM (SELECT rowid FROM docs_fts WHERE docs_fts MATCH ?2) f CROSS JOIN docs d ON d.seq = f.rowid
WHERE d.repo = ?1 AND d.node_type IN ('class', 'method', 'chunk')
ORDER BY d.path, d.start_line LIMIT {MAX_CODE_NODES + 1}
"""

# ?2 an FTS5 query, ?3 and ?4 the path and symbol of a definition, which does not count
COUNT_NODES_WITH_WORD = """
SELECT count(*) FROM (SELECT rowid FROM docs_fts WHERE docs_fts MATCH ?2) f
CROSS JOIN docs d ON d.seq = f.rowid
WHERE d.repo = ?1 AND d.node_type IN ('class', 'method', 'chunk')
AND NOT (d.path = ?3 AND coalesce(d.symbol, '') = ?4)
"""

# ?2 an FTS5 query for the names of files that are manifests
_MANIFESTS = f"""
SELECT {COLUMNS} FROM (SELECT rowid FROM docs_fts WHERE docs_fts MATCH ?2) f
CROSS JOIN docs d ON d.seq = f.rowid
WHERE d.repo = ?1 AND instr(d.relations, ' {EXPORT}')"""
MANIFEST_NODES = f"{_MANIFESTS} ORDER BY d.path LIMIT {MAX_MANIFESTS}\n"
D1_MANIFEST_NODES = f"{_MANIFESTS} LIMIT {MAX_MANIFESTS}\n"

# ?2 an FTS5 query
RELATED_NODES_WITH_WORD = f"""
SELECT {COLUMNS} FROM (SELECT rowid FROM docs_fts WHERE docs_fts MATCH ?2) f
CROSS JOIN docs d ON d.seq = f.rowid
WHERE d.repo = ?1 AND d.relations <> '' LIMIT {MAX_CODE_NODES}
"""

# ?2 an FTS5 query
IMPORTING_NODES_WITH_WORD = RELATED_NODES_WITH_WORD.replace(
    "d.relations <> ''", f"instr(d.relations, '{IMPORT}')"
)

# ?2 FTS5 queries for paths
EXISTING_PATHS = """
SELECT j.value FROM json_each(?2) j WHERE EXISTS (
  SELECT 1 FROM docs_fts f CROSS JOIN docs d ON d.seq = f.rowid
  WHERE docs_fts MATCH j.value AND d.repo = ?1
)
"""

# ?2 paths
EXISTING_FILES = """
SELECT j.value FROM json_each(?2) j WHERE EXISTS (
  SELECT 1 FROM files WHERE repo = ?1 AND path = j.value
)
"""

# ?5 relations of the name as a pattern, which may be too long for D1; other nodes have the name in
# another one, or, without `_NODES_WITH_RECEIVER`, as a receiver or a declared type
_NODES_WITH_OWN_RELATION = NODES_WITH_RELATION.replace(
    "ORDER BY d.path, d.start_line", "AND d.relations GLOB ?5"
)
_NODES_WITH_RECEIVER = _NODES_WITH_OWN_RELATION.replace(
    "d.relations GLOB ?5",
    f"(d.relations GLOB ?5 OR {sql_has_receiver_or_type('d.relations', '?3')})",
)

# ?2 an FTS5 query, ?3 to ?5 texts of which the relations have one: together they cost one scan
NODES_WITH_ANY_RELATION = f"""
SELECT {COLUMNS} FROM (SELECT rowid FROM docs_fts WHERE docs_fts MATCH ?2) f
CROSS JOIN docs d ON d.seq = f.rowid
WHERE d.repo = ?1
AND (instr(d.relations, ?3) OR instr(d.relations, ?4) OR instr(d.relations, ?5)) LIMIT ?6
"""

RELATIONS_OF_FILES = f"""
SELECT {COLUMNS} FROM json_each(?2) j CROSS JOIN docs d ON d.path = j.value
WHERE d.repo = ?1 AND (d.relations <> '' OR d.node_type = 'class')
"""

# tells whether the file of `d` has the type around it, whose symbol is that of `d` without its last
# part `{name}`: a type begins above its members, so few nodes are read
_IN_TYPE = """
EXISTS (
  SELECT 1 FROM docs c WHERE c.repo = d.repo AND c.path = d.path AND c.start_line <= d.start_line
  AND c.node_type = 'class'
  AND c.symbol = substr(d.symbol, 1, length(d.symbol) - length({name}) - 1)
)"""
_ENDS_WITH = "(d.symbol = {name} OR substr(d.symbol, -length({name}) - 1) = '.' || {name})"

# ?2 the last part of a name, as trigrams or words, ?3 the part itself
NODES_NAMED_BY_TRIGRAMS, NODES_NAMED_BY_WORDS = (
    f"""
SELECT {COLUMNS.replace("d.relations", "'' AS relations")},
  {_IN_TYPE.format(name="?3")} AS in_type, d.signature
FROM (SELECT rowid FROM {index} WHERE {index} MATCH ?2) f CROSS JOIN docs d ON d.seq = f.rowid
WHERE d.repo = ?1 AND {_ENDS_WITH.format(name="?3")}
ORDER BY length(d.symbol), d.path, d.start_line LIMIT {MAX_NAMED_HITS + 1}
"""
    for index in ("names_fts", "docs_fts")
)

_INHERITS = f"""
(d.node_type = 'class' AND ({sql_has_named("d.relations", "b.name", INHERITS + IMPLEMENTS)}))"""
_IMPORTED = sql_imported_qualifier("d.relations", "b.name")

# ?2 the last part of a type's name. `below` follows the names of the types that inherit it, and the
# other names by which files import it, with their nodes. The rows begin with `count`, the number of
# nodes followed, `name`, a name, `type`, a type of one of the names, or `node`, a node of a file
# with a type below or such an import
FILES_OF_SUBTYPES = f"""
WITH RECURSIVE below(name, seq) AS (
  SELECT ?2, 0
  UNION
  SELECT iif({_INHERITS}, replace(d.symbol, rtrim(d.symbol, replace(d.symbol, '.', '')), ''),
    {sql_alias(_IMPORTED)}), d.seq
  FROM below b CROSS JOIN docs_fts f CROSS JOIN docs d ON d.seq = f.rowid
  WHERE docs_fts MATCH 'body : ' || {fts_query.candidates_sql("b.name")} AND d.repo = ?1
  AND ({_INHERITS} OR {sql_has_alias(_IMPORTED)})
  LIMIT {MAX_REMOTE_TYPES + 1}
), name(text) AS MATERIALIZED (
  SELECT DISTINCT name FROM below
), place(path) AS MATERIALIZED (
  SELECT DISTINCT d.path FROM below b CROSS JOIN docs d ON d.seq = b.seq
)
SELECT 'count' AS kind, NULL AS id, '' AS path, NULL AS language, '' AS node_type, NULL AS symbol,
  count(*) AS start_line, 0 AS end_line, '' AS relations, 0 AS first_line, 0 AS last_line,
  0 AS in_type FROM below
UNION ALL SELECT 'name', NULL, '', NULL, '', text, 0, 0, '', 0, 0, 0 FROM name
UNION ALL SELECT 'type', {COLUMNS.replace("d.relations", "''")}, {_IN_TYPE.format(name="n.text")}
FROM name n CROSS JOIN names_fts f CROSS JOIN docs d ON d.seq = f.rowid
WHERE names_fts MATCH {fts_query.quoted_sql("lower(replace(n.text, '_', ''))")}
AND d.repo = ?1 AND d.node_type = 'class' AND {_ENDS_WITH.format(name="n.text")}
UNION ALL SELECT 'node', {COLUMNS}, 0
FROM place p CROSS JOIN docs d ON d.repo = ?1 AND d.path = p.path
WHERE d.relations <> '' OR d.node_type = 'class'
"""

TYPES_OF_FILES = """
SELECT d.path, d.symbol FROM json_each(?2) j CROSS JOIN docs d ON d.path = j.value
WHERE d.repo = ?1 AND d.node_type = 'class' AND d.symbol <> ''
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

HAS_RELATIONS = "SELECT 1 FROM docs WHERE repo = ? AND relations <> '' LIMIT 1"


class RelatedNode(NamedTuple):
    """A node with its relations as the column has them.

    `first_line` and `last_line` are those of the whole node, of which this may be a part.
    """

    id: str
    path: str
    language: str | None
    node_type: str
    symbol: str | None
    start_line: int
    end_line: int
    relations: str
    first_line: int
    last_line: int

    def decode(self, kinds: str = "") -> list[Relation]:
        """The node's relations, or only those of some kinds, which is much faster."""
        return decode_relations(self.relations, kinds)

    def decode_named(self, name: str) -> list[Relation]:
        """The node's relations of a name."""
        return decode_named(self.relations, name)

    def decode_declared(self, name: str, kinds: str) -> list[Relation]:
        """The node's relations of a name and of some kinds, found without a pattern of the name."""
        return decode_declared(self.relations, name, kinds)

    def decode_received(self, name: str) -> list[Relation]:
        """The node's calls and mentions whose receiver begins with a name, as in `Cart.create`."""
        return decode_received(self.relations, name)

    def has_kind(self, kinds: str) -> bool:
        """False if no relation is of one of some kinds."""
        return has_kind(self.relations, kinds)

    def has_named(self, name: str, kinds: str) -> bool:
        """True if a name has a relation of one of some kinds."""
        return has_named(self.relations, name, kinds)

    def has_qualified(self, kinds: str, qualifier: str) -> bool:
        """True if a relation of one of some kinds has a qualifier, as a parameter its type."""
        return has_qualified(self.relations, kinds, qualifier)


def line_numbers(node: RelatedNode, relation: Relation) -> Iterator[int]:
    """Yields the line of each site of a relation, in the file as it was indexed."""
    return relation.line_numbers(node.start_line)


def nodes_with_name(
    database: Database, repo: str, name: str, *, with_receivers: bool = True
) -> tuple[list[RelatedNode], bool]:
    """Returns nodes whose relations contain a name, in the order of paths and lines.

    Those that have it as a receiver or as a declared type can be left out. The last value is True
    if the list is cut after `MAX_ROWS`.
    """
    if not any(map(str.isalnum, name)):
        return [], False
    params = repo, f"body : {fts_query.phrase(name)}", name, MAX_ROWS + 1
    is_billed, nodes = database.access.bills_rows, []
    if not is_billed:
        sql = _NODES_WITH_RECEIVER if with_receivers else _NODES_WITH_OWN_RELATION
        # sorting the rows here takes an eighth of the time that SQLite needs for them
        nodes = sorted(_read(database, sql, *params, named_glob(name)), key=_PATH_AND_LINE)
    if is_billed or len(nodes) > MAX_ROWS:
        # a cut list has the first nodes in its order, the same ones in a file and in D1
        nodes = _read(database, NODES_WITH_RELATION, *params)
    return nodes[:MAX_ROWS], len(nodes) > MAX_ROWS


def nodes_with_kinds(
    database: Database, repo: str, name: str, kinds: str
) -> tuple[list[RelatedNode], bool]:
    """Returns the nodes with relations of a name and of one of three kinds; see `nodes_with_name`.

    Many nodes may use a type, but few inherit it.
    """
    if not any(map(str.isalnum, name)):
        return [], False
    texts = named_texts(name, kinds)
    query = f"body : {fts_query.phrase(name)}"
    rows = _read(database, NODES_WITH_ANY_RELATION, repo, query, *texts, MAX_ROWS + 1)
    nodes = sorted(rows, key=_PATH_AND_LINE)
    return nodes[:MAX_ROWS], len(nodes) > MAX_ROWS


def nodes_exporting(database: Database, repo: str, name: str) -> list[RelatedNode]:
    """Returns the nodes that import a name, or export it by another one."""
    texts = named_texts(name, IMPORT + EXPORT + EXPORT)
    return _importing_nodes(database, repo, [name], texts)


def nodes_importing_module(
    database: Database, repo: str, words: Sequence[str]
) -> list[RelatedNode]:
    """Returns the nodes that import a module or its default, and have one of some words."""
    texts = [text for name in ("", "", "default") for text in named_texts(name, IMPORT)]
    return _importing_nodes(database, repo, words, texts)


def nodes_importing_all(database: Database, repo: str, words: Sequence[str]) -> list[RelatedNode]:
    """Returns the nodes that import a module or all its names, and have one of some words."""
    texts = [text for name in ("", "", "*") for text in named_texts(name, IMPORT)]
    return _importing_nodes(database, repo, words, texts)


def nodes_importing_word(
    database: Database, repo: str, words: Sequence[str]
) -> tuple[list[RelatedNode], bool]:
    """Returns nodes with one of some words and an import, and whether there are more."""
    nodes = _read(database, IMPORTING_NODES_WITH_WORD, repo, f"body : ({fts_query.any_of(words)})")
    return nodes, len(nodes) == MAX_CODE_NODES


def _importing_nodes(
    database: Database, repo: str, words: Iterable[str], texts: Sequence[str]
) -> list[RelatedNode]:
    """Returns the nodes with one of some words, an import, and one of three relations."""
    searchable = [word for word in words if any(map(str.isalnum, word))]
    if not searchable:
        return []
    query = f"body : ({fts_query.any_of(searchable)}) AND body : ({fts_query.any_of(IMPORT_WORDS)})"
    return _read(database, NODES_WITH_ANY_RELATION, repo, query, *texts, MAX_ROWS)


def code_nodes_with_word(
    database: Database, repo: str, word: str
) -> tuple[list[RelatedNode], bool]:
    """Returns the nodes of code whose text has a word, and whether there are more."""
    if not any(map(str.isalnum, word)):
        return [], False
    nodes = _read(database, CODE_NODES_WITH_WORD, repo, f"body : {fts_query.phrase(word)}")
    return nodes[:MAX_CODE_NODES], len(nodes) > MAX_CODE_NODES


def count_nodes_with_word(database: Database, repo: str, word: str) -> int:
    """The number of nodes of code whose text has a word."""
    if not any(map(str.isalnum, word)):
        return 0
    query = f"body : {fts_query.phrase(word)}"
    return read_number(database, Statement(COUNT_NODES_WITH_WORD, (repo, query, "", "")))


def related_nodes_with_word(database: Database, repo: str, word: str) -> list[RelatedNode]:
    """Returns the nodes with relations whose text has a word, in any letters."""
    if not any(map(str.isalnum, word)):
        return []
    return _read(database, RELATED_NODES_WITH_WORD, repo, f"body : {fts_query.phrase(word)}")


def manifest_nodes(database: Database, repo: str) -> list[RelatedNode]:
    """Returns the nodes that export files by the names of modules, as package.json does."""
    query = f"path : ({fts_query.any_of(MANIFEST_NAMES)})"
    return _read(database, MANIFEST_NODES, repo, query)


def existing_paths(database: Database, repo: str, paths: Iterable[str]) -> set[str]:
    """Returns the paths whose words, in their order, are in the path of a node."""
    searchable = [path for path in paths if any(map(str.isalnum, path))]
    queries = {f"path : {fts_query.phrase(path)}": path for path in searchable}
    if not queries:
        return set()
    existing = read_texts(database, Statement(EXISTING_PATHS, (repo, json.dumps([*queries]))))
    return {queries[query] for query in existing}


def existing_files(database: Database, repo: str, paths: Iterable[str]) -> set[str]:
    """Returns the paths that are files of the index, read or skipped."""
    statement = Statement(EXISTING_FILES, (repo, json.dumps([*paths])))
    return set(read_texts(database, statement))


def nodes_of_files(
    database: Database, repo: str, paths: Iterable[str]
) -> dict[str, list[RelatedNode]]:
    """Returns the nodes of files with relations, and all classes, in the order of their lines."""
    rows = _read(database, RELATIONS_OF_FILES, repo, json.dumps(list(paths)))
    files = {path: list(nodes) for path, nodes in groupby(rows, key=_PATH)}
    for nodes in files.values():
        # they come in the order of an index, so that few files need sorting
        lines = [(node.start_line, -node.end_line) for node in nodes]
        if any(map(gt, lines, lines[1:])):
            nodes.sort(key=lambda one: (one.start_line, -one.end_line))
    return files


def types_of_files(database: Database, repo: str, paths: Iterable[str]) -> dict[str, set[str]]:
    """Returns the symbols of the types in files, by path."""
    [rows] = database.run([Statement(TYPES_OF_FILES, (repo, json.dumps(list(paths))))])
    types: defaultdict[str, set[str]] = defaultdict(set)
    for path, symbol in rows:
        types[str(path)].add(str(symbol))
    return types


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
    searchable = [word for word in words if any(map(str.isalnum, word))]
    if not searchable:
        return []
    query = f"body : ({fts_query.any_of(searchable)})"
    params = repo, query, json.dumps(node_types), MAX_DOCUMENT_FILES
    return read_texts(database, Statement(DOCUMENT_FILES_WITH_WORD, params))


def _read(database: Database, sql: str, *params: str | int) -> list[RelatedNode]:
    return read(database, RelatedNode, Statement(sql, params))
