"""How are texts embedded by Cloudflare Workers AI?"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from feeder.cloudflare.api import Api, Call
from feeder.cloudflare.models import MAX_REQUEST_TOKENS, find_model
from feeder.embedding import Embedder, ServiceUsage
from feeder.embedding.batching import (
    BatchEmbedder,
    RequestLimits,
    estimate_tokens,
    normalize_vectors,
)
from feeder.retry import json_bytes

if TYPE_CHECKING:
    from feeder.embedding import Vector


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
        """Requests aside, which the API counts."""
        return ServiceUsage(0, self._tokens, self.model_info.neurons(self._tokens))

    def estimate(self, text_bytes: Sequence[int]) -> ServiceUsage:
        spent = self._limits.estimate(text_bytes, self.model_info.document_prefix, self.batch)
        return spent._replace(neurons=self.model_info.neurons(spent.tokens))

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
        """Nothing to end: the API is closed by its owner."""

    def _request_body(self, texts: list[str]) -> dict[str, Any]:
        if self.model_info.asymmetric:
            return {"documents": texts}
        return {"text": texts, **({"truncate_inputs": True} if self.model_info.truncates else {})}

    def _request_vectors(self, body: dict[str, Any], count: int) -> list["Vector"]:
        """One request."""
        answer = self._api.call(Call("ai", self._path, json_bytes(body)))
        found = answer.get("data") if isinstance(answer, dict) else None
        found = found if isinstance(found, list) else []
        return normalize_vectors(
            self.model, found, count, self.model_info.dimensions, self._dimensions
        )
