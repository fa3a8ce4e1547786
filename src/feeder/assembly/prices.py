"""Which models can an index at Cloudflare have, and what does each cost?"""

from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

from feeder.assembly.cloud import foreseen, lookup_for
from feeder.assembly.embedders import STATIC
from feeder.cloudflare.api import Api
from feeder.cloudflare.freetier import NEURONS_A_DAY, STORED_DIMENSIONS, Usage, percent
from feeder.cloudflare.models import DEFAULT, MODELS
from feeder.cloudflare.workers_ai import WorkersAI
from feeder.embed import Embedder
from feeder.embed.static_codes import loaded
from feeder.run.report import Report

NODES, FILES = 10_000, 500
"""Of the first feed that is priced."""
NODE_BYTES = 720
"""Of a text that is embedded: the mean of Django's 57,000 nodes, and of ktor, Vue and aiohttp."""
SHORT = 256
"""Dimensions to which some models can shorten their vectors."""


class Price(NamedTuple):
    """What a model costs: `usage` is a first feed's, `nodes_free` is what Vectorize has free."""

    model: str
    dimensions: int
    usage: Usage

    @property
    def nodes_free(self) -> int:
        return STORED_DIMENSIONS // self.dimensions

    @property
    def options(self) -> str:
        """What has to be said for it."""
        about = MODELS.get(self.model)
        is_short = about is not None and about.dimensions != self.dimensions
        return f"{self.model} --dimensions {self.dimensions}" if is_short else self.model

    def line(self, width: int) -> str:
        """It, for a person, below `HEAD`."""
        requests = " + ".join(str(self.usage.requests.get(name, 0)) for name in _SERVICES)
        neurons = f"{self.usage.neurons:,.0f} ({percent(self.usage.neurons / NEURONS_A_DAY)})"
        return (
            f"  {self.options:{width}} {self.dimensions:>5} {self.nodes_free:>7,}  "
            f"{neurons:>14}  {requests}"
        )


_SERVICES = ("d1", "vectorize", "ai")


def prices(nodes: int = NODES, files: int = FILES, node_bytes: int = NODE_BYTES) -> list[Price]:
    """Of each model and of those that can be shortened, by this program's own figures.

    No request is sent. Raises UserError where the static model cannot be loaded.
    """
    with closing(Api("none", "none")) as api:
        return [_price(embedder, nodes, files, node_bytes) for embedder in _embedders(api)]


def _embedders(api: Api) -> Iterator[tuple[str, Embedder]]:
    yield STATIC, loaded()
    for name, model in MODELS.items():
        yield name, WorkersAI(api, name)
        if SHORT in model.shorter:
            yield name, WorkersAI(api, name, SHORT)


def _price(named: tuple[str, Embedder], nodes: int, files: int, node_bytes: int) -> Price:
    name, embedder = named
    lookup = lookup_for(embedder)
    feed = Report("", "", "", files_processed=files, nodes_new=nodes, texts_embedded=nodes)
    feed.lookup_rows = lookup.size if lookup else 0
    planned = embedder.foreseen([node_bytes] * nodes)
    return Price(name, embedder.dimensions, foreseen(feed, embedder, planned, lookup))


def advice(model: str | None, dimensions: int) -> Iterator[str]:
    """The models with their prices and how to choose; what is chosen, or the default, is marked."""
    known = prices()
    width = max(len(price.options) for price in known)
    yield (
        f"What each --model costs, for a first feed of {NODES:,} nodes: neurons with their share "
        "of a free day,"
    )
    yield "requests to D1 + Vectorize + Workers AI, and how many nodes Vectorize keeps for nothing:"
    yield f"  {'':{width}} {'long':>5} {'nodes':>7}  {'neurons':>14}  requests"
    for price in known:
        line = price.line(width)
        is_chosen = (price.model, price.dimensions) == (model or DEFAULT, dimensions)
        yield f"* {line[2:]}" if is_chosen else line
    yield from _how_to_choose(known[0])


def _how_to_choose(static: Price) -> Iterator[str]:
    rows = static.usage.lookup_rows
    yield (
        f"{STATIC} is made where the run is and asks no service; for a Worker it puts {rows} rows "
        "into D1 once. Take it for code that is asked for in its own words."
    )
    yield (
        "A model of Workers AI is for questions in other words, or another language, than the "
        "code's. docs/how-to/cloudflare.md says what of this was measured."
    )
    yield "Another model later needs another index: feeder init --model … --index-name …"
