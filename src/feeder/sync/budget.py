"""Sizes of a run's requests, and `Budget`: the user's limits of requests and embeddings."""

from collections.abc import Callable
from dataclasses import dataclass

BATCH_NODES = 2000
BATCH_CHARS = 3_000_000
"""Size of one transaction: a few of D1's parameters and a few seconds of its time."""

BATCH_VECTORS = 1000
"""Vectors of one upsert. A run that dies embeds at most these again, if no cache has them."""

FINAL_WRITES = 2
"""Writes at the end of a run: it deletes vectors and records its progress."""


@dataclass
class Budget:
    """The user's limits for one run; None is no limit.

    A run calls `allows` before each batch of work. The first batch is always allowed, so that
    repeated runs come to an end however small the limits are.
    """

    max_embeddings: int | None = None
    max_requests: int | None = None
    requests_sent: Callable[[], int] = lambda: 0
    embedding_requests: Callable[[int], int] = lambda texts: 0
    """Returns the number of requests that embed so many texts."""
    requests_per_write: int = 1
    """0 for a store on this machine."""
    stop_reason: str = ""
    """Once a limit is reached: a sentence that says which."""
    _started: bool = False

    @property
    def is_set(self) -> bool:
        """True if there is any limit."""
        return self.max_embeddings is not None or self.max_requests is not None

    def allows(
        self, writes: int, inputs: int = 0, total_embedded: int = 0, description_requests: int = 0
    ) -> bool:
        """Returns whether a batch of work may begin; once False, it stays False.

        The batch makes so many writes and description requests and embeds so many `inputs`; after
        it the run has embedded `total_embedded` texts.
        """
        if self._started and not self.stop_reason:
            writes = (writes + FINAL_WRITES) * self.requests_per_write
            self.stop_reason = self._exceeded_limit(
                writes + description_requests + self.embedding_requests(inputs), total_embedded
            )
        self._started = True
        return not self.stop_reason

    def stop(self, limit: str) -> None:
        """Ends the run at a limit of another kind."""
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
    return f"Stopped by {limit}: finished work is saved, and the next run continues."
