"""Searches nodes and files by name: exact, by word, by prefix and by shared trigrams.

Letters beyond ASCII are compared as typed, because SQL lowercases ASCII only.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from feeder.store import Row, Statement, fts_query
from feeder.store.scope import Scope, scope_params
from feeder.store.scope_sql import IN_SCOPE, IN_SCOPE_BUT_WORDS
from feeder.text import trigrams

MAX_EXACT, MAX_BY_WORD, MAX_SIMILAR, MAX_FILES = 300, 100, 200, 20
"""Nodes and files that a search reads at most."""
MAX_SPELLED = 20
"""Nodes whose names and members are compared with a misspelt name, beside those by trigrams."""
MAX_SPELLED_ANYWHERE = 200
"""Nodes of which those in the scope are taken."""
MAX_GUARDS = 500
"""Nodes with a name as a word of which one in the scope shows that the name is not misspelt."""
MAX_WITH_WORDS = 300
"""Nodes with the words of a name whose names are compared."""
MAX_TRIGRAMS = 30
"""Trigrams of a name that are compared: the first ones."""


class NameMatch(NamedTuple):
    """A node found by name, with the columns that break ties.

    `is_extension` is 1 for a block that adds to a type: Rust's `impl`, Swift's `extension`.
    """

    id: str
    name: str
    members: str
    node_type: str
    path: str
    start_line: int
    lines: int
    is_extension: int = 0


NAME_COLUMNS = """
d.id AS id, coalesce(d.symbol, d.logical_path, '') AS name, d.members AS members,
d.node_type AS node_type, d.path AS path, d.start_line AS start_line,
d.end_line - d.start_line + 1 AS lines,
coalesce(d.signature GLOB 'impl[ <]*' OR d.signature GLOB 'extension *', 0) AS is_extension"""
"""The columns of a match, from the node `d`."""
NAME_FIELDS = ", ".join(NameMatch._fields)
_NAME_ENDS_WITH = """
(lower(substr(coalesce(d.symbol, d.logical_path, ''), -length(after_dot))) IN (suffix, after_dot)
  OR lower(substr(coalesce(d.symbol, d.logical_path, ''), -length(after_heading))) = after_heading)
"""
# ?14 the end of a name, lowercase
_NAME_ENDS = "?14 AS suffix, '.' || ?14 AS after_dot, ' > ' || ?14 AS after_heading"
# ?1 an FTS5 query, ?15 the last part of the name, ?16 a query for its trigrams, or null. With it,
# and if more than 300 nodes have the words, as those of a namespace, only those with the shortest
# own names are compared: a Worker has no time for all. D1 bills each row of a list that is stored
# or joined, so the words are searched for twice, and duplicates are left out last
EXACT_NAMES = f"""
WITH with_words AS NOT MATERIALIZED (
  SELECT rowid AS seq FROM docs_fts WHERE docs_fts MATCH ?1
  LIMIT iif(?16 IS NULL, -1, {MAX_WITH_WORDS + 1})
), named AS (
  SELECT rowid AS seq FROM names_fts
  WHERE names_fts MATCH iif(
    ?16 IS NOT NULL AND (SELECT count(*) FROM with_words) > {MAX_WITH_WORDS}, ?16, '""')
  ORDER BY rank LIMIT {MAX_EXACT}
)
SELECT DISTINCT {NAME_COLUMNS} FROM (
  SELECT seq, {_NAME_ENDS} FROM (
    SELECT seq FROM with_words UNION ALL SELECT * FROM (SELECT seq FROM named)
  )
) f CROSS JOIN docs d ON d.seq = f.seq WHERE {IN_SCOPE} AND (
  {_NAME_ENDS_WITH} OR d.members <> '' AND instr(lower(d.members), ' ' || ?15 || ':'))
