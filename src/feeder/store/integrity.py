"""Checks that the parts of the index agree, and removes what is damaged.

The next sync writes it again.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from feeder.store import (
    Database,
    Row,
    Statement,
    description_vectors,
    fts_query,
    sql,
    stored_descriptions,
    stored_source,
)
from feeder.store.batch import Batch, row_sets
from feeder.store.index_counts import IndexCounts, count_statements, counts_from_rows
from feeder.store.rows import (
    WriteTransaction,
    batched,
    json_pages,
    paginate_rows,
    write_halving,
)

CHECKED_SYMBOLS = 200
"""Symbols that occur once and are searched for by word: those with the lowest ids."""

PAGE_IDS = 20_000
"""Nodes that one request reads."""

REMOVAL_BATCH = 2_000
"""Files, nodes, postings or vectors that one transaction deletes."""

_COUNTS = """
SELECT (SELECT count(*) FROM docs), (SELECT count(*) FROM docs_fts),
  (SELECT count(*) FROM docs WHERE repo = ?1),
  (SELECT count(*) FROM files WHERE repo = ?1),
  (SELECT coalesce(sum(nodes), 0) FROM files WHERE repo = ?1),
  (SELECT count(*) FROM docs WHERE repo = ?1 AND symbol IS NOT NULL)
