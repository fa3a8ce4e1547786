"""The SQL statements that the Worker runs: the program's own, some of them joined.

A Worker has two batches for a query, so some of the program's statements take the nodes of
another statement instead of a list of ids.
"""

import apsw
import apsw.ext

from feeder.cloudflare import workers_ai
from feeder.edge import worker_limits
from feeder.query import filters, relation_filters
from feeder.store import (
    go_relations,
    hits,
    index_counts,
    inventory,
    migrations,
    name_search,
    node_parts,
    relations,
    scope,
    sql,
    stored_descriptions,
    stored_source,
    unread_files,
    word_search,
)

# ?2 is a list with the repository, ?3 the paths of a scope
_FILES_AT_PATHS = f"""
SELECT path FROM files WHERE repo = ?2->>0 AND state <> 'skipped'
AND path IN ({scope.FILES_IN_SCOPE})
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
AND t.first_line <= d.end_line AND t.last_line >= d.start_line
"""


def _replace(statement: str, old: str, new: str) -> str:
    """Raises ValueError if the program's statement no longer has the text."""
    if old not in statement:
        raise ValueError(f"The statement has no {old!r}. Change feeder/edge/worker_sql.py.")
    return statement.replace(old, new)


# D1 bills each row that is sorted: the Worker sorts the nodes of files itself
_NODE_ORDER = "ORDER BY d.path, d.start_line, d.end_line DESC"


# a marked id is of a node that a statement has found in the scope: only the others, found by their
# vectors or by a name, are compared with it again. They are few, so excluded words are looked up
# for each: a list of all nodes with one costs more
_IS_IN_SCOPE = _replace(
    scope.IN_SCOPE,
    "d.seq NOT IN (SELECT rowid FROM docs_fts WHERE docs_fts MATCH ?12)",
    "NOT EXISTS (SELECT 1 FROM docs_fts WHERE docs_fts MATCH ?12 AND rowid = d.seq)",
)
_HITS_OF_IDS = _replace(
    _replace(
        hits.HITS_BY_IDS,
        f"json_each(?1) j CROSS JOIN docs d ON d.id = j.value\nWHERE {scope.IN_SCOPE}",
        "(VALUES @MARKED_IDS) i CROSS JOIN docs d ON d.id = i.column1\n"
        f"WHERE ?1 IS NULL AND (i.column2 OR {_IS_IN_SCOPE})",
    ),
    "ORDER BY j.key\n",
    "",
)
# each of the rows that are sorted is billed too: the Worker sorts them
_INNER_NODES = _replace(
    _replace(
        node_parts.HIT_CONTENTS,
        "json_each(?) j CROSS JOIN docs o ON o.id = j.value->>0\n",
        "(VALUES @RANGES) j CROSS JOIN docs o ON o.id = j.column1\n",
    ),
    "BETWEEN j.value->>1 AND j.value->>2 AND d.end_line <= j.value->>2\n"
    "ORDER BY d.start_line, d.end_line",
    "BETWEEN j.column2 AND j.column3 AND d.end_line <= j.column3",
)
_CLASSES_AROUND = _replace(
    _replace(
        hits.CLASSES_AROUND,
        "json_each(?1) j CROSS JOIN docs o ON o.id = j.value\nWHERE ",
        "(VALUES @IDS) i CROSS JOIN docs o ON o.id = i.column1 WHERE ?1 IS NULL AND ",
    ),
    "d.seq IN (SELECT rowid FROM docs_fts WHERE docs_fts MATCH ?2)",
    "EXISTS (SELECT 1 FROM docs_fts WHERE docs_fts MATCH ?2 AND rowid = d.seq)",
)


