"""Maps an error response of an OpenAI-compatible server to an error of this program."""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from feeder.errors import FeederError, ServiceError, TooLargeError, TransientError, UserError

API_KEY_VARIABLE = "FEEDER_API_KEY"
MAX_MESSAGE_CHARS = 300
"""Of a refusal's words: some quote the whole request."""

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
    """A no: its status and words, by which model at which place."""

    model: str
    display_url: str
    status: int
    message: str
    option: str = "--model"
    """What named the model."""

    def to_error(self, kind: type[ServiceError] = ServiceError, remedy: str = "") -> ServiceError:
        """The refusal as an error, in the server's own words."""
        said = self.message[:MAX_MESSAGE_CHARS].rstrip(". \n") or "no reason given"
        sentence = f"{self.model}: {said} (HTTP {self.status}).{remedy and ' '}{remedy}"
        return kind(sentence, status=self.status)

    def to_user_error(self, remedy: str) -> UserError:
        """The same, where the user has to change something."""
        return UserError(str(self.to_error(remedy=remedy)))


class EndpointErrorRule(NamedTuple):
    """Makes the error of a refusal of such a status, with such words."""

    statuses: frozenset[int]
    message_pattern: str
    make_error: Callable[[EndpointErrorResponse], FeederError]

    def matches(self, response: EndpointErrorResponse) -> bool:
        found = re.search(self.message_pattern, response.message, re.IGNORECASE | re.DOTALL)
        return response.status in self.statuses and found is not None


def error_from(response: EndpointErrorResponse) -> FeederError:
    """The error that a refusal stands for."""
    for rule in _RULES:
        if rule.matches(response):
            return rule.make_error(response)
    if response.status >= 500:
        return _transient_error(response)
    return response.to_error(remedy=f"Run again later, or name another {response.option}.")


def error_message(answer: Any) -> str:
    """What a JSON answer says of why it is a no; empty where it does not.

    That is {"error": {"message": …}}, {"error": …}, {"message": …}, {"detail": …} or
    {"detail": [{"msg": …}]}.
    """
    said = answer
    for _ in range(3):
        if isinstance(said, list) and said:
            said = said[0]
        if isinstance(said, dict):
            keys = ("error", "message", "detail", "msg")
            said = next((said[key] for key in keys if said.get(key)), "")
    return f"{said}{_error_code(answer)}" if isinstance(said, str) and said else ""


def _error_code(answer: Any) -> str:
    """By it alone OpenAI tells a used up quota from a busy minute."""
    error = answer.get("error") if isinstance(answer, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    return f" [{code}]" if isinstance(code, str) else ""


def _too_large_error(response: EndpointErrorResponse) -> FeederError:
    return response.to_error(TooLargeError)


def _transient_error(response: EndpointErrorResponse) -> FeederError:
    return response.to_error(TransientError, "Run again later.")


def _quota_error(response: EndpointErrorResponse) -> FeederError:
    return response.to_error(remedy="Wait, or add to what is paid for there; then run again.")


def _key_error(response: EndpointErrorResponse) -> FeederError:
    return response.to_user_error(
        f"Set {API_KEY_VARIABLE} to a key that {response.display_url} takes."
    )


def _model_error(response: EndpointErrorResponse) -> FeederError:
    return response.to_user_error(
        f"Load or pull the model there, or mend {response.option} URL#name: the URL mostly ends in "
        "/v1."
    )


def _dimensions_error(response: EndpointErrorResponse) -> FeederError:
    return response.to_user_error(
        "Leave --dimensions out, or name a model that shortens its vectors."
    )


def _make_rule(
    statuses: set[int], pattern: str, make_error: Callable[[EndpointErrorResponse], FeederError]
) -> EndpointErrorRule:
    return EndpointErrorRule(frozenset(statuses), pattern, make_error)


# The first rule that covers a refusal decides.
_RULES = (
    _make_rule({400, 422}, r"\bdimensions?\b|matryoshka", _dimensions_error),
    _make_rule({413}, "", _too_large_error),
    _make_rule({400, 422, 500}, _TOO_LARGE_WORDS, _too_large_error),
    # OpenAI, of one request above the tokens of a minute: it would never pass
    _make_rule({429}, "request too large", _too_large_error),
    _make_rule({402, 403, 429}, _QUOTA_WORDS, _quota_error),
    _make_rule({401, 403}, "", _key_error),
    _make_rule({404}, "", _model_error),
    _make_rule({400}, _NO_MODEL_WORDS, _model_error),
    _make_rule({408, 425, 429}, "", _transient_error),
)
