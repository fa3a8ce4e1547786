"""The SQL statements that the Worker runs: the program's own, some of them joined.

A Worker has two batches for a query, so some of the program's statements take the nodes of
another statement instead of a list of ids.
"""

from feeder import nodes
from feeder.cloudflare import workers_ai
from feeder.search import filters, relation_filters, results
from feeder.store import (
    hits,
    inventory,
    name_search,
    node_parts,
    relations,
    scope,
    sql,
    stored_descriptions,
    stored_source,
    word_search,
)

# ?2 is a list with the repository, ?3 the paths of a scope
_FILES_AT_PATHS = f"""
SELECT path FROM files WHERE repo = ?2->>0 AND state <> 'skipped'
AND path IN ({scope.FILES_IN_SCOPE})
ORDER BY path LIMIT 1000
"""
_SOURCE_COLUMNS = "t.repo, t.path, t.first_line, t.last_line, t.numbers, hex(t.text)"
# ?1 is a list of [repository, path, first line, last line]
_STORED_SOURCE = f"""
SELECT DISTINCT {_SOURCE_COLUMNS} FROM json_each(?1) j CROSS JOIN texts t
ON t.repo = j.value->>0 AND t.path = j.value->>1
AND t.first_line <= j.value->>3 AND t.last_line >= j.value->>2
"""
_DOCUMENT_TYPES = ", ".join(f"'{one}'" for one in sorted(nodes.DOCUMENT_TYPES))
# of the nodes with the ids ?1, of documents in ?2, and of those in ?2 that may be duplicates
_STORED_SOURCE_OF_NODES = f"""
WITH form AS MATERIALIZED (
  SELECT d.id, count(*) OVER (PARTITION BY d.node_type, iif(d.symbol IS NULL, NULL, d.signature),
    d.end_line - d.start_line) AS alike
  FROM json_each(?2) i CROSS JOIN docs d ON d.id = i.value
  WHERE d.end_line - d.start_line + 1 >= {results.MIN_DUPLICATE_LINES}
)
SELECT DISTINCT {_SOURCE_COLUMNS} FROM (
  SELECT value AS id FROM json_each(?1) UNION SELECT id FROM form WHERE alike > 1
  UNION SELECT d.id FROM json_each(?2) i CROSS JOIN docs d ON d.id = i.value
  WHERE d.node_type IN ({_DOCUMENT_TYPES})
) n CROSS JOIN docs d ON d.id = n.id
CROSS JOIN texts t ON t.repo = d.repo AND t.path = d.path
AND t.first_line <= d.end_line AND t.last_line >= d.start_line
"""
_NODE_LINES = """
  SELECT json_array(n.id, n.start_line, n.end_line) AS value
  FROM json_each(?1) i CROSS JOIN docs n ON n.id = i.value
"""


def _replace(statement: str, old: str, new: str) -> str:
    """Raises ValueError if the program's statement no longer has the text."""
    if old not in statement:
        raise ValueError(f"The statement has no {old!r}. Change feeder/edge/worker_sql.py.")
    return statement.replace(old, new)


STATEMENTS = {
    "missingWords": word_search.MISSING_WORDS,
    "wordSearch": word_search.D1_WORD_SEARCH,
    "filteredWordSearch": word_search.D1_FILTERED_WORD_SEARCH,
    "descriptionSearch": stored_descriptions.DESCRIPTION_SEARCH,
    "hitsById": hits.HITS_BY_IDS,
    "hitsWithParts": _replace(
        hits.HITS_BY_IDS, hits.HIT_COLUMNS, f"{hits.HIT_COLUMNS}, {node_parts.PART_LINES}"
    ),
    "classesAround": hits.CLASSES_AROUND,
    "firstNodes": hits.FIRST_HITS,
    "countBy": inventory.COUNTS_BY_COLUMN,
    "skippedFiles": inventory.SKIPPED_COUNTS,
    "storedSourceSize": stored_source.SOURCE_SIZE,
    "descriptionModels": stored_descriptions.COUNTS_BY_MODEL,
    "nodesCalled": name_search.EXACT_NAMES,
    "nodesSpelled": name_search.NAMES_BY_WORD,
    "nodesHavingWord": name_search.IDS_BY_WORD,
    "nodeParts": node_parts.NODE_PARTS,
    "filesByPath": name_search.FILES_BY_NAME,
    "nodesByTrigrams": name_search.SIMILAR_NAMES,
    "storedSourceLines": _STORED_SOURCE,
    "storedSourceOfNodes": _STORED_SOURCE_OF_NODES,
    "innerNodes": node_parts.HIT_CONTENTS,
    "innerNodesOf": _replace(node_parts.HIT_CONTENTS, "json_each(?) j", f"({_NODE_LINES}) j"),
    "nodesInFiles": hits.HITS_IN_FILES,
    "nodesByIdPrefix": hits.HITS_BY_ID_PREFIX,
    "nodesByNameWords": hits.HITS_BY_NAME,
    "filesByPathSuffix": _FILES_AT_PATHS,
    "filesBelow": inventory.FILES_BELOW,
    "filesSkipped": inventory.SKIPPED_FILES,
    "fileMap": inventory.FILE_OVERVIEW,
    "anyFile": scope.ANY_FILE,
    "existingValues": filters.ANY_WITH_VALUE,
    "nodesWithRelation": relation_filters.NODES_WITH_RELATIONS,
    "anyRelation": relations.HAS_RELATIONS,
    "distinctValues": filters.VALUES_BY_COUNT,
    "allPaths": filters.PATHS_SQL,
    "meta": sql.READ_META,
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

_MODEL_FIELDS = ("dimensions", "tokens", "truncates", "asymmetric", "instruction", "before_query")

MODELS = {
    name: {key: getattr(model, key) for key in _MODEL_FIELDS}
    for name, model in workers_ai.MODELS.items()
}
"""The request format of each model of Workers AI."""
