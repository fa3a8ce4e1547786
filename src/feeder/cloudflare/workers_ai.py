"""How are texts embedded by Cloudflare Workers AI?"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from feeder.cloudflare.api import Api, Call
from feeder.cloudflare.models import REQUEST_TOKENS, model_of
from feeder.embed import Embedder, Spent
from feeder.embed.dealing import Dealer, Limits, checked, tokens
from feeder.wire import json_bytes

if TYPE_CHECKING:
    from feeder.embed import Vector


class WorkersAI(Embedder):
    """An `Embedder` over Workers AI.

    A text too long for the model is cut. Raises UserError for a model or dimensions that there are
    not.
    """

    batch = 1000

    def __init__(self, api: Api, model: str | None = None, dimensions: int | None = None) -> None:
        self.about = model_of(model, dimensions)
        self._tokens = 0
        self._dimensions = dimensions or self.about.dimensions
        self._api = api
        # the slash of a model's name stays one: encoded, there is no such route
        self._path = f"ai/run/{quote(self.about.name, safe='@/')}"
        self._limits = Limits(self.about.texts, REQUEST_TOKENS, self.about.tokens)
        self._dealer = Dealer(
            self._limits, lambda texts: self._vectors(self._body(texts), len(texts))
        )

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
        spent = self._limits.foreseen(sizes, self.about.before_text, self.batch)
        return spent._replace(neurons=self.about.neurons(spent.tokens))

    def embed(self, texts: Sequence[str]) -> list["Vector"]:
        ready = [self._limits.fit(f"{self.about.before_text}{text}") for text in texts]
        vectors = self._dealer.vectors(ready)
        self._tokens += sum(map(tokens, ready))
        return vectors

    def embed_query(self, text: str) -> "Vector":
        ready = self._limits.fit(f"{self.about.before_query}{text}")
        self._tokens += tokens(ready)
        if not self.about.asymmetric:
            return self._dealer.vectors([ready])[0]
        body = {"queries": [ready], "instruction": self.about.instruction}
        return self._vectors(body, 1)[0]

    def close(self) -> None:
        """Nothing to end: the API is closed by its owner."""

    def _body(self, texts: list[str]) -> dict[str, Any]:
        if self.about.asymmetric:
            return {"documents": texts}
        return {"text": texts, **({"truncate_inputs": True} if self.about.truncates else {})}

    def _vectors(self, body: dict[str, Any], wanted: int) -> list["Vector"]:
        """One request."""
        answer = self._api.call(Call("ai", self._path, json_bytes(body)))
        found = answer.get("data") if isinstance(answer, dict) else None
        found = found if isinstance(found, list) else []
        return checked(self.model, found, wanted, self.about.dimensions, self._dimensions)
