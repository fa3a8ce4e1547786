"""Which questions does the Worker put to the database? The program's own, some of them joined.

A Worker asks for all that it needs in two batches: so a few of the program's statements take the
nodes of another one instead of a list.
"""

from types import ModuleType

from feeder import nodes, suggestions
from feeder.cloudflare import vectorize, workers_ai
from feeder.embedding import batching
from feeder.search import (
    answers,
    engine,
    filters,
    index_status,
    outline,
    results,
    similar,
    targets,
    vocabulary,
)
from feeder.store import (
    hits,
    inventory,
    name_search,
    node_parts,
    scope,
    stored_descriptions,
    stored_source,
    word_search,
)
from feeder.store import sql as store_sql

# the files, of one repository, at the places of a scope: ?2 and ?3
_PLACED = f"""
SELECT path FROM files WHERE repo = ?2->>0 AND state <> 'skipped'
AND path IN ({scope.FILES_IN_SCOPE})
ORDER BY path LIMIT 1000
"""
_TEXT_COLUMNS = "t.repo, t.path, t.first_line, t.last_line, t.numbers, hex(t.text)"
# ?1 repositories and paths, each with its first line and its last
_TEXTS = f"""
SELECT DISTINCT {_TEXT_COLUMNS} FROM json_each(?1) j CROSS JOIN texts t
ON t.repo = j.value->>0 AND t.path = j.value->>1
AND t.first_line <= j.value->>3 AND t.last_line >= j.value->>2
"""
_DOCUMENT_TYPES = ", ".join(f"'{one}'" for one in sorted(nodes.DOCUMENT_TYPES))
# the same of nodes: those of the ids ?1, and of ?2 those that may have the same text as another
_TEXTS_OF_NODES = f"""
WITH form AS MATERIALIZED (
  SELECT d.id, count(*) OVER (PARTITION BY d.node_type, iif(d.symbol IS NULL, NULL, d.signature),
    d.end_line - d.start_line) AS alike
  FROM json_each(?2) i CROSS JOIN docs d ON d.id = i.value
  WHERE d.end_line - d.start_line + 1 >= {results.MIN_DUPLICATE_LINES}
)
SELECT DISTINCT {_TEXT_COLUMNS} FROM (
  SELECT value AS id FROM json_each(?1) UNION SELECT id FROM form WHERE alike > 1
  UNION SELECT d.id FROM json_each(?2) i CROSS JOIN docs d ON d.id = i.value
  WHERE d.node_type IN ({_DOCUMENT_TYPES})
) n CROSS JOIN docs d ON d.id = n.id
CROSS JOIN texts t ON t.repo = d.repo AND t.path = d.path
AND t.first_line <= d.end_line AND t.last_line >= d.start_line
"""
_WITH_LINES = """
  SELECT json_array(n.id, n.start_line, n.end_line) AS value
  FROM json_each(?1) i CROSS JOIN docs n ON n.id = i.value
"""


def _instead(sql: str, old: str, new: str) -> str:
    """Raises ValueError where the program's statement is no longer as it was."""
    if old not in sql:
        raise ValueError(f"The statement has no {old!r} any more. Mend worker/sql.py.")
    return sql.replace(old, new)


# D1 bills a row twice that is put in order by bm25, and one that FTS5 puts in order itself only
# where it is taken. That takes a third longer where nothing narrows, so the program does without
_MATCHED = f"MATCH 'bm25({word_search.BM25_WEIGHTS})'"
_WORDS = _instead(
    word_search.WORD_SEARCH, f"bm25(docs_fts, {word_search.BM25_WEIGHTS}) AS score", "rank AS score"
)
_WORDS = _instead(
    _WORDS, "ORDER BY score LIMIT ?14 +", f"AND rank {_MATCHED} ORDER BY rank LIMIT ?14 +"
)

