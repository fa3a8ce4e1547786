"""Maps an error response of an OpenAI-compatible server to an error of this program."""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from feeder.errors import FeederError, ServiceError, TooLargeError, TransientError, UserError

API_KEY_VARIABLE = "FEEDER_API_KEY"
MAX_MESSAGE_CHARS = 300
"""Longest part of a server's message that is shown: some quote the whole request."""

# llama.cpp: "input is too large to process"; Ollama: "the input length exceeds the context length";
# OpenAI and vLLM: "maximum context length is 512 tokens"; Mistral: "Too many tokens in batch";
# Voyage: "max allowed tokens per submitted batch"; text-embeddings-inference: "batch size 64 >
# maximum allowed batch size 32"; DashScope: "batch size is invalid"
_TOO_LARGE_WORDS = (
    r"too (large|long|many (tokens|inputs|texts))|(context|input|sequence) (length|window|size)"
    r"|max(imum)? (allowed )?(tokens|number of tokens|batch)|batch size"
)
_QUOTA_WORDS = r"insufficient|quota|billing|balance|payment|credit"
_NO_MODEL_WORDS = r"model.*not (found|exist|embedding)|(unknown|invalid) model|no models? loaded"


class EndpointErrorResponse(NamedTuple):
    """An error response: the model and its address, the HTTP status and the server's message."""

    model: str
    display_url: str
    status: int
    message: str
    option: str = "--model"
    """The option that named the model."""

    def to_error(self, kind: type[ServiceError] = ServiceError, remedy: str = "") -> ServiceError:
        """Returns an error that quotes the server's message."""
        message = self.message[:MAX_MESSAGE_CHARS].rstrip(". \n") or "no reason given"
        return kind(f"{self.model}: {message} (HTTP {self.status}).", remedy, status=self.status)

    def to_user_error(self, remedy: str) -> UserError:
        """Returns the same for an error that the user has to resolve."""
        return UserError(self.to_error().problem, remedy)


class EndpointErrorRule(NamedTuple):
    """Assigns an error to responses of these statuses whose message matches the pattern."""

    statuses: frozenset[int]
    message_pattern: str
    make_error: Callable[[EndpointErrorResponse], FeederError]

    def matches(self, response: EndpointErrorResponse) -> bool:
        match = re.search(self.message_pattern, response.message, re.IGNORECASE | re.DOTALL)
        return response.status in self.statuses and match is not None


def error_from(response: EndpointErrorResponse) -> FeederError:
    """Returns the error that a response stands for; the first rule that matches decides."""
    for rule in _RULES:
        if rule.matches(response):
            return rule.make_error(response)
    if response.status >= 500:
        return _transient_error(response)
    return response.to_error(remedy=f"Run again later, or choose another {response.option}.")


def error_message(answer: Any) -> str:
    """Returns the message of a JSON error response; empty if there is none.

    Reads {"error": {"message": …}}, {"error": …}, {"message": …}, {"detail": …} and
    {"detail": [{"msg": …}]}.
    """
    message = answer
    for _ in range(3):
        if isinstance(message, list) and message:
            message = message[0]
        if isinstance(message, dict):
            keys = ("error", "message", "detail", "msg")
            message = next((message[key] for key in keys if message.get(key)), "")
    return f"{message}{_error_code(answer)}" if isinstance(message, str) and message else ""


def _error_code(answer: Any) -> str:
    """Returns the error's code: only by it does OpenAI tell a used-up quota from a rate limit."""
    error = answer.get("error") if isinstance(answer, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    return f" [{code}]" if isinstance(code, str) else ""


def _too_large_error(response: EndpointErrorResponse) -> FeederError:
    return response.to_error(TooLargeError)


def _transient_error(response: EndpointErrorResponse) -> FeederError:
    return response.to_error(TransientError, "Run again later.")


def _quota_error(response: EndpointErrorResponse) -> FeederError:
    return response.to_error(remedy="Wait, or raise the quota there; then run again.")


def _key_error(response: EndpointErrorResponse) -> FeederError:
    return response.to_user_error(
        f"Set {API_KEY_VARIABLE} to a key that is valid at {response.display_url}."
    )


def _model_error(response: EndpointErrorResponse) -> FeederError:
    return response.to_user_error(
        f"Load or pull the model there, or correct {response.option} URL#name: the URL usually "
        "ends in /v1."
    )


def _dimensions_error(response: EndpointErrorResponse) -> FeederError:
    return response.to_user_error(
        "Leave --dimensions out, or choose a model that can shorten its vectors."
    )


def _make_rule(
    statuses: set[int], pattern: str, make_error: Callable[[EndpointErrorResponse], FeederError]
) -> EndpointErrorRule:
    return EndpointErrorRule(frozenset(statuses), pattern, make_error)


_RULES = (
    _make_rule({400, 422}, r"\bdimensions?\b|matryoshka", _dimensions_error),
    _make_rule({413}, "", _too_large_error),
    _make_rule({400, 422, 500}, _TOO_LARGE_WORDS, _too_large_error),
    # OpenAI, for one request above the tokens of a minute: a retry would never succeed
    _make_rule({429}, "request too large", _too_large_error),
    _make_rule({402, 403, 429}, _QUOTA_WORDS, _quota_error),
    _make_rule({401, 403}, "", _key_error),
    _make_rule({404}, "", _model_error),
    _make_rule({400}, _NO_MODEL_WORDS, _model_error),
    _make_rule({408, 425, 429}, "", _transient_error),
)
