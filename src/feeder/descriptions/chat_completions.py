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
"""Words of a refusal that is of one text alone."""
# what some models refuse to be told, by a word of the refusal, and what they are told in its place
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
        """Whether the refusal is of an option, which is then left out for good."""
        refused = [
            name for name in _OPTION_FALLBACKS if name in options and f"'{name}'" in str(exc)
        ]
        if exc.status != 400 or not refused:
            return False
        rest = {name: value for name, value in options.items() if name != refused[0]}
        self._options = {**rest, **_OPTION_FALLBACKS[refused[0]]}
        return True


def chat_messages(prompt: str, text: str) -> list[dict[str, str]]:
    """What is to be done, and the text that it is about; half characters do not travel."""
    asked = text.encode(errors="replace").decode()
    return [{"role": "system", "content": prompt}, {"role": "user", "content": asked}]


def parse_answer(response: Mapping[str, Any]) -> ModelAnswer:
    """What an answer with `choices` says; nothing where it is of another form."""
    choices = response.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    choice = first if isinstance(first, dict) else {}
    said = choice.get("message")
    message = said if isinstance(said, dict) else {}
    ended = choice.get("finish_reason")
    refused = ended == _FILTERED_REASON or isinstance(message.get("refusal"), str)
    return ModelAnswer(
        _content_text(message.get("content")), ended not in _TRUNCATED_REASONS, refused
    )


def _content_text(content: Any) -> str:
    """As a text, or as a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    said = [part.get("text") for part in parts if isinstance(part, dict)]
    return "".join(text for text in said if isinstance(text, str))


def total_tokens(response: Mapping[str, Any]) -> int:
    """The tokens that the server has counted, where it does."""
    usage = response.get("usage")
    total = usage.get("total_tokens") if isinstance(usage, dict) else None
    return total if isinstance(total, int) else 0
