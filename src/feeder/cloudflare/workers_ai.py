"""`Embedder` over Workers AI, and its embedding models with their limits, prices and query
prefixes.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from feeder.cloudflare.api import Api, Call
from feeder.embedding import Embedder, ServiceUsage
from feeder.embedding.batching import (
    BatchEmbedder,
    RequestLimits,
    estimate_tokens,
    normalize_vectors,
)
from feeder.errors import UserError
from feeder.http_client import json_bytes

if TYPE_CHECKING:
    from feeder.embedding import Vector


DEFAULT_MODEL = "@cf/baai/bge-m3"
MAX_REQUEST_TOKENS = 50_000
"""Tokens of all texts of a request; above it bge-m3 answers with an error."""
NEURONS_PER_DOLLAR = 1000 / 0.011


class EmbeddingModel(NamedTuple):
    """A model, with the limits of one request and the format of its input.

    Vectors of `dimensions` can be shortened to `shorter_dimensions`. `tokens` is the longest input;
    a model that `truncates` can cut longer ones itself. An `asymmetric` model takes a query as
    `queries` with the `instruction`; the others take `before_query` as its prefix.
    """

    name: str
    dimensions: int
    tokens: int
    batch_texts: int
    dollars_per_million: float
    shorter_dimensions: range | tuple[int, ...] = ()
    truncates: bool = False
    asymmetric: bool = False
    instruction: str = ""
    document_prefix: str = ""
    before_query: str = ""

    def neurons(self, tokens: int) -> float:
        """Converts tokens to neurons, in which Cloudflare bills."""
        return tokens / 1e6 * self.dollars_per_million * NEURONS_PER_DOLLAR


_BGE_QUERY = "Represent this sentence for searching relevant passages: "

MODELS = {
    model.name: model
    for model in (
        EmbeddingModel(DEFAULT_MODEL, 1024, 8192, 100, 0.012, truncates=True),
        EmbeddingModel(
            "@cf/qwen/qwen3-embedding-0.6b",
            1024,
            8192,
            32,
            0.012,
            shorter_dimensions=range(32, 1024),
            asymmetric=True,
            instruction="Given a question about a code base, retrieve the code that answers it",
        ),
        # Cloudflare documents neither its price nor its batch size: cautious values
        EmbeddingModel(
            "@cf/google/embeddinggemma-300m",
            768,
            2048,
            32,
            0.012,
            shorter_dimensions=(128, 256, 512),
            document_prefix="title: none | text: ",
            before_query="task: code retrieval | query: ",
        ),
        EmbeddingModel("@cf/baai/bge-small-en-v1.5", 384, 512, 100, 0.020, before_query=_BGE_QUERY),
        EmbeddingModel("@cf/baai/bge-base-en-v1.5", 768, 512, 100, 0.067, before_query=_BGE_QUERY),
        EmbeddingModel(
            "@cf/baai/bge-large-en-v1.5", 1024, 512, 100, 0.204, before_query=_BGE_QUERY
        ),
    )
}


def find_model(name: str | None, dimensions: int | None) -> EmbeddingModel:
    """Returns a model by name, or the default; raises UserError for an unknown one."""
    model = MODELS.get(name or DEFAULT_MODEL)
    if model is None:
        raise UserError(
            f"{name} is not a known model of Workers AI.",
            f"Choose one of: {', '.join(MODELS)}; or static or words, which need no service.",
        )
    if dimensions not in {None, model.dimensions} and dimensions not in model.shorter_dimensions:
        raise UserError(
            f"{model.name} has no vectors of {dimensions} dimensions.",
            f"Set --dimensions {_dimension_choices(model)}.",
        )
    return model


def _dimension_choices(model: EmbeddingModel) -> str:
    shorter = model.shorter_dimensions
    if isinstance(shorter, range):
        return f"{shorter.start} to {model.dimensions}"
    return " or ".join(map(str, [*shorter, model.dimensions]))


class WorkersAIEmbedder(Embedder):
    """An `Embedder` over Workers AI.

    A text too long for the model is cut. Raises UserError for a model or dimensions that there are
    not.
    """

    batch = 1000

    def __init__(self, api: Api, model: str | None = None, dimensions: int | None = None) -> None:
        self.model_info = find_model(model, dimensions)
        self._tokens = 0
        self._dimensions = dimensions or self.model_info.dimensions
        self._api = api
        # the slash of a model's name stays one: encoded, there is no such route
        self._path = f"ai/run/{quote(self.model_info.name, safe='@/')}"
        self._limits = RequestLimits(
            self.model_info.batch_texts, MAX_REQUEST_TOKENS, self.model_info.tokens
        )
        self._batcher = BatchEmbedder(
            self._limits, lambda texts: self._request_vectors(self._request_body(texts), len(texts))
        )

    @property
    def model(self) -> str:
        return self.model_info.name

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def usage(self) -> ServiceUsage:
        """Tokens and neurons; the API counts the requests."""
        return ServiceUsage(0, self._tokens, self.model_info.neurons(self._tokens))

    def estimate(self, text_bytes: Sequence[int]) -> ServiceUsage:
        usage = self._limits.estimate(text_bytes, self.model_info.document_prefix, self.batch)
        return usage._replace(neurons=self.model_info.neurons(usage.tokens))

    def embed(self, texts: Sequence[str]) -> list["Vector"]:
        ready = [
            self._limits.truncate(f"{self.model_info.document_prefix}{text}") for text in texts
        ]
        vectors = self._batcher.embed(ready)
        self._tokens += sum(map(estimate_tokens, ready))
        return vectors

    def embed_query(self, text: str) -> "Vector":
        ready = self._limits.truncate(f"{self.model_info.before_query}{text}")
        self._tokens += estimate_tokens(ready)
        if not self.model_info.asymmetric:
            return self._batcher.embed([ready])[0]
        body = {"queries": [ready], "instruction": self.model_info.instruction}
        return self._request_vectors(body, 1)[0]

    def close(self) -> None:
        """Does nothing: the owner of the API closes it."""

    def _request_body(self, texts: list[str]) -> dict[str, Any]:
        if self.model_info.asymmetric:
            return {"documents": texts}
        return {"text": texts, **({"truncate_inputs": True} if self.model_info.truncates else {})}

    def _request_vectors(self, body: dict[str, Any], count: int) -> list["Vector"]:
        """Makes one request."""
        answer = self._api.call(Call("ai", self._path, json_bytes(body)))
        data = answer.get("data") if isinstance(answer, dict) else None
        vectors = data if isinstance(data, list) else []
        return normalize_vectors(
            self.model, vectors, count, self.model_info.dimensions, self._dimensions
        )
