"""`SyncContext`: what one run works on and reports to, with its options."""

from collections.abc import Callable, Mapping
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
from feeder.sync.budget import Budget
from feeder.sync.report import Report


class ModelVectors(NamedTuple):
    """An embedding model and the store of its vectors."""

    embedder: CachedEmbedder
    vectors: Vectors

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

    def order_of(self, commit: str) -> int:
        """Position, among the runs of all workflows, of the run that `commit` came with."""
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
    follow_index_model: Callable[[Mapping[str, str]], bool] = lambda meta: False
    """Replaces `model_vectors` by those of the model that the index's `meta` records, where the
    user has named none; returns whether it did."""
    is_older_than: Callable[[str], bool] = lambda commit: False
    """True if the run's commit is an ancestor of another; always False where it may go back."""
    model_failed: bool = False
    """True if the run goes on without `model_vectors` because their model failed."""
    static_model: StaticEmbedder | None = None
    """Makes the static vectors of a local index."""
    vector_index: str = ""
    """The identity of the vector index, once this run has read it."""
