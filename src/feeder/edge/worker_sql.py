"""The SQL statements that the Worker runs: the program's own, some of them joined.

A Worker has two batches for a query, so some of the program's statements take the nodes of
another statement instead of a list of ids.
"""

import apsw
import apsw.ext

from feeder.cloudflare import workers_ai
from feeder.edge import worker_limits
from feeder.query import filters, relation_filters
from feeder.snippets.excerpts import CONTEXT_LINES
from feeder.store import (
    go_relations,
    hits,
    index_counts,
    inventory,
    migrations,
    name_search,
    node_parts,
    relations,
    scope_sql,
    sql,
    stored_descriptions,
    stored_source,
    unread_files,
    word_search,
)

# ?2 is a list with the repository, ?3 the paths of a scope
_FILES_AT_PATHS = f"""
SELECT path FROM files WHERE repo = ?2->>0 AND state <> 'skipped'
AND path IN ({scope_sql.FILES_IN_SCOPE})
ORDER BY path LIMIT 1000
"""
# ?2 an FTS5 query for the words of a path, ?3 its end: two files tell that it is ambiguous
_FILES_WITH_END = """
SELECT DISTINCT d.path FROM (SELECT rowid FROM docs_fts WHERE docs_fts MATCH ?2) f
CROSS JOIN docs d ON d.seq = f.rowid
WHERE d.repo = ?1 AND substr('/' || d.path, -length(?3)) = ?3 LIMIT 2
"""
_SOURCE_COLUMNS = "t.repo, t.path, t.first_line, t.last_line, t.numbers, hex(t.text)"
# `@RANGES` becomes rows of repository, path, first line and last line
_STORED_SOURCE = f"""
SELECT DISTINCT {_SOURCE_COLUMNS} FROM (@RANGES) j CROSS JOIN texts t
ON t.repo = j.column1 AND t.path = j.column2
AND t.first_line <= j.column4 AND t.last_line >= j.column3
"""
# `@IDS`, `@MARKED_IDS` and `@RANGES` become rows of literals: D1 bills each row of
# `json_each`, and of a list after IN, but none of VALUES
_OF_IDS = "(VALUES @IDS) i CROSS JOIN docs d ON d.id = i.column1"
_STORED_SOURCE_OF_NODES = f"""
SELECT DISTINCT {_SOURCE_COLUMNS} FROM {_OF_IDS} CROSS JOIN texts t
ON t.repo = d.repo AND t.path = d.path
AND t.first_line <= d.end_line + {CONTEXT_LINES} AND t.last_line >= d.start_line - {CONTEXT_LINES}
"""

_STORED_LINES = f"d.lines_hash, {node_parts.PART_LINES} AS part_lines"


# what a node needs to be ranked and shown, so that no second request reads it: after the id and
# score of a node found by word, and after the columns of one found by name. One text, since the
# Worker takes long to read many columns, and a node is often found by several statements
def _node_json(*selected: str) -> str:
    columns = [hits.COLUMNS[name] for name in hits.Hit._fields if name not in selected]
    # a text, of which SQLite would make a list if it knows that it is JSON
    lines = f"d.lines_hash, {node_parts.PART_LINES} || ''"
    return f"json_array({', '.join(columns)}, {lines}) AS node"


_COLUMNS_OF_NODE = _node_json("id")
_COLUMNS_OF_NAMED = _node_json(*name_search.NameMatch._fields)
_SCORED_NODES = f"""
SELECT d.id, -bm25(docs_fts, {word_search.BM25_WEIGHTS}) AS score, {_COLUMNS_OF_NODE}
FROM {word_search.POSTINGS_WITH_NODES}"""


def _with_nodes(names: str) -> str:
    """Adds the node to a statement that selects the columns of names."""
    outer, inner = name_search.NAME_FIELDS, name_search.NAME_COLUMNS
    return names.replace(f"{outer} FROM", f"{outer}, node FROM").replace(
        inner, f"{inner}, {_COLUMNS_OF_NAMED}"
    )


