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


class ModelVectors(NamedTuple):
    """What makes vectors and what keeps them; they belong to one model.

    `lookup` is the table that a Worker needs for a question's vector, where nothing else makes it.
    """

    embedder: CachedEmbedder
    vectors: Vectors
    lookup: LookupTable | None = None

    def model_identity(self) -> dict[str, str]:
        """What `meta` keeps of the model: vectors of another one, or elsewhere, are made again."""
        place = {"index": self.vectors.index_name} if self.vectors.index_name else {}
        return {
            **place,
            "model": self.embedder.model,
            "dimensions": str(self.embedder.dimensions),
            "header": HEADER_VERSION,
        }


class WorkflowRun(Protocol):
    """What a run answers to: one run of a workflow. A later run has a higher `order`."""

    @property
    def workflow(self) -> str:
        """Its name."""
        ...

    @property
    def number(self) -> int:
        """Of the workflow's runs, as people see it."""
        ...

    @property
    def order(self) -> int:
        """Over all workflows."""
        ...


class DescriptionOptions(NamedTuple):
    """Who is asked for lines on methods and classes, and how much; without anybody they go.

    With `again` so is for lines of other models and prompts, and where there was a reason for none.
    """

    describer: Describer | None
    redescribe: bool = False
    max_descriptions: int | None = None
    max_tokens: int | None = None
    mask_secrets: bool = True


@dataclass
class SyncContext:
    """The seams of a run, and its account.

    `token` names the run; several that share it share the work, by `shard`. `event` is what it
    answers to in a workflow. With `force` an index may go back, and become another folder's.
    `texts` says whether it keeps the files' lines; None is as it was told before. `describing` says
    who is asked for a line on each method and class; with None nobody is, and lines stay. `meaning`
    makes the vectors that come with the words.
    """

    tree: Tree
    parser: Parser
    index: Index
    model_vectors: ModelVectors | None
    report: Report
    progress: ProgressReporter
    token: str
    budget: Budget = field(default_factory=Budget)
    shard: Shard | None = None
    event: WorkflowRun | None = None
    force: bool = False
    store_source: bool | None = None
    description_options: DescriptionOptions | None = None
    static_model: StaticEmbedder | None = None
