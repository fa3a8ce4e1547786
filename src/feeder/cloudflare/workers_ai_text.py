"""`Describer` over the text models of Workers AI, with their prices."""

from threading import Lock
from typing import Any, NamedTuple
from urllib.parse import quote

from feeder.cloudflare.api import Api, Call
from feeder.descriptions import MAX_ANSWER_TOKENS, ModelAnswer
from feeder.descriptions.chat_completions import chat_messages, parse_answer, total_tokens
from feeder.embedding import ServiceUsage
from feeder.embedding.batching import estimate_tokens
from feeder.errors import UserError
from feeder.http_client import json_bytes

MODEL_PREFIX = "@cf/"


class Price(NamedTuple):
    """Neurons for a million input tokens and a million output tokens."""

    tokens_in: int
    tokens_out: int


# from developers.cloudflare.com/workers-ai/platform/pricing
PRICES = {
    "@cf/meta/llama-3.2-1b-instruct": Price(2_457, 18_252),
    "@cf/meta/llama-3.2-3b-instruct": Price(4_625, 30_475),
    "@cf/meta/llama-3.1-8b-instruct-fp8-fast": Price(4_119, 34_868),
    "@cf/meta/llama-3.1-8b-instruct-fp8": Price(13_778, 26_128),
    "@cf/meta/llama-3.1-8b-instruct-awq": Price(11_161, 24_215),
    "@cf/meta/llama-3.1-8b-instruct": Price(25_608, 75_147),
    "@cf/meta/llama-3.3-70b-instruct-fp8-fast": Price(26_668, 204_805),
    "@cf/mistral/mistral-7b-instruct-v0.1": Price(10_000, 17_300),
    "@cf/deepseek-ai/deepseek-r1-distill-qwen-32b": Price(45_170, 443_756),
}
_EXAMPLE = "@cf/meta/llama-3.1-8b-instruct-fp8-fast"


class WorkersAIDescriber:
    """A `Describer` over Workers AI; raises UserError for a malformed model name."""

    def __init__(self, api: Api, model: str) -> None:
        if not model.startswith(MODEL_PREFIX) or not model.isprintable() or " " in model:
            raise UserError(
                f"--describe {model!r} is not a model of Workers AI.",
                f"Choose one such as {_EXAMPLE}, or an address as URL#name.",
            )
        self._api = api
        self._model = model
        # the slash of a model's name stays one: encoded, there is no such route
        self._path = f"ai/run/{quote(model, safe='@/')}"
        self._usage = ServiceUsage()
        self._lock = Lock()

    @property
    def model(self) -> str:
        return self._model

    @property
    def usage(self) -> ServiceUsage:
        """Tokens and neurons; the API counts the requests."""
        return self._usage

    def ask(self, prompt: str, text: str) -> ModelAnswer:
        body = {
            "messages": chat_messages(prompt, text),
            "max_tokens": MAX_ANSWER_TOKENS,
            "temperature": 0,
        }
        try:
            answer = self._api.call(Call("ai", self._path, json_bytes(body)))
        except UserError as exc:
            problem, remedy = (
                text.replace("--model", "--describe") for text in (exc.problem, exc.remedy)
            )
            raise UserError(problem, remedy) from exc
        parsed = _parse_answer(answer if isinstance(answer, dict) else {})
        self._add_usage(answer, estimate_tokens(prompt + text), estimate_tokens(parsed.text))
        return parsed

    def neurons(self, tokens_in: int, tokens_out: int) -> float | None:
        price = PRICES.get(self._model)
        if price is None:
            return None
        return (tokens_in * price.tokens_in + tokens_out * price.tokens_out) / 1e6

    def close(self) -> None:
        """Does nothing: the owner of the API closes it."""

    def _add_usage(self, answer: Any, tokens_in: int, tokens_out: int) -> None:
        total = (total_tokens(answer) if isinstance(answer, dict) else 0) or tokens_in + tokens_out
        neurons = self.neurons(total - tokens_out, tokens_out) or 0.0
        with self._lock:
            before = self._usage
            self._usage = ServiceUsage(0, before.tokens + total, before.neurons + neurons)


def _parse_answer(answer: dict[str, Any]) -> ModelAnswer:
    """Reads the `response` of older models, without a finish reason, or OpenAI's format."""
    text = answer.get("response")
    if not isinstance(text, str):
        return parse_answer(answer)
    usage = answer.get("usage")
    tokens = usage.get("completion_tokens") if isinstance(usage, dict) else None
    return ModelAnswer(text, not (isinstance(tokens, int) and tokens >= MAX_ANSWER_TOKENS))