# the candidates of a word search with what BM25 is computed from, so that nodes of several
# databases get comparable scores: nodes and tokens in all, of each term its number of nodes, and
# its score for each candidate, with the candidate's id and size. The number of nodes with a word is
# in the vocabulary. SQLite doubles a statement's depth if it names the candidates twice
def _with_term_scores(search: str, terms: str) -> str:
    candidates = _replace(search, "SELECT id, -rank FROM docs_fts", "SELECT rowid FROM docs_fts")
    return f"""
WITH candidate(seq) AS MATERIALIZED ({candidates})
SELECT NULL AS term, 'all' AS kind, hex(block) AS value, NULL AS id, NULL AS size
FROM docs_fts_data WHERE id = 1
UNION ALL SELECT j.key, 'count', iif(json_array_length(j.value->2) = 1,
  coalesce((SELECT v.doc FROM docs_vocab v WHERE v.term = j.value->2->>0), 0),
  (SELECT count(*) FROM docs_fts WHERE docs_fts MATCH j.value->>0)
), NULL, NULL FROM json_each({terms}) j
UNION ALL SELECT j.key, 'score', -bm25(docs_fts, {word_search.BM25_WEIGHTS}), docs_fts.id, hex(z.sz)
FROM json_each({terms}) j CROSS JOIN docs_fts CROSS JOIN docs_fts_docsize z ON z.id = docs_fts.rowid
WHERE docs_fts MATCH j.value->>0 AND +docs_fts.rowid IN (SELECT seq FROM candidate)
"""


# a scope with ids: their nodes are looked up, instead of reading all nodes in line order
_NODES_OF_IDS = """FROM (SELECT DISTINCT value AS id FROM json_each(?13)) j
CROSS JOIN docs d ON d.id = j.id WHERE"""

# the same for an FTS5 query ?14 that each node of the scope matches
_NODES_OF_WORDS = """FROM (SELECT rowid AS seq FROM docs_fts WHERE docs_fts MATCH ?14) j
CROSS JOIN docs d ON d.seq = j.seq WHERE"""

# where a filter leaves few nodes, BM25 is computed for these alone. Otherwise FTS5 first sorts all
# nodes with a word, which takes nine times as long as comparing them with the filter
_FEW_FILTERED_NODES = f"""
SELECT id, -bm25(docs_fts, {word_search.BM25_WEIGHTS}) FROM docs_fts
WHERE docs_fts MATCH ?1 AND EXISTS (
  SELECT 1 FROM docs d WHERE d.seq = docs_fts.rowid AND {scope.IN_SCOPE}
) ORDER BY 2 DESC LIMIT ?14 + 0
"""
# a glob without a folder's name is no part of the FTS5 query. If few nodes are at it, their list is
# compared with the nodes that have a word: FTS5 would sort all of these, of which few are in scope.
# Two statements, of which one finds nothing: together they are too deep for D1
_MANY_NODES_AT_PATHS = f"""
EXISTS (SELECT 1 FROM ({scope.FILES_AT_PATHS}) f CROSS JOIN docs d
ON d.repo IN (SELECT value FROM json_each(?2)) AND d.path = f.path
LIMIT 1 OFFSET {worker_limits.MAX_NODES_OF_GLOB})
"""
_GLOB_OF_FEW_NODES = f"""
SELECT id, -bm25(docs_fts, {word_search.BM25_WEIGHTS}) FROM docs_fts
WHERE docs_fts MATCH iif({_MANY_NODES_AT_PATHS}, '""', ?1)
AND +rowid IN ({scope.NODES_OF_FILES_IN_SCOPE}) ORDER BY 2 DESC LIMIT ?14 + 0
"""
_GLOB_OF_MANY_NODES = _replace(
    word_search.D1_FILTERED_WORD_SEARCH,
    " MATCH ?1 ",
    f""" MATCH iif({_MANY_NODES_AT_PATHS}, ?1, '""') """,
)
# the guard's own query has the required and the excluded words: their nodes are not listed for it
_NAMES_BY_TRIGRAMS = _replace(
    name_search.SIMILAR_NAMES,
    f"CROSS JOIN docs d ON d.seq = f.seq WHERE {scope.IN_SCOPE}",
    "CROSS JOIN docs d ON d.seq = f.seq WHERE "
    + _replace(_replace(scope.IN_SCOPE, "?10", "NULL"), "?12", "NULL"),
)
_FEW_NAMES_BY_WORD = _replace(
    _replace(name_search.NAMES_BY_WORD, " AND rank MATCH 'bm25(0.0, 1.0, 0.0, 0.0)'", ""),
    "ORDER BY f.rank",
    "ORDER BY bm25(docs_fts, 0.0, 1.0, 0.0, 0.0)",
)

