"""Searches nodes and files by name: exact, by word, by prefix and by shared trigrams.

Letters beyond ASCII are compared as typed, because SQL lowercases ASCII only.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from feeder.store import Row, Statement, Value
from feeder.store.scope import IN_SCOPE, Scope, scope_params

MAX_EXACT, MAX_BY_WORD, MAX_SIMILAR, MAX_FILES = 300, 100, 300, 20
"""Nodes and files that a search reads at most."""
MAX_TRIGRAMS = 30
"""Trigrams of a name that are compared: the first ones."""
MIN_TRIGRAM_SHARE = 0.4
"""Lowest share of common trigrams of a similar name."""


class NameMatch(NamedTuple):
    """A node found by name, with the columns that break ties."""

    id: str
    name: str
    members: str
    node_type: str
    path: str
    start_line: int
    lines: int


_NAME_COLUMNS = "d.id, coalesce(d.symbol, d.logical_path, ''), d.members, d.node_type, d.path, \
d.start_line, d.end_line - d.start_line + 1"
_NAME_ENDS_WITH = """
(lower(substr(coalesce(d.symbol, d.logical_path, ''), -length(after_dot))) IN (suffix, after_dot)
  OR lower(substr(coalesce(d.symbol, d.logical_path, ''), -length(after_heading))) = after_heading)
"""
# ?14 the end of a name, lowercase
_FROM_NAMES = """
FROM docs_fts f CROSS JOIN docs d ON d.seq = f.rowid
CROSS JOIN (SELECT ?14 AS suffix, '.' || ?14 AS after_dot, ' > ' || ?14 AS after_heading)
"""
# ?1 an FTS5 query, ?15 the last part of the name
EXACT_NAMES = f"""
SELECT {_NAME_COLUMNS} {_FROM_NAMES} WHERE docs_fts MATCH ?1 AND {IN_SCOPE} AND (
  {_NAME_ENDS_WITH} OR d.members <> '' AND instr(lower(d.members), ' ' || ?15 || ':'))
ORDER BY d.node_type = 'class' DESC, d.node_type = 'method' DESC, d.seq LIMIT {MAX_EXACT}
"""
# ?1 an FTS5 query, ?15 one that finds the name itself: if a node's own name ends with it, nothing
# else is searched for. As one expression it would be too deep for D1
_UNLESS_EXACT = f"""
exact AS MATERIALIZED (
  SELECT 1 {_FROM_NAMES} WHERE docs_fts MATCH ?15 AND {IN_SCOPE} AND {_NAME_ENDS_WITH} LIMIT 1
), query(text) AS MATERIALIZED (SELECT iif(EXISTS (SELECT 1 FROM exact), '""', ?1))
"""


def _name_query(query_cte: str) -> str:
    """Returns SQL for the nodes that an FTS5 query of names finds, the best first.

    BM25 reads all nodes of a word, so it is used only if more are found than are read.
    """
    return f"""