ORDER BY d.node_type = 'class' DESC, d.node_type = 'method' DESC, d.seq LIMIT {MAX_EXACT}
"""


# ?1 an FTS5 query. FTS5 sorts by its own BM25, so D1 bills only the rows that are returned; the
# nodes without a symbol or constants are left out after the limit, so that no more rows are read
def _names_by_word(ranking: str, order: str) -> str:
    return f"""
SELECT {NAME_FIELDS} FROM (
  SELECT {NAME_COLUMNS},
    d.symbol IS NOT NULL OR d.logical_path IS NULL AND d.members <> '' AS has_name
  FROM docs_fts f CROSS JOIN docs d ON d.seq = f.rowid
  WHERE docs_fts MATCH ?1{ranking} AND {IN_SCOPE}
  ORDER BY {order} LIMIT {MAX_BY_WORD}
) WHERE has_name
"""


NAMES_BY_WORD = _names_by_word(" AND rank MATCH 'bm25(0.0, 1.0, 0.0, 0.0)'", "f.rank")
# where a filter leaves few nodes, BM25 is computed for these alone
D1_FEW_NAMES_BY_WORD = _names_by_word("", "bm25(docs_fts, 0.0, 1.0, 0.0, 0.0)")
# ?1 an FTS5 query with hundreds of words. Not by rank: BM25 would look for each word in each node
NAMES_WITH_ANY_WORD = f"""
SELECT {NAME_COLUMNS} FROM docs_fts f CROSS JOIN docs d ON d.seq = f.rowid
WHERE docs_fts MATCH ?1 AND {IN_SCOPE} LIMIT {MAX_SIMILAR}
"""


# ?1 trigrams as an FTS5 query, ?14 another one: if one of the first nodes that it finds is in the
# scope, no name is looked for. A limit before the scope bounds the rows that D1 reads
def _similar_names(guard_in_scope: str) -> str:
    return f"""
SELECT {NAME_COLUMNS} FROM names_fts f CROSS JOIN docs d ON d.seq = f.rowid
WHERE names_fts MATCH iif(EXISTS (
  SELECT 1 FROM (SELECT rowid AS seq FROM docs_fts WHERE docs_fts MATCH ?14 LIMIT {MAX_GUARDS}) f
  CROSS JOIN docs d ON d.seq = f.seq WHERE {guard_in_scope}
), '""', ?1) AND {IN_SCOPE} ORDER BY f.rank LIMIT {MAX_SIMILAR}
"""


SIMILAR_NAMES = _similar_names(IN_SCOPE)
# the guard's own query has the required and the excluded words: their nodes are not listed for it
D1_SIMILAR_NAMES = _similar_names(IN_SCOPE_BUT_WORDS)
# ?1 an FTS5 query with hundreds of words, ?14 another one: if one of the first nodes that it finds
# is in the scope, no name is looked for. Limits before the scope bound the rows that D1 reads
NAMES_BY_SPELLING = f"""
SELECT {NAME_COLUMNS} FROM (
  SELECT rowid AS seq FROM docs_fts WHERE docs_fts MATCH iif(EXISTS (
    SELECT 1 FROM (SELECT rowid AS seq FROM docs_fts WHERE docs_fts MATCH ?14 LIMIT {MAX_SPELLED}) f
    CROSS JOIN docs d ON d.seq = f.seq WHERE {IN_SCOPE}
  ), '""', ?1) LIMIT {MAX_SPELLED_ANYWHERE}
) f CROSS JOIN docs d ON d.seq = f.seq WHERE {IN_SCOPE} LIMIT {MAX_SPELLED}
"""
IDS_BY_WORD = f"""
SELECT d.id FROM docs_fts f CROSS JOIN docs d ON d.seq = f.rowid
WHERE docs_fts MATCH ?1 AND {IN_SCOPE} LIMIT ?14 + 0
"""
# ?14 a part of a path, lowercase
FILES_BY_NAME = f"""
WITH file AS MATERIALIZED (
  SELECT f.repo, f.path, substr('/' || lower(f.path), -length(?14) - 1) = '/' || ?14 AS is_end
  FROM files f WHERE f.nodes > 0 AND instr(lower(f.path), ?14)
  ORDER BY is_end DESC, length(f.path), f.path LIMIT {MAX_FILES}
)
SELECT {NAME_COLUMNS} FROM file f CROSS JOIN docs d ON d.seq = (
  SELECT d.seq FROM docs d WHERE d.repo = f.repo AND d.path = f.path AND {IN_SCOPE}
  ORDER BY d.start_line, d.end_line DESC LIMIT 1
)
ORDER BY f.is_end DESC, length(f.path), f.path
"""


def exact_name_statement(expression: str, name: str, scope: Scope) -> Statement:
    """Selects the nodes found by an FTS5 query whose own name, or a member's, ends with `name`."""
    name = _lowercase_ascii(name)
    last = name.rpartition(".")[2]
    query, scope = scope.narrowed(expression)
    return Statement(EXACT_NAMES, (query, *scope_params(scope), name, last, None))


