"""Searches nodes by word with FTS5 and BM25; common words only rank what rarer words find.

Contains the BM25 weights and the cached number of nodes of each common word.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from operator import itemgetter
from types import MappingProxyType
from typing import cast

from feeder.store import Database, Row, Statement
from feeder.store.scope import Scope, scope_params
from feeder.store.scope_sql import IN_SCOPE, IS_UNRESTRICTED
from feeder.store.sqlite import SQLite
from feeder.store.tokenizer import tokenize

BM25_WEIGHTS = "0.0, 8.0, 4.0, 1.0"
"""Weights of the columns id (unindexed), symbol, path and body."""

COMMON_WORD_NODES = 5_000
"""A word of more nodes only ranks, if the rarer words of the query find enough."""

ENOUGH_NODES = 1_000
"""Nodes that a query finds without its common words: ten times what a search ranks."""

MAX_TIES = 300
"""Nodes beyond the limit that are sorted by path where their BM25 scores are equal."""

COUNT_LIMIT = 10_000
"""A word of more nodes, and of more than half of all nodes, is left out if another one finds
enough.
"""

_WORD_OR_PHRASE = re.compile(r'"[^"]*"|\w+')

MIN_CACHED_COUNT = 1_000
"""Smaller counts are cheap; an index has only some thousand words with as many nodes."""

# the number of nodes with the rarest token of a row `j`: at least as many have the whole term
_NODES_WITH_TOKENS = """
(SELECT min(coalesce(v.doc, 0)) FROM json_each(j.value->2) t LEFT JOIN docs_vocab v
  ON v.term = t.value)
"""

NODE_COUNTS = f"SELECT j.value->>0, coalesce({_NODES_WITH_TOKENS}, 0) FROM json_each(?1) j"


# A score takes 0.5 us a node, and the words of a query occur in most nodes. So in a search without
# filters a common word does not add nodes if rarer words find enough: it only ranks those. A word
# of more than half of all nodes, whose BM25 weight is about a millionth, is left out if another
# word finds as many nodes as the limit. ?1 the words, each with its number of nodes if that is
# known and its tokens, ?14 the limit: `?14 + 0`, because a bare parameter would make SQLite prepare
# the statement again for each query, which takes 1 ms. Where no word can be common, none is counted
# In a shared database all nodes of the other repositories may be among those that have a word: the
# others are its least number, from the nodes of the repositories that `meta` has
_NODES_IN_REPOSITORIES = """
SELECT sum(m.value->>'nodes') AS nodes FROM json_each(?2) r JOIN meta m
ON m.key = r.value || ':counts'
"""
_QUERY = f"""
WITH facts(is_all, others, are_counted, half) AS MATERIALIZED (
  SELECT u.yes, iif(u.yes, 0, n.last - r.nodes),
    coalesce(iif(u.yes, n.last, r.nodes) > {COMMON_WORD_NODES}, 0), max({COUNT_LIMIT}, n.last / 2)
  FROM ({IS_UNRESTRICTED}) u, (SELECT coalesce(max(seq), 0) AS last FROM docs) n,
    ({_NODES_IN_REPOSITORIES}) r
), word AS MATERIALIZED (
  SELECT j.key AS place, j.value->>0 AS text, are_counted, half, coalesce(others, 0) AS others,
    coalesce(j.value->>1, iif(are_counted, coalesce({_NODES_WITH_TOKENS}, 0), 1)) AS nodes
  FROM facts CROSS JOIN json_each(?1) j
), weighed_word AS (
  SELECT text, place, are_counted AND nodes - others > {COMMON_WORD_NODES}
    AND sum(max(nodes - others, 0)) OVER (ORDER BY nodes, place) - nodes + others
      >= {ENOUGH_NODES} AS only_ranks
  FROM word WHERE nodes > 0 AND NOT (are_counted AND nodes - others > half
    AND EXISTS (SELECT 1 FROM word w WHERE w.nodes - w.others BETWEEN ?14 AND w.half))
), query(finding, ranking) AS MATERIALIZED (
  SELECT group_concat(text, ' OR ' ORDER BY place) FILTER (WHERE NOT only_ranks),
    group_concat(text, ' OR ' ORDER BY place) FILTER (WHERE only_ranks)
  FROM weighed_word
)
"""
_FINDING = """(SELECT coalesce(finding, '""') FROM query)"""
_FINDING_AND_RANKING = """
(SELECT coalesce('(' || finding || ') AND (' || ranking || ')', '""') FROM query)
"""
# not from `facts`: SQLite counts the depth of the facts once more for each reference. What is equal
# for all nodes is a subquery, which SQLite evaluates once: comparing two names for each node takes
# a twentieth of a search
_IS_OF_REPOSITORY = "d.repo IN (SELECT value FROM json_each(?2))"
_HAS_NODE_OF_REPOSITORY = f"""EXISTS (SELECT 1 FROM docs d WHERE d.seq = docs_fts.rowid
    AND {_IS_OF_REPOSITORY})"""
_OF_REPOSITORY = f"""
((SELECT ?2 IS NULL
    OR (SELECT min(repo) FROM docs) = ?2->>0 AND (SELECT max(repo) FROM docs) = ?2->>0)
  OR {_HAS_NODE_OF_REPOSITORY})
