"""What does a run work on? The three objects in which the two stores differ, and their costs."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from feeder.cloudflare.free_tier import Usage
from feeder.descriptions import Describer
from feeder.embedding import NO_USAGE, Embedder, ServiceUsage
from feeder.embedding.static_codes import StaticQuantizer
from feeder.store import Database, Vectors
from feeder.store.lookup_table import LookupTable
from feeder.sync.budget import Budget
from feeder.sync.report import Report


@dataclass
class Backend:
    """The objects behind the seams, opened; without an embedder there are no vectors either.

    `place` is how people call the store, and `file` where it is on this machine. `lookup` is the
    table in which a Worker finds what makes a question's vector, where the store keeps one.
    `describer` is asked for lines on methods and classes, where a run is to have them.
    `meaning` is the model that is asked with the words, where the store `keeps_meanings`. `usage`
    tells what has been taken so far, and `foreseen` what the run of a report would take, its model
    included; None where nothing is counted. `note` is what a run over the whole tree is told, and
    `lacks` why a model of the index is not asked.
    """

    label: str
    database: Database
    embedder: Embedder | None
    vectors: Vectors | None
    lookup: LookupTable | None = None
    describer: Describer | None = None
    static_model: StaticQuantizer | None = None
    keeps_static_vectors: bool = False
    file: Path | None = None
    note: str = ""
    missing_model_note: str = ""
    budget: Budget = field(default_factory=Budget)
    usage: Callable[[], Usage | None] = lambda: None
    estimate: Callable[[Report, ServiceUsage], Usage | None] = lambda report, planned: None

    @property
    def spent(self) -> ServiceUsage:
        """What both models have taken."""
        return total_spent(self.embedder, self.describer)


def total_spent(embedder: Embedder | None, describer: Describer | None) -> ServiceUsage:
    """What models have taken together."""
    both = [one.usage for one in (embedder, describer) if one] or [NO_USAGE]
    return ServiceUsage(*map(sum, zip(*both, strict=True)))
