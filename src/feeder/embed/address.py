"""How are texts embedded by whoever answers at an address, as OpenAI's interface has it?

So do Ollama, LM Studio, vLLM, llama.cpp, Voyage, Jina and Mistral.
"""

import base64
from collections.abc import Mapping, Sequence
from functools import partial
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from feeder.embed import Embedder, Spent
from feeder.embed.dealing import UNDER_WAY, Dealer, checked, tokens
from feeder.embed.endpoint import Endpoint
from feeder.embed.families import Form, family_of
from feeder.errors import ServiceError, UserError

if TYPE_CHECKING:
    from feeder.embed import Vector

SHORT = "a"
"""What is sent to learn the dimensions."""
_NOTHING: Mapping[str, str] = MappingProxyType({})


class AddressEmbedder(Embedder):
    """An `Embedder` over HTTP.

    `dimensions` are asked of a model that may shorten its vectors. `known` is what an index says of
    the model that it was made with.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        dimensions: int | None = None,
        known: Mapping[str, str] = _NOTHING,
    ) -> None:
        self._endpoint = endpoint
        self._family = family_of(endpoint.address.model)
        own = self._family.dimensions
        may_shorten = not own or (self._family.can_shorten and own != dimensions)
        self._asked = dimensions if may_shorten else None
        self._dimensions = dimensions or own
        if not self._dimensions and known.get("model") == self.model:
            self._dimensions = int(known["dimensions"])
        self._tokens = 0
        self._lock = Lock()
        self._dealer = Dealer(self._family.limits, partial(self._vectors, self._family.text))

    @property
    def model(self) -> str:
        """The name and where it is; also how short, where only the server knows how long."""
        shortened = f" at {self._asked}" if self._asked and not self._family.dimensions else ""
        return f"{self._endpoint.name}{shortened}"

    @property
    def dimensions(self) -> int:
        """Costs a request with one short text, where neither the table nor the index tells."""
        if not self._dimensions:
            self._dimensions = len(self._found(self._family.text, [SHORT])[0])
        return self._dimensions

    @property
    def batch(self) -> int:
        return self._family.limits.texts * UNDER_WAY

    @property
    def spent(self) -> Spent:
        return Spent(self._endpoint.requests, self._tokens)

    def foreseen(self, sizes: Sequence[int]) -> Spent:
        return self._family.limits.foreseen(sizes, self._family.text.before, self.batch)

    def embed(self, texts: Sequence[str]) -> list["Vector"]:
        before = self._family.text.before
        return self._dealer.vectors([self._family.limits.fit(before + text) for text in texts])

    def embed_query(self, text: str) -> "Vector":
        query = self._family.query
        ready = self._family.limits.fit(query.before + text)
        return self._vectors(query, [ready], question=True)[0]

    def close(self) -> None:
        self._endpoint.close()

    def _vectors(self, form: Form, texts: list[str], *, question: bool = False) -> list["Vector"]:
        """One request."""
        found = self._found(form, texts, question=question)
        made = len(found[0])
        # some servers do not heed what is asked, and the model allows it
        can_cut = self._asked and self._family.can_shorten and made > self._asked
        if made != self.dimensions and not can_cut:
            raise UserError(
                f"{self.model} makes vectors of {made} dimensions, and {self.dimensions} were "
                f"expected. Say --dimensions {made}, or name another --model."
            )
        return checked(self.model, found, len(texts), made, self.dimensions)

    def _found(self, form: Form, texts: list[str], *, question: bool = False) -> list["Vector"]:
        """What the server answers: a vector for each text, all equally long."""
        body = {"input": texts, **form.more}
        if self._asked:
            body[self._family.dimensions_field] = self._asked
        answer = self._endpoint.ask(body, question=question)
        with self._lock:
            self._tokens += _used(answer) or sum(map(tokens, texts))
        return _in_order(self.model, answer["data"], len(texts))


def _used(answer: dict[str, Any]) -> int:
    """The tokens that the server has counted, where it does."""
    usage = answer.get("usage")
    total = usage.get("total_tokens") if isinstance(usage, dict) else None
    return total if isinstance(total, int) else 0


def _in_order(model: str, data: list[Any], wanted: int) -> list["Vector"]:
    """The vectors by `index`; raises ServiceError for what are not so many, all equally long."""
    try:
        places = [item.get("index", at) for at, item in enumerate(data)]
        vectors = [_numbers(item["embedding"]) for item in data]
        by_place = dict(zip(places, vectors, strict=True))
        found = [by_place[at] for at in range(wanted)]
    except (AttributeError, KeyError, TypeError, ValueError):
        found = []
    lengths = {vector.shape for vector in found}
    if len(data) != wanted or len(lengths) != 1 or any(len(shape) != 1 for shape in lengths):
        raise ServiceError(
            f"{model} answered {wanted} texts with something else than {wanted} vectors of one "
            "length. Run again; if it does so again, name another --model."
        )
    return found


def _numbers(embedding: Any) -> "Vector":
    """As a list, or as base64 of 32 bits a number."""
    import numpy as np

    if isinstance(embedding, str):
        return np.frombuffer(base64.b64decode(embedding, validate=True), dtype="<f4")
    with np.errstate(over="ignore"):
        return np.array(embedding, dtype=np.float32)