"""
_IN_SCOPE = f"EXISTS (SELECT 1 FROM docs d WHERE d.seq = docs_fts.rowid AND {IN_SCOPE})"
_BY_SCORE = f"ORDER BY score LIMIT ?14 + {MAX_TIES}"
_SELECT_BEST = """
SELECT d.id, -f.score FROM best f CROSS JOIN docs d ON d.seq = f.seq
ORDER BY f.score, d.path, d.start_line LIMIT ?14 + 0
"""

# a node is found once by the finding words and once by all; the lower score is the right one
WORD_SEARCH = f"""
{_QUERY}, candidate(seq, score) AS (
  SELECT * FROM (
    SELECT rowid, bm25(docs_fts, {BM25_WEIGHTS}) AS score FROM docs_fts
    WHERE docs_fts MATCH {_FINDING} AND {_OF_REPOSITORY} {_BY_SCORE}
  ) UNION ALL SELECT * FROM (
    SELECT rowid, bm25(docs_fts, {BM25_WEIGHTS}) AS score FROM docs_fts
    WHERE docs_fts MATCH {_FINDING_AND_RANKING} AND {_OF_REPOSITORY} {_BY_SCORE}
  )
), best(seq, score) AS (
  SELECT seq, score FROM (
    SELECT seq, min(score) AS score, rank() OVER (ORDER BY min(score)) AS place
    FROM candidate GROUP BY seq
  ) WHERE place <= ?14
)
{_SELECT_BEST}
"""

# ?1 an FTS5 query
FILTERED_WORD_SEARCH = f"""
WITH best(seq, score) AS (
  SELECT rowid, bm25(docs_fts, {BM25_WEIGHTS}) AS score FROM docs_fts
  WHERE docs_fts MATCH ?1 AND {_IN_SCOPE} {_BY_SCORE}
)
{_SELECT_BEST}
"""

# D1 bills a row that SQLite sorts twice, and one that FTS5 sorts once, if it is returned. So FTS5
# sorts, which takes a third longer, its table returns the ids, and the caller merges the rows
_BY_RANK = f"AND rank MATCH 'bm25({BM25_WEIGHTS})' ORDER BY rank LIMIT ?14 + 0"
_SCORED = "id, -rank"
POSTINGS_WITH_NODES = "docs_fts CROSS JOIN docs d ON d.seq = docs_fts.rowid"


def _d1_word_search(columns: str, source: str = "docs_fts") -> str:
    return f"""
{_QUERY} SELECT * FROM (
  SELECT {columns} FROM {source} WHERE docs_fts MATCH {_FINDING} AND {_OF_REPOSITORY} {_BY_RANK}
) UNION ALL SELECT * FROM (
  SELECT {columns} FROM {source}
  WHERE docs_fts MATCH {_FINDING_AND_RANKING} AND {_OF_REPOSITORY} {_BY_RANK}
)
"""


def _d1_filtered_word_search(columns: str) -> str:
    return f"""
SELECT {columns} FROM docs_fts WHERE docs_fts MATCH ?1 AND {_IN_SCOPE} {_BY_RANK}
"""


D1_WORD_SEARCH = _d1_word_search(_SCORED)
D1_FILTERED_WORD_SEARCH = _d1_filtered_word_search(_SCORED)


def d1_nodes_by_words(columns: str) -> str:
    """Selects the same as `D1_WORD_SEARCH`, and these columns of the node `d`."""
    search = _d1_word_search(f"d.id, -rank AS score, {columns}", POSTINGS_WITH_NODES)
    return search.replace(_HAS_NODE_OF_REPOSITORY, _IS_OF_REPOSITORY)


def d1_filtered_nodes_by_words(columns: str, words: str = "?1") -> str:
    """Selects the nodes of a scope that match the SQL expression `words`, an FTS5 query, with these
    columns of the node `d` after their ids and scores.
    """
    return f"""
SELECT d.id, -rank AS score, {columns} FROM {POSTINGS_WITH_NODES}
WHERE docs_fts MATCH {words} AND {IN_SCOPE} {_BY_RANK}
"""


# the candidates of a word search with what BM25 is computed from, so that nodes of several
# databases get comparable scores: nodes and tokens in all, of each term its number of nodes, and
# its score for each candidate, with the candidate's id and size. The number of nodes with a word is
# in the vocabulary. SQLite doubles a statement's depth if it names the candidates twice
def _with_term_scores(candidates: str, terms: str) -> str:
    return f"""
