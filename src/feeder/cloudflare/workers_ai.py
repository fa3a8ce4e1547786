"""How are texts embedded by Cloudflare Workers AI?"""

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from feeder.cloudflare.api import Api, Call, as_json
from feeder.cloudflare.models import REQUEST_TOKENS, model_of
from feeder.embed import Embedder, Spent
from feeder.errors import ServiceError, TooLargeError

if TYPE_CHECKING:
    from feeder.embed import Vector

UNDER_WAY = 4
"""Requests at once."""
BYTES_A_TOKEN = 3
"""Of source code in UTF-8, cautiously: prose has more bytes a token, and a CJK sign is three."""


class WorkersAI(Embedder):
    """An `Embedder` over Workers AI.

    Texts are dealt to as few requests as the model's limits allow, a few of them under way at
    once. A text too long for the model is cut. Raises UserError for a model or dimensions that
    there are not.
    """

    batch = 1000

    def __init__(self, api: Api, model: str | None = None, dimensions: int | None = None) -> None:
        self.about = model_of(model, dimensions)
        self._tokens = 0
        self._before = len(self.about.before_text)
        self._most = self.about.tokens * BYTES_A_TOKEN
        self._dimensions = dimensions or self.about.dimensions
        self._api = api
        # the slash of a model's name stays one: encoded, there is no such route
        self._path = f"ai/run/{quote(self.about.name, safe='@/')}"
        self._pool: ThreadPoolExecutor | None = None

    @property
    def model(self) -> str:
        return self.about.name

    @property
    def dimensions(self) -> int:
        return self._dimensions

    @property
    def spent(self) -> Spent:
        """Requests aside, which the API counts."""
        return Spent(0, self._tokens, self.about.neurons(self._tokens))

    def foreseen(self, sizes: Sequence[int]) -> Spent:
        tokens = [_tokens_of(min(size + self._before, self._most)) for size in sizes]
        calls = [tokens[at : at + self.batch] for at in range(0, len(tokens), self.batch)]
        requests = sum(len(dealt(call, self.about.texts, REQUEST_TOKENS)) for call in calls)
        return Spent(requests, sum(tokens), self.about.neurons(sum(tokens)))

    def embed(self, texts: Sequence[str]) -> list["Vector"]:
        ready = [self._ready(f"{self.about.before_text}{text}") for text in texts]
        parts = dealt([_tokens(text) for text in ready], self.about.texts, REQUEST_TOKENS)
        self._pool = self._pool or ThreadPoolExecutor(UNDER_WAY, thread_name_prefix="workers-ai")
        requests = [[ready[at] for at in part] for part in parts]
        try:
            answers = list(self._pool.map(self._embed, requests))
        except BaseException:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None
            raise
        self._tokens += sum(map(_tokens, ready))
        vectors = dict(zip(chain(*parts), chain(*answers), strict=True))
        return [vectors[at] for at in range(len(texts))]

    def embed_query(self, text: str) -> "Vector":
        ready = self._ready(f"{self.about.before_query}{text}")
        self._tokens += _tokens(ready)
        if not self.about.asymmetric:
            return self._embed([ready])[0]
        body = {"queries": [ready], "instruction": self.about.instruction}
        return self._vectors(self._run(body), 1)[0]

    def close(self) -> None:
        if self._pool:
            self._pool.shutdown(cancel_futures=True)
        self._pool = None

    def _embed(self, texts: list[str]) -> list["Vector"]:
        """One request, or several smaller ones where the service wants them."""
        try:
            return self._vectors(self._run(self._body(texts)), len(texts))
        except TooLargeError:
            if len(texts) > 1:
                middle = len(texts) // 2
                return self._embed(texts[:middle]) + self._embed(texts[middle:])
            if len(texts[0]) <= 1:
                raise
            return self._embed([texts[0][: len(texts[0]) // 2]])

    def _body(self, texts: list[str]) -> dict[str, Any]:
        if self.about.asymmetric:
            return {"documents": texts}
        return {"text": texts, **({"truncate_inputs": True} if self.about.truncates else {})}

    def _run(self, body: dict[str, Any]) -> list[list[float]]:
        answer = self._api.call(Call("ai", self._path, as_json(body)))
        found = answer.get("data") if isinstance(answer, dict) else None
        return found if isinstance(found, list) else []

    def _vectors(self, found: list[list[float]], wanted: int) -> list["Vector"]:
        """As many as there are texts, shortened and of length 1."""
        import numpy as np

        lengths = sorted({len(numbers) for numbers in found})
        if len(found) != wanted or lengths != [self.about.dimensions]:
            raise ServiceError(
                f"{self.model} answered {len(found)} vectors of {lengths} dimensions to {wanted} "
                f"texts; {self.about.dimensions} dimensions were expected."
            )
        vectors = np.array(found, dtype=np.float32)[:, : self._dimensions]
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        if not (np.isfinite(norms).all() and norms.all()):
            raise ServiceError(f"{self.model} answered vectors that have no direction.")
        return list(vectors / norms)

    def _ready(self, text: str) -> str:
        """What can be sent: no lone surrogates, and no longer than the model reads."""
        raw = text.encode(errors="replace")[: self._most]
        return raw.decode(errors="ignore") or " "


def dealt(sizes: Sequence[int], most: int, most_size: int) -> list[list[int]]:
    """Positions dealt to as few parts as can be, none of more than `most` or above `most_size`.

    The largest first, in turns: so the parts come out nearly equal. One that is too large by
    itself is a part of its own.
    """
    count = max(math.ceil(len(sizes) / most), math.ceil(sum(sizes) / most_size))
    order = sorted(range(len(sizes)), key=lambda at: -sizes[at])
    while count < len(sizes):
        parts = [order[start::count] for start in range(count)]
        if all(sum(sizes[at] for at in part) <= most_size for part in parts):
            return parts
        count += 1
    return [[at] for at in order]


def _tokens(text: str) -> int:
    return _tokens_of(len(text.encode()))


def _tokens_of(size: int) -> int:
    """Of so many bytes; an estimate."""
    return -(-size // BYTES_A_TOKEN)
