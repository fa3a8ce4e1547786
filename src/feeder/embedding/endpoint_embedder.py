"""`Embedder` over an OpenAI-compatible server, named as `URL#model`: Ollama, LM Studio, vLLM,
llama.cpp, Voyage, Jina, Mistral.
"""

import base64
from collections.abc import Mapping, Sequence
from functools import partial
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from feeder.embedding import Embedder, ServiceUsage
from feeder.embedding.batching import (
    MAX_CONCURRENT_REQUESTS,
    BatchEmbedder,
    estimate_tokens,
    normalize_vectors,
)
from feeder.embedding.endpoint import Endpoint
from feeder.embedding.model_families import TextFormat, find_family
from feeder.errors import ServiceError, UserError

if TYPE_CHECKING:
    from feeder.embedding import Vector

PROBE_TEXT = "a"
"""Text of the request that finds out the dimensions."""
_NO_IDENTITY: Mapping[str, str] = MappingProxyType({})


class EndpointEmbedder(Embedder):
    """An `Embedder` over HTTP.

    `dimensions` is requested from a model that can shorten its vectors. `index_identity` has the
    `model` and `dimensions` of the index's `meta`, which save the request that finds them out.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        dimensions: int | None = None,
        index_identity: Mapping[str, str] = _NO_IDENTITY,
    ) -> None:
        self._endpoint = endpoint
        self._family = find_family(endpoint.address.model)
        own = self._family.dimensions
        may_shorten = not own or (self._family.can_shorten and own != dimensions)
        self._requested_dimensions = dimensions if may_shorten else None
        self._dimensions = dimensions or own
        if not self._dimensions and index_identity.get("model") == self.model:
            self._dimensions = int(index_identity["dimensions"])
        self._tokens = 0
        self._lock = Lock()
        self._batcher = BatchEmbedder(
            self._family.limits, partial(self._request_vectors, self._family.document_format)
        )

    @property
    def model(self) -> str:
        """Name and address; with the requested dimensions where the full ones are unknown."""
        shortened = (
            f" at {self._requested_dimensions}"
            if self._requested_dimensions and not self._family.dimensions
            else ""
        )
        return f"{self._endpoint.name}{shortened}"

    @property
    def dimensions(self) -> int:
        """Costs one request where neither the table of models nor the index has them."""
        if not self._dimensions:
            self._dimensions = len(self._request_raw(self._family.document_format, [PROBE_TEXT])[0])
        return self._dimensions

    @property
    def batch(self) -> int:
        return self._family.limits.texts * MAX_CONCURRENT_REQUESTS

    @property
    def usage(self) -> ServiceUsage:
        return ServiceUsage(self._endpoint.requests, self._tokens)

    def estimate(self, text_bytes: Sequence[int]) -> ServiceUsage:
        return self._family.limits.estimate(
            text_bytes, self._family.document_format.prefix, self.batch
        )

    def embed(self, texts: Sequence[str]) -> list["Vector"]:
        before = self._family.document_format.prefix
        return self._batcher.embed([self._family.limits.truncate(before + text) for text in texts])

    def embed_query(self, text: str) -> "Vector":
        query = self._family.query_format
        ready = self._family.limits.truncate(query.prefix + text)
        return self._request_vectors(query, [ready], is_query=True)[0]

    def close(self) -> None:
        self._endpoint.close()

    def _request_vectors(
        self, text_format: TextFormat, texts: list[str], *, is_query: bool = False
    ) -> list["Vector"]:
        """Makes one request; shortens vectors where the server ignored the requested dimensions."""
        vectors = self._request_raw(text_format, texts, is_query=is_query)
        returned = len(vectors[0])
        can_cut = (
            self._requested_dimensions
            and self._family.can_shorten
            and returned > self._requested_dimensions
        )
        if returned != self.dimensions and not can_cut:
            raise UserError(
                f"{self.model} returned vectors of {returned} dimensions instead of "
                f"{self.dimensions}.",
                f"Set --dimensions {returned}, or choose another --model.",
            )
        return normalize_vectors(self.model, vectors, len(texts), returned, self.dimensions)

    def _request_raw(
        self, text_format: TextFormat, texts: list[str], *, is_query: bool = False
    ) -> list["Vector"]:
        """Returns the server's vectors, one for each text, all of the same length."""
        body = {"input": texts, **text_format.extra_fields}
        if self._requested_dimensions:
            body[self._family.dimensions_field] = self._requested_dimensions
        answer = self._endpoint.post(body, is_query=is_query)
        with self._lock:
            self._tokens += _used_tokens(answer) or sum(map(estimate_tokens, texts))
        return _sort_vectors(self.model, answer["data"], len(texts))


def _used_tokens(answer: dict[str, Any]) -> int:
    """Returns the tokens that the server counted; 0 if it does not report them."""
    usage = answer.get("usage")
    total = usage.get("total_tokens") if isinstance(usage, dict) else None
    return total if isinstance(total, int) else 0


def _sort_vectors(model: str, data: list[Any], count: int) -> list["Vector"]:
    """Sorts by `index`; raises ServiceError unless there are `count` vectors of one length."""
    try:
        indexes = [item.get("index", at) for at, item in enumerate(data)]
        vectors = [_decode_vector(item["embedding"]) for item in data]
        by_index = dict(zip(indexes, vectors, strict=True))
        in_order = [by_index[at] for at in range(count)]
    except (AttributeError, KeyError, TypeError, ValueError):
        in_order = []
    shapes = {vector.shape for vector in in_order}
    if len(data) != count or len(shapes) != 1 or any(len(shape) != 1 for shape in shapes):
        raise ServiceError(
            f"{model} did not return {count} vectors of one length for {count} texts.",
            "Run again; if it happens again, choose another --model.",
        )
    return in_order


def _decode_vector(embedding: Any) -> "Vector":
    """Reads a list of numbers, or base64 of little-endian float32."""
    import numpy as np

    if isinstance(embedding, str):
        return np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4")
    with np.errstate(over="ignore"):
        return np.array(embedding, dtype=np.float32)
