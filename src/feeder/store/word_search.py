"""What is in the index? The questions of search, validation and statistics, each one request."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from feeder.store import Database, Row, Statement, stored_descriptions, stored_source
from feeder.store.counting import COUNT_LIMIT_SQL, NODE_COUNT_SQL
from feeder.store.index_state import static_model_name
from feeder.store.scope import IN_SCOPE, IS_UNRESTRICTED, Scope, scope_params

# symbol and path say what a node is, body what it says; id is the unindexed first column
BM25_WEIGHTS = "0.0, 8.0, 4.0, 1.0"
COMMON_WORD_NODES = 5_000
"""A word of more nodes only ranks, where the rarer words of the query find enough."""
ENOUGH_NODES = 1_000
"""Nodes that a query finds without its common words: ten times what a search looks at."""
MAX_TIES = 300
"""Nodes beyond the limit that are put in order by path where bm25 makes no difference."""


class Hit(NamedTuple):
    """A node as a search shows it; `description` is a model's line on it, where it has one."""

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


HIT_COLUMNS = ", ".join(
    [*(f"d.{column}" for column in Hit._fields[:-1]), stored_descriptions.DESCRIPTION_COLUMN]
)
"""The columns of a hit, from the node `d`."""


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
HITS_BY_IDS = f"""
SELECT {HIT_COLUMNS}
FROM json_each(?1) j CROSS JOIN docs d ON d.id = j.value
WHERE {IN_SCOPE}
ORDER BY j.key
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


def hits_by_ids(database: Database, ids: Iterable[str], scope: Scope) -> list[Hit]:
    """The nodes of these ids that lie in the scope, in the order of the ids."""
    [rows] = database.run([hits_statement(ids, scope)])
    return hits_from_rows(rows)


def hits_statement(ids: Iterable[str], scope: Scope) -> Statement:
    """Asks for them."""
    return Statement(HITS_BY_IDS, (json.dumps(list(ids)), *scope_params(scope)))


def hits_from_rows(rows: Iterable[Row]) -> list[Hit]:
    """What it answers."""
    return [Hit(*row) for row in rows]  # type: ignore[arg-type]  # as selected


_ORDERED_NODES = f"""
FROM docs d WHERE {IN_SCOPE} ORDER BY d.repo, d.path, d.start_line, d.end_line DESC LIMIT ?1 + 0
"""
_IDS_IN_SCOPE = f"SELECT d.id {_ORDERED_NODES}"
FIRST_HITS = f"SELECT {HIT_COLUMNS} {_ORDERED_NODES}"


def ids_in_scope(database: Database, scope: Scope, limit: int) -> list[str]:
    """The ids of a scope's nodes, in the order of their lines."""
    [rows] = database.run([Statement(_IDS_IN_SCOPE, (limit, *scope_params(scope)))])
    return [str(id_) for (id_,) in rows]


def first_hits(database: Database, scope: Scope, limit: int) -> list[Hit]:
    """A scope's nodes, in the order of their lines: for who asks by filters alone."""
    [rows] = database.run([Statement(FIRST_HITS, (limit, *scope_params(scope)))])
    return hits_from_rows(rows)


COUNTS_BY_COLUMN = (
    "SELECT {0}, count(*) FROM {1} WHERE repo = ? GROUP BY {0} ORDER BY count(*) DESC, {0}"
)
SKIPPED_COUNTS = """
SELECT reason, count(*) FROM files WHERE state = 'skipped' AND repo = ? GROUP BY reason
"""


@dataclass
class Statistics:
    """What the index holds of a repository; counts by state, type and language.

    `texts` are the `rows` with lines of files and their `bytes`, compressed; `descriptions` the
    nodes that have a line, by its model.
    """

    repo: str
    meta: dict[str, str]
    files: dict[str, int]
    node_types: dict[str, int]
    languages: dict[str, int]
    skipped: dict[str, int]
    texts: dict[str, int]
    descriptions: dict[str, int]

    @property
    def models(self) -> list[str]:
        """Whose vectors it has: those of the words' own model, and of one beside the words."""
        made_by = static_model_name(self.meta.get("parser", "")), self.meta.get("model", "")
        return [model for model in made_by if model]

    @property
    def dimensions(self) -> int:
        """How many numbers the vectors of all nodes have together."""
        return sum(self.node_types.values()) * int(self.meta.get("dimensions", 0))

    def as_json(self) -> dict[str, Any]:
        """All of it."""
        return asdict(self)

    def lines(self) -> Iterator[str]:
        """All of it, for a person."""
        working = "the working tree on " if self.meta.get("working") else ""
        head = self.meta.get("head", "no commit: no run has come to its end")
        below = self.meta.get("below")
        part = f", its folder {below} alone" if below else ""
        yield f"{self.repo} at {working}{head or 'no commit yet'}{part}"
        yield f"model: {' and '.join(self.models) or 'none, words only'}"
        for name in ("files", "node_types", "languages", "skipped"):
            counts: dict[str, int] = getattr(self, name)
            parts = ", ".join(f"{count} {kind}" for kind, count in counts.items())
            yield f"{name.replace('_', ' ')}: {sum(counts.values())} ({parts or 'none'})"
        if self.texts["rows"]:
            size = f"{self.texts['bytes'] / 1e6:,.1f} MB compressed"
            yield f"texts: {self.texts['rows']:,} rows, {size}"
        for model, nodes in self.descriptions.items():
            yield f"descriptions: {nodes:,} nodes, by {model}"


def statistics(database: Database, repo: str) -> Statistics:
    """Counts every node and file of the repository."""
    meta, files, types, languages, reasons, [[rows, in_bytes]], lines = database.run(
        [
            Statement("SELECT key, value FROM meta"),
            Statement(COUNTS_BY_COLUMN.format("state", "files"), (repo,)),
            Statement(COUNTS_BY_COLUMN.format("node_type", "docs"), (repo,)),
            Statement(COUNTS_BY_COLUMN.format("language", "docs"), (repo,)),
            Statement(SKIPPED_COUNTS, (repo,)),
            stored_source.size_statement(repo),
            Statement(stored_descriptions.COUNTS_BY_MODEL, (repo,)),
        ]
    )
    own = {str(key).removeprefix(f"{repo}:"): str(value) for key, value in meta}
    sizes = {"rows": int(str(rows)), "bytes": int(str(in_bytes))}
    counts = (
        _counts_from_rows(files),
        _counts_from_rows(types),
        _counts_from_rows(languages),
        _counts_from_rows(reasons),
    )
    return Statistics(repo, own, *counts, sizes, _counts_from_rows(lines))


def _counts_from_rows(rows: Iterable[Row]) -> dict[str, int]:
    return {str(kind): int(str(count)) for kind, count in rows}
