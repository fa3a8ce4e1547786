"""Small worlds for tests: a repository, an index of it, and what that index holds."""

import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache as once
from pathlib import Path
from typing import Any, TypeVar

from guarantees.history import CART, CONFIG, GUIDE, REPO
from guarantees.picture import Tables, tables, vectors

from feeder.descriptions import ModelAnswer
from feeder.embedding import Embedder, ServiceUsage, Vector
from feeder.embedding.cache import CachedEmbedder
from feeder.nodes import text_sha
from feeder.parse import ParsedFile, Parser, StaticEmbedder
from feeder.parse.file_parser import parse_file, static_vectors
from feeder.parse.grammars import Grammars, load_grammars
from feeder.progress import ProgressReporter
from feeder.search.answers import Page, PageOptions, build_page
from feeder.search.index_status import Corpus
from feeder.search.results import Result, ResultList
from feeder.source import Tree
from feeder.store import Database, Row, Statement, Value
from feeder.store.index import Index
from feeder.store.lookup_table import LookupRow, LookupTable
from feeder.store.migrations import migrate
from feeder.store.sqlite import SQLite
from feeder.store.sqlite_vectors import SQLiteVectors
from feeder.store.static_vectors import setup_statements
from feeder.sync.context import DescriptionOptions, ModelVectors, SyncContext
from feeder.sync.report import Report
from feeder.sync.sync import sync
from hashed import HashedEmbedder

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
def _grammars() -> Grammars:
    return load_grammars(None)


class InProcess:
    """The real grammars without the processes around them, for files that are known to be tame."""

    def __init__(
        self, fingerprint: str = "in process", meaning: StaticEmbedder | None = None
    ) -> None:
        self.fingerprint = f"{fingerprint} {meaning.model}" if meaning else fingerprint
        self._meaning = meaning
        self.parsed: list[str] = []
        self._grammars = _grammars()

    def parse(
        self, files: Iterable[tuple[str, bytes]], *, keep_source: bool = False
    ) -> Iterator[ParsedFile]:
        for path, content in files:
            self.parsed.append(path)
            parsed = parse_file(self._grammars, path, content, keep_source=keep_source)
            found = static_vectors([parsed], self._meaning)[0] if self._meaning else ()
            yield parsed._replace(static_vectors=found)

    def close(self) -> None:
        pass


class Death(Exception):
    """A run that ends without a word, as a killed one does."""


Given = TypeVar("Given")


class Fuse:
    """Blows at the `at`-th call that passes over a wire, before it arrives or after its answer."""

    def __init__(self, at: int, *, before: bool = True, blow: Callable[[], None] | None = None):
        self.calls = 0
        self._at = at
        self._before = before
        self._blow = blow or _die

    @property
    def has_blown(self) -> bool:
        return self.calls >= self._at

    def call(self, call: Callable[[], Given]) -> Given:
        self.calls += 1
        this_one = self.calls == self._at
        if this_one and self._before:
            self._blow()
        answer = call()
        if this_one and not self._before:
            self._blow()
        return answer


def _die() -> None:
    raise Death


class FusedDatabase:
    """A database behind a wire that may break."""

    def __init__(self, database: Database, fuse: Fuse) -> None:
        self.place = database.place
        self._database = database
        self._fuse = fuse

    def run(self, statements: Sequence[Statement]) -> list[list[Row]]:
        return self._fuse.call(lambda: self._database.run(statements))

    def script(self, sql: str, statements: Sequence[Statement]) -> None:
        self._fuse.call(lambda: self._database.script(sql, statements))

    def close(self) -> None:
        self._database.close()


class FusedEmbedder(HashedEmbedder):
    """An embedder behind a wire that may break."""

    def __init__(self, fuse: Fuse, dimensions: int = 64, *, batch: int = 64) -> None:
        super().__init__(dimensions, batch=batch)
        self._fuse = fuse

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        embed = super().embed
        return self._fuse.call(lambda: embed(texts))


