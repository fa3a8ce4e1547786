"""Descriptions of methods and classes by a language model.

Entry points: `Describer` (the interface of a model), `prompt.subjects` and
`sanitizer.parse_description`. `descriptions` never opens the index.
"""

from typing import NamedTuple, Protocol

from feeder.embedding import ServiceUsage

MAX_ANSWER_TOKENS = 300
"""That an answer may take: a line has 40, and some models think first."""
DESCRIPTION_TOKENS = 40
"""That a line is foreseen to take."""


class ModelAnswer(NamedTuple):
    """What a model has answered; it is not `whole` where it was cut, and may be a no."""

    text: str
    is_complete: bool = True
    refused: bool = False


class Describer(Protocol):
    """A language model that is asked for a line; several threads may ask at once."""

    @property
    def model(self) -> str:
        """The name that the index keeps beside each line; without what must not be shown."""
        ...

    @property
    def usage(self) -> ServiceUsage:
        """What has been taken so far."""
        ...

    def ask(self, prompt: str, text: str) -> ModelAnswer:
        """The answer to a text, by what the prompt says to do.

        Raises ServiceError, UserError, or TooLargeError for a text that is too long.
        """
        ...

    def neurons(self, tokens_in: int, tokens_out: int) -> float | None:
        """What so many tokens are billed as by Workers AI; None where no price is known."""
        ...

    def close(self) -> None:
        """Give back connections; a second call does nothing."""
        ...