# where a filter leaves few nodes, BM25 is computed for these alone. Otherwise FTS5 first sorts all
# nodes with a word, which takes nine times as long as comparing them with the filter
_FEW_FILTERED_NODES = f"""
{_SCORED_NODES}
WHERE docs_fts MATCH ?1 AND {scope_sql.IN_SCOPE} ORDER BY 2 DESC LIMIT ?14 + 0
"""
# a glob without a folder's name is no part of the FTS5 query. If few nodes are at it, their list is
# compared with the nodes that have a word: FTS5 would sort all of these, of which few are in scope.
# Two statements, of which one finds nothing: together they are too deep for D1
_MANY_NODES_AT_PATHS = f"""
EXISTS (SELECT 1 FROM ({scope_sql.FILES_AT_PATHS}) f CROSS JOIN docs d
ON d.repo IN (SELECT value FROM json_each(?2)) AND d.path = f.path
LIMIT 1 OFFSET {worker_limits.MAX_NODES_OF_GLOB})
"""
_GLOB_OF_FEW_NODES = f"""
{_SCORED_NODES}
WHERE docs_fts MATCH iif({_MANY_NODES_AT_PATHS}, '""', ?1)
AND +docs_fts.rowid IN ({scope_sql.NODES_OF_FILES_IN_SCOPE}) ORDER BY 2 DESC LIMIT ?14 + 0
"""
_GLOB_OF_MANY_NODES = word_search.d1_filtered_nodes_by_words(
    _COLUMNS_OF_NODE, f"""iif({_MANY_NODES_AT_PATHS}, ?1, '""')"""
)

_REPOS_OF_IDS = """
SELECT DISTINCT j.value, d.repo FROM json_each(?1) j
CROSS JOIN docs d ON d.id >= j.value AND d.id < j.value || 'g'
WHERE +d.repo IN (SELECT value FROM json_each(?2))
"""

_PROGRAM_STATEMENTS = {
    "termCounts": word_search.NODE_COUNTS,
    "missingWords": word_search.MISSING_WORDS,
    "wordSearch": word_search.d1_nodes_by_words(_COLUMNS_OF_NODE),
    "fewFilteredNodes": _FEW_FILTERED_NODES,
    "globOfFewNodes": _GLOB_OF_FEW_NODES,
    "globOfManyNodes": _GLOB_OF_MANY_NODES,
    "filteredWordSearch": word_search.d1_filtered_nodes_by_words(_COLUMNS_OF_NODE),
    "wordSearchAcross": word_search.D1_WORD_SEARCH_ACROSS,
    "filteredWordSearchAcross": word_search.D1_FILTERED_WORD_SEARCH_ACROSS,
    "descriptionSearch": stored_descriptions.DESCRIPTION_SEARCH,
    "hitsById": hits.HITS_BY_IDS,
    "hitsWithParts": hits.d1_hits_by_ids(f", {_STORED_LINES}"),
    "classesAround": hits.D1_CLASSES_AROUND,
    **hits.d1_first_hits(_STORED_LINES),
    "reposOfIds": _REPOS_OF_IDS,
    "countBy": index_counts.COUNTS_BY_COLUMN,
    "skippedFiles": index_counts.SKIPPED_COUNTS,
    "storedSourceSize": stored_source.SOURCE_SIZE,
    "descriptionModels": stored_descriptions.COUNTS_BY_MODEL,
    "nodesCalled": _with_nodes(name_search.EXACT_NAMES),
    "fewNodesSpelled": _with_nodes(name_search.D1_FEW_NAMES_BY_WORD),
    "nodesSpelled": _with_nodes(name_search.NAMES_BY_WORD),
    "nodesHavingWord": name_search.IDS_BY_WORD,
    "nodeParts": node_parts.NODE_PARTS,
    "filesByPath": _with_nodes(name_search.FILES_BY_NAME),
    "nodesSpelledWithAny": name_search.NAMES_WITH_ANY_WORD,
    "nodesByTrigrams": _with_nodes(name_search.D1_SIMILAR_NAMES),
    "nodesBySpelling": _with_nodes(name_search.NAMES_BY_SPELLING),
    "storedSourceLines": _STORED_SOURCE,
    "storedSourceOfNodes": _STORED_SOURCE_OF_NODES,
    "innerNodes": node_parts.D1_HIT_CONTENTS,
    "innerNodesOfIds": node_parts.D1_NODE_CONTENTS,
    "nodesInFiles": hits.D1_HITS_IN_FILES,
    "nodesByIdPrefix": hits.HITS_BY_ID_PREFIX,
    "nodesByNameWords": hits.HITS_BY_NAME,
    "filesByPathSuffix": _FILES_AT_PATHS,
    "filesWithEnd": _FILES_WITH_END,
    "filesBelow": inventory.FILES_BELOW,
    "filesSkipped": inventory.SKIPPED_FILES,
    "unreadInScope": unread_files.UNREAD_IN_SCOPE,
    "unparsedLines": unread_files.UNPARSED_LINES,
    "unparsedTotal": unread_files.UNPARSED_TOTAL,
    "fileMap": inventory.FILE_OVERVIEW,
    "firstExistingPath": scope_sql.FIRST_EXISTING_PATH,
    "existingValues": filters.ANY_WITH_VALUE,
    "nodesWithRelation": relation_filters.NODES_WITH_RELATIONS,
    "nodesWithVisibility": relation_filters.NODES_WITH_VISIBILITY,
    "anyRelation": relations.HAS_RELATIONS,
    "nodesWithName": relations.D1_NODES_WITH_RELATION,
    "nodesWithAnyRelation": relations.NODES_WITH_ANY_RELATION,
    "manifestNodes": relations.D1_MANIFEST_NODES,
    "existingPaths": relations.EXISTING_PATHS,
    "existingFiles": relations.EXISTING_FILES,
    "relatedNodesWithWord": relations.RELATED_NODES_WITH_WORD,
    "countNodesWithWord": relations.COUNT_NODES_WITH_WORD,
    "nodesNamedByTrigrams": relations.NODES_NAMED_BY_TRIGRAMS,
    "nodesNamedByWords": relations.NODES_NAMED_BY_WORDS,
    "relationsOfFiles": relations.RELATIONS_OF_FILES,
    "filesOfSubtypes": relations.FILES_OF_SUBTYPES,
    "goNodesOfTypes": go_relations.GO_NODES_OF_TYPES,
    "goTypesEmbedding": go_relations.GO_TYPES_EMBEDDING,
    "goPackagesInFolder": go_relations.GO_PACKAGES_IN_FOLDER,
    "distinctValues": filters.VALUES_BY_COUNT,
    "allPaths": filters.PATHS_SQL,
    "meta": sql.READ_META,
    "repositories": inventory.REPOSITORIES,
}

