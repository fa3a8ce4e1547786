"""`Backend`: the database, vectors and models behind a session; and the local one, a single
SQLite file.
"""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from feeder.cloudflare.free_tier import Usage
from feeder.config import Settings
from feeder.descriptions import Describer
from feeder.embedding import NO_USAGE, Embedder, ServiceUsage
from feeder.embedding.quantization import StaticQuantizer
from feeder.errors import UserError
from feeder.session.model_selection import (
    missing_minilm_note,
    select_describer,
    select_embedder,
    select_static_model,
    unused_minilm_note,
)
from feeder.store import Database, Statement, Vectors
from feeder.store.index_folder import checked_index_folder, create_index_folder
from feeder.store.inventory import indexed_repositories
from feeder.store.lookup_table import LookupTable
from feeder.store.migrations import migrate
from feeder.store.sqlite import IN_MEMORY, SQLite
from feeder.store.sqlite_vectors import SQLiteVectors
from feeder.sync.context import Budget
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


def index_file(base: Path, settings: Settings) -> Path:
    """Where the index of a base folder is, or would be."""
    return settings.db or checked_index_folder(base) / "index.db"


def local_backend(
    base: Path, settings: Settings, stack: ExitStack, *, writes: bool, create: bool
) -> Backend:
    """The index under a base folder; raises UserError where there is none to read.

    With `create` a missing one is made, in memory only unless the run `writes`.
    """
    file = index_file(base, settings)
    if not create and not file.exists():
        raise UserError(
            f"There is no index at {file}. Make one with: feeder sync "
            "(outside git: feeder process --path .)"
        )
    in_memory = not writes and not file.exists()
    if writes and settings.db is None:
        create_index_folder(file.parent)
    database = SQLite(IN_MEMORY if in_memory else file)
    stack.callback(database.close)
    migrate(database)
    made_with = _index_model(database)
    embedder = select_embedder(settings, index_model=made_with)
    vectors = SQLiteVectors(database) if embedder else None
    parts = Backend(f"local index {file}", database, embedder, vectors, keeps_static_vectors=True)
    parts.static_model = select_static_model(settings)
    parts.note = "" if embedder or not made_with else unused_minilm_note(settings, made_with)
    parts.missing_model_note = "" if embedder else missing_minilm_note(settings, made_with)
    parts.file = None if in_memory else file
    parts.describer = select_describer(settings)
    if parts.describer:
        stack.callback(parts.describer.close)
    parts.budget = _budget(settings, parts)
    if embedder or parts.describer:
        parts.usage = lambda: _usage(parts.spent)
        parts.estimate = lambda _, planned: _usage(planned)
    return parts


def _budget(settings: Settings, backend: Backend) -> Budget:
    """Requests are those to models elsewhere; a write costs none."""
    embedder = backend.embedder
    if not embedder and not backend.describer:
        return Budget(requests_per_write=0)
    return Budget(
        settings.max_embeddings,
        settings.max_requests,
        lambda: backend.spent.requests,
        lambda texts: embedder.estimate([0] * texts).requests if embedder else 0,
        requests_per_write=0,
    )


def _index_model(database: SQLite) -> dict[str, str]:
    """What the index says of the model of its vectors, "" for one that has none; of an empty one
    nothing."""
    query = "SELECT key, value FROM meta WHERE key IN ('model', 'dimensions')"
    [rows] = database.run([Statement(query)])
    none = {"model": ""} if indexed_repositories(database) else {}
    return none | {str(key): str(value) for key, value in rows}


def _usage(spent: ServiceUsage) -> Usage | None:
    """What a model elsewhere takes; one on this machine is not counted."""
    return Usage({"model": spent.requests}, tokens=spent.tokens) if spent.requests else None
