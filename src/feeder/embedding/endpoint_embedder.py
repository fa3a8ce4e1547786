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
"""What is sent to learn the dimensions."""
_NO_IDENTITY: Mapping[str, str] = MappingProxyType({})


class EndpointEmbedder(Embedder):
    """An `Embedder` over HTTP.

    `dimensions` are asked of a model that may shorten its vectors. `known` is what an index says of
    the model that it was made with.
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
        """The name and where it is; also how short, where only the server knows how long."""
        shortened = (
            f" at {self._requested_dimensions}"
            if self._requested_dimensions and not self._family.dimensions
            else ""
        )
        return f"{self._endpoint.name}{shortened}"

    @property
    def dimensions(self) -> int:
        """Costs a request with one short text, where neither the table nor the index tells."""
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
        """One request."""
        found = self._request_raw(text_format, texts, is_query=is_query)
        made = len(found[0])
        # some servers do not heed what is asked, and the model allows it
        can_cut = (
            self._requested_dimensions
            and self._family.can_shorten
            and made > self._requested_dimensions
        )
        if made != self.dimensions and not can_cut:
            raise UserError(
                f"{self.model} makes vectors of {made} dimensions, and {self.dimensions} were "
                f"expected. Say --dimensions {made}, or name another --model."
            )
        return normalize_vectors(self.model, found, len(texts), made, self.dimensions)

    def _request_raw(
        self, text_format: TextFormat, texts: list[str], *, is_query: bool = False
    ) -> list["Vector"]:
        """What the server answers: a vector for each text, all equally long."""
        body = {"input": texts, **text_format.extra_fields}
        if self._requested_dimensions:
            body[self._family.dimensions_field] = self._requested_dimensions
        answer = self._endpoint.post(body, is_query=is_query)
        with self._lock:
            self._tokens += _used_tokens(answer) or sum(map(estimate_tokens, texts))
        return _sort_vectors(self.model, answer["data"], len(texts))


def _used_tokens(answer: dict[str, Any]) -> int:
    """The tokens that the server has counted, where it does."""
    usage = answer.get("usage")
    total = usage.get("total_tokens") if isinstance(usage, dict) else None
    return total if isinstance(total, int) else 0


def _sort_vectors(model: str, data: list[Any], count: int) -> list["Vector"]:
    """The vectors by `index`; raises ServiceError for what are not so many, all equally long."""
    try:
        places = [item.get("index", at) for at, item in enumerate(data)]
        vectors = [_decode_vector(item["embedding"]) for item in data]
        by_place = dict(zip(places, vectors, strict=True))
        found = [by_place[at] for at in range(count)]
    except (AttributeError, KeyError, TypeError, ValueError):
        found = []
    lengths = {vector.shape for vector in found}
    if len(data) != count or len(lengths) != 1 or any(len(shape) != 1 for shape in lengths):
        raise ServiceError(
            f"{model} answered {count} texts with something else than {count} vectors of one "
            "length. Run again; if it does so again, name another --model."
        )
    return found


def _decode_vector(embedding: Any) -> "Vector":
    """As a list, or as base64 of 32 bits a number."""
    import numpy as np

    if isinstance(embedding, str):
        return np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4")
    with np.errstate(over="ignore"):
        return np.array(embedding, dtype=np.float32)
