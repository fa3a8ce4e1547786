"""`SyncContext`: what one run works on and reports to, with its options and its budget of
requests and embeddings.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from feeder.descriptions import Describer
from feeder.embedding.cache import CachedEmbedder
from feeder.nodes import HEADER_VERSION
from feeder.parse import Parser, StaticEmbedder
from feeder.progress import ProgressReporter
from feeder.shards import Shard
from feeder.source import Tree
from feeder.store import Vectors
from feeder.store.index import Index
from feeder.store.lookup_table import LookupTable
from feeder.sync.report import Report

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


class ModelVectors(NamedTuple):
    """An embedding model and the store of its vectors.

    `lookup` is the table with which a Worker embeds a query, for models that it cannot call.
    """

    embedder: CachedEmbedder
    vectors: Vectors
    lookup: LookupTable | None = None

    def model_identity(self) -> dict[str, str]:
        """Returns what `meta` records of the model; vectors of another identity are recomputed."""
        place = {"index": self.vectors.index_name} if self.vectors.index_name else {}
        return {
            **place,
            "model": self.embedder.model,
            "dimensions": str(self.embedder.dimensions),
            "header": HEADER_VERSION,
        }


class WorkflowRun(Protocol):
    """The run of a workflow that started this process. A later one has a higher `order`."""

    @property
    def workflow(self) -> str:
        """The workflow's name."""
        ...

    @property
    def number(self) -> int:
        """The run's number within its workflow, as GitHub shows it."""
        ...

    @property
    def order(self) -> int:
        """Position among the runs of all workflows."""
        ...


class DescriptionOptions(NamedTuple):
    """The settings for the descriptions of a run; without a `describer` it removes them all.

    With `redescribe` it also replaces descriptions by other models and prompts, and retries
    rejected ones.
    """

    describer: Describer | None
    redescribe: bool = False
    max_descriptions: int | None = None
    max_tokens: int | None = None
    mask_secrets: bool = True


@dataclass
class SyncContext:
    """The index and the source tree of one run, its options and its report."""

    tree: Tree
    parser: Parser
    index: Index
    model_vectors: ModelVectors | None
    report: Report
    progress: ProgressReporter
    token: str
    """Names the run in `meta`; shards of one sync have the same."""
    budget: Budget = field(default_factory=Budget)
    shard: Shard | None = None
    event: WorkflowRun | None = None
    force: bool = False
    """Allows an older commit, another folder, and an index that loses its documents."""
    store_source: bool | None = None
    """True if the index stores source; None leaves that as recorded."""
    description_options: DescriptionOptions | None = None
    """None requests no descriptions and keeps those that exist."""
    static_model: StaticEmbedder | None = None
    """Makes the static vectors of a local index."""
