"""Searches nodes by word with FTS5 and BM25; common words only rank what rarer words find.

Contains the BM25 weights and the cached number of nodes of each common word.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from feeder.store import Database, Row, Statement
from feeder.store.scope import IN_SCOPE, IS_UNRESTRICTED, Scope, scope_params
from feeder.store.sqlite import SQLite

BM25_WEIGHTS = "0.0, 8.0, 4.0, 1.0"
"""Weights of the columns id (unindexed), symbol, path and body."""

COMMON_WORD_NODES = 5_000
"""A word of more nodes only ranks, if the rarer words of the query find enough."""

ENOUGH_NODES = 1_000
"""Nodes that a query finds without its common words: ten times what a search ranks."""

MAX_TIES = 300
"""Nodes beyond the limit that are sorted by path where their BM25 scores are equal."""

COUNT_LIMIT = 10_000
"""Counting the nodes of a word stops at this number, or at half of all nodes."""

COUNT_LIMIT_SQL = f"SELECT max({COUNT_LIMIT}, coalesce(max(seq), 0) / 2) FROM docs"
"""The number at which counting stops; one more means that there are more."""

NODE_COUNT_SQL = """
SELECT count(*) FROM (SELECT 1 FROM docs_fts WHERE docs_fts MATCH j.value->>0 LIMIT {0})
"""
"""Counts the nodes with the word that the row `j` of a JSON parameter begins with.

`{0}` is the limit.
"""

MIN_CACHED_COUNT = 1_000
"""Smaller counts are cheap; an index has only some thousand words with as many nodes."""


_NODE_COUNTS = (
    f"SELECT j.value->>0, ({NODE_COUNT_SQL.format(f'1 + ({COUNT_LIMIT_SQL})')}) FROM json_each(?1) "
    "j"
)


# A score takes 0.5 us a node, and the words of a query occur in most nodes. So in an unrestricted
# search a common word does not add nodes if rarer words find enough: it only ranks those.
# `candidate` contains a node once by the finding words and once by all. A word of more than half of
# all nodes, whose BM25 weight is about a millionth, is left out if another word finds as many nodes
# as the limit. ?1 the words as FTS5 queries, each with its number of nodes if that is known, ?14
# the limit: `?14 + 0`, because a bare parameter would make SQLite prepare the statement again for
# each query, which takes 1 ms. Where no word can be common, counting stops at one: D1 bills each
# counted row
_COUNT_BOUND = f"""
iif((SELECT yes FROM unrestricted) AND (SELECT max(seq) FROM docs) > {COMMON_WORD_NODES},
  1 + (SELECT nodes FROM count_limit), 1)
"""

WORD_SEARCH = f"""
WITH unrestricted(yes) AS MATERIALIZED ({IS_UNRESTRICTED}),
count_limit(nodes) AS MATERIALIZED ({COUNT_LIMIT_SQL}),
word AS MATERIALIZED (
  SELECT j.key AS place, j.value->>0 AS text,
    coalesce(j.value->>1, ({NODE_COUNT_SQL.format(_COUNT_BOUND)})) AS nodes
  FROM json_each(?1) j
), useful_word AS (
  SELECT * FROM word WHERE nodes > 0 AND NOT (
    (SELECT yes FROM unrestricted) AND nodes > (SELECT nodes FROM count_limit)
    AND EXISTS (SELECT 1 FROM word w WHERE w.nodes BETWEEN ?14 AND (SELECT nodes FROM count_limit)))
), weighed_word AS (
  SELECT text, place, (SELECT yes FROM unrestricted) AND nodes > {COMMON_WORD_NODES}
    AND sum(nodes) OVER (ORDER BY nodes, place) - nodes >= {ENOUGH_NODES} AS only_ranks
  FROM useful_word
), query(finding, ranking) AS MATERIALIZED (
  SELECT group_concat(text, ' OR ' ORDER BY place) FILTER (WHERE NOT only_ranks),
    group_concat(text, ' OR ' ORDER BY place) FILTER (WHERE only_ranks)
  FROM weighed_word
), candidate(seq, score) AS (
  SELECT * FROM (
    SELECT rowid, bm25(docs_fts, {BM25_WEIGHTS}) AS score FROM docs_fts
    WHERE docs_fts MATCH (SELECT coalesce(finding, '""') FROM query)
    AND ((SELECT yes FROM unrestricted)
      OR EXISTS (SELECT 1 FROM docs d WHERE d.seq = docs_fts.rowid AND {IN_SCOPE}))
    ORDER BY score LIMIT ?14 + {MAX_TIES}
  ) UNION ALL SELECT * FROM (
    SELECT rowid, bm25(docs_fts, {BM25_WEIGHTS}) AS score FROM docs_fts
    WHERE docs_fts MATCH (
      SELECT coalesce('(' || finding || ') AND (' || ranking || ')', '""') FROM query
    )
    ORDER BY score LIMIT ?14 + {MAX_TIES}
  )
), best(seq, score) AS (
  SELECT seq, score FROM (
    SELECT seq, min(score) AS score, rank() OVER (ORDER BY min(score)) AS place
    FROM candidate GROUP BY seq
  ) WHERE place <= ?14
)
SELECT d.id, -f.score FROM best f CROSS JOIN docs d ON d.seq = f.seq
ORDER BY f.score, d.path, d.start_line LIMIT ?14 + 0
"""


def node_counts(database: Database, words: Sequence[str]) -> Mapping[str, int]:
    """Returns the number of nodes of each word, an FTS5 query each, from the cache or by counting.

    Counting is half of the cost of a common word. Empty for a remote database, where it would take
    another request.
    """
    if not isinstance(database, SQLite):
        return {}
    cached = database.cached_counts()
    missing = [[word] for word in dict.fromkeys(words) if word not in cached]
    [rows] = database.run([Statement(_NODE_COUNTS, (json.dumps(missing),))]) if missing else [[]]
    counted = {str(word): int(str(nodes)) for word, nodes in rows}
    cached.update({word: nodes for word, nodes in counted.items() if nodes >= MIN_CACHED_COUNT})
    return {word: cached.get(word, counted.get(word, 0)) for word in words}


def word_search_statement(
    terms: Sequence[str],
    scope: Scope,
    limit: int,
    known_counts: Mapping[str, int] = MappingProxyType({}),
) -> Statement:
    """Selects the ids and scores of nodes with any of the terms, the best by BM25 first.

    Each term is an FTS5 query. Common terms may only rank what the others find. Terms that are not
    in `known_counts` are counted.
    """
    words = json.dumps([[term, known_counts.get(term)] for term in terms])
    return Statement(WORD_SEARCH, (words, *scope_params(scope), limit))


def scores_by_id(rows: Iterable[Row]) -> dict[str, float]:
    """Returns scores by id from the rows of the search."""
    return {str(id_): float(str(score)) for id_, score in rows}
