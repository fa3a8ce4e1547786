"""Language models behind an OpenAI-compatible chat completions endpoint (Ollama, LM Studio,
vLLM, llama.cpp, paid services).
"""

import re
from collections.abc import Mapping
from threading import Lock
from typing import Any

from feeder.descriptions import MAX_ANSWER_TOKENS, ModelAnswer
from feeder.embedding import ServiceUsage
from feeder.embedding.batching import estimate_tokens
from feeder.embedding.endpoint import Endpoint
from feeder.errors import ServiceError

_TRUNCATED_REASONS = frozenset({"length", "max_tokens"})
_FILTERED_REASON = "content_filter"
_CONTENT_FILTER_ERROR = re.compile(
    r"content.{0,20}(filter|polic|management)|moderation|safety", re.I
)
"""Words of an error response that rejects one text and not the request as such."""
# options that some models reject, by their name in the error response, and what replaces them
_OPTION_FALLBACKS: Mapping[str, Mapping[str, Any]] = {
    "max_tokens": {"max_completion_tokens": MAX_ANSWER_TOKENS},
    "temperature": {},
}


class EndpointDescriber:
    """A `Describer` over HTTP."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._options: dict[str, Any] = {"max_tokens": MAX_ANSWER_TOKENS, "temperature": 0}
        self._tokens = 0
        self._lock = Lock()

    @property
    def model(self) -> str:
        return self._endpoint.name

    @property
    def usage(self) -> ServiceUsage:
        return ServiceUsage(self._endpoint.requests, self._tokens)

    def ask(self, prompt: str, text: str) -> ModelAnswer:
        try:
            answer = self._post({"messages": chat_messages(prompt, text), "stream": False})
        except ServiceError as exc:
            if exc.status not in {400, 422} or not _CONTENT_FILTER_ERROR.search(str(exc)):
                raise
            return ModelAnswer("", refused=True)
        with self._lock:
            self._tokens += total_tokens(answer) or estimate_tokens(
                prompt + text
            ) + estimate_tokens(parse_answer(answer).text)
        return parse_answer(answer)

    def neurons(self, tokens_in: int, tokens_out: int) -> float | None:
        return None

    def close(self) -> None:
        self._endpoint.close()

    def _post(self, body: dict[str, Any]) -> dict[str, Any]:
        while True:
            options = dict(self._options)
            try:
                return self._endpoint.post({**body, **options})
            except ServiceError as exc:
                if not self._drop_rejected_option(exc, options):
                    raise

    def _drop_rejected_option(self, exc: ServiceError, options: Mapping[str, Any]) -> bool:
        """Replaces an option that the error response names, for all later requests."""
        rejected = [
            name for name in _OPTION_FALLBACKS if name in options and f"'{name}'" in str(exc)
        ]
        if exc.status != 400 or not rejected:
            return False
        rest = {name: value for name, value in options.items() if name != rejected[0]}
        self._options = {**rest, **_OPTION_FALLBACKS[rejected[0]]}
        return True


def chat_messages(prompt: str, text: str) -> list[dict[str, str]]:
    """Returns the messages of a request; lone surrogates in the text are replaced."""
    content = text.encode(errors="replace").decode()
    return [{"role": "system", "content": prompt}, {"role": "user", "content": content}]


def parse_answer(response: Mapping[str, Any]) -> ModelAnswer:
    """Reads the first of a response's `choices`; empty if it has another form."""
    choices = response.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    choice = first if isinstance(first, dict) else {}
    value = choice.get("message")
    message = value if isinstance(value, dict) else {}
    finish_reason = choice.get("finish_reason")
    refused = finish_reason == _FILTERED_REASON or isinstance(message.get("refusal"), str)
    return ModelAnswer(
        _content_text(message.get("content")), finish_reason not in _TRUNCATED_REASONS, refused
    )


def _content_text(content: Any) -> str:
    """Joins content that is a string or a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part.get("text") for part in parts if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str))


def total_tokens(response: Mapping[str, Any]) -> int:
    """Returns the tokens that the server counted; 0 if it does not count."""
    usage = response.get("usage")
    total = usage.get("total_tokens") if isinstance(usage, dict) else None
    return total if isinstance(total, int) else 0
