"""Reads the whole contents of an index, without what may differ between runs to the same commit."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from feeder.store import Database, Row, Statement, Value
from feeder.store.sqlite import SQLite
from feeder.store.static_vectors import VectorCode

Tables = dict[str, list[Row]]

_TERMS = Statement("CREATE VIRTUAL TABLE terms USING fts5vocab(docs_fts, instance)")
_NO_TERMS = Statement("DROP TABLE IF EXISTS terms")
# ?1 is the repository; seq, sha_head and fencing tokens depend on the runs and are left out
_TABLES = {
    "docs": """SELECT id, branch, path, language, node_type, symbol, signature, logical_path,
        start_line, end_line, text_sha FROM docs WHERE repo = ?1 ORDER BY id""",
    "files": """SELECT path, blob, nodes, state, reason, parser
        FROM files WHERE repo = ?1 ORDER BY path""",
    "outbox": "SELECT id, path FROM outbox WHERE repo = ?1 ORDER BY id",
    # the number and commit of the event, without the name of its run; the counts without theirs;
    # not the time at which the vector index was created
    "meta": """SELECT key,
        iif(key = ?1 || ':event', substr(value, 1, instr(value, ' ') + 40),
          iif(key = ?1 || ':counts', json_remove(value, '$.run'), value))
        FROM meta WHERE (key GLOB ?1 || ':*' OR key NOT GLOB '*:*')
        AND key NOT IN (?1 || ':run', ?1 || ':done', 'index_created_on')
        AND instr(key, ?1 || ':cost:') <> 1 ORDER BY key""",
    "postings": """SELECT d.id, t.term, t.col, t.offset FROM terms t LEFT JOIN docs d
        ON d.seq = t.doc WHERE d.repo IS NULL OR d.repo = ?1 ORDER BY 1, 2, 3, 4""",
    "postings' ids": """SELECT f.id, d.id FROM docs_fts f LEFT JOIN docs d ON d.seq = f.rowid
        WHERE d.repo IS NULL OR d.repo = ?1 ORDER BY 1, 2""",
    "texts": """SELECT path, part, first_line, last_line, numbers, hex(text)
        FROM texts WHERE repo = ?1 ORDER BY 1, 2""",
    "descriptions": """SELECT d.id, d.describes, e.model, e.prompt, e.line, e.reason,
        e.line_sha, f.rowid IS NULL FROM docs d LEFT JOIN descriptions e ON e.sha = d.describes
        LEFT JOIN descriptions_fts f ON f.rowid = e.seq
        WHERE d.repo = ?1 AND d.describes <> '' ORDER BY 1""",
    "lines of vectors": """SELECT id, vector_line FROM docs
        WHERE repo = ?1 AND vector_line <> '' ORDER BY 1""",
    "descriptions of nobody": """SELECT sha FROM descriptions
        WHERE ?1 <> '' AND sha NOT IN (SELECT describes FROM docs) ORDER BY 1""",
}
# tables that not every index has
_OPTIONAL_TABLES = {
    "meanings": """SELECT d.id, hex(coalesce(p.code, m.code)) FROM meanings m
        LEFT JOIN docs d ON d.seq = m.seq LEFT JOIN plain_meanings p ON p.seq = m.seq
        WHERE d.repo IS NULL OR d.repo = ?1 ORDER BY d.id""",
    "plain_meanings": """SELECT d.id, hex(m.code), p.line_sha FROM plain_meanings p
        LEFT JOIN meanings m ON m.seq = p.seq LEFT JOIN docs d ON d.seq = p.seq
        WHERE d.repo IS NULL OR d.repo = ?1 ORDER BY d.id""",
}
_EXISTING_OPTIONAL = """SELECT name FROM sqlite_schema
    WHERE name IN ('meanings', 'plain_meanings')"""
_HEAD = "SELECT value FROM meta WHERE key = ?1 || ':head'"
_HAS_VECTORS = "SELECT 1 FROM sqlite_schema WHERE name = 'vectors'"
_VECTORS = """SELECT v.* FROM vectors v LEFT JOIN docs d USING (id)
    WHERE d.repo IS NULL OR d.repo = ? ORDER BY 1"""
WORD_TABLES = ("docs", "postings", "postings' ids")
DESCRIPTION_TABLES = (
    "descriptions",
    "descriptions of nobody",
    "lines of vectors",
    "plain_meanings",
)
_DESCRIPTION_META = re.compile(":(describer?|lined|vectors)$|:write:")
_TYPE_COLUMN = 4
"""The column of `docs` with the node type."""
LATE_TABLE = "outbox"
"""A run that superseded another leaves its outbox to the next run, which deletes the vectors."""
LEFT_OVER, MISSING, OF_OTHER_TEXT = (
    "vectors left over",
    "vectors missing",
    "vectors of another text",
)
VECTORS = frozenset({LEFT_OVER, MISSING, OF_OTHER_TEXT})


class IndexContents(NamedTuple):
    """The rows of each table, and the vectors with their metadata."""

    tables: Tables
    vectors: dict[str, Any]

    def differences(self, other: "IndexContents") -> list[str]:
        """Lists the tables and kinds of vectors that differ."""
        rows = [name for name in self.tables if self.tables[name] != other.tables[name]]
        return [*rows, *self._vector_differences(other.vectors)]

    def _vector_differences(self, others: dict[str, Any]) -> Iterator[str]:
        if self.vectors.keys() - others.keys():
            yield LEFT_OVER
        if others.keys() - self.vectors.keys():
            yield MISSING
        if any(others.get(id_, vector) != vector for id_, vector in self.vectors.items()):
            yield OF_OTHER_TEXT

    def without_descriptions(self) -> "IndexContents":
        """Returns the contents without descriptions and the state of the run that requests them."""
        tables = {
            name: rows for name, rows in self.tables.items() if name not in DESCRIPTION_TABLES
        }
        meta = [row for row in self.tables["meta"] if not _DESCRIPTION_META.search(str(row[0]))]
        describable = describable_ids(self.tables)
        vectors = {
            id_: None if id_ in describable else vector for id_, vector in self.vectors.items()
        }
        return IndexContents({**tables, "meta": meta}, vectors)

    def with_meta(self, key: str, value: str) -> "IndexContents":
        """Returns the contents with one more `meta` row."""
        meta = sorted([*self.tables["meta"], (key, value)])
        return self._replace(tables={**self.tables, "meta": meta})


def tables(database: Database, repo: str) -> Tables:
    """Reads every row of a repository, and every term of the postings with column and offset.

    SQLite's fts5vocab reads the terms.
    """
    database.run([_NO_TERMS])
    statements = [Statement(sql, (repo,)) for sql in _TABLES.values()]
    _, *rows, _ = database.run([_TERMS, *statements, _NO_TERMS])
    return dict(zip(_TABLES, rows, strict=True)) | _optional_tables(database, repo)


def describable_ids(tables: Tables) -> set[Value]:
    """Returns the ids of the methods and classes, the nodes that may have descriptions."""
    return {row[0] for row in tables["docs"] if row[_TYPE_COLUMN] in {"method", "class"}}


def _optional_tables(database: Database, repo: str) -> dict[str, list[Any]]:
    """Reads the optional tables; vector codes compare as equal up to rounding."""
    [names] = database.run([Statement(_EXISTING_OPTIONAL)])
    existing = [name for name in _OPTIONAL_TABLES if (name,) in names]
    results = database.run([Statement(_OPTIONAL_TABLES[name], (repo,)) for name in existing])
    rows: dict[str, list[Any]] = {name: [] for name in _OPTIONAL_TABLES}
    rows.update(zip(existing, results, strict=True))
    for name in ("meanings", "plain_meanings"):
        rows[name] = [
            (id_, VectorCode(bytes.fromhex(code)), *rest) for id_, code, *rest in rows[name]
        ]
    return rows


def vectors(database: SQLite, repo: str) -> list[Row]:
    """Reads the vectors of a repository's nodes and those without a node; the id is first."""
    execute = database.connection.execute
    return list(execute(_VECTORS, (repo,))) if execute(_HAS_VECTORS).get else []


def head(database: Database, repo: str) -> str:
    """Returns the commit that the index names as its head, or an empty string."""
    [rows] = database.run([Statement(_HEAD, (repo,))])
    return "".join(str(row[0]) for row in rows)
