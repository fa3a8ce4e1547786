"""How much may a run take, and has it got there?"""

from collections.abc import Callable
from dataclasses import dataclass

ENDING = 2
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
    requests: Callable[[], int] = lambda: 0
    requests_for: Callable[[int], int] = lambda texts: 0
    a_write: int = 1
    stopped: str = ""
    """Why nothing is allowed any more: a sentence."""
    _begun: bool = False

    @property
    def is_set(self) -> bool:
        """Whether there is any limit."""
        return self.max_embeddings is not None or self.max_requests is not None

    def allows(self, writes: int, texts: int = 0, embedded: int = 0, asks: int = 0) -> bool:
        """Whether a piece may begin that writes so often, embeds so many texts and asks so often.

        With it, the run will have embedded so many in all. After a no it stays no.
        """
        if self._begun and not self.stopped:
            writes = (writes + ENDING) * self.a_write
            self.stopped = self._above(writes + asks + self.requests_for(texts), embedded)
        self._begun = True
        return not self.stopped

    def stop(self, limit: str) -> None:
        """Says that the run has come to a limit of another kind."""
        self.stopped = _stopped(limit)

    def _above(self, requests: int, embedded: int) -> str:
        if self.max_embeddings is not None and embedded > self.max_embeddings:
            limit = f"--max-embeddings {self.max_embeddings}"
        elif self.max_requests is not None and self.requests() + requests > self.max_requests:
            limit = f"--max-requests {self.max_requests}"
        else:
            return ""
        return _stopped(limit)


def _stopped(limit: str) -> str:
    return f"Stopped by {limit}: what is done is kept, and the next run goes on from there."