STATEMENTS = {
    "words": _WORDS,
    "lines": stored_descriptions.DESCRIPTION_SEARCH,
    "hits": hits.HITS_BY_IDS,
    "first": hits.FIRST_HITS,
    "by": inventory.COUNTS_BY_COLUMN,
    "skipped": inventory.SKIPPED_COUNTS,
    "sizeOfTexts": stored_source.SOURCE_SIZE,
    "describedBy": stored_descriptions.COUNTS_BY_MODEL,
    "called": name_search.EXACT_NAMES,
    "spelled": name_search.NAMES_BY_WORD,
    "having": name_search.IDS_BY_WORD,
    "begun": name_search.NAMES_BY_PREFIX,
    "files": name_search.FILES_BY_NAME,
    "alike": name_search.SIMILAR_NAMES,
    "pieces": node_parts.NODE_PARTS,
    "texts": _TEXTS,
    "textsOfNodes": _TEXTS_OF_NODES,
    "inside": node_parts.HIT_CONTENTS,
    "insideNodes": _instead(node_parts.HIT_CONTENTS, "json_each(?) j", f"({_WITH_LINES}) j"),
    "inFiles": hits.HITS_IN_FILES,
    "byId": hits.HITS_BY_ID_PREFIX,
    "named": hits.HITS_BY_NAME,
    "placed": _PLACED,
    "below": inventory.FILES_BELOW,
    "map": inventory.FILE_OVERVIEW,
    "anyFile": scope.ANY_FILE,
    "has": filters.ANY_WITH_VALUE,
    "kinds": filters.VALUES_BY_COUNT,
    "paths": filters.PATHS_SQL,
    "meta": store_sql.READ_META,
}
COMMON = {
    "@FILES": scope.FILES_IN_SCOPE,
    "@IN_SCOPE": scope.IN_SCOPE.replace(scope.FILES_IN_SCOPE, "@FILES"),
}
"""What statements have in common, so that it is sent once; a later one may hold an earlier one."""


def _short(sql: str) -> str:
    for sign, text in COMMON.items():
        sql = sql.replace(text, sign)
    return sql


SQL = {name: _short(text) for name, text in STATEMENTS.items()}
CONSTANTS: dict[str, tuple[ModuleType, *tuple[str, ...]]] = {
    "age": (index_status, "SHORT_COMMIT", "UNFINISHED_NOTE"),
    "answers": (answers, "RANK_NAMES"),
    "asking": (engine, "MAX_LISTED"),
    "dealing": (batching, "BYTES_PER_TOKEN"),
    "catalog": (hits, "MAX_NAMED_HITS"),
    "narrowing": (vectorize, "MAX_INDEXED_BYTES", "MAX_FILTER_BYTES"),
    "naming": (name_search, "MAX_TRIGRAMS", "MIN_TRIGRAM_SHARE"),
    "nearby": (suggestions, "MAX_SUGGESTIONS", "MIN_SIMILARITY", "MAX_COMPARED", "MAX_LISTED"),
    "nodes": (nodes, "NODE_TYPES", "DOCUMENT_TYPES", "HEADER_VERSION"),
    "outline": (outline, "UNNAMED_TYPES", "MAX_PART_GAP"),
    "scope": (scope, "MAX_GLOB_BYTES"),
    "similar": (similar, "MAX_CANDIDATES", "MAX_WORDS"),
    "targets": (targets, "MAX_LISTED", "MAX_SEPARATORS", "EMPTY_TARGET_ERROR"),
    "vectorize": (vectorize, "MAX_NEIGHBOURS"),
    "vocabulary": (vocabulary, "CODE", "TESTS"),
}
"""Constants of modules, by the names of rooms in `shared.json`."""
ASKED = ("dimensions", "tokens", "truncates", "asymmetric", "instruction", "before_query")
MODELS = {
    name: {key: getattr(model, key) for key in ASKED} for name, model in workers_ai.MODELS.items()
}
"""How a question is put to each model of Workers AI."""
