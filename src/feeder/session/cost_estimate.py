"""Which models can an index at Cloudflare have, and what does each cost?"""

from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

from feeder.cloudflare.api import Api
from feeder.cloudflare.free_tier import (
    MAX_STORED_DIMENSIONS,
    NEURONS_PER_DAY,
    Usage,
    format_percent,
)
from feeder.cloudflare.models import DEFAULT_MODEL, MODELS
from feeder.cloudflare.workers_ai import WorkersAIEmbedder
from feeder.embedding import Embedder
from feeder.embedding.static_codes import load_static_model
from feeder.session.cloud_backend import estimated_usage, worker_lookup_table
from feeder.session.model_selection import STATIC
from feeder.sync.report import Report

EXAMPLE_NODES, EXAMPLE_FILES = 10_000, 500
"""Of the first feed that is priced."""
NODE_BYTES = 720
"""Of a text that is embedded: the mean of Django's 57,000 nodes, and of ktor, Vue and aiohttp."""
SHORTENED_DIMENSIONS = 256
"""Dimensions to which some models can shorten their vectors."""


class ModelPrice(NamedTuple):
    """What a model costs: `usage` is a first feed's, `nodes_free` is what Vectorize has free."""

    model: str
    dimensions: int
    usage: Usage

    @property
    def free_nodes(self) -> int:
        return MAX_STORED_DIMENSIONS // self.dimensions

    @property
    def options(self) -> str:
        """What has to be said for it."""
        about = MODELS.get(self.model)
        is_short = about is not None and about.dimensions != self.dimensions
        return f"{self.model} --dimensions {self.dimensions}" if is_short else self.model

    def line(self, width: int) -> str:
        """It, for a person, below `HEAD`."""
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
    """Of each model and of those that can be shortened, by this program's own figures.

    No request is sent. Raises UserError where the static model cannot be loaded.
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
    lookup = worker_lookup_table(embedder)
    feed = Report("", "", "", files_processed=files, nodes_new=nodes, texts_embedded=nodes)
    feed.lookup_rows = lookup.row_count if lookup else 0
    planned = embedder.estimate([node_bytes] * nodes)
    return ModelPrice(name, embedder.dimensions, estimated_usage(feed, embedder, planned, lookup))


def price_table(model: str | None, dimensions: int) -> Iterator[str]:
    """The models with their prices and how to choose; what is chosen, or the default, is marked."""
    known = model_prices()
    width = max(len(price.options) for price in known)
    yield (
        f"What each --model costs, for a first feed of {EXAMPLE_NODES:,} nodes: neurons with "
        "their share "
        "of a free day,"
    )
    yield "requests to D1 + Vectorize + Workers AI, and how many nodes Vectorize keeps for nothing:"
    yield f"  {'':{width}} {'long':>5} {'nodes':>7}  {'neurons':>14}  requests"
    for price in known:
        line = price.line(width)
        is_chosen = (price.model, price.dimensions) == (model or DEFAULT_MODEL, dimensions)
        yield f"* {line[2:]}" if is_chosen else line
    yield from _selection_advice(known[0])


def _selection_advice(static: ModelPrice) -> Iterator[str]:
    rows = static.usage.lookup_rows
    yield (
        f"{STATIC} is made where the run is and asks no service; for a Worker it puts {rows} rows "
        "into D1 once. Take it for code that is asked for in its own words."
    )
    yield (
        "A model of Workers AI is for questions in other words, or another language, than the "
        "code's. docs/cloudflare.md says what of this was measured."
    )
    yield "Another model later needs another index: feeder init --model … --index-name …"
