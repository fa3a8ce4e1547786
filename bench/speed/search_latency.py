"""Measures the latency of searches by words and by vectors in indexes of three sizes."""

import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from feeder.embedding import Embedder, ServiceUsage, Vector
from feeder.embedding.cache import CachedEmbedder
from feeder.embedding.onnx import OnnxEmbedder, is_available
from feeder.embedding.quantization import load_static_model
from feeder.query.request_filters import Pagination
from feeder.ranking.query_ranking import rank_query
from feeder.ranking.results import paginate
from feeder.ranking.retrieval import QueryModel, embedding_query_model, static_query_model
from feeder.store.scope import Scope
from feeder.store.sqlite import IN_MEMORY, SQLite
from feeder.sync.context import ModelVectors
from speed import large_index
from speed.bench import Bench
from speed.figures import quantiles_ms

PART, CORPUS = "search", "django"
QUERY_COUNT, HIT_LIMIT = 200, 10
WORDS, WITH_STATIC, WITH_LOCAL = "words", "words and static vectors", "words and vectors"
MODES = (WORDS, WITH_STATIC, WITH_LOCAL)
STATIC, COMMAND_RUNS = "static", 5
"""The static model's name, and the runs of the whole command per run of the benchmark."""
LARGE, LARGEST = "120,000 nodes", "500,000 nodes"
SIZES = {"12,000 nodes": 0.3, LARGE: large_index.COPIES, LARGEST: 12.5}
"""Copies of the corpus by size of the index."""


class TimedEmbedder:
    """An `Embedder` that records the seconds of each query."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.model = embedder.model
        self.dimensions = embedder.dimensions
        self.batch = embedder.batch
        self.usage = embedder.usage
        self.seconds: list[float] = []

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return self._embedder.embed(texts)

    def embed_query(self, text: str) -> Vector:
        started = time.perf_counter()
        vector = self._embedder.embed_query(text)
        self.seconds.append(time.perf_counter() - started)
        return vector

    def estimate(self, sizes: Sequence[int]) -> ServiceUsage:
        return self._embedder.estimate(sizes)

    def close(self) -> None:
        self._embedder.close()


class Searcher:
    """Searches in an open index, as a server process does."""

    def __init__(
        self,
        database: SQLite,
        create_models: Callable[[], list[QueryModel]],
        timed: TimedEmbedder | None,
    ) -> None:
        self._database = database
        self._create_models = create_models
        self._timed = timed
        self._scope = Scope.of_repo(
            database.connection.execute("SELECT repo FROM docs LIMIT 1").get
        )
        self._nodes = database.connection.execute("SELECT count(*) FROM docs").get

    def measure(self, queries: Sequence[str]) -> dict[str, float]:
        """Runs the queries and returns latencies in milliseconds.

        `first_ms` includes reading the vectors; the quantiles are of the later queries, and of the
        model's part of them. Those of `cpu_` are CPU time, which other load disturbs less.
        """
        self._models = self._create_models()
        self._cpu_seconds: list[float] = []
        first, *seconds = [self._seconds(query) for query in (queries[0], *queries)]
        figures = {"nodes": self._nodes, "first_ms": 1000 * first} | quantiles_ms(seconds)
        figures |= quantiles_ms(self._cpu_seconds[1:], "cpu_")
        if self._timed:
            figures |= quantiles_ms(self._timed.seconds[1:], "model_")
            self._timed.seconds.clear()
        return figures

    def _seconds(self, query: str) -> float:
        started, cpu_started = time.perf_counter(), time.process_time()
        ranked = rank_query(self._database, self._models, query, self._scope)
        paginate(self._database, ranked, Pagination(HIT_LIMIT))
        self._cpu_seconds.append(time.process_time() - cpu_started)
        return time.perf_counter() - started


def measure(bench: Bench) -> None:
    """Measures 200 queries of each kind; the figures are those of the installed feeder."""
    corpus = bench.corpus(CORPUS)
    folder = bench.scratch / PART
    folder.mkdir()
    for size, times in SIZES.items():
        bench.print_progress(f"search: building an index of {size}")
        file = large_index.build(bench.program, corpus, folder, STATIC, times)
        with ExitStack() as stack:
            database = stack.enter_context(closing(SQLite(file)))
            generated = large_index.generate_queries(
                database, large_index.sources(corpus), QUERY_COUNT // 2
            )
            queries = list(generated)
            for mode, searcher in _searchers(bench, database, size, stack).items():
                for number in range(1, bench.runs + 1):
                    bench.print_progress(f"search by {mode}: run {number} of {bench.runs}")
                    bench.figures.add(PART, f"{mode}: {size}", searcher.measure(queries))
        if size == LARGE:
            _measure_command(bench, file, queries[1])


def _searchers(bench: Bench, database: SQLite, size: str, stack: ExitStack) -> dict[str, Searcher]:
    static = TimedEmbedder(load_static_model())
    searchers = {
        WORDS: Searcher(database, list, None),
        WITH_STATIC: Searcher(database, lambda: [static_query_model(database, static)], static),
    }
    if size != LARGE:
        return searchers
    if is_available():
        timed = TimedEmbedder(OnnxEmbedder())
        embedder = stack.enter_context(closing(CachedEmbedder(timed, IN_MEMORY)))
        model = embedding_query_model(
            ModelVectors(embedder, large_index.write_random_vectors(database, timed.dimensions))
        )
        searchers[WITH_LOCAL] = Searcher(database, lambda: [model], timed)
    else:
        bench.fail("search by vectors", "the local model is not installed")
    return searchers


def _measure_command(bench: Bench, index: Path, query: str) -> None:
    """Measures the whole command `feeder search`."""
    arguments = ["-C", str(index.with_suffix("")), "--db", str(index), query]
    for mode, options in ((WORDS, ["--no-vectors"]), (WITH_STATIC, ["--model", STATIC])):
        for _ in range(COMMAND_RUNS * bench.runs):
            done = bench.program.timed("search", "--json", *options, *arguments)
            bench.figures.add(PART, mode, {"wall_s": done.wall_s, "cpu_s": done.cpu_s})
