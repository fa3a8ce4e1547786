"""What does a server's refusal mean: which error, and is another try worthwhile?

Servers share statuses and differ in their words: each rule has those that were seen.
"""

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from feeder.errors import FeederError, ServiceError, TooLargeError, TransientError, UserError

KEY = "FEEDER_API_KEY"
MESSAGE_CHARS = 300
"""Of a refusal's words: some quote the whole request."""

# llama.cpp: "input is too large to process"; Ollama: "the input length exceeds the context length";
# OpenAI and vLLM: "maximum context length is 512 tokens"; Mistral: "Too many tokens in batch";
# Voyage: "max allowed tokens per submitted batch"; text-embeddings-inference: "batch size 64 >
# maximum allowed batch size 32"; DashScope: "batch size is invalid"
_TOO_LARGE = (
    r"too (large|long|many (tokens|inputs|texts))|(context|input|sequence) (length|window|size)"
    r"|max(imum)? (allowed )?(tokens|number of tokens|batch)|batch size"
)
_USED_UP = r"insufficient|quota|billing|balance|payment|credit"
_NO_MODEL = r"model.*not (found|exist|embedding)|(unknown|invalid) model|no models? loaded"


class Refused(NamedTuple):
    """A no: its status and words, by which model at which place."""

    model: str
    place: str
    status: int
    words: str
    option: str = "--model"
    """What named the model."""

    def error(self, kind: type[ServiceError] = ServiceError, remedy: str = "") -> ServiceError:
        """The refusal as an error, in the server's own words."""
        said = self.words[:MESSAGE_CHARS].rstrip(". \n") or "no reason given"
        sentence = f"{self.model}: {said} (HTTP {self.status}).{remedy and ' '}{remedy}"
        return kind(sentence, status=self.status)

    def mistake(self, remedy: str) -> UserError:
        """The same, where the user has to change something."""
        return UserError(str(self.error(remedy=remedy)))


class Rule(NamedTuple):
    """Makes the error of a refusal of such a status, with such words."""

    statuses: frozenset[int]
    words: str
    make: Callable[[Refused], FeederError]

    def covers(self, refused: Refused) -> bool:
        found = re.search(self.words, refused.words, re.IGNORECASE | re.DOTALL)
        return refused.status in self.statuses and found is not None


def error_of(refused: Refused) -> FeederError:
    """The error that a refusal stands for."""
    for rule in _RULES:
        if rule.covers(refused):
            return rule.make(refused)
    if refused.status >= 500:
        return _passing(refused)
    return refused.error(remedy=f"Run again later, or name another {refused.option}.")


def words_of(answer: Any) -> str:
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
    return f"{said}{_code(answer)}" if isinstance(said, str) and said else ""


def _code(answer: Any) -> str:
    """By it alone OpenAI tells a used up quota from a busy minute."""
    error = answer.get("error") if isinstance(answer, dict) else None
    code = error.get("code") if isinstance(error, dict) else None
    return f" [{code}]" if isinstance(code, str) else ""


def _too_large(refused: Refused) -> FeederError:
    return refused.error(TooLargeError)


def _passing(refused: Refused) -> FeederError:
    return refused.error(TransientError, "Run again later.")


def _used_up(refused: Refused) -> FeederError:
    return refused.error(remedy="Wait, or add to what is paid for there; then run again.")


def _key(refused: Refused) -> FeederError:
    return refused.mistake(f"Set {KEY} to a key that {refused.place} takes.")


def _no_model(refused: Refused) -> FeederError:
    return refused.mistake(
        f"Load or pull the model there, or mend {refused.option} URL#name: the URL mostly ends in "
        "/v1."
    )


def _dimensions(refused: Refused) -> FeederError:
    return refused.mistake("Leave --dimensions out, or name a model that shortens its vectors.")


def _rule(statuses: set[int], words: str, make: Callable[[Refused], FeederError]) -> Rule:
    return Rule(frozenset(statuses), words, make)


# The first rule that covers a refusal decides.
_RULES = (
    _rule({400, 422}, r"\bdimensions?\b|matryoshka", _dimensions),
    _rule({413}, "", _too_large),
    _rule({400, 422, 500}, _TOO_LARGE, _too_large),
    # OpenAI, of one request above the tokens of a minute: it would never pass
    _rule({429}, "request too large", _too_large),
    _rule({402, 403, 429}, _USED_UP, _used_up),
    _rule({401, 403}, "", _key),
    _rule({404}, "", _no_model),
    _rule({400}, _NO_MODEL, _no_model),
    _rule({408, 425, 429}, "", _passing),
)
