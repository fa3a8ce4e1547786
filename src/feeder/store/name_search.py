"""Searches nodes and files by name: exact, by word, by prefix and by shared trigrams.

Letters beyond ASCII are compared as typed, because SQL lowercases ASCII only.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from feeder.store import Row, Statement, Value
from feeder.store.scope import IN_SCOPE, Scope, scope_params

MAX_EXACT, MAX_BY_WORD, MAX_SIMILAR, MAX_FILES = 300, 100, 300, 20
"""Nodes and files that are looked at, at most."""
MAX_TRIGRAMS = 30
"""Of a longer name the first ones are compared."""
MIN_TRIGRAM_SHARE = 0.4
"""What part of its trigrams a name nearly like another one has, at least."""


class NameMatch(NamedTuple):
    """A node by what it is called, and what puts equal names in order."""

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
(lower(substr(coalesce(d.symbol, d.logical_path, ''), -length(after_dot))) IN (asked, after_dot)
  OR lower(substr(coalesce(d.symbol, d.logical_path, ''), -length(below))) = below)
"""
# ?14 the end of a name in small letters
_FROM_NAMES = """
FROM docs_fts f CROSS JOIN docs d ON d.seq = f.rowid
CROSS JOIN (SELECT ?14 AS asked, '.' || ?14 AS after_dot, ' > ' || ?14 AS below)
"""
# ?1 an FTS5 query, ?15 the last part of the name
EXACT_NAMES = f"""
SELECT {_NAME_COLUMNS} {_FROM_NAMES} WHERE docs_fts MATCH ?1 AND {IN_SCOPE} AND (
  {_NAME_ENDS_WITH} OR d.members <> '' AND instr(lower(d.members), ' ' || ?15 || ':'))
ORDER BY d.node_type = 'class' DESC, d.node_type = 'method' DESC, d.seq LIMIT {MAX_EXACT}
"""
# ?1 an FTS5 query, ?15 one that finds what is called as asked: where a node's own name ends so,
# nothing else is looked for. In one expression it would be too deep for D1
_UNLESS_EXACT = f"""
itself AS MATERIALIZED (
  SELECT 1 {_FROM_NAMES} WHERE docs_fts MATCH ?15 AND {IN_SCOPE} AND {_NAME_ENDS_WITH} LIMIT 1
), sought(text) AS MATERIALIZED (SELECT iif(EXISTS (SELECT 1 FROM itself), '""', ?1))
"""


def _name_query(query_cte: str) -> str:
    """SQL for the nodes that an FTS5 query of names alone finds, the best first.

    bm25 reads all nodes that a word is in, which is for where more are found than are looked at: of
    fewer, it would leave none out.
    """
    return f"""
WITH {query_cte}, few(seq) AS MATERIALIZED (
  SELECT rowid FROM docs_fts WHERE docs_fts MATCH (SELECT text FROM sought)
  AND EXISTS (SELECT 1 FROM docs d WHERE d.seq = docs_fts.rowid AND {IN_SCOPE})
  LIMIT {MAX_BY_WORD} + 1
), counted(are_many) AS MATERIALIZED (SELECT count(*) > {MAX_BY_WORD} FROM few)
SELECT {_NAME_COLUMNS} FROM (
  SELECT seq, 0 AS score FROM counted CROSS JOIN few WHERE NOT are_many
  UNION ALL SELECT * FROM (
    SELECT rowid, bm25(docs_fts, 0.0, 1.0, 0.0, 0.0) AS score FROM counted CROSS JOIN docs_fts
    WHERE docs_fts MATCH iif(are_many, (SELECT text FROM sought), '""')
    AND EXISTS (SELECT 1 FROM docs d WHERE d.seq = docs_fts.rowid AND {IN_SCOPE})
    ORDER BY score LIMIT {MAX_BY_WORD}
  )
) f CROSS JOIN docs d ON d.seq = f.seq WHERE d.symbol IS NOT NULL ORDER BY f.score, d.seq
"""


