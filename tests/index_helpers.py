"""Small repositories, indexes of them, and snapshots of what an index contains."""

import secrets
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache as once
from functools import lru_cache
from pathlib import Path
from typing import Any

from guarantees.contents import Tables, tables, vectors
from guarantees.history import CART, CONFIG, GUIDE, REPO

from feeder.corpus.corpus import Corpus
from feeder.embedding import Embedder
from feeder.embedding.cache import CachedEmbedder
from feeder.parse import NodeEncoder, ParsedFile, Parser, StaticEmbedder
from feeder.parse.extract import extractor_versions
from feeder.parse.file_parser import parse_file, static_vectors
from feeder.parse.grammar_files import load_grammars
from feeder.parse.grammars import Grammars
from feeder.progress import ProgressReporter
from feeder.query.request_filters import Pagination
from feeder.ranking.query_ranking import OnWarning, rank_query
from feeder.ranking.results import ExcerptLookup, Result, ResultList, paginate
from feeder.ranking.retrieval import QueryModel
from feeder.search.answers import Page, PageOptions, build_page
from feeder.source import Tree
from feeder.store import Database, Value
from feeder.store.index import Index
from feeder.store.migrations import migrate
from feeder.store.scope import Scope
from feeder.store.sqlite import SQLite
from feeder.store.sqlite_vectors import SQLiteVectors
from feeder.store.static_vectors import setup_statements
from feeder.sync.context import DescriptionOptions, ModelVectors, SyncContext
from feeder.sync.report import Report
from feeder.sync.sync import sync

__all__ = ["CART", "GUIDE", "REPO"]

MEMORY = Path(":memory:")
SHOP: dict[str, str | bytes] = {
    "src/cart.py": CART,
    "docs/guide.md": GUIDE,
    "config.json": CONFIG,
    "src/__init__.py": "",
    "logo.bin": b"\x89\0\1\2\0",
    "yarn.lock": "lock\n",
}


@once
def _shipped_grammars() -> Grammars:
    return load_grammars(None)


@lru_cache(maxsize=1000)
def parse_once(path: str, content: bytes, keep_source: bool, _extractors: str) -> ParsedFile:
    """Parses a file once in a test, whose runs parse the same few files again and again."""
    return parse_file(_shipped_grammars(), path, content, keep_source=keep_source)


class InProcessParser:
    """The shipped grammars without child processes, for files that are known to be harmless."""

    def __init__(
        self, fingerprint: str = "in process", static_model: StaticEmbedder | None = None
    ) -> None:
        self.fingerprint = f"{fingerprint} {static_model.model}" if static_model else fingerprint
        self._static_model = static_model
        self.parsed: list[str] = []

    def start(self, count: int | None = None) -> None:
        pass

    def parse(
        self,
        files: Iterable[tuple[str, bytes]],
        *,
        keep_source: bool = False,
        encode: NodeEncoder | None = None,
    ) -> Iterator[ParsedFile]:
        for path, content in files:
            self.parsed.append(path)
            parsed = self.parse_one(path, content, keep_source=keep_source)
            model = self._static_model
            vectors = static_vectors([parsed], model)[0] if model else ()
            parsed = parsed._replace(static_vectors=vectors)
            yield parsed._replace(nodes=[], encoded=encode(parsed)) if encode else parsed

    def parse_one(self, path: str, content: bytes, *, keep_source: bool) -> ParsedFile:
        """The file with its nodes; overridden by parsers that differ."""
        return parse_once(path, content, keep_source, extractor_versions())

    def close(self) -> None:
        pass


def open_database(path: Path = MEMORY) -> SQLite:
    """Opens a database with the schema; in memory unless a file is given."""
    if path == MEMORY:
        return copy_in_memory(_empty_database())
    database = SQLite(path)
    migrate(database)
    return database


@once
def _empty_database() -> SQLite:
    """A database with the schema, which takes 3 ms to make."""
    database = SQLite(MEMORY)
    migrate(database)
    return database


def copy_in_memory(database: SQLite) -> SQLite:
    """Copies a database."""
    copy = SQLite(MEMORY)
    with copy.connection.backup("main", database.connection, "main") as backup:
        backup.step()
    return copy


def new_sync_context(
    tree: Tree,
    database: Database,
    embedder: Embedder | None = None,
    *,
    name: str = REPO,
    branch: str = "main",
    parser: Parser | None = None,
    cache: Path = MEMORY,
    static_model: StaticEmbedder | None = None,
    store_source: bool | None = None,
    description_options: DescriptionOptions | None = None,
) -> SyncContext:
    """Creates a run with the in-process parser; with an embedder it writes model vectors."""
    model_vectors = None
    if embedder:
        cached = CachedEmbedder(embedder, cache)
        model_vectors = ModelVectors(cached, SQLiteVectors(database))
    report = Report(name, branch, tree.commit)
    index = Index(database, name, branch)
    index.start_statements = setup_statements(name, enabled=static_model is not None)
    token = secrets.token_hex(8)
    return SyncContext(
        tree,
        parser or InProcessParser(static_model=static_model),
        index,
        model_vectors,
        report,
        ProgressReporter(quiet=True),
        token,
        store_source=store_source,
        description_options=description_options,
        static_model=static_model,
    )


def run_sync(
    tree: Tree, database: Database, embedder: Embedder | None = None, **more: Any
) -> Report:
    """Runs a sync and returns its report."""
    run = new_sync_context(tree, database, embedder, **more)
    sync(run)
    return run.report


def result_page(
    database: Database,
    base: Path,
    results: Sequence[Result],
    lines: int = 6,
    words: Sequence[str] = (),
    *,
    name: str = REPO,
) -> Page:
    """Returns the page of these results, whose files are in the folder `base`."""
    corpus = Corpus(database, base, name, Index(database, name, "main").read_state_of([]).meta)
    return build_page(corpus, ResultList(results, len(results)), PageOptions(words, lines))


IndexSnapshot = Tables


def index_snapshot(database: SQLite, name: str = REPO) -> IndexSnapshot:
    """Returns all rows of a repository, except those that depend on the runs before.

    The commit in `meta` is one of these: a run without changes keeps an earlier commit of the same
    tree.
    """
    found = tables(database, name)
    found["meta"] = [row for row in found["meta"] if row[0] != f"{name}:head"]
    found["vectors"] = vectors(database, name)
    return found


def fresh_snapshot(tree: Tree, embedder: Embedder | None = None, **more: Any) -> IndexSnapshot:
    """Returns the snapshot of a new index of this tree."""
    database = open_database()
    run_sync(tree, database, embedder, **more)
    found = index_snapshot(database, more.get("name", REPO))
    database.close()
    return found


def query_rows(database: SQLite, sql: str, *params: Value) -> list[Any]:
    """Returns the rows of an SQL query; the values themselves if it has one column."""
    rows = list(database.connection.execute(sql, params))
    return [row[0] if len(row) == 1 else row for row in rows]


def search_scope(
    database: Database,
    models: Iterable[QueryModel],
    query: str,
    scope: Scope,
    pagination: Pagination,
    *,
    preferred_scopes: Collection[Scope] = (),
    find_excerpts: ExcerptLookup | None = None,
    on_warning: OnWarning | None = None,
) -> ResultList:
    """Ranks the nodes of a scope for a query and returns a page of them.

    Arguments as for `rank_query` and `paginate`.
    """
    ranked = rank_query(
        database, models, query, scope, preferred_scopes=preferred_scopes, on_warning=on_warning
    )
    return paginate(database, ranked, pagination, find_excerpts)
