"""Measures and estimates what a run uses at Cloudflare (requests, rows, neurons) and compares
the prices of embedding models.
"""

import math
from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

from feeder.cloudflare.api import Api
from feeder.cloudflare.d1 import D1
from feeder.cloudflare.free_tier import (
    MAX_STORED_DIMENSIONS,
    NEURONS_PER_DAY,
    Usage,
    format_percent,
)
from feeder.cloudflare.vectorize import MAX_DELETE_IDS, Vectorize
from feeder.cloudflare.workers_ai import DEFAULT_MODEL, MODELS, WorkersAIEmbedder
from feeder.embedding import Embedder, ServiceUsage
from feeder.embedding.quantization import load_static_model
from feeder.parse.compressed_source import BLOCK_BYTES
from feeder.shared_settings import STATIC
from feeder.store.stored_source import DELETE_BATCH
from feeder.sync.budget import BATCH_CHARS, BATCH_NODES, BATCH_VECTORS
from feeder.sync.report import Report

ROWS_PER_NEW_NODE, ROWS_PER_DELETED_NODE, ROWS_PER_FILE, ROWS_PER_RUN = 6, 4, 2, 20
"""Rows that D1 bills: for a node with its indexes and posting, its removal with the outbox, a
file, and what each run records of itself."""


def measured_usage(api: Api, database: D1, vectors: Vectorize, spent: ServiceUsage) -> Usage:
    """Returns what the services have been used for so far; `spent` is the models' part."""
    return Usage(
        dict(api.requests) | ({"model": spent.requests} if spent.requests else {}),
        dict(api.retries),
        round(api.waited_s, 1),
        database.rows["read"],
        database.rows["written"],
        vectors.dimensions_written,
        spent.tokens,
        spent.neurons,
        database.size_bytes,
    )


def estimated_usage(report: Report, embedder: Embedder | None, planned: ServiceUsage) -> Usage:
    """Estimates what the run of a dry run's report would use; sends nothing."""
    files = report.files_processed + report.files_deleted
    if not (files or report.texts_embedded or report.text_rows or report.text_rows_gone):
        return Usage({"d1": 1})
    vectors = report.texts_embedded + report.texts_cached
    is_workers_ai = embedder is None or isinstance(embedder, WorkersAIEmbedder)
    upserts = math.ceil(vectors / BATCH_VECTORS)
    batches = (report.nodes_new + report.files_processed) / BATCH_NODES
    words = max(1, math.ceil(max(batches, report.text_rows * BLOCK_BYTES / BATCH_CHARS)))
    words += math.ceil(report.text_rows_gone / DELETE_BATCH)
    is_first = bool(vectors and not report.files_unchanged)  # then the index's dimensions are read
    requests = {
        "d1": 2 + words + max(0, upserts - 1),
        "vectorize": (is_first + upserts + math.ceil(report.nodes_deleted / MAX_DELETE_IDS))
        if embedder
        else 0,
        "ai" if is_workers_ai else "model": planned.requests,
    }
    return Usage(
        requests,
        rows_written=ROWS_PER_RUN
        + report.nodes_new * ROWS_PER_NEW_NODE
        + report.nodes_deleted * ROWS_PER_DELETED_NODE
        + files * ROWS_PER_FILE
        + report.text_rows
        + report.text_rows_gone,
        dimensions=vectors * embedder.dimensions if embedder and vectors else 0,
        tokens=planned.tokens,
        neurons=planned.neurons,
        text_rows=report.text_rows,
        text_bytes=report.text_bytes,
    )


EXAMPLE_NODES, EXAMPLE_FILES = 10_000, 500
"""Size of the first sync that is priced."""

NODE_BYTES = 720
"""Mean size of an embedding input, over Django's 57,000 nodes, and those of ktor, Vue, aiohttp."""

SHORTENED_DIMENSIONS = 256
"""Dimensions to which some models can shorten their vectors."""


class ModelPrice(NamedTuple):
    """The usage of a first sync with an embedding model."""

    model: str
    dimensions: int
    usage: Usage

    @property
    def free_nodes(self) -> int:
        """Number of nodes whose vectors Vectorize stores for free."""
        return MAX_STORED_DIMENSIONS // self.dimensions

    @property
    def options(self) -> str:
        """The options of `feeder init` that select it."""
        about = MODELS.get(self.model)
        is_short = about is not None and about.dimensions != self.dimensions
        return f"{self.model} --dimensions {self.dimensions}" if is_short else self.model

    def line(self, width: int) -> str:
        """Returns a row of the price table."""
        requests = " + ".join(str(self.usage.requests.get(name, 0)) for name in _SERVICES)
        neurons = (
            f"{self.usage.neurons:,.0f} ({format_percent(self.usage.neurons / NEURONS_PER_DAY)})"
        )
        return (
            f"  {self.options:{width}} {self.dimensions:>5} {self.free_nodes:>7,}  "
            f"{neurons:>14}  {requests}"
        )


_SERVICES = ("d1", "vectorize", "ai")


def model_prices(
    nodes: int = EXAMPLE_NODES, files: int = EXAMPLE_FILES, node_bytes: int = NODE_BYTES
) -> list[ModelPrice]:
    """Estimates a first sync with each model, also at `SHORTENED_DIMENSIONS` where it can.

    Sends no request. Raises UserError if the static model cannot be loaded.
    """
    with closing(Api("none", "none")) as api:
        return [
            _model_price(embedder, nodes, files, node_bytes) for embedder in _priced_embedders(api)
        ]


def _priced_embedders(api: Api) -> Iterator[tuple[str, Embedder]]:
    yield STATIC, load_static_model()
    for name, model in MODELS.items():
        yield name, WorkersAIEmbedder(api, name)
        if SHORTENED_DIMENSIONS in model.shorter_dimensions:
            yield name, WorkersAIEmbedder(api, name, SHORTENED_DIMENSIONS)


def _model_price(
    named_embedder: tuple[str, Embedder], nodes: int, files: int, node_bytes: int
) -> ModelPrice:
    name, embedder = named_embedder
    report = Report("", "", "", files_processed=files, nodes_new=nodes, texts_embedded=nodes)
    planned = embedder.estimate([node_bytes] * nodes)
    return ModelPrice(name, embedder.dimensions, estimated_usage(report, embedder, planned))


def price_table(model: str | None, dimensions: int) -> Iterator[str]:
    """Yields the price table and advice; the chosen or default model is marked."""
    prices = model_prices()
    width = max(len(price.options) for price in prices)
    yield (
        f"What a first sync of {EXAMPLE_NODES:,} nodes uses with each --model: dimensions, nodes "
        "that Vectorize"
    )
    yield (
        "stores for free, neurons with their share of a free day, requests to D1 + Vectorize + "
        "Workers AI (* the chosen model):"
    )
    yield f"  {'':{width}} {'dims':>5} {'nodes':>7}  {'neurons':>14}  requests"
    for price in prices:
        line = price.line(width)
        is_chosen = (price.model, price.dimensions) == (model or DEFAULT_MODEL, dimensions)
        yield f"* {line[2:]}" if is_chosen else line
    yield from _SELECTION_ADVICE


_SELECTION_ADVICE = (
    f"{STATIC} runs on this machine and in a Worker, and uses no service. Choose it if queries use "
    "the words of the code.",
    "Choose a model of Workers AI if queries use other words, or another language, than the code. "
    "Measurements: docs/how-to/cloudflare.md",
    "Another model later needs another index: feeder init --model … --index-name …",
)