_REPOS_OF_IDS = """
SELECT DISTINCT j.value, d.repo FROM json_each(?1) j
CROSS JOIN docs d ON d.id >= j.value AND d.id < j.value || 'g'
WHERE +d.repo IN (SELECT value FROM json_each(?2))
"""

STATEMENTS = {
    "termCounts": word_search.NODE_COUNTS,
    "missingWords": word_search.MISSING_WORDS,
    "wordSearch": word_search.D1_WORD_SEARCH,
    "fewFilteredNodes": _FEW_FILTERED_NODES,
    "globOfFewNodes": _GLOB_OF_FEW_NODES,
    "globOfManyNodes": _GLOB_OF_MANY_NODES,
    "filteredWordSearch": word_search.D1_FILTERED_WORD_SEARCH,
    "wordSearchAcross": _with_term_scores(word_search.D1_WORD_SEARCH, "?1"),
    "filteredWordSearchAcross": _with_term_scores(word_search.D1_FILTERED_WORD_SEARCH, "?15"),
    "descriptionSearch": stored_descriptions.DESCRIPTION_SEARCH,
    "hitsById": hits.HITS_BY_IDS,
    "hitsWithParts": _replace(
        _HITS_OF_IDS,
        hits.HIT_COLUMNS,
        f"{hits.HIT_COLUMNS}, d.lines_hash, {node_parts.PART_LINES} AS part_lines",
    ),
    "classesAround": _CLASSES_AROUND,
    "firstNodes": hits.FIRST_HITS,
    "firstNodesOfIds": _replace(hits.FIRST_HITS, "FROM docs d WHERE", _NODES_OF_IDS),
    "firstNodesOfWords": _replace(hits.FIRST_HITS, "FROM docs d WHERE", _NODES_OF_WORDS),
    "reposOfIds": _REPOS_OF_IDS,
    "countBy": index_counts.COUNTS_BY_COLUMN,
    "skippedFiles": index_counts.SKIPPED_COUNTS,
    "storedSourceSize": stored_source.SOURCE_SIZE,
    "descriptionModels": stored_descriptions.COUNTS_BY_MODEL,
    "nodesCalled": name_search.EXACT_NAMES,
    "fewNodesSpelled": _FEW_NAMES_BY_WORD,
    "nodesSpelled": name_search.NAMES_BY_WORD,
    "nodesHavingWord": name_search.IDS_BY_WORD,
    "nodeParts": node_parts.NODE_PARTS,
    "filesByPath": name_search.FILES_BY_NAME,
    "nodesSpelledWithAny": name_search.NAMES_WITH_ANY_WORD,
    "nodesByTrigrams": _NAMES_BY_TRIGRAMS,
    "nodesBySpelling": name_search.NAMES_BY_SPELLING,
    "storedSourceLines": _STORED_SOURCE,
    "storedSourceOfNodes": _STORED_SOURCE_OF_NODES,
    "innerNodes": _INNER_NODES,
    "nodesInFiles": _replace(hits.HITS_IN_FILES, _NODE_ORDER, ""),
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
    "firstExistingPath": scope.FIRST_EXISTING_PATH,
    "existingValues": filters.ANY_WITH_VALUE,
    "nodesWithRelation": relation_filters.NODES_WITH_RELATIONS,
    "nodesWithVisibility": relation_filters.NODES_WITH_VISIBILITY,
    "anyRelation": relations.HAS_RELATIONS,
    "nodesWithName": _replace(relations.NODES_WITH_RELATION, " ORDER BY d.path, d.start_line", ""),
    "nodesWithAnyRelation": relations.NODES_WITH_ANY_RELATION,
    "manifestNodes": _replace(relations.MANIFEST_NODES, "ORDER BY d.path ", ""),
    "existingPaths": relations.EXISTING_PATHS,
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
"""By the names of the functions in `worker/src/store/statements.ts`."""

FRAGMENTS = {
    "@EXCLUDED": scope.FILES_AT_EXCLUDED_PATHS,
    "@FILES": scope.FILES_IN_SCOPE.replace(scope.FILES_AT_EXCLUDED_PATHS, "@EXCLUDED"),
    "@IN_SCOPE": scope.IN_SCOPE.replace(scope.FILES_AT_EXCLUDED_PATHS, "@EXCLUDED"),
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
