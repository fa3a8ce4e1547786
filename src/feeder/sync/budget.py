"""How much may a run take, and has it got there?"""

from collections.abc import Callable
from dataclasses import dataclass

FINAL_WRITES = 2
"""Writes with which a run ends: it deletes vectors, and notes what is done."""


@dataclass
class Budget:
    """The limits that the user has set to one run; None is no limit.

    A run asks before each piece of work. Its first piece is always allowed, so that repeated runs
    come to an end however small the limits are. `requests` tells how many were sent so far,
    `requests_for` how many so many texts take to be embedded, and `a_write` how many it takes to
    write to the store: none on this machine.
    """

    max_embeddings: int | None = None
    max_requests: int | None = None
    requests_sent: Callable[[], int] = lambda: 0
    embedding_requests: Callable[[int], int] = lambda texts: 0
    requests_per_write: int = 1
    stop_reason: str = ""
    """Why nothing is allowed any more: a sentence."""
    _started: bool = False

    @property
    def is_set(self) -> bool:
        """Whether there is any limit."""
        return self.max_embeddings is not None or self.max_requests is not None

    def allows(
        self, writes: int, inputs: int = 0, total_embedded: int = 0, description_requests: int = 0
    ) -> bool:
        """Whether a piece may begin that writes so often, embeds so many texts and asks so often.

        With it, the run will have embedded so many in all. After a no it stays no.
        """
        if self._started and not self.stop_reason:
            writes = (writes + FINAL_WRITES) * self.requests_per_write
            self.stop_reason = self._exceeded_limit(
                writes + description_requests + self.embedding_requests(inputs), total_embedded
            )
        self._started = True
        return not self.stop_reason

    def stop(self, limit: str) -> None:
        """Says that the run has come to a limit of another kind."""
        self.stop_reason = _stop_message(limit)

    def _exceeded_limit(self, requests: int, total_embedded: int) -> str:
        if self.max_embeddings is not None and total_embedded > self.max_embeddings:
            limit = f"--max-embeddings {self.max_embeddings}"
        elif self.max_requests is not None and self.requests_sent() + requests > self.max_requests:
            limit = f"--max-requests {self.max_requests}"
        else:
            return ""
        return _stop_message(limit)


def _stop_message(limit: str) -> str:
    return f"Stopped by {limit}: what is done is kept, and the next run goes on from there."