STATEMENTS = {
    name: text.replace(scope_sql.PATH_IN_SCOPE.format(path="d.path"), scope_sql.D1_PATH_IN_SCOPE)
    for name, text in _PROGRAM_STATEMENTS.items()
}
"""By the names of the functions in `worker/src/store/statements.ts`."""

FRAGMENTS = {
    "@EXCLUDED": scope_sql.FILES_AT_EXCLUDED_PATHS,
    "@FILES": scope_sql.FILES_IN_SCOPE.replace(scope_sql.FILES_AT_EXCLUDED_PATHS, "@EXCLUDED"),
    "@AT_PATHS": scope_sql.D1_PATH_IN_SCOPE.replace(scope_sql.FILES_AT_EXCLUDED_PATHS, "@EXCLUDED"),
    "@PART_LINES": node_parts.PART_LINES,
    "@IN_SCOPE": scope_sql.IN_SCOPE.replace(
        scope_sql.PATH_IN_SCOPE.format(path="d.path"), "@AT_PATHS"
    ),
}
"""Text that many statements share, stored once; a fragment may contain an earlier one."""


def _shorten(statement: str) -> str:
    for mark, fragment in FRAGMENTS.items():
        statement = statement.replace(fragment, mark)
    return statement


SHORT_STATEMENTS = {name: _shorten(text) for name, text in STATEMENTS.items()}
"""The statements with marks in place of the fragments."""

_EXAMPLES = {
    "{0}": "language",
    "{1}": "docs",
    "@IDS": "(NULL)",
    "@MARKED_IDS": "(NULL, NULL)",
    "(VALUES @RANGES)": "(VALUES (NULL, NULL, NULL))",
    "(@RANGES)": "(VALUES (NULL, NULL, NULL, NULL))",
}
"""Text in place of a statement's marks, as the Worker writes it."""


def column_counts() -> dict[str, int]:
    """Returns the number of columns of each statement, with which the Worker joins several."""
    database = apsw.Connection(":memory:")
    for migration in migrations.known_migrations():
        database.execute(migration.sql)
    counts = {}
    for name, text in STATEMENTS.items():
        for mark, example in _EXAMPLES.items():
            text = text.replace(mark, example)  # noqa: PLW2901  # the statement with all of them
        counts[name] = len(apsw.ext.query_info(database, text).description)
    return counts


_MODEL_FIELDS = ("dimensions", "tokens", "truncates", "asymmetric", "instruction", "before_query")

MODELS = {
    name: {key: getattr(model, key) for key in _MODEL_FIELDS}
    for name, model in workers_ai.MODELS.items()
}
"""The request format of each model of Workers AI."""
