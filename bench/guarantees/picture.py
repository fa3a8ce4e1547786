"""What does an index hold? All of it but what may differ between two ways to the same commit."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from feeder.store import Database, Row, Statement
from guarantees.history import REPO

_TERMS = Statement("CREATE VIRTUAL TABLE terms USING fts5vocab(docs_fts, instance)")
_NO_TERMS = Statement("DROP TABLE IF EXISTS terms")
# seq and sha_head tell the way; so do the names of runs and their events
_TABLES = {
    "docs": """SELECT id, repo, branch, path, language, node_type, symbol, signature, logical_path,
        start_line, end_line, text_sha FROM docs ORDER BY id""",
    "docs_fts": """SELECT d.id, f.id, t.term, t.col, t.offset FROM terms t
        LEFT JOIN docs d ON d.seq = t.doc LEFT JOIN docs_fts f ON f.rowid = t.doc
        ORDER BY 1, 2, 3, 4, 5""",
    "files": "SELECT repo, path, blob, nodes, state, reason FROM files ORDER BY path",
    "outbox": "SELECT id, repo FROM outbox ORDER BY id",
    "meta": f"""SELECT key, value FROM meta WHERE key NOT IN
        ('{REPO}:run', '{REPO}:done', '{REPO}:head', '{REPO}:event') ORDER BY key""",
}
WORDS = ("docs", "docs_fts")
LATE = "outbox"
"""A run that overtook an unfinished one leaves it to the next, which removes the vectors again."""


class Picture(NamedTuple):
    """The rows of each table, and the vectors with what lies beside them."""

    tables: dict[str, list[Row]]
    vectors: dict[str, Any]

    def differences(self, other: "Picture") -> list[str]:
        """The names of what is not the same."""
        return [*self._unlike(other), *(["vectors"] if self.vectors != other.vectors else [])]

    def _unlike(self, other: "Picture") -> Iterator[str]:
        return (name for name in _TABLES if self.tables[name] != other.tables[name])


def tables(database: Database) -> dict[str, list[Row]]:
    """Every row of each table; of the postings every term with its column and place."""
    database.run([_NO_TERMS])
    statements = [Statement(sql) for sql in _TABLES.values()]
    _, *rows, _ = database.run([_TERMS, *statements, _NO_TERMS])
    return dict(zip(_TABLES, rows, strict=True))