"""

_DOCS_WITHOUT_POSTING = """
SELECT d.path, d.id FROM docs d LEFT JOIN docs_fts f ON f.rowid = d.seq
LEFT JOIN names_fts n ON n.rowid = d.seq
WHERE d.repo = ? AND (f.id IS NOT d.id OR (n.rowid IS NULL) <> (d.symbol IS NULL))
ORDER BY d.path, d.start_line
"""

_POSTINGS_WITHOUT_DOC = """
SELECT f.rowid, f.id FROM docs_fts f LEFT JOIN docs d ON d.seq = f.rowid WHERE f.id IS NOT d.id
UNION ALL
SELECT n.rowid, 'a name' FROM names_fts n LEFT JOIN docs d ON d.seq = n.rowid WHERE d.seq IS NULL
ORDER BY 1
"""

_WRONG_NODE_COUNTS = """
SELECT path, sum(expected), sum(found) FROM (
  SELECT path, nodes AS expected, 0 AS found FROM files WHERE repo = ?1
  UNION ALL SELECT path, 0, count(*) FROM docs WHERE repo = ?1 GROUP BY path
) GROUP BY path HAVING sum(expected) <> sum(found) ORDER BY path
"""

_WRONG_FILE_LINES = """
SELECT path FROM files f WHERE repo = ?1 AND (language, lines) IS NOT (
  SELECT min(d.language), max(d.end_line) FROM docs d WHERE d.repo = ?1 AND d.path = f.path
) ORDER BY path
"""

_ON_OTHER_BRANCHES = """
SELECT d.path, d.id, d.branch FROM docs d JOIN meta m ON m.key = ?1 || ':branch'
WHERE d.repo = ?1 AND d.branch <> m.value ORDER BY d.path, d.start_line
"""

_UNFINDABLE_SYMBOLS = f"""
WITH once AS (
  SELECT min(seq) AS seq, min(id) AS id, min(path) AS path, symbol FROM docs
  WHERE repo = ?1 AND symbol GLOB '*[a-zA-Z0-9]*' AND symbol NOT GLOB '*[^ -~]*'
  GROUP BY symbol HAVING count(*) = 1 ORDER BY min(id) LIMIT ?2
)
SELECT path, id, symbol FROM once WHERE NOT EXISTS (
  SELECT 1 FROM docs_fts f
  WHERE docs_fts MATCH 'symbol : ' || {fts_query.quoted_sql("once.symbol")} AND f.rowid = once.seq
)
"""

_STORES_SOURCE = (
    "EXISTS (SELECT 1 FROM meta WHERE key = ?1 || ':texts' AND value IN ('on', 'filling'))"
)

_FILES_WITHOUT_SOURCE = f"""
SELECT path FROM files f WHERE repo = ?1 AND nodes > 0 AND {_STORES_SOURCE}
AND NOT EXISTS (SELECT 1 FROM texts t WHERE t.repo = f.repo AND t.path = f.path AND t.part = 0)
ORDER BY path
"""

_SOURCE_WITHOUT_FILE = f"""
SELECT DISTINCT path FROM texts t WHERE repo = ?1 AND NOT ({_STORES_SOURCE}
AND EXISTS (SELECT 1 FROM files f WHERE f.repo = t.repo AND f.path = t.path AND f.nodes > 0))
ORDER BY path
"""

_NODE_STATES = """
SELECT d.id, d.repo = ?1, d.path, f.state FROM docs d
LEFT JOIN files f ON f.repo = d.repo AND f.path = d.path
WHERE d.id > ?2 ORDER BY d.id LIMIT ?3
"""


class Counts(NamedTuple):
    """Numbers of rows: of all repositories, and of one."""

    all_docs: int
    postings: int
    docs: int
    files: int
    nodes_in_files: int
    symbols: int


class DescriptionCounts(NamedTuple):
    """Numbers of methods and classes, and of other nodes with a description: all, those that were
    sent to a model, those that it could not describe, and those that are described.
    """

    nodes: int
    requested: int
    without: int
    described: int

    @property
    def waiting(self) -> int:
        """Those that are not sent to a model yet."""
        return self.nodes - self.requested


class ParityReport(NamedTuple):
    """The rows on which the parts of the index disagree, and the counts of its contents.

    `docs_without_posting` are (path, id), `postings_without_doc` (rowid, id), `wrong_node_counts`
    (path, nodes in `files`, rows of `docs`), `wrong_file_lines` paths of `files` with another
    language or last line than their nodes, `on_other_branches` (path, id, branch),
    `unfindable_symbols` (path, id, symbol); `files_without_source` and `source_without_file` are
    paths.

    Of descriptions: `description_posting_mismatches` have missing or superfluous postings,
    `orphan_description_postings` have no description, `undescribed_files` are (path, nodes without
    one). `outdated_vectors` are (path, model vectors that contain another description than the
    node's).
    """

    counts: Counts
    contents: IndexCounts
    description_counts: DescriptionCounts
    docs_without_posting: list[Row]
    postings_without_doc: list[Row]
    wrong_node_counts: list[Row]
    wrong_file_lines: list[Row]
    on_other_branches: list[Row]
    unfindable_symbols: list[Row]
    files_without_source: list[Row]
    source_without_file: list[Row]
    description_posting_mismatches: list[Row]
    orphan_description_postings: list[Row]
    undescribed_files: list[Row]
    outdated_vectors: list[Row]


class NodeState(NamedTuple):
    """A node's id, and whether its file waits for vectors; `path` is None in another repository."""

    id: str
    path: str | None
    is_pending: bool


def check_parity(database: Database, repo: str) -> ParityReport:
    """Runs all checks as one request."""
    batch = Batch()
    counts = batch.add(Statement(_COUNTS, (repo,)))
    differences = batch.add_all(
        [
            Statement(_DOCS_WITHOUT_POSTING, (repo,)),
            Statement(_POSTINGS_WITHOUT_DOC),
            Statement(_WRONG_NODE_COUNTS, (repo,)),
            Statement(_WRONG_FILE_LINES, (repo,)),
            Statement(_ON_OTHER_BRANCHES, (repo,)),
            Statement(_UNFINDABLE_SYMBOLS, (repo, CHECKED_SYMBOLS)),
            Statement(_FILES_WITHOUT_SOURCE, (repo,)),
            Statement(_SOURCE_WITHOUT_FILE, (repo,)),
            Statement(stored_descriptions.POSTING_MISMATCHES),
            Statement(stored_descriptions.ORPHAN_POSTINGS),
            Statement(stored_descriptions.UNDESCRIBED_FILES, (repo,)),
            Statement(description_vectors.OUTDATED_MODEL_VECTORS, (repo,)),
        ]
    )
    described = batch.add(Statement(stored_descriptions.DESCRIPTION_COUNTS, (repo,)))
    contents = batch.add_all(count_statements(repo))
    batch.run(database)
    return ParityReport(
        Counts._make(counts.rows[0]),
        counts_from_rows(row_sets(contents)),
        DescriptionCounts._make(described.rows[0]),
        *row_sets(differences),
    )


def node_states(database: Database, repo: str) -> Iterator[NodeState]:
    """Yields every node of the database in the order of ids; one request for every 20,000."""
    for id_, own, path, state in paginate_rows(database, _NODE_STATES, (repo,), ("",), PAGE_IDS):
        yield NodeState(str(id_), str(path) if own else None, state == "pending")


@dataclass
class Damage:
    """The parts of the index that have to be written again."""

    paths: set[str] = field(default_factory=set)
    """Files whose rows disagree."""
    orphan_postings: set[int] = field(default_factory=set)
    """Rows of `docs_fts` or `names_fts` that belong to no node."""
    orphan_vectors: set[str] = field(default_factory=set)
    """Vectors that belong to no node."""
    paths_without_vectors: set[str] = field(default_factory=set)
    """Files that lack vectors."""
    misplaced_ids: set[str] = field(default_factory=set)
    """Ids that may be in rows of another file."""
    source_paths: set[str] = field(default_factory=set)
    """Paths whose stored source is wrong, missing or superfluous."""
    description_paths: set[str] = field(default_factory=set)
    """Files with nodes that are linked to the description of another text."""
    lacks_descriptions: bool = False
    """True if nodes are not described although `meta` says that all are."""
    has_wrong_description_postings: bool = False
    """True if postings of descriptions are wrong or missing."""


RemovalStatements = Callable[[Sequence[object]], list[Statement]]
"""Returns the statements that delete some items."""


def remove_damage(damage: Damage, repo: str, branch: str, write: WriteTransaction) -> None:
    """Deletes the damage from a repository's part; the next sync writes it again.

    `misplaced_ids` are deleted whatever file or repository their rows name. All remaining nodes are
    set to this branch, and their vectors are taken out of the outbox. One request, and another for
    every 2,000 items of a kind, or more if the database wants smaller ones. Nodes are deleted
    before the files that name them, so that a validation finds what an interrupted removal has
    left.
    """

    def by_page(build: Callable[[str], Iterable[Statement]]) -> RemovalStatements:
        return lambda items: [item for page in json_pages(items) for item in build(page)]

    def each(*texts: str) -> RemovalStatements:
        return by_page(lambda page: [Statement(text, (repo, page)) for text in texts])

    first = [
        Statement(sql.SET_BRANCH, (branch, repo)),
        Statement(sql.REMOVE_LIVE_FROM_OUTBOX, (repo,)),
    ]
    if damage.has_wrong_description_postings:
        first += stored_descriptions.rebuild_postings_statements()
    write(first)
    steps: list[tuple[Iterable[object], RemovalStatements]] = [
        (
            damage.misplaced_ids,
            each(sql.DELETE_POSTINGS_BY_ID, sql.ADD_TO_OUTBOX_BY_ID, sql.DELETE_NODES_BY_ID),
        ),
        (damage.paths, by_page(lambda page: file_removal_statements(repo, page))),
        (damage.orphan_postings, each(sql.DELETE_ORPHAN_POSTINGS, sql.DELETE_ORPHAN_NAMES)),
        (damage.source_paths, each(stored_source.DELETE_SOURCE)),
        (damage.description_paths, each(sql.INVALIDATE_FILES)),
        (damage.orphan_vectors, each(sql.ADD_ORPHANS_TO_OUTBOX)),
        (damage.paths_without_vectors, each(sql.MARK_PENDING)),
    ]
    for items, build in steps:
        for batch in batched(items, REMOVAL_BATCH):
            write_halving(batch, build, write)


def node_removal_statements(
    repo: str, paths: str, retained_keys: str = "{}"
) -> Iterator[Statement]:
    """Yields the statements that delete the nodes at `paths` whose keys are not in `retained_keys`.

    Both are JSON parameters.
    """
    for text in (sql.ADD_TO_OUTBOX, sql.DELETE_POSTINGS, sql.DELETE_NODES):
        yield Statement(text, (repo, paths, retained_keys))


def file_removal_statements(repo: str, paths: str) -> list[Statement]:
    """Returns the statements that delete the files at a page of paths, with their nodes."""
    return [
        *node_removal_statements(repo, paths),
        Statement(sql.DELETE_FILES, (repo, paths)),
        Statement(stored_source.DELETE_SOURCE, (repo, paths)),
    ]