NAMES_BY_WORD, NAMES_BY_PREFIX = (
    _name_query("sought(text) AS (SELECT ?1)"),
    _name_query(_UNLESS_EXACT),
)
_TRIGRAM_COLUMNS = ", ".join(f"?1->>{number} AS gram{number}" for number in range(MAX_TRIGRAMS))
_SHARED_TRIGRAMS = " + ".join(f"ifnull(instr(last, gram{n}) > 0, 0)" for n in range(MAX_TRIGRAMS))
# ?1 trigrams, ?14 how many of them, ?15 an FTS5 query: where it finds a node, no name is read. A
# name's last part follows its last dot. The trigrams are one row, not one each: D1 bills a row for
# each name that it is compared with. By its limit each is worked out once
SIMILAR_NAMES = f"""
WITH known AS MATERIALIZED (
  SELECT 1 FROM docs_fts f CROSS JOIN docs d ON d.seq = f.rowid
  WHERE docs_fts MATCH ?15 AND {IN_SCOPE} LIMIT 1
), gram AS MATERIALIZED (
  SELECT {_TRIGRAM_COLUMNS} WHERE ?1->>0 IS NOT NULL AND NOT EXISTS (SELECT 1 FROM known)
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
WHERE docs_fts MATCH (SELECT text FROM sought) AND {IN_SCOPE} LIMIT ?16 + 0
"""
# ?14 a part of a path in small letters
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
    """Asks for the nodes that an FTS5 query finds and whose name, or a member's, ends as asked."""
    name = _lowercase_ascii(name)
    last = name.rpartition(".")[2]
    return Statement(EXACT_NAMES, (expression, *scope_params(scope), name, last))


def name_words_statement(parts: Iterable[str], scope: Scope) -> Statement:
    """Asks for the nodes whose names are made of these words and perhaps of others."""
    expression = " AND ".join(f'"{part}"' for part in parts) or '""'
    return Statement(NAMES_BY_WORD, (f"symbol : ({expression})", *scope_params(scope)))


def file_name_statement(part: str, scope: Scope) -> Statement:
    """Asks for the first node of each file with this part in its path, its end before others."""
    return Statement(FILES_BY_NAME, (None, *scope_params(scope), _lowercase_ascii(part)))


def name_matches(rows: Iterable[Row]) -> list[NameMatch]:
    """What these statements answer."""
    return [NameMatch(*row) for row in rows]  # type: ignore[arg-type]  # as selected


def ids_by_word_statement(word: str, limit: int, exact_statement: Statement) -> Statement:
    """Asks for the ids of so many nodes that have a word, in whatever form.

    So too `begun`, it finds nothing where what `called` asks for has the name itself, and costs
    next to nothing then.
    """
    return Statement(IDS_BY_WORD, _unless_exact_params(exact_statement, f'"{word}"', limit))


def name_prefix_statement(name: str, exact_statement: Statement) -> Statement:
    """Asks for the nodes whose names have a word that begins so."""
    return Statement(NAMES_BY_PREFIX, _unless_exact_params(exact_statement, f'symbol : "{name}" *'))


def _unless_exact_params(
    exact_statement: Statement, expression: str, *more: Value
) -> tuple[Value | bytes, ...]:
    """What `_UNLESS_CALLED` wants to know, and more."""
    known, *scope, asked, _ = exact_statement.params
    return expression, *scope, asked, known, *more


def similar_names_statement(word: str, scope: Scope) -> Statement:
    """Asks for the nodes whose names share most with this one, as trigrams.

    Every name is looked at, which takes a tenth of a second for 120,000, or as many rows in D1: so
    none is where a node has the word.
    """
    grams = trigrams(_lowercase_ascii(word))
    least = max(1, round(MIN_TRIGRAM_SHARE * len(grams)))
    listed = "[" + ",".join(f'"{gram}"' for gram in grams) + "]"
    return Statement(SIMILAR_NAMES, (listed, *scope_params(scope), least, f'"{word}"'))


def trigrams(name: str) -> Sequence[str]:
    """Each three letters in a row, once, of the first ones; other signs are left out."""
    letters = re.sub(r"[\W_]+", "", name)
    return list(dict.fromkeys(letters[at : at + 3] for at in range(len(letters) - 2)))[
        :MAX_TRIGRAMS
    ]


_ASCII_LOWERCASE = {ord(letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}


def _lowercase_ascii(text: str) -> str:
    """In small letters, as SQL's `lower` makes them."""
    return text.translate(_ASCII_LOWERCASE)