WITH {query_cte}, candidate(seq) AS MATERIALIZED (
  SELECT rowid FROM docs_fts WHERE docs_fts MATCH (SELECT text FROM query)
  AND EXISTS (SELECT 1 FROM docs d WHERE d.seq = docs_fts.rowid AND {IN_SCOPE})
  LIMIT {MAX_BY_WORD} + 1
), counted(are_many) AS MATERIALIZED (SELECT count(*) > {MAX_BY_WORD} FROM candidate)
SELECT {_NAME_COLUMNS} FROM (
  SELECT seq, 0 AS score FROM counted CROSS JOIN candidate WHERE NOT are_many
  UNION ALL SELECT * FROM (
    SELECT rowid, bm25(docs_fts, 0.0, 1.0, 0.0, 0.0) AS score FROM counted CROSS JOIN docs_fts
    WHERE docs_fts MATCH iif(are_many, (SELECT text FROM query), '""')
    AND EXISTS (SELECT 1 FROM docs d WHERE d.seq = docs_fts.rowid AND {IN_SCOPE})
    ORDER BY score LIMIT {MAX_BY_WORD}
  )
) f CROSS JOIN docs d ON d.seq = f.seq WHERE d.symbol IS NOT NULL ORDER BY f.score, d.seq
"""


NAMES_BY_WORD, NAMES_BY_PREFIX = (
    _name_query("query(text) AS (SELECT ?1)"),
    _name_query(_UNLESS_EXACT),
)
_TRIGRAM_COLUMNS = ", ".join(f"?1->>{number} AS gram{number}" for number in range(MAX_TRIGRAMS))
_SHARED_TRIGRAMS = " + ".join(f"ifnull(instr(last, gram{n}) > 0, 0)" for n in range(MAX_TRIGRAMS))
# ?1 trigrams, ?14 how many must be common, ?15 an FTS5 query: if it finds a node, no name is read.
# A name's last part follows its last dot. The trigrams are columns of one row: as rows, D1 would
# bill each for every name. The limits of -1 make SQLite compute each name once
SIMILAR_NAMES = f"""
WITH word_match AS MATERIALIZED (
  SELECT 1 FROM docs_fts f CROSS JOIN docs d ON d.seq = f.rowid
  WHERE docs_fts MATCH ?15 AND {IN_SCOPE} LIMIT 1
), gram AS MATERIALIZED (
  SELECT {_TRIGRAM_COLUMNS} WHERE ?1->>0 IS NOT NULL AND NOT EXISTS (SELECT 1 FROM word_match)
), name AS (
  SELECT d.seq, replace(lower(substr(d.symbol,
    length(rtrim(d.symbol, replace(d.symbol, '.', ''))) + 1)), '_', '') AS last, gram.*
  FROM gram CROSS JOIN docs d WHERE d.symbol IS NOT NULL AND {IN_SCOPE} LIMIT -1
), near AS (SELECT seq, last, {_SHARED_TRIGRAMS} AS common FROM name LIMIT -1)
SELECT {_NAME_COLUMNS} FROM near n CROSS JOIN docs d ON d.seq = n.seq WHERE n.common >= ?14
ORDER BY 1.0 * n.common / length(n.last) DESC, d.seq LIMIT {MAX_SIMILAR}
"""
IDS_BY_WORD = f"""
WITH {_UNLESS_EXACT} SELECT d.id FROM docs_fts f CROSS JOIN docs d ON d.seq = f.rowid
WHERE docs_fts MATCH (SELECT text FROM query) AND {IN_SCOPE} LIMIT ?16 + 0
"""
# ?14 a part of a path, lowercase
FILES_BY_NAME = f"""
WITH file AS MATERIALIZED (
  SELECT f.repo, f.path, substr('/' || lower(f.path), -length(?14) - 1) = '/' || ?14 AS is_end
  FROM files f WHERE f.nodes > 0 AND instr(lower(f.path), ?14)
  ORDER BY is_end DESC, length(f.path), f.path LIMIT {MAX_FILES}
)
SELECT {_NAME_COLUMNS} FROM file f CROSS JOIN docs d ON d.seq = (
  SELECT d.seq FROM docs d WHERE d.repo = f.repo AND d.path = f.path AND {IN_SCOPE}
  ORDER BY d.start_line, d.end_line DESC LIMIT 1
)
ORDER BY f.is_end DESC, length(f.path), f.path
"""


def exact_name_statement(expression: str, name: str, scope: Scope) -> Statement:
    """Selects the nodes found by an FTS5 query whose own name, or a member's, ends with `name`."""
    name = _lowercase_ascii(name)
    last = name.rpartition(".")[2]
    return Statement(EXACT_NAMES, (expression, *scope_params(scope), name, last))


def name_words_statement(parts: Iterable[str], scope: Scope) -> Statement:
    """Selects the nodes whose names contain these words, and perhaps others."""
    expression = " AND ".join(f'"{part}"' for part in parts) or '""'
    return Statement(NAMES_BY_WORD, (f"symbol : ({expression})", *scope_params(scope)))


def file_name_statement(part: str, scope: Scope) -> Statement:
    """Selects the first node of each file with `part` in its path; path ends come first."""
    return Statement(FILES_BY_NAME, (None, *scope_params(scope), _lowercase_ascii(part)))


def name_matches(rows: Iterable[Row]) -> list[NameMatch]:
    return [NameMatch(*row) for row in rows]  # type: ignore[arg-type]  # as selected


def ids_by_word_statement(word: str, limit: int, exact_statement: Statement) -> Statement:
    """Selects the ids of at most `limit` nodes that contain a word, in any inflection.

    Finds nothing, at next to no cost, if `exact_statement` finds a node of that very name.
    """
    return Statement(IDS_BY_WORD, _unless_exact_params(exact_statement, f'"{word}"', limit))


def name_prefix_statement(name: str, exact_statement: Statement) -> Statement:
    """Selects the nodes whose names have a word with this prefix, on the same condition."""
    return Statement(NAMES_BY_PREFIX, _unless_exact_params(exact_statement, f'symbol : "{name}" *'))


def _unless_exact_params(
    exact_statement: Statement, expression: str, *more: Value
) -> tuple[Value | bytes, ...]:
    """Returns the parameters of `_UNLESS_EXACT`, then `more`."""
    query, *scope, name, _ = exact_statement.params
    return expression, *scope, name, query, *more


def similar_names_statement(word: str, scope: Scope) -> Statement:
    """Selects the nodes whose names share most trigrams with the word.

    Reads every name, which takes 0.1 s for 120,000 or as many rows in D1; so it finds nothing if a
    node contains the word.
    """
    grams = trigrams(_lowercase_ascii(word))
    min_common = max(1, round(MIN_TRIGRAM_SHARE * len(grams)))
    listed = "[" + ",".join(f'"{gram}"' for gram in grams) + "]"
    return Statement(SIMILAR_NAMES, (listed, *scope_params(scope), min_common, f'"{word}"'))


def trigrams(name: str) -> Sequence[str]:
    """Returns the distinct trigrams of the first letters and digits."""
    letters = re.sub(r"[\W_]+", "", name)
    distinct = dict.fromkeys(letters[at : at + 3] for at in range(len(letters) - 2))
    return list(distinct)[:MAX_TRIGRAMS]


_ASCII_LOWERCASE = {ord(letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def _lowercase_ascii(text: str) -> str:
    """Lowercases as SQL's `lower` does."""
    return text.translate(_ASCII_LOWERCASE)