WITH candidate(seq) AS MATERIALIZED ({candidates})
SELECT NULL AS term, 'all' AS kind, hex(block) AS value, NULL AS id, NULL AS size
FROM docs_fts_data WHERE id = 1
UNION ALL SELECT j.key, 'count', iif(json_array_length(j.value->2) = 1,
  coalesce((SELECT v.doc FROM docs_vocab v WHERE v.term = j.value->2->>0), 0),
  (SELECT count(*) FROM docs_fts WHERE docs_fts MATCH j.value->>0)
), NULL, NULL FROM json_each({terms}) j
UNION ALL SELECT j.key, 'score', -bm25(docs_fts, {BM25_WEIGHTS}), docs_fts.id, hex(z.sz)
FROM json_each({terms}) j CROSS JOIN docs_fts CROSS JOIN docs_fts_docsize z ON z.id = docs_fts.rowid
WHERE docs_fts MATCH j.value->>0 AND +docs_fts.rowid IN (SELECT seq FROM candidate)
"""


D1_WORD_SEARCH_ACROSS = _with_term_scores(_d1_word_search("rowid"), "?1")
D1_FILTERED_WORD_SEARCH_ACROSS = _with_term_scores(_d1_filtered_word_search("rowid"), "?15")


def node_counts(database: Database, terms: Sequence[str]) -> Mapping[str, int]:
    """Returns the number of nodes of each word and phrase among the terms, from the cache or by
    counting.

    Empty for a remote database, where it would take another request, and for a single term, whose
    number does not matter.
    """
    if not isinstance(database, SQLite) or len(terms) < 2:
        return {}
    cached = database.cached_counts()
    countable = [term for term in dict.fromkeys(terms) if _WORD_OR_PHRASE.fullmatch(term)]
    missing = [term for term in countable if term not in cached]
    [rows] = (
        database.run([Statement(NODE_COUNTS, (_terms_json(missing, {}),))]) if missing else [[]]
    )
    counted = {str(term): cast("int", nodes) for term, nodes in rows}
    cached.update({term: nodes for term, nodes in counted.items() if nodes >= MIN_CACHED_COUNT})
    return {term: cached.get(term, counted.get(term, 0)) for term in countable}


def word_search_statement(
    terms: Sequence[str],
    scope: Scope,
    limit: int,
    known_counts: Mapping[str, int] = MappingProxyType({}),
    *,
    is_billed: bool = False,
) -> Statement:
    """Selects the ids and scores of nodes with any of the terms, the best by BM25 first.

    Each term is a word or a phrase in quotes, or another FTS5 query. Common terms may only rank
    what the others find. Terms that are not in `known_counts` are counted. The cheaper statement
    where rows are billed may return more nodes than `limit`, and a node twice.
    """
    if scope.has_filters:
        sql = D1_FILTERED_WORD_SEARCH if is_billed else FILTERED_WORD_SEARCH
        words, filters = _filtered_query(terms, scope)
        return Statement(sql, (words, *scope_params(filters), limit))
    sql = D1_WORD_SEARCH if is_billed else WORD_SEARCH
    # a single term is not counted: there is no rarer one that could find nodes in its place
    counts = known_counts if len(terms) > 1 else dict.fromkeys(terms, 1)
    return Statement(sql, (_terms_json(terms, counts), *scope_params(scope), limit))


# ?1 words, each with an FTS5 query
MISSING_WORDS = """
SELECT j.value->>0 FROM json_each(?1) j
WHERE NOT EXISTS (SELECT 1 FROM docs_fts WHERE docs_fts MATCH j.value->>1 LIMIT 1)
"""


def missing_words_statement(words: str) -> Statement:
    """Selects those words whose FTS5 query finds no node at all; `words` is JSON."""
    return Statement(MISSING_WORDS, (words,))


def _filtered_query(terms: Sequence[str], scope: Scope) -> tuple[str, Scope]:
    """Returns an FTS5 query for the terms, and the filters that it leaves to the scope.

    Excluded words are a part of it, since they do not change BM25: listing their nodes costs more.
    So are the words of the paths: each node that the scope refuses takes time, and D1 bills it.
    `AND` would add them to the score; within `NOT`, they are at no node that is found.
    """
    words = " OR ".join(terms) or '""'
    if scope.path_words:
        words = f"({words}) NOT (({words}) NOT ({scope.path_words}))"
    if scope.without_words is None:
        return words, scope
    return f"({words}) NOT ({scope.without_words})", scope._replace(without_words=None)


def scores_by_id(rows: Iterable[Row], limit: int | None = None) -> dict[str, float]:
    """Returns the highest scores by id from the rows of the search, at most `limit`."""
    ordered = sorted(cast("Iterable[tuple[str, float]]", rows), key=itemgetter(1), reverse=True)
    scores: dict[str, float] = {}
    for id_, score in ordered:
        scores.setdefault(id_, float(score))
    return dict(islice(scores.items(), limit))


def _terms_json(terms: Iterable[str], known_counts: Mapping[str, int]) -> str:
    """Returns the terms as JSON, each with its number of nodes if known, and its tokens."""
    return json.dumps([[term, *_count_and_tokens(term, known_counts.get(term))] for term in terms])


def _count_and_tokens(term: str, count: int | None) -> tuple[int | None, list[str]]:
    """A term that is neither a word nor a phrase in quotes is never common."""
    if count is None and not _WORD_OR_PHRASE.fullmatch(term):
        return 1, []
    return count, [stem for _, _, stem in tokenize(term.encode("utf-8", "replace"))]