class Lines:
    """A `Describer` whose line is made of the text: the same for the same, in every process.

    `asked` are the names in the order in which they came; `said` are answers by name.
    """

    def __init__(self, model: str = "lines", fuse: Fuse | None = None) -> None:
        self.model = model
        self.asked: list[str] = []
        self.said: dict[str, ModelAnswer | Exception] = {}
        self.texts: list[str] = []
        self._fuse = fuse or Fuse(0)
        self._lock = threading.Lock()

    @property
    def usage(self) -> ServiceUsage:
        return ServiceUsage(len(self.asked), 100 * len(self.asked))

    def ask(self, prompt: str, text: str) -> ModelAnswer:
        with self._lock:
            name = text.split("\n", 1)[0].rsplit(" ", maxsplit=1)[-1]
            self.asked.append(name)
            self.texts.append(text)
            return self._fuse.call(lambda: self._told(name, text))

    def neurons(self, tokens_in: int, tokens_out: int) -> float | None:
        return None

    def close(self) -> None:
        pass

    def _told(self, name: str, text: str) -> ModelAnswer:
        said = self.said.get(name, ModelAnswer(f"Makes what is called {text_sha(text)[:4]} there"))
        if isinstance(said, Exception):
            raise said
        return said


class Others(Lines):
    """Another model, which says something else of the same."""

    def _told(self, name: str, text: str) -> ModelAnswer:
        return ModelAnswer(f"Another sentence about {name} altogether")


def small_lookup(name: str = "small", size: int = 3) -> LookupTable:
    """A table for a Worker's questions that takes no model to make."""
    rows = [LookupRow(slot, f" word{slot} ", "c" * 60, f"{slot:<60}") for slot in range(size)]
    return LookupTable(name, size, size * 140, lambda: iter(rows))


def opened(path: Path = MEMORY) -> SQLite:
    """A database with the schema; in memory unless a file is named."""
    database = SQLite(path)
    migrate(database)
    return database


def feed(
    tree: Tree,
    database: Database,
    embedder: Embedder | None = None,
    *,
    name: str = REPO,
    branch: str = "main",
    parser: Parser | None = None,
    cache: Path = MEMORY,
    meaning: StaticEmbedder | None = None,
    texts: bool | None = None,
    describing: DescriptionOptions | None = None,
) -> SyncContext:
    """A run over the in-process parser, with vectors where there is an embedder.

    With a `meaning` vectors come with the words too.
    """
    semantics = None
    if embedder:
        cached = CachedEmbedder(embedder, cache)
        semantics = ModelVectors(cached, SQLiteVectors(database))
    report = Report(name, branch, tree.commit)
    index = Index(database, name, branch)
    index.start_statements = setup_statements(name, enabled=meaning is not None)
    token = secrets.token_hex(8)
    return SyncContext(
        tree,
        parser or InProcess(meaning=meaning),
        index,
        semantics,
        report,
        ProgressReporter(quiet=True),
        token,
        store_source=texts,
        description_options=describing,
        static_model=meaning,
    )


def synced(tree: Tree, database: Database, embedder: Embedder | None = None, **more: Any) -> Report:
    """The report of a whole run."""
    run = feed(tree, database, embedder, **more)
    sync(run)
    return run.report


def shown(
    database: Database,
    base: Path,
    found: Sequence[Result],
    lines: int = 6,
    words: Sequence[str] = (),
    *,
    name: str = REPO,
) -> Page:
    """What an answer shows of these hits, whose files are in the folder."""
    corpus = Corpus(database, base, name, Index(database, name, "main").read_state_of([]).meta)
    return build_page(corpus, ResultList(found, len(found)), PageOptions(words, lines))


Picture = Tables


def picture(database: SQLite, name: str = REPO) -> Picture:
    """All that an index holds of a repository, apart from what tells the way to it.

    So does the commit in `meta`: a run that has nothing to do leaves the one before of that tree.
    """
    found = tables(database, name)
    found["meta"] = [row for row in found["meta"] if row[0] != f"{name}:head"]
    found["vectors"] = vectors(database, name)
    return found


def fresh(tree: Tree, embedder: Embedder | None = None, **more: Any) -> Picture:
    """What an index holds that has seen nothing but this tree."""
    database = opened()
    synced(tree, database, embedder, **more)
    found = picture(database, more.get("name", REPO))
    database.close()
    return found


def rows(database: SQLite, sql: str, *params: Value) -> list[Any]:
    """What an SQL statement answers; single columns come bare."""
    found = list(database.connection.execute(sql, params))
    return [row[0] if len(row) == 1 else row for row in found]
