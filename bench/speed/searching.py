"""How soon does a search in a large index answer, by words and by words and meaning?"""

import time
from collections.abc import Sequence
from contextlib import ExitStack, closing
from statistics import quantiles

from feeder.embed import Embedder, Spent, Vector
from feeder.embed.cache import CachedEmbedder
from feeder.embed.onnx import LocalEmbedder, available
from feeder.run.feed import Semantics
from feeder.search.engine import Page, search
from feeder.search.models import beside
from feeder.store.scope import Scope
from feeder.store.sqlite import IN_MEMORY, SQLite
from speed import large_index
from speed.bench import Bench

PART, CORPUS = "search", "django"
QUERIES, LIMIT = 200, 10
SIDES = ("words", "words and vectors")


class Clocked:
    """An `Embedder` that keeps how many seconds it took for each query."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.model = embedder.model
        self.dimensions = embedder.dimensions
        self.batch = embedder.batch
        self.spent = embedder.spent
        self.seconds: list[float] = []

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return self._embedder.embed(texts)

    def embed_query(self, text: str) -> Vector:
        began = time.perf_counter()
        vector = self._embedder.embed_query(text)
        self.seconds.append(time.perf_counter() - began)
        return vector

    def foreseen(self, sizes: Sequence[int]) -> Spent:
        return self._embedder.foreseen(sizes)

    def close(self) -> None:
        self._embedder.close()


class Searcher:
    """Searches in an opened index, as one process does that is asked again and again."""

    def __init__(
        self, database: SQLite, semantics: Semantics | None, clock: Clocked | None
    ) -> None:
        self._database = database
        self._sides = [beside(semantics)] if semantics else []
        self._clock = clock
        self._scope = Scope.of(database.connection.execute("SELECT repo FROM docs LIMIT 1").get)

    def measured(self, questions: Sequence[str]) -> dict[str, float]:
        """`first_ms`, which reads the vectors; quantiles of the others and of the model's part."""
        first, *seconds = [self._seconds(question) for question in (questions[0], *questions)]
        figures = {"first_ms": 1000 * first} | _quantiles(seconds, "")
        if self._clock:
            figures |= _quantiles(self._clock.seconds[1:], "model_")
            self._clock.seconds.clear()
        return figures

    def _seconds(self, question: str) -> float:
        began = time.perf_counter()
        search(self._database, self._sides, question, self._scope, Page(LIMIT))
        return time.perf_counter() - began


def measure(bench: Bench) -> None:
    """200 queries of each kind; the figures are of the harness' own feeder, the first one."""
    bench.say("search: a large index is made")
    corpus = bench.corpus(CORPUS)
    file = large_index.fed(bench.program, corpus, bench.scratch)
    with ExitStack() as stack:
        database = stack.enter_context(closing(SQLite(file)))
        asked = large_index.questions(database, large_index.sources(corpus), QUERIES // 2)
        questions = list(asked)
        nodes = database.connection.execute("SELECT count(*) FROM docs").get
        bench.figures.add(PART, "index", {"nodes": nodes, "queries": len(questions)})
        for side, searcher in _searchers(bench, database, stack).items():
            for number in range(1, bench.runs + 1):
                bench.say(f"search by {side}: run {number} of {bench.runs}")
                bench.figures.add(PART, side, searcher.measured(questions))


def _searchers(bench: Bench, database: SQLite, stack: ExitStack) -> dict[str, Searcher]:
    searchers = {SIDES[0]: Searcher(database, None, None)}
    if available():
        clock = Clocked(LocalEmbedder())
        embedder = stack.enter_context(closing(CachedEmbedder(clock, IN_MEMORY)))
        semantics = Semantics(embedder, large_index.fill(database, clock.dimensions))
        searchers[SIDES[1]] = Searcher(database, semantics, clock)
    else:
        bench.fail("search by vectors", "the local model is not installed")
    return searchers


def _quantiles(seconds: Sequence[float], prefix: str) -> dict[str, float]:
    """The median and the 95th percentile in milliseconds."""
    cuts = quantiles(seconds, n=20, method="inclusive")
    return {f"{prefix}p50_ms": 1000 * cuts[9], f"{prefix}p95_ms": 1000 * cuts[18]}
