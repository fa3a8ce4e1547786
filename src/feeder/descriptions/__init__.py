"""Descriptions of methods and classes by a language model.

Entry points: `Describer` (the interface of a model), `prompt.subjects` and
`sanitizer.parse_description`. `descriptions` never opens the index.
"""

from typing import NamedTuple, Protocol

from feeder.embedding import ServiceUsage

MAX_ANSWER_TOKENS = 300
"""Limit of one answer: a description takes about 40, and some models reason first."""
DESCRIPTION_TOKENS = 40
"""Estimated tokens of one description."""


class ModelAnswer(NamedTuple):
    """A model's answer; it may be cut (not `is_complete`) or refuse the request."""

    text: str
    is_complete: bool = True
    refused: bool = False


class Describer(Protocol):
    """A language model; its methods may be called by several threads at once."""

    @property
    def model(self) -> str:
        """The name that the index records with each description, without secrets."""
        ...

    @property
    def usage(self) -> ServiceUsage:
        """Returns the usage so far."""
        ...

    def ask(self, prompt: str, text: str) -> ModelAnswer:
        """Sends the prompt and a text; returns the answer.

        Raises ServiceError, UserError, or TooLargeError for a text that is too long.
        """
        ...

    def neurons(self, tokens_in: int, tokens_out: int) -> float | None:
        """Returns what Workers AI bills for so many tokens; None if the price is unknown."""
        ...

    def close(self) -> None:
        """Closes connections; may be called twice."""
        ...
