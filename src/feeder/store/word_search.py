"""Searches nodes by word: FTS5 with BM25, where common words only rank what rarer words find.

Holds the BM25 weights and the cached number of nodes of each common word.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from feeder.store import Database, Row, Statement
from feeder.store.scope import IN_SCOPE, IS_UNRESTRICTED, Scope, scope_params
from feeder.store.sqlite import SQLite

COUNT_LIMIT = 10_000
"""Nodes at which counting those of a word ends, or at half of all."""

COUNT_LIMIT_SQL = f"SELECT max({COUNT_LIMIT}, coalesce(max(seq), 0) / 2) FROM docs"
"""At how many it ends; one more says that there are more."""

NODE_COUNT_SQL = """
SELECT count(*) FROM (SELECT 1 FROM docs_fts WHERE docs_fts MATCH j.value->>0 LIMIT {0})
"""
"""Those with the word that the row `j` of a JSON parameter begins with, so many at most."""

MIN_CACHED_COUNT = 1_000
"""Fewer are counted soon: an index has but some thousand words of so many nodes."""


_NODE_COUNTS = (
    f"SELECT j.value->>0, ({NODE_COUNT_SQL.format(f'1 + ({COUNT_LIMIT_SQL})')}) FROM json_each(?1) "
    "j"
)


def node_counts(database: Database, words: Sequence[str]) -> Mapping[str, int]:
    """By word, an FTS5 query each, its nodes, as far as they are known without a question.

    Half of what a common word costs is its number of nodes. A database elsewhere would be asked
    once more: nothing is known of it.
    """
    if not isinstance(database, SQLite):
        return {}
    known = database.cached_counts()
    missing = [[word] for word in dict.fromkeys(words) if word not in known]
    [rows] = database.run([Statement(_NODE_COUNTS, (json.dumps(missing),))]) if missing else [[]]
    found = {str(word): int(str(nodes)) for word, nodes in rows}
    known.update({word: nodes for word, nodes in found.items() if nodes >= MIN_CACHED_COUNT})
    return {word: known.get(word, found.get(word, 0)) for word in words}


# symbol and path say what a node is, body what it says; id is the unindexed first column
BM25_WEIGHTS = "0.0, 8.0, 4.0, 1.0"

COMMON_WORD_NODES = 5_000
"""A word of more nodes only ranks, where the rarer words of the query find enough."""

ENOUGH_NODES = 1_000
"""Nodes that a query finds without its common words: ten times what a search looks at."""

MAX_TIES = 300
"""Nodes beyond the limit that are put in order by path where bm25 makes no difference."""


# A score takes half a microsecond a node, and the words of a question stand in most of them. So
# where nothing narrows the search, a word of many nodes does not find a node when rarer words find
# enough: it ranks what they find. `found` has a node by the words that find alone, and by all. A
# word of most nodes, which is worth a millionth of another one to bm25, is left out where one of
# the others finds as many as are wanted. ?1 the words as FTS5 queries, each with
# its number of nodes where that is known, ?14 how many nodes; a bare ?14 as the limit would have
# SQLite prepare all of it anew for each question, which takes a millisecond. Where no word can be
# common it is enough that one node has it: D1 bills each row that is counted
_COUNT_BOUND = f"""
iif((SELECT yes FROM everywhere) AND (SELECT max(seq) FROM docs) > {COMMON_WORD_NODES},
  1 + (SELECT nodes FROM most), 1)
"""

WORD_SEARCH = f"""
WITH everywhere(yes) AS MATERIALIZED ({IS_UNRESTRICTED}),
most(nodes) AS MATERIALIZED ({COUNT_LIMIT_SQL}),
word AS MATERIALIZED (
  SELECT j.key AS place, j.value->>0 AS text,
    coalesce(j.value->>1, ({NODE_COUNT_SQL.format(_COUNT_BOUND)})) AS nodes
  FROM json_each(?1) j
), telling AS (
  SELECT * FROM word WHERE nodes > 0 AND NOT (
    (SELECT yes FROM everywhere) AND nodes > (SELECT nodes FROM most)
    AND EXISTS (SELECT 1 FROM word w WHERE w.nodes BETWEEN ?14 AND (SELECT nodes FROM most)))
), told AS (
  SELECT text, place, (SELECT yes FROM everywhere) AND nodes > {COMMON_WORD_NODES}
    AND sum(nodes) OVER (ORDER BY nodes, place) - nodes >= {ENOUGH_NODES} AS only_ranks
  FROM telling
), query(finding, ranking) AS MATERIALIZED (
  SELECT group_concat(text, ' OR ' ORDER BY place) FILTER (WHERE NOT only_ranks),
    group_concat(text, ' OR ' ORDER BY place) FILTER (WHERE only_ranks)
  FROM told
), found(seq, score) AS (
  SELECT * FROM (
    SELECT rowid, bm25(docs_fts, {BM25_WEIGHTS}) AS score FROM docs_fts
    WHERE docs_fts MATCH (SELECT coalesce(finding, '""') FROM query)
    AND ((SELECT yes FROM everywhere)
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
    FROM found GROUP BY seq
  ) WHERE place <= ?14
)
SELECT d.id, -f.score FROM best f CROSS JOIN docs d ON d.seq = f.seq
ORDER BY f.score, d.path, d.start_line LIMIT ?14 + 0
"""


def word_search_statement(
    terms: Sequence[str],
    scope: Scope,
    limit: int,
    known_counts: Mapping[str, int] = MappingProxyType({}),
) -> Statement:
    """Asks for the nodes with any of the terms, FTS5 queries each, the best by bm25 first.

    What many nodes have may only rank what the rest of the terms finds. Terms are counted whose
    numbers of nodes are not among the `counts`.
    """
    words = json.dumps([[term, known_counts.get(term)] for term in terms])
    return Statement(WORD_SEARCH, (words, *scope_params(scope), limit))


def scores_by_id(rows: Iterable[Row]) -> dict[str, float]:
    """What it answers: scores by id."""
    return {str(id_): float(str(score)) for id_, score in rows}