def name_words_statement(parts: Iterable[str], scope: Scope) -> Statement:
    """Selects the nodes whose names contain these words, and perhaps others."""
    query, scope = scope.narrowed(f"symbol : ({fts_query.all_of(parts)})")
    return Statement(NAMES_BY_WORD, (query, *scope_params(scope)))


def names_with_any_statement(words: Iterable[str], scope: Scope) -> Statement:
    """Selects the first nodes whose names contain one of these words."""
    query, scope = scope.narrowed(f"symbol : ({fts_query.any_of(words)})")
    return Statement(NAMES_WITH_ANY_WORD, (query, *scope_params(scope)))


def file_name_statement(part: str, scope: Scope) -> Statement:
    """Selects the first node of each file with `part` in its path; path ends come first."""
    return Statement(FILES_BY_NAME, (None, *scope_params(scope), _lowercase_ascii(part)))


def name_matches(rows: Iterable[Row]) -> list[NameMatch]:
    return list(map(NameMatch._make, rows))


def ids_by_word_statement(word: str, limit: int, scope: Scope) -> Statement:
    """Selects the ids of at most `limit` nodes that contain a word, in any inflection."""
    query, scope = scope.narrowed(fts_query.phrase(word))
    return Statement(IDS_BY_WORD, (query, *scope_params(scope), limit))


def name_prefix_statement(name: str, scope: Scope) -> Statement:
    """Selects the nodes whose names have a word with this prefix."""
    query, scope = scope.narrowed(f"symbol : {fts_query.prefix(name)}")
    return Statement(NAMES_BY_WORD, (query, *scope_params(scope)))


def similar_names_statement(word: str, scope: Scope) -> Statement:
    """Selects the nodes whose names share most trigrams with the word, the rarest count most.

    It finds nothing if one of the first nodes with the word is in the scope.
    """
    letters = re.sub(r"[\W_]+", "", _lowercase_ascii(word))
    distinct = list(dict.fromkeys(trigrams(letters)))[:MAX_TRIGRAMS]
    grams = " OR ".join(map(fts_query.quoted, distinct))
    guard, _ = scope.narrowed(fts_query.phrase(word))
    return Statement(SIMILAR_NAMES, (grams or fts_query.NOTHING, *scope_params(scope), guard))


def spelled_names_statement(spellings: Iterable[str], word: str, scope: Scope) -> Statement:
    """Selects the first nodes with a name or member among the spellings, which may be of several
    words.

    It finds nothing if one of the first nodes with the word is in the scope.
    """
    query, rest = scope.narrowed(f"symbol : ({fts_query.any_of(spellings)})")
    guard, _ = scope.narrowed(fts_query.phrase(word))
    return Statement(NAMES_BY_SPELLING, (query, *scope_params(rest), guard))


_ASCII_LOWERCASE = {ord(letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def _lowercase_ascii(text: str) -> str:
    """Lowercases as SQL's `lower` does."""
    return text.translate(_ASCII_LOWERCASE)
